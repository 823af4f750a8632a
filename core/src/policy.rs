//! The immutable description of how to retry, compiled so that a decision mostly multiplies and adds.

use crate::backoff::{Curve, Growth, Shape, least};
use crate::draft::Draft;
use crate::jitter::{Jitter, Kind, Spread};
use crate::ratio::Ratio;
use crate::rule::{Field, Invalid};
use crate::time::Micros;
use core::time::Duration;

/// How to retry: a curve, its jitter and its limits. Copied freely, shared by reference, usually a constant.
///
/// The constructors name the shape; the setters may follow in any order and say the rest. They are
/// `const`, so a wrong constant does not compile. For values that come at run time use
/// [`Policy::draft`], whose [`build`](Draft::build) answers an error, or [`Policy::parse`].
///
/// # Defaults, and why
/// * [`cap`](Policy::cap) 30 s (more if the first delay says more): a curve without a cap reaches
///   months by the 25th attempt.
/// * full jitter (none under Decorrelated, which brings its own): clients that failed together must
///   not return together. AWS measured it as the cheapest for the server.
/// * [`attempts`](Policy::attempts) 5: what helps usually helps early. gRPC A6 allows no more either.
/// * [`hint_ceiling`](Policy::hint_ceiling) 10 min: who is told to wait longer should hear of it.
/// * no floor, no `within`, no `attempt_timeout`, no `first_delay`.
///
/// Nothing is unlimited unless it is said.
///
/// ```
/// use core::time::Duration;
/// use undaunted_core::Policy;
///
/// const WRITE: Policy = Policy::exponential(Duration::from_millis(500))
///     .factor(3, 2)
///     .cap(Duration::from_secs(20))
///     .attempts(10)
///     .within(Duration::from_secs(40));
///
/// assert_eq!(WRITE.to_string(), "exponential 500ms x1.5 cap 20s jitter full attempts 10 within 40s");
/// ```
///
/// A wrong constant does not compile:
///
/// ```compile_fail
/// const NEVER: undaunted_core::Policy =
///     undaunted_core::Policy::constant(core::time::Duration::from_secs(1)).attempts(0);
/// ```
#[derive(Clone, Copy)]
pub struct Policy {
    pub(crate) first: u64,
    /// Where the curve stops: the cap less the room for jitter.
    pub(crate) limit: u64,
    pub(crate) cap: u64,
    pub(crate) floor: u64,
    pub(crate) hint_ceiling: u64,
    /// `u64::MAX` when there is none.
    pub(crate) within: u64,
    /// `u64::MAX` when there is none.
    pub(crate) attempt_timeout: u64,
    pub(crate) first_delay: u64,
    pub(crate) growth: Growth,
    /// The factor less 1.
    pub(crate) excess: Ratio,
    pub(crate) share: Ratio,
    /// The attempts less 1: how many waits there are; [`UNLIMITED`] when there is no limit.
    pub(crate) waits: u32,
    pub(crate) shape: Shape,
    pub(crate) kind: Kind,
    /// A default cap follows the other numbers; a said one does not.
    pub(crate) cap_said: bool,
}

/// The waits of a policy without a limit of attempts; with one there are fewer.
pub(crate) const UNLIMITED: u32 = u32::MAX;

/// Shapes.
impl Policy {
    /// The same delay each time.
    ///
    /// # Panics
    /// When `delay` is zero (see [`Policy::immediate`]); in a constant, at compile time.
    pub const fn constant(delay: Duration) -> Policy {
        must(Policy::draft().constant(delay))
    }

    /// Delays drawn between `first` and three times the delay before; set another
    /// [`factor`](Policy::factor) if need be. It has its own jitter and takes no other.
    ///
    /// # Panics
    /// When `first` is zero.
    pub const fn decorrelated(first: Duration) -> Policy {
        must(Policy::draft().decorrelated(first))
    }

    /// Delays that double; set another [`factor`](Policy::factor) if need be.
    ///
    /// # Panics
    /// When `first` is zero.
    pub const fn exponential(first: Duration) -> Policy {
        must(Policy::draft().exponential(first))
    }

