//! The floor: milliseconds in 32 bits, 16 bits of jitter, no deadline, no hint, no memory of its end.
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
        // Both factors are below 2^16.
        let wait = ((state.delay + 1) * (xorshift(&mut state.random) >> 16)) >> 16;
        state.delay = (state.delay * 2).min(CAP);
        u64::from(wait)
    },
    ending: |state| { let _ = state; 0 },
}
