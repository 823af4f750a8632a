//! reliakit-backoff with its full jitter. It has no generator: it is lent the core's, as the user of it must lend one.
#![cfg_attr(target_os = "none", no_std, no_main)]

use core::time::Duration;
use reliakit_backoff::{Backoff, full_jitter};
use undaunted_core::Rng;
use undaunted_firmware_peers::{failed, handed_out};

const POLICY: Backoff = Backoff::exponential(Duration::from_millis(500), 2)
    .with_max_delay(Duration::from_secs(60))
    .with_max_retries(9);

struct State {
    attempt: u32,
    rng: Rng,
}

undaunted_firmware::program! {
    state: State,
    policy_bytes: 0,
    init: |seed| State { attempt: 0, rng: Rng::seeded(seed as u64) },
    next: |state, outcome, _now| {
        if !failed(outcome) {
            return u64::MAX;
        }
        let random = state.rng.draw();
        let delay = POLICY.delay(state.attempt);
        state.attempt = state.attempt.saturating_add(1);
        handed_out(delay.map(|delay| full_jitter(delay, random)))
    },
    ending: |state| { let _ = state; 0 },
}
