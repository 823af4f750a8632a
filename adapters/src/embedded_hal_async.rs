//! Asynchronous calls on the delay of any HAL; feature `embedded-hal-async`.
//!
//! A bus that is lent to each attempt wants a loop of its own, since a future that `retry` calls for cannot borrow it:
//!
//! ```
//! use std::{convert::Infallible, time::Duration};
//! use undaunted::{GaveUp, Outcome, Policy, embedded_hal_async::{Hal, session}};
//! use ::embedded_hal_async::{delay::DelayNs, i2c::{Error, ErrorKind, I2c}};
//!
//! const READ: Policy = Policy::exponential(Duration::from_micros(500)).cap(Duration::from_millis(5)).attempts(4);
//!
//! struct Thermometer<I, D> {
//!     i2c: I,
//!     hal: Hal<D>, // made by `Hal::seeded(serial_number, delay)`
//! }
//!
//! impl<I: I2c, D: DelayNs> Thermometer<I, D> {
//!     async fn read(&mut self) -> Result<u16, GaveUp<Infallible, I::Error>> {
//!         let mut session = session(&mut self.hal, &READ);
//!         loop {
//!             let mut answer = [0; 2];
//!             match self.i2c.write_read(0x48, &[0], &mut answer).await {
//!                 Ok(()) => return Ok(u16::from_be_bytes(answer)),
//!                 Err(e) => {
//!                     let passes = matches!(e.kind(), ErrorKind::NoAcknowledge(_) | ErrorKind::ArbitrationLoss);
//!                     session.settle(Outcome::retry_if(passes)).await.or_give_up(e)?;
//!                 }
//!             }
//!         }
//!     }
//! }
//! ```
//!
//! [`retry`] is for what can be called by `&`, and cuts attempts at the nearer of `attempt_timeout` and the time left,
//! counted from the first await of the attempt.
//!
//! A device has no operating system to ask for seeds: [`Hal::seeded`] takes its serial number, and without one there is
//! no `Hal`. It may have no clock either; then time is what was waited, unless [`Hal::clock`] is given one. Waits are split
//! where they exceed the HAL's 32 bits of microseconds. A `Hal` is borrowed mutably, since its delay waits for one
//! thing at a time: a retry that is nested in another takes a `Hal` of its own. The futures stay on one thread. Its deadline for a phase is a
//! point: `undaunted::Deadline::after_on(&hal, length).at()`.

pub use crate::device::{Clock, Hal, Slept};

use crate::asynch::{self, Timer};
use crate::classify::Operation;
use crate::device::piece;
use crate::poll::Says;
use crate::session::Runtime;
use ::embedded_hal_async::delay::DelayNs;
use core::borrow::Borrow;
use core::future::{Future, poll_fn};
use core::task::Poll;
use undaunted_core::{Instant, Micros, Policy};

/// Retries `operation` under `policy`, waiting by the delay of `hal`.
///
/// Nothing is called before the future is polled. The jitter is seeded by `hal` at the first failure, unless a
/// [`seed`](asynch::Retry::seed) is given.
#[inline]
pub fn retry<D: DelayNs, C: Clock, P: Borrow<Policy>, O: Operation<A, Output: Future>, A>(
    hal: &mut Hal<D, C>,
    policy: P,
    operation: O,
) -> asynch::Retry<impl Timer + Clone, P, O, A> {
    asynch::retry(hal.timer(), policy, operation)
}

/// Asks `probe` until it says ready or never, or the policy says stop, waiting by the delay of `hal`.
///
/// The same as [`retry`], with a probe that gives a [`Probe`](crate::Probe), `bool` or `Option`.
/// The first probe is made at once, or after the policy's `first_delay`; waits are gaps between probes, or
/// with [`fixed_rate`](asynch::Retry::fixed_rate) and a clock intervals; `within` and `attempts` are the limits.
#[inline]
pub fn poll<D: DelayNs, C: Clock, P: Borrow<Policy>, O: Operation<A, Output: Future<Output: Says>>, A>(
    hal: &mut Hal<D, C>,
    policy: P,
    probe: O,
) -> asynch::Retry<impl Timer + Clone, P, O, A> {
    asynch::retry(hal.timer(), policy, probe)
}

/// One operation's life on a HAL's delay, for a loop of your own; starts now.
#[inline]
pub fn session<D: DelayNs, C: Clock, P: Borrow<Policy>>(
    hal: &mut Hal<D, C>,
    policy: P,
) -> asynch::Session<impl Timer + Clone, P> {
    asynch::Session::start_on(hal.timer(), policy)
}

impl<D: DelayNs, C: Clock> Hal<D, C> {
    /// The runtime itself, for [`asynch::retry`] and for [`Fed`](crate::Fed). Of two clones that wait at once, the
    /// second begins when the first is over.
    pub fn timer(&mut self) -> impl Timer + Clone {
        OnDelay { hal: &*self, wait: wait::<D, C> }
    }
}

/// A delay as a timer. What its waits are has no name, but is what `wait` gives.
struct OnDelay<'a, D, C, W> {
    hal: &'a Hal<D, C>,
    wait: W,
}

impl<D, C, W: Clone> Clone for OnDelay<'_, D, C, W> {
    fn clone(&self) -> Self {
        OnDelay { hal: self.hal, wait: self.wait.clone() }
    }
}

impl<D, C: Clock, W> Runtime for OnDelay<'_, D, C, W> {
    fn now(&self) -> Instant {
        self.hal.now()
    }

    fn seed(&self) -> u64 {
        self.hal.seed()
    }
}

impl<'a, D, C: Clock, W: Fn(&'a Hal<D, C>, Micros) -> F, F: Future<Output = ()>> Timer
    for OnDelay<'a, D, C, W>
{
    type Sleep = F;

    fn sleep(&self, length: Micros) -> F {
        (self.wait)(self.hal, length)
    }
}

/// Takes the delay when it is first polled and gives it back at its end or when it is dropped: what limits an attempt
/// is gone before the wait after it begins.
#[expect(clippy::await_holding_refcell_ref, reason = "who else wants it waits above, and nobody panics")]
async fn wait<D: DelayNs, C>(hal: &Hal<D, C>, length: Micros) {
    let mut delay = poll_fn(|context| {
        hal.delay.try_borrow_mut().map_or_else(
            |_| {
                context.waker().wake_by_ref();
                Poll::Pending
            },
            Poll::Ready,
        )
    })
    .await;
    let mut left = length;
    while left > Micros::ZERO {
        let (micros, length) = piece(left);
        delay.delay_us(micros).await;
        hal.waited(length);
        left = left.saturating_sub(length);
    }
}
