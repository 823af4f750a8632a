//! The floor that promises as much as a constant policy: microseconds in 64 bits, a deadline, an end that lasts.
#![cfg_attr(target_os = "none", no_std, no_main)]

use undaunted_core::Rng;
use undaunted_firmware_peers::failed;

const FIRST: u64 = 500_000;
const CAP: u64 = 60_000_000;
const ATTEMPTS: u32 = 10;

struct State {
    /// `u64::MAX` is none.
    deadline: u64,
    delay: u64,
    attempts: u32,
    ended: bool,
    rng: Rng,
}

undaunted_firmware::program! {
    state: State,
    policy_bytes: 0,
    init: |seed| State {
        deadline: u64::MAX,
        delay: FIRST,
        attempts: 0,
        ended: false,
        rng: Rng::seeded(seed as u64),
    },
    next: |state, outcome, now| {
        let random = state.rng.draw();
        if state.ended {
            return u64::MAX;
        }
        state.attempts += 1;
        let wait = ((state.delay + 1) * u64::from(random)) >> 32;
        state.delay = (state.delay * 2).min(CAP);
        let late = state.deadline != u64::MAX && now.saturating_add(wait) >= state.deadline;
        if !failed(outcome) || state.attempts >= ATTEMPTS || late {
            state.ended = true;
            return u64::MAX;
        }
        wait
    },
    ending: |state| state.ended as u32,
}
