//! A constant recovery with an intensity: what a reconnect loop decides with, clean ends included.
#![cfg_attr(target_os = "none", no_std, no_main)]

use core::time::Duration;
use undaunted_core::{Instant, Micros, Outcome, Policy, Recovery, Restarts, Rng};

const UPLINK: Recovery = Recovery::new(
    Policy::exponential(Duration::from_millis(500)).cap(Duration::from_secs(60)).attempts(10).full_jitter(),
)
.reset_after(Duration::from_secs(120))
.intensity(5, Duration::from_secs(60));

struct State {
    restarts: Restarts<[Instant; 5]>,
    rng: Rng,
}

undaunted_firmware::program! {
    state: State,
    policy_bytes: 0,
    init: |seed| {
        let start = Instant::from_micros(undaunted_firmware::scripts::START);
        match Restarts::start(&UPLINK, start, [start; 5]) {
            Ok(restarts) => State { restarts, rng: Rng::seeded(seed as u64) },
            Err(_) => undaunted_firmware::fail(),
        }
    },
    next: |state, outcome, now| {
        let random = state.rng.draw();
        // Any health up to 134 s, so that one run in ten resets.
        let (healthy, now) = (Micros::new(now & 0x7ff_ffff), Instant::from_micros(now));
        undaunted_firmware::wait(match *outcome {
            Outcome::Succeed => state.restarts.again(&UPLINK, healthy, now, random),
            outcome => state.restarts.next(&UPLINK, outcome, healthy, now, random),
        })
    },
    ending: |state| undaunted_firmware::ended(state.restarts.stopped()),
}