    /// 1, 2, 3, 5, 8, ... times `first`.
    ///
    /// # Panics
    /// When `first` is zero.
    pub const fn fibonacci(first: Duration) -> Policy {
        must(Policy::draft().fibonacci(first))
    }

    /// No delay at all, for what is known to work the second time. Never unlimited without a floor.
    pub const fn immediate() -> Policy {
        must(Policy::draft().immediate())
    }

    /// Delays that grow by `step`.
    ///
    /// # Panics
    /// When `first` or `step` is zero.
    pub const fn linear(first: Duration, step: Duration) -> Policy {
        must(Policy::draft().linear(first, step))
    }

    /// These delays in order, the last one repeating.
    ///
    /// # Panics
    /// When there are none, more than 4 096, or one is zero.
    pub const fn schedule(steps: &'static [Micros]) -> Policy {
        must(Policy::draft().schedule(steps))
    }

    /// A policy from values that come at run time: the same nouns, checked at the end without a panic.
    pub const fn draft() -> Draft {
        Draft::new()
    }
}

/// Setters for constants. Each panics with the rule that it breaks, which in a constant is a compile
/// error; rules between two fields compare only what was said. Lengths of a curve (`cap`, `floor`,
/// `first_delay`) saturate at 2^55 us, 1 142 years; a part of a microsecond rounds up.
impl Policy {
    /// At most `n` calls, the first included, with `n - 1` waits between them.
    ///
    /// # Panics
    /// When `n` is zero.
    pub const fn attempts(self, n: u32) -> Policy {
        must(self.edit().attempts(n))
    }

    /// The same as [`attempts`](Policy::attempts)`(n + 1)`, saturating.
    pub const fn retries(self, n: u32) -> Policy {
        must(self.edit().retries(n))
    }

    /// As many attempts as it takes.
    ///
    /// # Panics
    /// With [`immediate`](Policy::immediate) and no floor: that is a hot loop. Say the floor first.
    pub const fn unlimited_attempts(self) -> Policy {
        must(self.edit().unlimited_attempts())
    }

    /// No computed delay is longer; only a server's hint may be. With additive or proportional jitter
    /// the curve stops so far below it that the top of the range is the cap, less rounding.
    ///
    /// # Panics
    /// When it is below the first delay or the floor, or leaves no room for the jitter.
    pub const fn cap(self, cap: Duration) -> Policy {
        must(self.edit().cap(cap))
    }

    /// No delay is shorter. It narrows the range of the jitter from below and moves no draw.
    ///
    /// # Panics
    /// When it is above the cap.
    pub const fn floor(self, floor: Duration) -> Policy {
        must(self.edit().floor(floor))
    }

    /// The growth of an exponential or decorrelated curve, as a fraction: `factor(3, 2)` is 1.5.
    ///
    /// # Panics
    /// Outside 1.01 to 255 (or exactly 1), or for another shape.
    pub const fn factor(self, numerator: u32, denominator: u32) -> Policy {
        must(self.edit().factor(numerator, denominator))
    }

    /// The randomisation; [`full_jitter`](Policy::full_jitter) and its sisters are shorter.
    ///
    /// # Panics
    /// Under Decorrelated for all but [`Jitter::None`]; for a share out of its range.
    pub const fn jitter(self, jitter: Jitter) -> Policy {
        must(self.edit().jitter(jitter))
    }

    /// [`Jitter::Full`]: 0 to `x`.
    pub const fn full_jitter(self) -> Policy {
        self.jitter(Jitter::Full)
    }

    /// [`Jitter::Equal`]: half of `x` to `x`.
    pub const fn equal_jitter(self) -> Policy {
        self.jitter(Jitter::Equal)
    }

    /// [`Jitter::None`]: exactly `x`.
    pub const fn no_jitter(self) -> Policy {
        self.jitter(Jitter::None)
    }

    /// [`Jitter::Additive`], the share as a fraction: `additive_jitter(1, 5)` is +20 %.
    pub const fn additive_jitter(self, numerator: u32, denominator: u32) -> Policy {
        self.jitter(Jitter::Additive { share: Ratio::new(numerator, denominator) })
    }

