//! A table of eight keys for sixteen, under a constant recovery.
#![cfg_attr(target_os = "none", no_std, no_main)]

use core::time::Duration;
use undaunted_core::{Instant, Keyed, Policy, Recovery, Rng};

const PEERS: Recovery = Recovery::new(
    Policy::exponential(Duration::from_millis(500)).cap(Duration::from_secs(60)).attempts(10).full_jitter(),
);

struct State {
    keyed: Keyed<u8, 8>,
    rng: Rng,
}

undaunted_firmware::program! {
    state: State,
    policy_bytes: 0,
    init: |seed| match Keyed::start(&PEERS) {
        Ok(keyed) => State { keyed, rng: Rng::seeded(seed as u64) },
        Err(_) => undaunted_firmware::fail(),
    },
    next: |state, outcome, now| {
        let (random, now) = (state.rng.draw(), Instant::from_micros(now));
        let key = random as u8 & 15;
        undaunted_firmware::wait(state.keyed.next(&PEERS, key, *outcome, now, random))
    },
    ending: |state| state.keyed.is_crowded(&PEERS, Instant::MAX) as u32,
}
