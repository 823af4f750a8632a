//! Asynchronous calls on tokio; feature `tokio`.
//!
//! ```
//! use std::time::Duration;
//! use undaunted::{Policy, tokio::retry};
//!
//! const READ: Policy = Policy::exponential(Duration::from_millis(100)).attempts(4);
//!
//! # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
//! let calls = std::cell::Cell::new(0);
//! let report = retry(&READ, async || {
//!     calls.set(calls.get() + 1);
//!     if calls.get() < 3 { Err("busy") } else { Ok("read") }
//! })
//! .when(|error| *error == "busy")
//! .on_event(|event| println!("{event}"))
//! .report()
//! .await
//! .unwrap();
//! assert_eq!((report.value, report.attempts), ("read", 3));
//! # });
//! ```
//!
//! A loop of your own lends `&mut`, uses `?`, and may be spawned:
//!
//! ```
//! use std::{convert::Infallible, time::Duration};
//! use undaunted::{GaveUp, Outcome, Policy, tokio::Session};
//!
//! const SEND: Policy = Policy::exponential(Duration::from_millis(100)).attempts(4);
//!
//! struct Connection(u32);
//!
//! impl Connection {
//!     async fn send(&mut self) -> Result<u32, &'static str> {
//!         self.0 += 1;
//!         if self.0 < 3 { Err("busy") } else { Ok(self.0) }
//!     }
//! }
//!
//! async fn send(connection: &mut Connection) -> Result<u32, GaveUp<Infallible, &'static str>> {
//!     let mut session = Session::start(&SEND);
//!     loop {
//!         match connection.send().await {
//!             Ok(reply) => return Ok(reply),
//!             Err(error) => session.settle(Outcome::Fail).await.or_give_up(error)?,
//!         }
//!     }
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
//! let task = tokio::spawn(async { send(&mut Connection(0)).await });
//! assert_eq!(task.await.unwrap(), Ok(3));
//! # });
//! ```
//!
//! An attempt is cut at the nearer of `attempt_timeout` and the time left: its future is dropped, it
//! counts as a failure, and at the deadline it is the end. [`uncut`](asynch::Retry::uncut) leaves that to
//! the operation, which can learn its limits from an [`Attempt`](crate::Attempt). tokio's timer rounds up to
//! its millisecond: a wait that is just shorter than the time left may end at the deadline, and no attempt
//! follows it.

mod supervise;

pub use supervise::{NoGate, Supervisor, supervise};

use crate::asynch;
use crate::classify::Operation;
use crate::clock;
use crate::poll::Says;
use crate::session::Runtime;
use core::borrow::Borrow;
use core::future::Future;
use undaunted_core::{Instant, Micros, Policy};

/// Retries `operation` under `policy`, waiting on tokio's timer.
///
/// Nothing is called before the future is polled. The jitter is seeded by the operating system at
/// the first failure, unless a [`seed`](asynch::Retry::seed) is given.
#[inline]
pub fn retry<P: Borrow<Policy>, O: Operation<A, Output: Future>, A>(
    policy: P,
    operation: O,
) -> Retry<P, O, A> {
    asynch::retry(Tokio, policy, operation)
}

/// Asks `probe` until it says ready or never, or the policy says stop, waiting on tokio's timer.
///
/// The same as [`retry`], with a probe that gives a [`Probe`](crate::Probe), `bool` or `Option`.
/// The first probe is made at once, or after the policy's `first_delay`; waits are gaps between probes, or
/// with [`fixed_rate`](asynch::Retry::fixed_rate) intervals; `within` and `attempts` are the limits.
///
/// ```
/// use std::time::Duration;
/// use undaunted::{Policy, Probe, tokio::poll};
///
/// const LINK: Policy =
///     Policy::constant(Duration::from_secs(3)).no_jitter().unlimited_attempts().within(Duration::from_secs(300));
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
/// let asked = std::cell::Cell::new(0);
/// let link = async || {
///     asked.set(asked.get() + 1);
///     match asked.get() {
///         1 => Probe::NotYet("no such link"),
///         2 => Probe::NotYet("the link is down"),
///         index => Probe::Ready(index),
///     }
/// };
/// assert_eq!(poll(&LINK, link).fixed_rate().await, Ok(3));
/// # });
/// ```
#[inline]
pub fn poll<P: Borrow<Policy>, O: Operation<A, Output: Future<Output: Says>>, A>(
    policy: P,
    probe: O,
) -> Retry<P, O, A> {
    asynch::retry(Tokio, policy, probe)
}

/// The future of a retry on tokio.
pub type Retry<P, O, A> = asynch::Retry<Tokio, P, O, A>;

/// A deadline for a phase, on tokio's clock.
pub type Deadline = crate::Deadline<Tokio>;

/// One operation's life on tokio, for a loop of your own.
pub type Session<P = &'static Policy> = asynch::Session<Tokio, P>;

/// tokio's clock and timer (both can be paused by its test tools), the operating system's seeds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tokio;

impl Runtime for Tokio {
    fn now(&self) -> Instant {
        clock::on_epoch(::tokio::time::Instant::now().into_std())
    }

    fn seed(&self) -> u64 {
        clock::seed()
    }
}

impl asynch::Timer for Tokio {
    type Sleep = ::tokio::time::Sleep;

    /// tokio rounds up to its millisecond, and takes what it cannot hold for some thirty years.
    fn sleep(&self, length: Micros) -> ::tokio::time::Sleep {
        ::tokio::time::sleep(length.as_duration())
    }
}
