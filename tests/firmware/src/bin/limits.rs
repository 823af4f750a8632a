//! A constant policy with every limit that a decision knows.
#![cfg_attr(target_os = "none", no_std, no_main)]

use core::time::Duration;
use undaunted_core::{Instant, Policy, Retry, Rng};

const POLICY: Policy = Policy::exponential(Duration::from_millis(500))
    .cap(Duration::from_secs(60))
    .proportional_jitter(1, 5)
    .attempts(10)
    .floor(Duration::from_millis(700))
    .within(Duration::from_secs(150))
    .hint_ceiling(Duration::from_secs(600));

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
        let random = state.rng.draw();
        undaunted_firmware::wait(state.retry.next(&POLICY, *outcome, Instant::from_micros(now), random))
    },
    ending: |state| undaunted_firmware::ending(&state.retry),
}
