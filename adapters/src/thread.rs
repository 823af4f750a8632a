//! Blocking calls on a thread of the operating system; feature `std`.
//!
//! ```
//! use std::time::Duration;
//! use undaunted::{Policy, thread::retry};
//!
//! const OPEN: Policy = Policy::exponential(Duration::from_millis(1)).attempts(4);
//!
//! let mut calls = 0;
//! let report = retry(&OPEN, || {
//!     calls += 1;
//!     if calls < 3 { Err("busy") } else { Ok("open") }
//! })
//! .when(|error| *error == "busy")
//! .on_event(|event| println!("{event}"))
//! .report()
//! .unwrap();
//! assert_eq!((report.value, report.attempts), ("open", 3));
//! ```
//!
//! A loop of your own, which may borrow and use `?`:
//!
//! ```
//! use std::{convert::Infallible, time::Duration};
//! use undaunted::{GaveUp, Outcome, Policy, thread::Session};
//!
//! const OPEN: Policy = Policy::exponential(Duration::from_millis(1)).attempts(4);
//!
//! fn open(tries: &mut Vec<u32>) -> Result<usize, GaveUp<Infallible, &'static str>> {
//!     let mut session = Session::start(&OPEN);
//!     loop {
//!         tries.push(1); // an attempt that borrows mutably
//!         match if tries.len() < 3 { Err("busy") } else { Ok(tries.len()) } {
//!             Ok(value) => return Ok(value),
//!             Err(error) => session.settle(Outcome::Fail).or_give_up(error)?,
//!         }
//!     }
//! }
//! assert_eq!(open(&mut Vec::new()), Ok(3));
//! ```

mod supervise;

pub use supervise::{NoGate, Supervisor, supervise};

use crate::blocking::{self, Sleep};
use crate::classify::Operation;
use crate::clock;
use crate::poll::Says;
use crate::session::Runtime;
use crate::stop::Stop;
use core::borrow::Borrow;
use undaunted_core::{Instant, Micros, Policy};

/// Retries `operation` under `policy`, blocking this thread while it waits.
///
/// Nothing is called before [`run`](blocking::Retry::run). The jitter is seeded by the operating
/// system at the first failure, unless a [`seed`](blocking::Retry::seed) is given.
#[inline]
pub fn retry<P: Borrow<Policy>, O: Operation<A>, A>(policy: P, operation: O) -> Retry<P, O, A> {
    blocking::retry(Thread, policy, operation)
}

/// Asks `probe` until it says ready or never, or the policy says stop, blocking this thread while it waits.
///
/// The same as [`retry`], with a probe that gives a [`Probe`](crate::Probe), `bool` or `Option`.
/// The first probe is made at once, or after the policy's `first_delay`; waits are gaps between probes, or
/// with [`fixed_rate`](blocking::Retry::fixed_rate) intervals; `within` and `attempts` are the limits.
///
/// ```
/// use std::time::Duration;
/// use undaunted::{Policy, thread::poll};
///
/// const READY: Policy =
///     Policy::constant(Duration::from_millis(1)).no_jitter().unlimited_attempts().within(Duration::from_secs(5));
///
/// let mut asked = 0;
/// let probe = || {
///     asked += 1;
///     asked == 3 // is the socket there?
/// };
/// assert_eq!(poll(&READY, probe).fixed_rate().run(), Ok(()));
/// ```
#[inline]
pub fn poll<P: Borrow<Policy>, O: Operation<A, Output: Says>, A>(policy: P, probe: O) -> Retry<P, O, A> {
    blocking::retry(Thread, policy, probe)
}

/// A retry on this thread that is set up and not yet run.
pub type Retry<P, O, A> = blocking::Retry<Thread, P, O, A>;

/// A deadline for a phase, on this clock.
pub type Deadline = crate::Deadline<Thread>;

/// One operation's life on this thread, for a loop of your own.
pub type Session<P = &'static Policy> = blocking::Session<Thread, P>;

/// The thread that calls: the standard library's clock, sleep and hash keys.
#[derive(Clone, Copy, Debug, Default)]
pub struct Thread;

impl Runtime for Thread {
    fn now(&self) -> Instant {
        clock::on_epoch(std::time::Instant::now())
    }

    fn seed(&self) -> u64 {
        clock::seed()
    }
}

impl Sleep for Thread {
    /// The standard library sleeps at least as long as it is told, in pieces if need be.
    fn sleep(&self, length: Micros) {
        std::thread::sleep(length.as_duration());
    }
}

impl<P, O, A, C, H, Y> blocking::Retry<Thread, P, O, A, C, H, Y> {
    /// Gives up with [`Reason::Cancelled`](crate::Reason::Cancelled) once `stop` is stopped: a wait ends at
    /// once, and what came last is handed out. A call under way is not cut; give it the [`Stop`] too.
    ///
    /// ```
    /// use std::{thread, time::Duration};
    /// use undaunted::{Policy, Reason, Stop, thread::retry};
    ///
    /// const HOURLY: Policy = Policy::constant(Duration::from_secs(3600)).no_jitter();
    ///
    /// let stop = Stop::new();
    /// let worker = thread::spawn({
    ///     let stop = stop.clone();
    ///     move || retry(&HOURLY, || Err::<(), _>("busy")).cancel(&stop).run()
    /// });
    /// thread::sleep(Duration::from_millis(10));
    /// stop.stop();
    /// let gave_up = worker.join().unwrap().unwrap_err(); // long before the hour is over
    /// assert_eq!(gave_up.reason, Reason::Cancelled);
    /// ```
    pub fn cancel(self, stop: &Stop) -> blocking::Retry<Stoppable, P, O, A, C, H, Y> {
        let runtime = Stoppable { stop: stop.clone() };
        blocking::Retry { setup: self.setup.runtime(runtime), life: self.life }
    }
}

impl<P: Borrow<Policy>> Session<P> {
    /// Gives up with [`Reason::Cancelled`](crate::Reason::Cancelled) once `stop` is stopped; a wait ends at
    /// once.
    pub fn cancel(self, stop: &Stop) -> blocking::Session<Stoppable, P> {
        let runtime = Stoppable { stop: stop.clone() };
        blocking::Session { runtime, policy: self.policy, life: self.life }
    }
}

/// The thread that calls, whose waits end when a [`Stop`] is stopped.
#[derive(Clone, Debug)]
pub struct Stoppable {
    stop: Stop,
}

impl Runtime for Stoppable {
    fn now(&self) -> Instant {
        Thread.now()
    }

    fn seed(&self) -> u64 {
        clock::seed()
    }
}

impl Sleep for Stoppable {
    const CANCELS: bool = true;

    fn sleep(&self, length: Micros) {
        self.stop.wait(length.as_duration());
    }

    fn is_cancelled(&self) -> bool {
        self.stop.is_stopped()
    }
}
