//! As `loaded`, the policy read from its text on the device: what the parser adds.
#![cfg_attr(target_os = "none", no_std, no_main)]

use core::hint::black_box;
use undaunted_core::{Instant, ParseError, Policy, Retry, Rng};

static TEXT: &str = "exponential 500ms x2 cap 60s jitter full attempts 10";
/// The same, broken off in the word at byte 36.
static WRONG: &str = TEXT.split_at(39).0;

struct State {
    policy: Policy,
    retry: Retry,
    rng: Rng,
}

/// As a device would call it: the text comes from outside, and the error is used.
#[inline(never)]
fn read(text: &str) -> Result<Policy, ParseError> {
    Policy::parse(black_box(text))
}

undaunted_firmware::program! {
    state: State,
    policy_bytes: size_of::<Policy>(),
    init: |seed| {
        let refused = black_box(read(WRONG)).is_err_and(|error| error.at == 36);
        match read(TEXT) {
            Ok(policy) if refused => State {
                retry: Retry::start(&policy, Instant::from_micros(undaunted_firmware::scripts::START)),
                policy,
                rng: Rng::seeded(seed as u64),
            },
            _ => undaunted_firmware::fail(),
        }
    },
    next: |state, outcome, now| {
        let random = state.rng.draw();
        undaunted_firmware::wait(state.retry.next(&state.policy, *outcome, Instant::from_micros(now), random))
    },
    ending: |state| undaunted_firmware::ending(&state.retry),
}
