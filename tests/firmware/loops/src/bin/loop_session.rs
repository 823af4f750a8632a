//! A loop of one's own on embassy, by `Session`.
#![cfg_attr(target_os = "none", no_std, no_main)]

use core::convert::Infallible;
use undaunted::embassy::{Embassy, Session};
use undaunted::{GaveUp, Outcome};
use undaunted_firmware_loops::{NoAnswer, POLICY, attempt, ending, runtime::block_on};

async fn looped(serial: u64) -> Result<(), GaveUp<Infallible, NoAnswer>> {
    let mut session = Session::start_on(Embassy::seeded(serial), &POLICY);
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
