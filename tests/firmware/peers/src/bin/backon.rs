//! backon without `std`. Its builder is given the seed; without one every device draws the same.
#![cfg_attr(target_os = "none", no_std, no_main)]

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use core::time::Duration;
use undaunted_firmware_peers::{failed, handed_out};

undaunted_firmware::program! {
    state: ExponentialBackoff,
    policy_bytes: 0,
    init: |seed| ExponentialBuilder::new()
        .with_min_delay(Duration::from_millis(500))
        .with_max_delay(Duration::from_secs(60))
        .with_max_times(9)
        .with_jitter()
        .with_jitter_seed(seed as u64)
        .build(),
    next: |state, outcome, _now| handed_out(if failed(outcome) { state.next() } else { None }),
    ending: |state| { let _ = state; 0 },
}
