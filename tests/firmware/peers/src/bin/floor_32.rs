//! The floor with 32 bits of jitter: any cap, and every delay can be drawn.
#![cfg_attr(target_os = "none", no_std, no_main)]

use undaunted_firmware_peers::{failed, xorshift};

const FIRST: u32 = 500;
const CAP: u32 = 60_000;
const WAITS: u32 = 9;

struct State {
    delay: u32,
    attempts: u32,
    random: u32,
}

undaunted_firmware::program! {
    state: State,
    policy_bytes: 0,
    init: |seed| State { delay: FIRST, attempts: 0, random: seed },
    next: |state, outcome, _now| {
        if !failed(outcome) || state.attempts >= WAITS {
            return u64::MAX;
        }
        state.attempts += 1;
        let wait = (u64::from(state.delay + 1) * u64::from(xorshift(&mut state.random))) >> 32;
        state.delay = (state.delay * 2).min(CAP);
        wait
    },
    ending: |state| { let _ = state; 0 },
}
