//! How it ended: every stop has a reason and carries what came last.

use crate::classify::Answer;
use core::{convert::Infallible, error::Error, fmt};
use undaunted_core::{Micros, Reason, Verdict};

/// It gave up: why, after what, and what came last.
///
/// `Display` is one line for people; [`source`](Error::source) is the last error. It is an [`Error`]
/// where `E` is one. `String`, `Box<dyn Error>` and the like are none: with those, hand on the line
/// (`.map_err(|gave_up| gave_up.to_string())`) or the error alone ([`into_error`](GaveUp::into_error)).
///
/// ```
/// use undaunted::{GaveUp, Last, Micros, Reason};
///
/// let gave_up: GaveUp<(), _> = GaveUp {
///     last: Last::Error("connection refused"),
///     reason: Reason::Attempts,
///     attempts: 5,
///     elapsed: Micros::from_millis(3_210),
/// };
/// assert_eq!(
///     gave_up.to_string(),
///     "gave up after 5 attempts in 3.21 s: no attempts left; last: connection refused"
/// );
/// assert_eq!(gave_up.error(), Some(&"connection refused"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use = "giving up in silence is the fault this type exists to prevent"]
pub struct GaveUp<T, E> {
    /// What came last.
    pub last: Last<T, E>,
    /// Why it stopped.
    pub reason: Reason,
    /// The calls made.
    pub attempts: u32,
    /// The time since the start of the first attempt.
    pub elapsed: Micros,
}

/// How an attempt's answer is handed out by those who give up.
pub(crate) type GaveUpOn<V> = GaveUp<<V as Answer>::Value, <V as Answer>::Error>;

/// What came last before it gave up.
#[derive(Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Last<T, E> {
    /// The last attempt was cut at its limit.
    Cut,
    /// The last attempt failed with this error.
    Error(E),
    /// It ended without an error: in an event a success; of what is supervised a run that is to be followed
    /// by another.
    Finished(T),
    /// No attempt was made.
    Nothing,
    /// The last attempt gave a value that counts as not yet.
    NotYet(T),
}

impl<T, E> Last<T, E> {
    pub(crate) fn of(result: Result<T, E>) -> Last<T, E> {
        match result {
            Ok(value) => Last::NotYet(value),
            Err(error) => Last::Error(error),
        }
    }

    /// The same without its value, as an event shows it.
    pub(crate) fn shown(&self) -> Last<(), &E> {
        match self {
            Last::Cut => Last::Cut,
            Last::Error(error) => Last::Error(error),
            Last::Finished(_) => Last::Finished(()),
            Last::Nothing => Last::Nothing,
            Last::NotYet(_) => Last::NotYet(()),
        }
    }

    /// The error, if an error came last.
    pub fn error(&self) -> Option<&E> {
        match self {
            Last::Error(error) => Some(error),
            Last::Cut | Last::Finished(_) | Last::Nothing | Last::NotYet(_) => None,
        }
    }
}

impl<T, E> GaveUp<T, E> {
    /// The last error, if an error came last.
    pub fn error(&self) -> Option<&E> {
        self.last.error()
    }

    /// The last error by value, if an error came last.
    pub fn into_error(self) -> Option<E> {
        match self.last {
            Last::Error(error) => Some(error),
            Last::Cut | Last::Finished(_) | Last::Nothing | Last::NotYet(_) => None,
        }
    }
}

impl<E> GaveUp<Infallible, E> {
    /// The same with another type of value, for functions that answer `GaveUp<T, E>`.
    pub fn widen<T>(self) -> GaveUp<T, E> {
        let last = match self.last {
            Last::Cut => Last::Cut,
            Last::Error(error) => Last::Error(error),
            Last::Nothing => Last::Nothing,
            Last::Finished(never) | Last::NotYet(never) => match never {},
        };
        GaveUp { last, reason: self.reason, attempts: self.attempts, elapsed: self.elapsed }
    }
}

impl<T, E: fmt::Display> fmt::Display for GaveUp<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.attempts == 1 { "" } else { "s" };
        let elapsed = self.elapsed.readable();
        write!(f, "gave up after {} attempt{plural} in {elapsed}: {}", self.attempts, self.reason)?;
        match &self.last {
            Last::Cut if self.reason == Reason::Cancelled => f.write_str("; last: cut"),
            Last::Cut => f.write_str("; last: cut at its limit"),
            Last::Error(error) => write!(f, "; last: {error}"),
            Last::Finished(_) => f.write_str("; last: ended without an error"),
            Last::Nothing => Ok(()),
            Last::NotYet(_) => f.write_str("; last: not yet"),
        }
    }
}

/// Written out, since a value that cannot be printed must not keep an error from being one.
impl<T, E: fmt::Debug> fmt::Debug for GaveUp<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GaveUp")
            .field("last", &self.last)
            .field("reason", &self.reason)
            .field("attempts", &self.attempts)
            .field("elapsed", &self.elapsed)
            .finish()
    }
}

impl<T, E: fmt::Debug> fmt::Debug for Last<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Last::Cut => f.write_str("Cut"),
            Last::Error(error) => f.debug_tuple("Error").field(error).finish(),
            Last::Finished(_) => f.write_str("Finished(..)"),
            Last::Nothing => f.write_str("Nothing"),
            Last::NotYet(_) => f.write_str("NotYet(..)"),
        }
    }
}

impl<T, E: Error + 'static> Error for GaveUp<T, E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.error().map(|error| error as _)
    }
}

/// A success, and what it took; from `.report()`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Report<T> {
    /// What the operation gave.
    pub value: T,
    /// The calls made, the last one included.
    pub attempts: u32,
    /// The time since the start of the first attempt.
    pub elapsed: Micros,
}

/// What a session's step came to; for [`RetryAfter`](Verdict::RetryAfter) the wait is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use = "a step that is not read is a loop that never stops; see `or_give_up`"]
pub struct Settled {
    /// What was decided.
    pub verdict: Verdict,
    /// The attempts reported so far.
    pub attempts: u32,
    /// The time from the start to the decision.
    pub elapsed: Micros,
}

impl Settled {
    /// Nothing when there is to be another attempt; else the error with the reason, for `?`.
    ///
    /// # Errors
    /// [`GaveUp`] when the verdict is to give up. After a success there is nothing to give up.
    pub fn or_give_up<E>(self, error: E) -> Result<(), GaveUp<Infallible, E>> {
        match self.verdict {
            Verdict::Done | Verdict::RetryAfter(_) => Ok(()),
            Verdict::GiveUp(reason) => {
                let Settled { attempts, elapsed, .. } = self;
                Err(GaveUp { last: Last::Error(error), reason, attempts, elapsed })
            }
        }
    }
}
