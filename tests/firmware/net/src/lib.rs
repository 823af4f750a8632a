//! What the programs here share: a driver, a question, time stamps, and an end for a panic.

#![cfg(target_os = "none")]
#![no_std]

pub mod enet;
pub mod question;

use defmt_semihosting as _;
use semihosting::process::exit;

defmt::timestamp!("{=u64:us}", embassy_time::Instant::now().as_micros());

/// Where the panic was is formatted on the device: it costs flash, and nobody has to guess.
#[panic_handler]
fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
    // By another stream than the frames, since the panic may have come while one was written.
    semihosting::eprintln!("{}", info);
    exit(PANIC)
}

const PANIC: i32 = 101;
