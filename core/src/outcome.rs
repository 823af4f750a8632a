//! What happened to one attempt, as the caller saw it.

use crate::time::Micros;

/// What one attempt came to. The caller's own error never enters the core; this is all it learns.
///
/// ```
/// use undaunted_core::{Micros, Outcome};
///
/// let status = 503;
/// let outcome = match status {
///     200..=299 => Outcome::Succeed,
///     429 | 503 => Outcome::Throttle { retry_after: Micros::from_secs(5) },
///     500..=599 => Outcome::Fail,
///     _ => Outcome::Abort,
/// };
/// assert_eq!(outcome, Outcome::Throttle { retry_after: Micros::from_secs(5) });
/// assert_eq!(Outcome::retry_if(false), Outcome::Abort);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Outcome {
    /// It failed, and trying again would not help: give up now.
    Abort,
    /// It failed, and trying again may help.
    Fail,
    /// It is done.
    Succeed,
    /// It failed, and the other side asked for a pause (`Retry-After`, RFC 9110 section 10.2.3).
    Throttle {
        /// The pause asked for. A floor, not a replacement (law 5): the wait is at least this long
        /// and still jittered. [`Micros::ZERO`] stands for a hint that is zero, past or unreadable,
        /// and falls back to the computed delay.
        retry_after: Micros,
    },
}

impl Outcome {
    /// [`Fail`](Outcome::Fail) when the error is worth another attempt, else [`Abort`](Outcome::Abort).
    pub const fn retry_if(worth_it: bool) -> Outcome {
        if worth_it { Outcome::Fail } else { Outcome::Abort }
    }

    /// A failure with the pause the other side asked for, if it did and it could be read.
    pub const fn throttle(retry_after: Option<Micros>) -> Outcome {
        match retry_after {
            Some(retry_after) => Outcome::Throttle { retry_after },
            None => Outcome::Throttle { retry_after: Micros::ZERO },
        }
    }
}
