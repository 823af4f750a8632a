//! What observers hear: one event for each attempt, with the log line in its `Display`.

use crate::report::Last;
use core::fmt;
use undaunted_core::{Micros, Reason, Verdict};

/// One attempt has ended, and this is what was decided; told before the wait begins.
///
/// `Display` is the log line:
///
/// ```
/// use undaunted::{Event, Last, Micros, Reason, Verdict};
///
/// let mut event = Event {
///     attempt: 2,
///     limit: Some(5),
///     last: Last::Error(&"connection refused"),
///     verdict: Verdict::RetryAfter(Micros::from_millis(740)),
///     elapsed: Micros::from_millis(812),
/// };
/// assert_eq!(event.to_string(), "attempt 2/5 failed: connection refused; next in 740 ms");
///
/// event.verdict = Verdict::GiveUp(Reason::Permanent);
/// assert_eq!(
///     event.to_string(),
///     "attempt 2/5 failed: connection refused; giving up after 812 ms: not worth retrying"
/// );
/// ```
#[derive(Debug)]
pub struct Event<'a, E> {
    /// Which attempt ended, from 1; 0 when time was up before the first.
    pub attempt: u32,
    /// How many attempts there may be; `None` when unlimited.
    pub limit: Option<u32>,
    /// How it ended; a value is not shown.
    pub last: Last<(), &'a E>,
    /// What was decided.
    pub verdict: Verdict,
    /// The time since the start of the first attempt.
    pub elapsed: Micros,
}

impl<'a, E> Event<'a, E> {
    /// The error of the attempt, if it ended with one.
    pub fn error(&self) -> Option<&'a E> {
        self.last.error().copied()
    }
}

impl<E> Clone for Event<'_, E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for Event<'_, E> {}

impl<E: fmt::Display> fmt::Display for Event<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.last, self.attempt, self.limit) {
            // Of what is supervised a clean end is no attempt.
            (Last::Finished(()), ..) if self.verdict != Verdict::Done => {
                f.write_str("ended without an error")?;
            }
            (_, 0, _) => f.write_str("no attempt made")?,
            (_, attempt, Some(limit)) => write!(f, "attempt {attempt}/{limit}")?,
            (_, attempt, None) => write!(f, "attempt {attempt}")?,
        }
        match self.last {
            Last::Cut if self.verdict == Verdict::GiveUp(Reason::Cancelled) => f.write_str(" was cut")?,
            Last::Cut => f.write_str(" was cut at its limit")?,
            Last::Error(error) => write!(f, " failed: {error}")?,
            Last::Finished(()) | Last::Nothing => {}
            Last::NotYet(()) => f.write_str(" not yet")?,
        }
        match self.verdict {
            Verdict::Done => write!(f, " succeeded after {}", self.elapsed.readable()),
            Verdict::RetryAfter(wait) => write!(f, "; next in {}", wait.readable()),
            Verdict::GiveUp(reason) => write!(f, "; giving up after {}: {reason}", self.elapsed.readable()),
        }
    }
}

/// Who hears the events of a `retry`: any `FnMut(&Event<E>)`, or nobody.
pub trait Observe<E> {
    /// Whether anybody listens. When nobody does, no event is made and no clock read for it.
    const LISTENS: bool = true;

    /// One attempt has ended. When this returns, its wait begins.
    fn event(&mut self, event: &Event<'_, E>);
}

impl<E, F: FnMut(&Event<'_, E>)> Observe<E> for F {
    #[inline(always)]
    fn event(&mut self, event: &Event<'_, E>) {
        self(event);
    }
}

/// Both listen, in this order.
impl<E, A: Observe<E>, B: Observe<E>> Observe<E> for (A, B) {
    const LISTENS: bool = A::LISTENS || B::LISTENS;

    #[inline(always)]
    fn event(&mut self, event: &Event<'_, E>) {
        self.0.event(event);
        self.1.event(event);
    }
}

/// Nobody listens: what `retry` does unless told otherwise.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl<E> Observe<E> for Silent {
    const LISTENS: bool = false;

    #[inline(always)]
    fn event(&mut self, _: &Event<'_, E>) {}
}
