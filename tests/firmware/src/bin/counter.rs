//! Points in time from a counter of a crystal, seeded by an id: what the others take for granted.
#![cfg_attr(target_os = "none", no_std, no_main)]

use undaunted_core::{Counter, Rng, TickRate};

const CRYSTAL: TickRate = TickRate::hertz(32_768);

undaunted_firmware::program! {
    state: Counter,
    policy_bytes: 0,
    init: |seed| {
        let start = (undaunted_firmware::scripts::START >> 12) as u32;
        Counter::start(CRYSTAL, start.wrapping_sub(Rng::from_id(&seed.to_le_bytes()).draw() >> 8))
    },
    // So slow that it is always ahead.
    next: |state, _outcome, now| state.read((now >> 12) as u32).as_micros(),
    ending: |state| { let _ = state; 0 },
}
