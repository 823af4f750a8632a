//! A point in time that several operations share: a deadline for a phase.

use crate::classify::Attempt;
use crate::session::Runtime;
use core::time::Duration;
use undaunted_core::{Instant, Micros};

/// A deadline for a phase of many calls: made once, shared by copying.
///
/// "A limit per call or per phase?" is answered with both: each call keeps to its own policy, and
/// inside the phase none goes on beyond its end; nested, time is never multiplied. `thread::Deadline` and
/// `tokio::Deadline` are on their runtime's clock.
///
#[cfg_attr(feature = "std", doc = "```")]
#[cfg_attr(not(feature = "std"), doc = "```ignore")]
/// use std::time::Duration;
/// use undaunted::{GaveUp, Policy, thread::{Deadline, retry}};
///
/// const CALL: Policy = Policy::exponential(Duration::from_millis(100)).within(Duration::from_secs(10));
///
/// fn join(names: &[&str]) -> Result<(), GaveUp<(), String>> {
///     let phase = Deadline::after(Duration::from_secs(40)); // in all
///     for name in names {
///         // Each call has its 10 s, the last ones what is left of the 40 s.
///         retry(&CALL, || register(name)).deadline(phase).run()?;
///     }
///     Ok(())
/// }
/// # fn register(_: &str) -> Result<(), String> { Ok(()) }
/// # join(&["a", "b"]).unwrap();
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Deadline<R> {
    runtime: R,
    at: Instant,
}

impl<R: Runtime + Default> Deadline<R> {
    /// So long from now; saturates.
    pub fn after(length: Duration) -> Deadline<R> {
        Deadline::after_on(R::default(), length)
    }
}

impl<R: Runtime> Deadline<R> {
    /// So long from now on this runtime; saturates.
    pub fn after_on(runtime: R, length: Duration) -> Deadline<R> {
        let at = runtime.now() + Micros::from_duration(length);
        Deadline { runtime, at }
    }

    /// A phase inside this one: so long from now, and never beyond this deadline.
    pub fn phase(&self, length: Duration) -> Deadline<R>
    where
        R: Clone,
    {
        let inner = Deadline::after_on(self.runtime.clone(), length);
        Deadline { at: inner.at.min(self.at), ..inner }
    }

    /// The point, on the clock of the runtime.
    pub fn at(&self) -> Instant {
        self.at
    }

    /// The time left; zero once it is over.
    pub fn time_left(&self) -> Micros {
        self.at.since(self.runtime.now())
    }

    /// Whether it is over.
    pub fn is_over(&self) -> bool {
        self.time_left() == Micros::ZERO
    }
}

/// What a `retry` can inherit as its deadline: an [`Instant`], the [`Attempt`] that it is nested in, or a
/// phase's [`Deadline`].
#[diagnostic::on_unimplemented(
    message = "a deadline is a point of the runtime's clock: an `Attempt`, a `Deadline` or an `Instant` of this crate",
    label = "`{Self}` is no deadline",
    note = "for a length of time make one: `Deadline::after(length)`; or say it in the policy: `.within(length)`"
)]
pub trait Until {
    /// The point; [`Instant::MAX`] is none.
    fn until(&self) -> Instant;
}

impl Until for Instant {
    fn until(&self) -> Instant {
        *self
    }
}

impl Until for Option<Instant> {
    fn until(&self) -> Instant {
        self.unwrap_or(Instant::MAX)
    }
}

impl Until for Attempt {
    fn until(&self) -> Instant {
        self.deadline().until()
    }
}

impl<R> Until for Deadline<R> {
    fn until(&self) -> Instant {
        self.at
    }
}

impl<U: Until> Until for &U {
    fn until(&self) -> Instant {
        (*self).until()
    }
}
