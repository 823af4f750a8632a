//! The least executor, timer and delays: what a board brings, without the board.

use core::future::{Future, poll_fn};
use core::mem::replace;
use core::pin::pin;
use core::task::{Context, Poll, Waker};
use embassy_time_driver::Driver;

/// Polls until it is ready: the timers here wake nobody, since the clock has jumped when they are asked again.
#[inline(always)]
pub fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
    }
}

/// The driver of embassy's clock: what is scheduled is reached at once.
struct Jumping;

embassy_time_driver::time_driver_impl!(static DRIVER: Jumping = Jumping);

impl Driver for Jumping {
    fn now(&self) -> u64 {
        crate::now().into()
    }

    fn schedule_wake(&self, at: u64, _: &Waker) {
        crate::jump((at as u32).wrapping_sub(crate::now()));
    }
}

/// The delay of a HAL, blocking and not.
#[derive(Debug)]
pub struct Delay;

impl embedded_hal::delay::DelayNs for Delay {
    fn delay_ns(&mut self, ns: u32) {
        embedded_hal::delay::DelayNs::delay_us(self, ns.div_ceil(1_000));
    }

    fn delay_us(&mut self, us: u32) {
        crate::jump(us);
    }
}

impl embedded_hal_async::delay::DelayNs for Delay {
    fn delay_ns(&mut self, ns: u32) -> impl Future<Output = ()> {
        embedded_hal_async::delay::DelayNs::delay_us(self, ns.div_ceil(1_000))
    }

    /// Pending once, as every delay that waits is. Not an `async fn`, which has a branch for who polls it after its end.
    fn delay_us(&mut self, us: u32) -> impl Future<Output = ()> {
        let mut is_over = false;
        poll_fn(move |_| {
            if replace(&mut is_over, true) {
                return Poll::Ready(());
            }
            crate::jump(us);
            Poll::Pending
        })
    }
}
