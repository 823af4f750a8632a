//! What to do next, and why not more.

use crate::time::Micros;
use core::fmt;

/// What to do after an attempt.
///
/// `#[must_use]`: a verdict that nobody reads is a retry loop that never stops, or stops in silence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use = "a verdict that is not read is a retry that never happens, or never stops"]
pub enum Verdict {
    /// It succeeded; nothing is left to do.
    Done,
    /// Stop now, for this reason.
    GiveUp(Reason),
    /// Wait at least this long, then make the next attempt.
    RetryAfter(Micros),
}

/// Why a retry stopped without a success.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Reason {
    /// All attempts are used.
    Attempts,
    /// A circuit breaker is open.
    Breaker,
    /// The shared retry budget is used up.
    Budget,
    /// The caller stopped it.
    Cancelled,
    /// The next wait would end at or after the deadline, or the deadline is here.
    Deadline,
    /// The other side asked for a longer pause than the policy's `hint_ceiling`.
    Hint,
    /// Too many restarts in the window.
    Intensity,
    /// The failure is one that another attempt cannot mend.
    Permanent,
}

impl Reason {
    /// One word of lower case, for labels and fields. It never changes; for people there is `Display`.
    ///
    /// ```
    /// use undaunted_core::Reason;
    ///
    /// assert_eq!(Reason::Permanent.word(), "permanent");
    /// assert_eq!(Reason::Permanent.to_string(), "not worth retrying");
    /// ```
    pub const fn word(self) -> &'static str {
        match self {
            Reason::Attempts => "attempts",
            Reason::Breaker => "breaker",
            Reason::Budget => "budget",
            Reason::Cancelled => "cancelled",
            Reason::Deadline => "deadline",
            Reason::Hint => "hint",
            Reason::Intensity => "intensity",
            Reason::Permanent => "permanent",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Attempts => "no attempts left",
            Reason::Breaker => "the circuit breaker is open",
            Reason::Budget => "the retry budget is used up",
            Reason::Cancelled => "cancelled",
            Reason::Deadline => "no time left",
            Reason::Hint => "asked to wait longer than the hint ceiling",
            Reason::Intensity => "too many restarts",
            Reason::Permanent => "not worth retrying",
        })
    }
}
