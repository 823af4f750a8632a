//! What the loops on embassy are compared with.
#![cfg_attr(target_os = "none", no_std, no_main)]

use embassy_time::{Duration, Timer};
use undaunted_firmware_loops::{attempt, runtime::block_on};

async fn twice(serial: u64) -> u32 {
    if attempt().is_ok() {
        return 1;
    }
    Timer::after(Duration::from_micros(serial)).await;
    attempt().is_ok() as u32
}

undaunted_firmware_loops::program! {
    state_bytes: size_of_val(&twice(0)),
    life: |serial| block_on(twice(serial)),
}
