//! What the programs here share.

#![cfg_attr(target_os = "none", no_std)]

use core::time::Duration;
use undaunted_core::Outcome;

/// Whether there is anything to decide: a success ends, and every other outcome is a failure.
#[inline(always)]
pub fn failed(outcome: &Outcome) -> bool {
    !matches!(outcome, Outcome::Succeed)
}

/// A wait as it is, seconds and nanoseconds: no peer is charged for making ticks of it.
#[inline(always)]
pub fn handed_out(wait: Option<Duration>) -> u64 {
    match wait {
        Some(wait) => wait.as_secs() << 32 | u64::from(wait.subsec_nanos()),
        None => u64::MAX,
    }
}

/// A generator of three shifts (Marsaglia, "Xorshift RNGs", 2003): the least that a floor can do with.
#[inline(always)]
pub fn xorshift(state: &mut u32) -> u32 {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    *state
}
