//! The canonical text of a policy.

use crate::backoff::{Backoff, Shape};
use crate::jitter::Jitter;
use crate::policy::Policy;
use crate::ratio::Decimal;
use crate::said::HINT_CEILING;
use crate::settings::Settings;
use crate::time::Micros;
use core::fmt;

/// The canonical text: shape, cap, floor, jitter, attempts, then the other limits that were said.
/// Factor, cap, jitter and attempts are always written, so that a changed default never changes an
/// old text. [`Policy::parse`] reads it back as an equal policy.
impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Settings { backoff, jitter, cap, floor, attempts, .. } = self.settings();
        match self.shape {
            Shape::Immediate => f.write_str("immediate")?,
            _ => write!(f, "{backoff}")?,
        }
        write!(f, " cap {cap}")?;
        if floor > Micros::ZERO {
            write!(f, " floor {floor}")?;
        }
        write!(f, " jitter {jitter}")?;
        match attempts {
            Some(attempts) => write!(f, " attempts {attempts}")?,
            None => f.write_str(" attempts unlimited")?,
        }
        self.write_limits(f)
    }
}

impl Policy {
    fn write_limits(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Settings { within, attempt_timeout, hint_ceiling, first_delay, .. } = self.settings();
        if let Some(within) = within {
            write!(f, " within {within}")?;
        }
        if let Some(timeout) = attempt_timeout {
            write!(f, " attempt_timeout {timeout}")?;
        }
        if hint_ceiling != HINT_CEILING {
            write!(f, " hint_ceiling {hint_ceiling}")?;
        }
        if first_delay > Micros::ZERO {
            write!(f, " first_delay {first_delay}")?;
        }
        Ok(())
    }
}

/// As in a policy's text: `exponential 100ms x2`.
impl fmt::Display for Backoff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Backoff::Constant { delay } => write!(f, "constant {delay}"),
            Backoff::Decorrelated { first, factor } => write!(f, "decorrelated {first} x{factor}"),
            Backoff::Exponential { first, factor } => write!(f, "exponential {first} x{factor}"),
            Backoff::Fibonacci { first } => write!(f, "fibonacci {first}"),
            Backoff::Linear { first, step } => write!(f, "linear {first} +{step}"),
            Backoff::Schedule { steps } => {
                for (i, step) in steps.iter().enumerate() {
                    let lead = if i == 0 { "schedule " } else { "," };
                    write!(f, "{lead}{}", step.of_a_curve())?;
                }
                Ok(())
            }
        }
    }
}

/// As in a policy's text: `full`, `+-20%`.
impl fmt::Display for Jitter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |share: &_| Decimal { ratio: *share, shift: 2 };
        match self {
            Jitter::Additive { share } => write!(f, "+{}%", percent(share)),
            Jitter::Equal => f.write_str("equal"),
            Jitter::Full => f.write_str("full"),
            Jitter::None => f.write_str("none"),
            Jitter::Proportional { share } => write!(f, "+-{}%", percent(share)),
        }
    }
}

/// `Policy(exponential 100ms x2 cap 30s jitter full attempts 5)`.
impl fmt::Debug for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Policy({self})")
    }
}
