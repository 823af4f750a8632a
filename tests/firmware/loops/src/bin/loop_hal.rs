//! `retry` on a HAL's blocking delay.
#![cfg_attr(target_os = "none", no_std, no_main)]

use undaunted::embedded_hal::{Hal, retry};
use undaunted_firmware_loops::{POLICY, attempt, ending, runtime::Delay};

undaunted_firmware_loops::program! {
    state_bytes: {
        let hal = Hal::seeded(0, Delay);
        size_of_val(&hal) + size_of_val(&retry(&hal, &POLICY, attempt))
    },
    life: |serial| ending(retry(&Hal::seeded(serial, Delay), &POLICY, attempt).run()),
}
