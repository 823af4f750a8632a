//! A constant policy with attempts and full jitter, the generator included.
#![cfg_attr(target_os = "none", no_std, no_main)]

use core::time::Duration;
use undaunted_core::{Instant, Outcome, Policy, Retry, Rng};

const POLICY: Policy =
    Policy::exponential(Duration::from_millis(500)).cap(Duration::from_secs(60)).attempts(10).full_jitter();

struct State {
    retry: Retry,
    rng: Rng,
}

undaunted_firmware::program! {
    state: State,
    policy_bytes: 0,
    init: |seed| State {
        retry: Retry::start(&POLICY, Instant::from_micros(undaunted_firmware::scripts::START)),
        rng: Rng::seeded(seed as u64),
    },
    next: |state, outcome, now| {
        // A peer that sends no hints: it works or it does not.
        let outcome = if let Outcome::Succeed = outcome { Outcome::Succeed } else { Outcome::Fail };
        let random = state.rng.draw();
        undaunted_firmware::wait(state.retry.next(&POLICY, outcome, Instant::from_micros(now), random))
    },
    ending: |state| undaunted_firmware::ending(&state.retry),
}
