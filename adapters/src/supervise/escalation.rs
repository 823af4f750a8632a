//! What becomes of several children when one gives up.

use super::Supervised;
use crate::stop::Stop;
use core::fmt;
use std::string::{String, ToString};
use undaunted_core::Reason;

/// A supervised child gave up: which, and why. What else was supervised has been stopped.
///
/// ```text
/// dns: gave up after 5 attempts in 12 s: no attempts left; last: address in use
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "an escalation that is ignored is a service that is down in silence"]
pub struct Escalation {
    /// The name of the child.
    pub child: String,
    /// Why it gave up.
    pub reason: Reason,
    /// Its [`GaveUp`](crate::GaveUp) in words.
    pub message: String,
    /// Whether it was told to stop, and failed on its way out.
    told: bool,
}

impl Escalation {
    pub(crate) fn of<T, E>(child: &str, stop: &Stop, supervised: Supervised<T, E>) -> Result<(), Escalation>
    where
        E: fmt::Display,
    {
        match supervised {
            Ok(_) => Ok(()),
            Err(gave_up) => Err(Escalation {
                child: child.to_string(),
                reason: gave_up.reason,
                message: gave_up.to_string(),
                told: gave_up.reason == Reason::Cancelled && stop.is_stopped(),
            }),
        }
    }

    /// A child that could not be supervised at all.
    pub(crate) fn broken(child: &str, message: String) -> Escalation {
        Escalation { child: child.to_string(), reason: Reason::Permanent, message, told: false }
    }

    /// Whether the others are to stop too. A child that was told to stop, and failed on its way out, concerns
    /// nobody else.
    pub(crate) fn concerns_all(&self) -> bool {
        !self.told
    }

    /// The end of all, of the end so far and one more: the first, but one that was the reason for the others.
    pub(crate) fn worse(
        first: Result<(), Escalation>,
        next: Result<(), Escalation>,
    ) -> Result<(), Escalation> {
        match (&first, &next) {
            (Err(one), Err(other)) if one.told && !other.told => next,
            (Err(_), _) => first,
            (Ok(()), _) => next,
        }
    }
}

impl fmt::Display for Escalation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.child, self.message)
    }
}

impl core::error::Error for Escalation {}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(child: &str, told: bool) -> Result<(), Escalation> {
        let (reason, message) = (Reason::Attempts, String::new());
        Err(Escalation { child: child.to_string(), reason, message, told })
    }

    #[test]
    fn the_first_counts_but_for_one_that_was_told_to_stop() {
        let worse = |first, next| match Escalation::worse(first, next) {
            Ok(()) => "none".to_string(),
            Err(escalation) => escalation.child,
        };
        assert_eq!(worse(Ok(()), Ok(())), "none");
        for told in [false, true] {
            assert_eq!(worse(failed("a", told), Ok(())), "a");
            assert_eq!(worse(Ok(()), failed("b", told)), "b");
            assert_eq!(worse(failed("a", told), failed("b", true)), "a");
        }
        assert_eq!(worse(failed("a", false), failed("b", false)), "a");
        assert_eq!(worse(failed("a", true), failed("b", false)), "b");
    }
}
