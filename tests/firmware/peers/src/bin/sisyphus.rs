//! sisyphus: its widest jitter, under its cap.
#![cfg_attr(target_os = "none", no_std, no_main)]

use core::time::Duration;
use sisyphus::{BackoffPolicy, ExponentialBackoff, MaxAttempts, PolicyExt, SplitMix64, WithMaxDelay};
use undaunted_firmware_peers::{failed, handed_out};

type State = MaxAttempts<WithMaxDelay<ExponentialBackoff<SplitMix64>>>;

undaunted_firmware::program! {
    state: State,
    policy_bytes: 0,
    init: |seed| ExponentialBackoff::new(Duration::from_millis(500), 2.0)
        .with_jitter(SplitMix64::new(seed as u64), 1.0)
        .with_max_delay(Duration::from_secs(60))
        .max_attempts(9),
    next: |state, outcome, _now| handed_out(if failed(outcome) { state.next_delay() } else { None }),
    ending: |state| { let _ = state; 0 },
}
