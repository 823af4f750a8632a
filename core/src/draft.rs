//! A policy in the making, from values that come at run time.

use crate::backoff::Shape;
use crate::jitter::{Jitter, Spread};
use crate::policy::Policy;
use crate::ratio::Ratio;
use crate::rule::{Field, Invalid, Rule};
use crate::said::{Said, UNLIMITED_ATTEMPTS};
use crate::time::Micros;
use core::fmt;
use core::time::Duration;

/// A policy from values that come at run time. The nouns are those of [`Policy`]; [`build`](Draft::build)
/// checks all of it at once and answers an error instead of panicking.
///
/// ```
/// use core::time::Duration;
/// use undaunted_core::{Field, Policy};
///
/// let wrong = Policy::draft().exponential(Duration::from_millis(100)).attempts(0).build();
/// let invalid = wrong.unwrap_err();
/// assert_eq!((invalid.field, invalid.value), (Field::Attempts, 0));
/// assert_eq!(
///     invalid.to_string(),
///     "attempts must be at least 1 (an attempt is a call, the first included); got 0"
/// );
/// ```
#[derive(Clone, Copy)]
#[must_use = "a draft is not a policy until it is built"]
pub struct Draft {
    pub(crate) said: Said,
    pub(crate) steps: &'static [Micros],
}

impl Draft {
    pub(crate) const fn new() -> Draft {
        Draft { said: Said::nothing(), steps: &[] }
    }

    const fn say(mut self, field: Field, number: u64) -> Draft {
        self.said.say(field, number);
        self
    }

    const fn shape(mut self, shape: Shape, first: Micros) -> Draft {
        (self.said.shape, self.steps) = (shape, &[]);
        self.say(Field::Backoff, 0).say(Field::First, first.of_a_curve().0)
    }

    /// As [`Policy::constant`].
    pub const fn constant(self, delay: Duration) -> Draft {
        self.shape(Shape::Constant, Micros::from_duration(delay))
    }

    /// As [`Policy::decorrelated`].
    pub const fn decorrelated(self, first: Duration) -> Draft {
        self.shape(Shape::Decorrelated, Micros::from_duration(first))
    }

    /// As [`Policy::exponential`].
    pub const fn exponential(self, first: Duration) -> Draft {
        self.shape(Shape::Exponential, Micros::from_duration(first))
    }

    /// As [`Policy::fibonacci`].
    pub const fn fibonacci(self, first: Duration) -> Draft {
        self.shape(Shape::Fibonacci, Micros::from_duration(first))
    }

    /// As [`Policy::immediate`].
    pub const fn immediate(self) -> Draft {
        self.shape(Shape::Immediate, Micros::ZERO)
    }

    /// As [`Policy::linear`].
    pub const fn linear(self, first: Duration, step: Duration) -> Draft {
        self.shape(Shape::Linear, Micros::from_duration(first))
            .say(Field::Step, Micros::from_duration(step).of_a_curve().0)
    }

    /// As [`Policy::schedule`].
    pub const fn schedule(self, steps: &'static [Micros]) -> Draft {
        let first = match steps {
            [first, ..] => *first,
            [] => Micros::ZERO,
        };
        Draft { steps, ..self.shape(Shape::Schedule, first) }.say(Field::Schedule, steps.len() as u64)
    }

    /// As [`Policy::attempts`].
    pub const fn attempts(self, n: u32) -> Draft {
        self.say(Field::Attempts, n as u64)
    }

    /// As [`Policy::retries`].
    pub const fn retries(self, n: u32) -> Draft {
        self.attempts(n.saturating_add(1))
    }

    /// As [`Policy::unlimited_attempts`].
    pub const fn unlimited_attempts(self) -> Draft {
        self.say(Field::Attempts, UNLIMITED_ATTEMPTS)
    }

    /// As [`Policy::cap`].
    pub const fn cap(self, cap: Duration) -> Draft {
        self.say(Field::Cap, Micros::from_duration(cap).of_a_curve().0)
    }

    /// As [`Policy::floor`].
    pub const fn floor(self, floor: Duration) -> Draft {
        self.say(Field::Floor, Micros::from_duration(floor).of_a_curve().0)
    }

    /// As [`Policy::factor`].
    pub const fn factor(self, numerator: u32, denominator: u32) -> Draft {
        self.say(Field::Factor, Ratio::new(numerator, denominator).0 as u64)
    }

    /// As [`Policy::jitter`].
    pub const fn jitter(mut self, jitter: Jitter) -> Draft {
        let Spread { share, kind } = Spread::compile(jitter);
        self.said.kind = kind;
        self.say(Field::Jitter, share.0 as u64)
    }

    /// As [`Policy::full_jitter`].
    pub const fn full_jitter(self) -> Draft {
        self.jitter(Jitter::Full)
    }

    /// As [`Policy::equal_jitter`].
    pub const fn equal_jitter(self) -> Draft {
        self.jitter(Jitter::Equal)
    }

    /// As [`Policy::no_jitter`].
    pub const fn no_jitter(self) -> Draft {
        self.jitter(Jitter::None)
    }

    /// As [`Policy::additive_jitter`].
    pub const fn additive_jitter(self, numerator: u32, denominator: u32) -> Draft {
        self.jitter(Jitter::Additive { share: Ratio::new(numerator, denominator) })
    }

    /// As [`Policy::proportional_jitter`].
    pub const fn proportional_jitter(self, numerator: u32, denominator: u32) -> Draft {
        self.jitter(Jitter::Proportional { share: Ratio::new(numerator, denominator) })
    }

    /// As [`Policy::within`].
    pub const fn within(self, within: Duration) -> Draft {
        self.say(Field::Within, Micros::from_duration(within).0)
    }

    /// As [`Policy::attempt_timeout`].
    pub const fn attempt_timeout(self, timeout: Duration) -> Draft {
        self.say(Field::AttemptTimeout, Micros::from_duration(timeout).0)
    }

    /// As [`Policy::hint_ceiling`].
    pub const fn hint_ceiling(self, ceiling: Duration) -> Draft {
        self.say(Field::HintCeiling, Micros::from_duration(ceiling).0)
    }

    /// As [`Policy::first_delay`].
    pub const fn first_delay(self, delay: Duration) -> Draft {
        self.say(Field::FirstDelay, Micros::from_duration(delay).of_a_curve().0)
    }

    /// The policy, if what was said makes one.
    ///
    /// # Errors
    /// [`Invalid`] names the field, its value and the rule; the first broken rule in the order of
    /// shape, factor, jitter, limits, and rules between fields.
    pub const fn build(mut self) -> Result<Policy, Invalid> {
        let empty = matches!(self.said.shape, Shape::Schedule) && self.steps.is_empty();
        let resolved = match self.said.has(Field::Backoff) {
            false => Err(Rule::ShapeMissing),
            true if empty => Err(Rule::ScheduleLength),
            true => self.said.resolve(self.steps),
        };
        match resolved {
            Ok(()) => Ok(self.said.policy(self.steps)),
            Err(rule) => Err(self.said.invalid(rule)),
        }
    }
}

/// As the policy that it would be, or what keeps it from being one.
impl fmt::Debug for Draft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.build() {
            Ok(policy) => write!(f, "Draft({policy})"),
            Err(invalid) => write!(f, "Draft({invalid})"),
        }
    }
}