    /// [`Jitter::Proportional`], the share as a fraction: `proportional_jitter(1, 5)` is +-20 %.
    pub const fn proportional_jitter(self, numerator: u32, denominator: u32) -> Policy {
        self.jitter(Jitter::Proportional { share: Ratio::new(numerator, denominator) })
    }

    /// All in all this long, from the start of the first attempt, work included.
    ///
    /// # Panics
    /// When it is zero.
    pub const fn within(self, within: Duration) -> Policy {
        must(self.edit().within(within))
    }

    /// How long one attempt may take. Cut where the runtime can, else told to the attempt.
    ///
    /// # Panics
    /// When it is zero.
    pub const fn attempt_timeout(self, timeout: Duration) -> Policy {
        must(self.edit().attempt_timeout(timeout))
    }

    /// The longest hint that is obeyed (equal is allowed); above it the verdict is to give up.
    pub const fn hint_ceiling(self, ceiling: Duration) -> Policy {
        must(self.edit().hint_ceiling(ceiling))
    }

    /// A jittered wait before the first attempt, for fleets that power up together.
    pub const fn first_delay(self, delay: Duration) -> Policy {
        must(self.edit().first_delay(delay))
    }
}

/// What a decision asks.
impl Policy {
    #[inline(always)]
    pub(crate) const fn curve(&self) -> Curve {
        let Policy { first, limit, growth, excess, .. } = *self;
        Curve { first, limit, growth, excess }
    }

    /// Where the curve is at the `attempt`-th failure (from 1), from what the state keeps of it.
    ///
    /// The limit comes in here and not where the state is kept: a constant limit below 2^32 then lets
    /// the compiler leave out the upper halves of all that follows.
    #[inline(always)]
    pub(crate) const fn at(&self, kept: u64, attempt: u32) -> u64 {
        let x = if self.shape.is_numbered() { self.curve().numbered(attempt) } else { kept };
        least(x, self.limit)
    }

    /// The range of the wait where the curve is at `x` and goes on to `grown`: the jitter, and the
    /// floor that narrows it from below. Its low end and width.
    #[inline(always)]
    pub(crate) const fn range(&self, x: u64, grown: u64) -> (u64, u64) {
        let (low, width) = match self.kind {
            Kind::Decorrelated => (self.first, least(grown, self.limit).saturating_sub(self.first)),
            _ => self.spread().range(x),
        };
        if low >= self.floor {
            return (low, width);
        }
        (self.floor, (low + width).saturating_sub(self.floor))
    }

    #[inline(always)]
    pub(crate) const fn spread(&self) -> Spread {
        Spread { share: self.share, kind: self.kind }
    }

    /// Whether no wait under this policy is ever longer than nothing.
    pub(crate) const fn never_waits(&self) -> bool {
        matches!(self.shape, Shape::Immediate) && self.floor == 0
    }

    /// Back to what was said, to say one thing more.
    const fn edit(self) -> Draft {
        let mut draft = Draft::new();
        let said = &mut draft.said;
        (said.shape, said.kind) = (self.shape, self.kind);
        said.say(Field::Backoff, 0);
        said.say(Field::First, self.first);
        match self.growth {
            Growth::AtLeast(step) => said.say(Field::Step, step),
            Growth::Steps(steps) => draft.steps = steps,
        }
        if let Shape::Decorrelated | Shape::Exponential = self.shape {
            said.say(Field::Factor, (Ratio::ONE.0 + self.excess.0) as u64);
        }
        if !matches!(self.kind, Kind::Decorrelated) {
            said.say(Field::Jitter, self.share.0 as u64);
        }
        if self.cap_said {
            said.say(Field::Cap, self.cap);
        }
        said.say(Field::Attempts, self.waits as u64 + 1);
        said.say(Field::AttemptTimeout, self.attempt_timeout);
        said.say(Field::FirstDelay, self.first_delay);
        said.say(Field::Floor, self.floor);
        said.say(Field::HintCeiling, self.hint_ceiling);
        said.say(Field::Within, self.within);
        draft
    }
}

/// The draft's policy, or a panic with the rule: at compile time in a constant.
const fn must(draft: Draft) -> Policy {
    match draft.build() {
        Ok(policy) => policy,
        Err(Invalid { rule, .. }) => panic!("{}", rule.text()),
    }
}
