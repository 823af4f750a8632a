//! The frame alone: what every other image is compared with.
#![cfg_attr(target_os = "none", no_std, no_main)]

undaunted_firmware::program! {
    state: u32,
    policy_bytes: 0,
    init: |seed| seed,
    next: |state, _outcome, _now| { let _ = state; 0 },
    ending: |state| { let _ = state; 0 },
}
