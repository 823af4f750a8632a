//! As `constant`, the last eight failures kept for a post-mortem.
#![cfg_attr(target_os = "none", no_std, no_main)]

use core::time::Duration;
use undaunted_core::{Instant, Outcome, Policy, Retry, Rng, Trail};

const POLICY: Policy =
    Policy::exponential(Duration::from_millis(500)).cap(Duration::from_secs(60)).attempts(10).full_jitter();

struct State {
    retry: Retry,
    rng: Rng,
    trail: Trail<8, u16>,
}

undaunted_firmware::program! {
    state: State,
    policy_bytes: 0,
    init: |seed| State {
        retry: Retry::start(&POLICY, Instant::from_micros(undaunted_firmware::scripts::START)),
        rng: Rng::seeded(seed as u64),
        trail: Trail::new(),
    },
    next: |state, outcome, now| {
        let (random, now) = (state.rng.draw(), Instant::from_micros(now));
        if let Outcome::Succeed = outcome {
            return undaunted_firmware::wait(state.retry.next(&POLICY, Outcome::Succeed, now, random));
        }
        let verdict = state.retry.next(&POLICY, Outcome::Fail, now, random);
        state.trail.push(state.retry.attempts(), now, random as u16);
        undaunted_firmware::wait(verdict)
    },
    // What is kept is read, or it would not be kept.
    ending: |state| {
        let mut sum = undaunted_firmware::ending(&state.retry);
        for failure in state.trail.iter() {
            sum ^= failure.attempt ^ failure.at.as_micros() as u32 ^ u32::from(failure.error);
        }
        sum
    },
}
