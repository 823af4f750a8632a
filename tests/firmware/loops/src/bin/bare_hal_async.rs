//! What the asynchronous loop on a HAL is compared with.
#![cfg_attr(target_os = "none", no_std, no_main)]

use embedded_hal_async::delay::DelayNs;
use undaunted_firmware_loops::{
    attempt,
    runtime::{Delay, block_on},
};

async fn twice(serial: u64) -> u32 {
    if attempt().is_ok() {
        return 1;
    }
    Delay.delay_us(serial as u32).await;
    attempt().is_ok() as u32
}

undaunted_firmware_loops::program! {
    state_bytes: size_of_val(&twice(0)),
    life: |serial| block_on(twice(serial)),
}
