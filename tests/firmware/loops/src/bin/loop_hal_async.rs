//! A loop of one's own on a HAL's asynchronous delay.
#![cfg_attr(target_os = "none", no_std, no_main)]

use core::convert::Infallible;
use undaunted::embedded_hal_async::{Hal, session};
use undaunted::{GaveUp, Outcome};
use undaunted_firmware_loops::{
    NoAnswer, POLICY, attempt, ending,
    runtime::{Delay, block_on},
};

async fn looped(serial: u64) -> Result<(), GaveUp<Infallible, NoAnswer>> {
    let mut hal = Hal::seeded(serial, Delay);
    let mut session = session(&mut hal, &POLICY);
    loop {
        match attempt() {
            Ok(()) => return Ok(()),
            Err(error) => session.settle(Outcome::Fail).await.or_give_up(error)?,
        }
    }
}

undaunted_firmware_loops::program! {
    state_bytes: size_of_val(&looped(0)),
    life: |serial| ending(block_on(looped(serial))),
}
