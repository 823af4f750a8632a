//! As `loop_session`, the policy a type: nothing of it is read at run time, so the decision is folded as far as that of
//! `constant`.
#![cfg_attr(target_os = "none", no_std, no_main)]

use core::borrow::Borrow;
use core::convert::Infallible;
use undaunted::embassy::{Embassy, Session};
use undaunted::{GaveUp, Outcome, Policy};
use undaunted_firmware_loops::{NoAnswer, POLICY, attempt, ending, runtime::block_on};

struct Fixed;

impl Borrow<Policy> for Fixed {
    #[inline(always)]
    fn borrow(&self) -> &Policy {
        &POLICY
    }
}

async fn looped(serial: u64) -> Result<(), GaveUp<Infallible, NoAnswer>> {
    let mut session = Session::start_on(Embassy::seeded(serial), Fixed);
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
