//! `retry` on embassy.
#![cfg_attr(target_os = "none", no_std, no_main)]

use core::future::{Future, IntoFuture, poll_fn};
use core::task::Poll;
use undaunted::GaveUp;
use undaunted::embassy::{Embassy, retry};
use undaunted_firmware_loops::{NoAnswer, POLICY, attempt, ending, runtime::block_on};

#[inline(always)]
fn retried(serial: u64) -> impl Future<Output = Result<(), GaveUp<(), NoAnswer>>> {
    // Not an `async` block, which has a branch for who polls it after its end.
    retry(Embassy::seeded(serial), &POLICY, || poll_fn(|_| Poll::Ready(attempt()))).into_future()
}

undaunted_firmware_loops::program! {
    state_bytes: size_of_val(&retried(0)),
    life: |serial| ending(block_on(retried(serial))),
}
