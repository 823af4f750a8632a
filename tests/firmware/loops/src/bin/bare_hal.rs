//! What the blocking loop is compared with.
#![cfg_attr(target_os = "none", no_std, no_main)]

use embedded_hal::delay::DelayNs;
use undaunted_firmware_loops::{attempt, runtime::Delay};

undaunted_firmware_loops::program! {
    state_bytes: 0,
    life: |serial| {
        if attempt().is_ok() {
            return 1;
        }
        Delay.delay_us(serial as u32);
        attempt().is_ok() as u32
    },
}
