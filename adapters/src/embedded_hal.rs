//! Blocking calls on the delay of any HAL; feature `embedded-hal`.
//!
//! ```
//! use std::time::Duration;
//! use undaunted::{GaveUp, Policy, embedded_hal::{Hal, retry}};
//! use ::embedded_hal::{delay::DelayNs, i2c::{Error, ErrorKind, I2c}};
//!
//! const READ: Policy = Policy::exponential(Duration::from_micros(500)).cap(Duration::from_millis(5)).attempts(4);
//!
//! struct Thermometer<I, D> {
//!     i2c: I,
//!     hal: Hal<D>, // made by `Hal::seeded(serial_number, delay)`
//! }
//!
//! impl<I: I2c, D: DelayNs> Thermometer<I, D> {
//!     fn read(&mut self) -> Result<u16, GaveUp<u16, I::Error>> {
//!         retry(&self.hal, &READ, || {
//!             let mut answer = [0; 2];
//!             self.i2c.write_read(0x48, &[0], &mut answer)?;
//!             Ok(u16::from_be_bytes(answer))
//!         })
//!         .when(|error: &I::Error| matches!(error.kind(), ErrorKind::NoAcknowledge(_) | ErrorKind::ArbitrationLoss))
//!         .run()
//!     }
//! }
//! ```
//!
//! A device has no operating system to ask for seeds: [`Hal::seeded`] takes its serial number, and without one there is
//! no `Hal`. It may have no clock either; then time is what was waited, unless [`Hal::clock`] is given one. Waits are split
//! where they exceed the HAL's 32 bits of microseconds. Nothing cuts a blocking call. A watchdog that has to be fed in
//! the waits: [`Fed`](crate::Fed).
//!
//! A loop of your own is a `Session`, which lends `&mut` and uses `?`:
//!
//! ```
//! use std::{convert::Infallible, time::Duration};
//! use undaunted::{GaveUp, Outcome, Policy, embedded_hal::{Hal, Session}};
//! use ::embedded_hal::{delay::DelayNs, spi::SpiDevice};
//!
//! const WAKE: Policy = Policy::constant(Duration::from_millis(1)).no_jitter().attempts(5);
//!
//! fn wake<S: SpiDevice>(spi: &mut S, hal: &Hal<impl DelayNs>) -> Result<(), GaveUp<Infallible, S::Error>> {
//!     let mut session = Session::start_on(hal, &WAKE);
//!     loop {
//!         match spi.write(&[0xAB]) {
//!             Ok(()) => return Ok(()),
//!             Err(error) => session.settle(Outcome::Fail).or_give_up(error)?,
//!         }
//!     }
//! }
//! ```

pub use crate::device::{Clock, Hal, Slept};

use crate::blocking::{self, Sleep};
use crate::classify::Operation;
use crate::device::piece;
use crate::poll::Says;
use ::embedded_hal::delay::DelayNs;
use core::borrow::Borrow;
use undaunted_core::{Micros, Policy};

/// Retries `operation` under `policy`, waiting by the delay of `hal`.
///
/// Nothing is called before [`run`](blocking::Retry::run). The jitter is seeded by `hal` at the first failure,
/// unless a [`seed`](blocking::Retry::seed) is given.
#[inline]
pub fn retry<D: DelayNs, C: Clock, P: Borrow<Policy>, O: Operation<A>, A>(
    hal: &Hal<D, C>,
    policy: P,
    operation: O,
) -> Retry<'_, D, C, P, O, A> {
    blocking::retry(hal, policy, operation)
}

/// Asks `probe` until it says ready or never, or the policy says stop, waiting by the delay of `hal`.
///
/// The same as [`retry`], with a probe that gives a [`Probe`](crate::Probe), `bool` or `Option`.
/// The first probe is made at once, or after the policy's `first_delay`; waits are gaps between probes, or
/// with [`fixed_rate`](blocking::Retry::fixed_rate) and a clock intervals; `within` and `attempts` are the limits.
///
/// ```
/// use std::time::Duration;
/// use undaunted::{GaveUp, NotReady, Policy, embedded_hal::{Hal, poll}};
/// use ::embedded_hal::{delay::DelayNs, digital::InputPin};
///
/// const READY: Policy =
///     Policy::constant(Duration::from_millis(2)).no_jitter().unlimited_attempts().within(Duration::from_millis(100));
///
/// fn ready(pin: &mut impl InputPin, hal: &Hal<impl DelayNs>) -> Result<(), GaveUp<(), NotReady>> {
///     poll(hal, &READY, || pin.is_high().unwrap_or(false)).run()
/// }
/// ```
#[inline]
pub fn poll<D: DelayNs, C: Clock, P: Borrow<Policy>, O: Operation<A, Output: Says>, A>(
    hal: &Hal<D, C>,
    policy: P,
    probe: O,
) -> Retry<'_, D, C, P, O, A> {
    blocking::retry(hal, policy, probe)
}

/// A retry on a HAL's delay that is set up and not yet run.
pub type Retry<'a, D, C, P, O, A> = blocking::Retry<&'a Hal<D, C>, P, O, A>;

/// A deadline for a phase, on the clock of one `Hal`: `Deadline::after_on(&hal, length)`.
pub type Deadline<'a, D, C = Slept> = crate::Deadline<&'a Hal<D, C>>;

/// One operation's life on a HAL's delay, for a loop of your own: `Session::start_on(&hal, &POLICY)`.
pub type Session<'a, D, C = Slept, P = &'static Policy> = blocking::Session<&'a Hal<D, C>, P>;

impl<D: DelayNs, C: Clock> Sleep for &Hal<D, C> {
    fn sleep(&self, length: Micros) {
        // Nothing else runs in a blocking wait, so nobody else can have it.
        let Ok(mut delay) = self.delay.try_borrow_mut() else { return };
        let mut left = length;
        while left > Micros::ZERO {
            let (micros, length) = piece(left);
            delay.delay_us(micros);
            self.waited(length);
            left = left.saturating_sub(length);
        }
    }
}
