//! A policy that is data: any shape, jitter and limit may come, so nothing is folded away.
#![cfg_attr(target_os = "none", no_std, no_main)]

use core::hint::black_box;
use core::time::Duration;
use undaunted_core::{Instant, Policy, Retry, Rng};

static POLICY: Policy =
    Policy::exponential(Duration::from_millis(500)).cap(Duration::from_secs(60)).attempts(10).full_jitter();

struct State {
    policy: &'static Policy,
    retry: Retry,
    rng: Rng,
}

undaunted_firmware::program! {
    state: State,
    policy_bytes: size_of::<Policy>(),
    init: |seed| {
        let policy = black_box(&POLICY);
        State {
            policy,
            retry: Retry::start(policy, Instant::from_micros(undaunted_firmware::scripts::START)),
            rng: Rng::seeded(seed as u64),
        }
    },
    next: |state, outcome, now| {
        let random = state.rng.draw();
        undaunted_firmware::wait(state.retry.next(state.policy, *outcome, Instant::from_micros(now), random))
    },
    ending: |state| undaunted_firmware::ending(&state.retry),
}
