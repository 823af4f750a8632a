//! A policy in the making, and the one check that every policy passes.

use crate::backoff::{Growth, Shape};
use crate::jitter::{Jitter, Kind, Spread};
use crate::policy::{Policy, UNLIMITED};
use crate::ratio::{LONGEST, Ratio};
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
    /// The policy in the making. Until it is finished, `cap` is `u64::MAX` where none was said,
    /// `excess` holds the factor itself, and `kind` is `Decorrelated` where no jitter was said.
    pub(crate) policy: Policy,
    pub(crate) step: u64,
    pub(crate) steps: &'static [Micros],
    pub(crate) shape_said: bool,
    pub(crate) factor_said: bool,
    /// Attempts were said to be zero, which `waits` cannot hold.
    pub(crate) no_attempts: bool,
}

/// The defaults that [`Policy`] documents, beside the cap's, which follows the other numbers.
const ATTEMPTS: u32 = 5;
const DOUBLING: Ratio = Ratio(2 << 24);
const TRIPLING: Ratio = Ratio(3 << 24);
const CAP: u64 = 30_000_000;
pub(crate) const HINT_CEILING: Micros = Micros(600_000_000);

/// The most entries a schedule may have: what `worst_case` may add up at compile time.
const ENTRIES: usize = 4_096;
const FACTORS: (Ratio, Ratio) = (Ratio::new(101, 100), Ratio(255 << 24));

impl Draft {
    pub(crate) const fn new() -> Draft {
        Draft {
            policy: Policy {
                first: 0,
                limit: 0,
                cap: u64::MAX,
                floor: 0,
                hint_ceiling: HINT_CEILING.0,
                within: u64::MAX,
                attempt_timeout: u64::MAX,
                first_delay: 0,
                growth: Growth::AtLeast(0),
                excess: Ratio(0),
                share: Ratio(0),
                waits: ATTEMPTS - 1,
                shape: Shape::Constant,
                kind: Kind::Decorrelated,
                cap_said: false,
            },
            step: 0,
            steps: &[],
            shape_said: false,
            factor_said: false,
            no_attempts: false,
        }
    }

    pub(crate) const fn shape(mut self, shape: Shape, first: Micros) -> Draft {
        self.policy.shape = shape;
        self.policy.first = first.of_a_curve().0;
        self.shape_said = true;
        self
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
        let step = Micros::from_duration(step).of_a_curve().0;
        Draft { step, ..self.shape(Shape::Linear, Micros::from_duration(first)) }
    }

    /// As [`Policy::schedule`].
    pub const fn schedule(self, steps: &'static [Micros]) -> Draft {
        let first = match steps {
            [first, ..] => *first,
            [] => Micros::ZERO,
        };
        Draft { steps, ..self.shape(Shape::Schedule, first) }
    }

    /// As [`Policy::attempts`].
    pub const fn attempts(mut self, n: u32) -> Draft {
        self.set_attempts(Some(n));
        self
    }

    /// As [`Policy::retries`].
    pub const fn retries(self, n: u32) -> Draft {
        self.attempts(n.saturating_add(1))
    }

    /// As [`Policy::unlimited_attempts`].
    pub const fn unlimited_attempts(mut self) -> Draft {
        self.set_attempts(None);
        self
    }

    /// As [`Policy::cap`].
    pub const fn cap(mut self, cap: Duration) -> Draft {
        self.policy.cap = Micros::from_duration(cap).of_a_curve().0;
        self
    }

    /// As [`Policy::floor`].
    pub const fn floor(mut self, floor: Duration) -> Draft {
        self.policy.floor = Micros::from_duration(floor).of_a_curve().0;
        self
    }

    /// As [`Policy::factor`].
    pub const fn factor(mut self, numerator: u32, denominator: u32) -> Draft {
        self.set_factor(Ratio::new(numerator, denominator));
        self
    }

    /// As [`Policy::jitter`].
    pub const fn jitter(mut self, jitter: Jitter) -> Draft {
        self.set_jitter(jitter);
        self
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
    pub const fn within(mut self, within: Duration) -> Draft {
        self.policy.within = Micros::from_duration(within).0;
        self
    }

    /// As [`Policy::attempt_timeout`].
    pub const fn attempt_timeout(mut self, timeout: Duration) -> Draft {
        self.policy.attempt_timeout = Micros::from_duration(timeout).0;
        self
    }

    /// As [`Policy::hint_ceiling`].
    pub const fn hint_ceiling(mut self, ceiling: Duration) -> Draft {
        self.policy.hint_ceiling = Micros::from_duration(ceiling).0;
        self
    }

    /// As [`Policy::first_delay`].
    pub const fn first_delay(mut self, delay: Duration) -> Draft {
        self.policy.first_delay = Micros::from_duration(delay).of_a_curve().0;
        self
    }

    /// The policy, if what was said makes one.
    ///
    /// # Errors
    /// [`Invalid`] names the field, its value and the rule; the first broken rule in the order of
    /// shape, factor, jitter, limits, and rules between fields.
    pub const fn build(mut self) -> Result<Policy, Invalid> {
        match self.finish() {
            Ok(()) => Ok(self.policy),
            Err(rule) => Err(self.invalid(rule)),
        }
    }

    pub(crate) const fn set_attempts(&mut self, attempts: Option<u32>) {
        self.no_attempts = matches!(attempts, Some(0));
        self.policy.waits = match attempts {
            Some(attempts) => attempts.saturating_sub(1),
            None => UNLIMITED,
        };
    }

    pub(crate) const fn set_factor(&mut self, factor: Ratio) {
        self.policy.excess = factor;
        self.factor_said = true;
    }

    pub(crate) const fn set_jitter(&mut self, jitter: Jitter) {
        let Spread { share, kind } = Spread::compile(jitter);
        (self.policy.share, self.policy.kind) = (share, kind);
    }

    /// Checks everything and turns the policy in the making into one, in place: on a device the moving
    /// about of policies is most of the code.
    #[inline(never)]
    pub(crate) const fn finish(&mut self) -> Result<(), Rule> {
        if !self.shape_said {
            return Err(Rule::ShapeMissing);
        }
        if let Err(broken) = self.finish_curve() {
            return Err(broken);
        }
        if let Err(broken) = self.finish_jitter() {
            return Err(broken);
        }
        if let Err(broken) = self.check_limits() {
            return Err(broken);
        }
        self.finish_cap()
    }

    const fn finish_curve(&mut self) -> Result<(), Rule> {
        let shape = self.policy.shape;
        if let Shape::Schedule = shape {
            if let Err(broken) = check_entries(self.steps) {
                return Err(broken);
            }
        } else if self.policy.first == 0 && !matches!(shape, Shape::Immediate) {
            return Err(Rule::FirstZero);
        }
        if self.step == 0 && matches!(shape, Shape::Linear) {
            return Err(Rule::StepZero);
        }
        let factor = match self.finished_factor() {
            Ok(factor) => factor,
            Err(broken) => return Err(broken),
        };
        self.policy.excess = Ratio(factor.0 - Ratio::ONE.0);
        self.policy.growth = match shape {
            Shape::Schedule => Growth::Steps(self.steps),
            Shape::Linear => Growth::AtLeast(self.step),
            _ => Growth::AtLeast(factor.may_stand_still() as u64),
        };
        Ok(())
    }

    const fn finished_factor(&self) -> Result<Ratio, Rule> {
        let said = self.policy.excess;
        match (self.policy.shape, self.factor_said) {
            (Shape::Exponential, false) => Ok(DOUBLING),
            (Shape::Decorrelated, false) => Ok(TRIPLING),
            (Shape::Exponential | Shape::Decorrelated, true) => {
                let grows = said.0 >= FACTORS.0.0 && said.0 <= FACTORS.1.0;
                if grows || said.0 == Ratio::ONE.0 { Ok(said) } else { Err(Rule::FactorRange) }
            }
            (_, false) => Ok(Ratio::ONE),
            (_, true) => Err(Rule::FactorElsewhere),
        }
    }

    const fn finish_jitter(&mut self) -> Result<(), Rule> {
        let Policy { shape, kind, share, .. } = self.policy;
        let (most, rule) = match kind {
            Kind::Additive => (255 << 24, Rule::AdditiveRange),
            _ => (1 << 24, Rule::ProportionalRange),
        };
        match (shape, kind) {
            (Shape::Decorrelated, Kind::Decorrelated) => {}
            (Shape::Decorrelated, Kind::None) => self.policy.kind = Kind::Decorrelated,
            (Shape::Decorrelated, _) => return Err(Rule::JitterTwice),
            (_, Kind::Decorrelated) => self.set_jitter(Jitter::Full),
            (_, Kind::Additive | Kind::Proportional) if share.0 == 0 || share.0 > most => return Err(rule),
            _ => {}
        }
        Ok(())
    }

    const fn check_limits(&self) -> Result<(), Rule> {
        let Policy { first, cap, floor, within, attempt_timeout, waits, shape, .. } = self.policy;
        Err(if self.no_attempts {
            Rule::AttemptsZero
        } else if within == 0 {
            Rule::WithinZero
        } else if attempt_timeout == 0 {
            Rule::TimeoutZero
        } else if first > cap {
            Rule::FirstAboveCap
        } else if floor > cap {
            Rule::FloorAboveCap
        } else if matches!(shape, Shape::Immediate) && waits == UNLIMITED && floor == 0 {
            Rule::HotLoop
        } else {
            return Ok(());
        })
    }

    const fn finish_cap(&mut self) -> Result<(), Rule> {
        let above = self.policy.spread().above();
        self.policy.cap_said = self.policy.cap != u64::MAX;
        if !self.policy.cap_said {
            self.policy.cap = self.default_cap(above);
        }
        self.policy.limit = above.room_under(self.policy.cap);
        if self.policy.limit == 0 { Err(Rule::CapTooSmall) } else { Ok(()) }
    }

    /// The field and the value that break a rule: found afterwards, so that the checks hand on one byte.
    pub(crate) const fn invalid(&self, rule: Rule) -> Invalid {
        let value = match rule {
            Rule::AdditiveRange | Rule::ProportionalRange => self.policy.share.0 as u64,
            Rule::FactorElsewhere | Rule::FactorRange => self.policy.excess.0 as u64,
            Rule::CapTooSmall => self.policy.cap,
            Rule::FirstAboveCap => self.policy.first,
            Rule::FloorAboveCap => self.policy.floor,
            Rule::ScheduleLength => self.steps.len() as u64,
            _ => 0,
        };
        Invalid { field: rule.field(), value, rule }
    }

    /// 30 s, or as much more as what was said needs: a default never changes a number that was said.
    const fn default_cap(&self, above: Ratio) -> u64 {
        let (mut longest, mut rest) = (self.policy.first, self.steps);
        if let Shape::Schedule = self.policy.shape {
            while let [step, others @ ..] = rest {
                longest = most(longest, step.0);
                rest = others;
            }
        }
        most(CAP, most(above.room_over(longest), self.policy.floor))
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

const fn check_entries(steps: &[Micros]) -> Result<(), Rule> {
    if steps.is_empty() || steps.len() > ENTRIES {
        return Err(Rule::ScheduleLength);
    }
    let mut rest = steps;
    while let [step, others @ ..] = rest {
        if step.0 == 0 {
            return Err(Rule::ScheduleZero);
        }
        rest = others;
    }
    Ok(())
}

const fn most(a: u64, b: u64) -> u64 {
    if a > b { a } else { b }
}

/// A rule that was broken: which field, its value, and the rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// The field that is wrong.
    pub field: Field,
    /// What it was: microseconds for a length, a count for attempts and for the entries of a
    /// schedule, [`Ratio::to_bits`] for a factor or a share that is out of range; 0 where it is the
    /// kind that is wrong and not a number.
    pub value: u64,
    /// The rule that it breaks.
    pub rule: Rule,
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.rule.text())?;
        let ratio = Ratio(if self.value > u32::MAX as u64 { u32::MAX } else { self.value as u32 });
        match (self.rule, self.field) {
            (Rule::ShapeMissing | Rule::JitterTwice | Rule::HotLoop | Rule::ScheduleZero, _) => Ok(()),
            (_, Field::Factor | Field::Jitter) => write!(f, "; got {ratio}"),
            (_, Field::Attempts | Field::Schedule | Field::Backoff) => write!(f, "; got {}", self.value),
            _ => write!(f, "; got {}", Micros(self.value)),
        }
    }
}

impl core::error::Error for Invalid {}

/// The fields of a policy, by the words of its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are those of the setters")]
pub enum Field {
    AttemptTimeout,
    Attempts,
    Backoff,
    Cap,
    Factor,
    First,
    FirstDelay,
    Floor,
    HintCeiling,
    Jitter,
    Schedule,
    Step,
    Within,
}

/// What a policy may not say; [`Rule::text`] says it in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the text is the documentation")]
pub enum Rule {
    AdditiveRange,
    AttemptsZero,
    CapTooSmall,
    FactorElsewhere,
    FactorRange,
    FirstAboveCap,
    FirstZero,
    FloorAboveCap,
    HotLoop,
    JitterTwice,
    ProportionalRange,
    ScheduleLength,
    ScheduleZero,
    ShapeMissing,
    StepZero,
    TimeoutZero,
    WithinZero,
}

impl Rule {
    /// The field that the rule is about.
    const fn field(self) -> Field {
        match self {
            Rule::AdditiveRange | Rule::JitterTwice | Rule::ProportionalRange => Field::Jitter,
            Rule::AttemptsZero | Rule::HotLoop => Field::Attempts,
            Rule::CapTooSmall => Field::Cap,
            Rule::FactorElsewhere | Rule::FactorRange => Field::Factor,
            Rule::FirstAboveCap | Rule::FirstZero => Field::First,
            Rule::FloorAboveCap => Field::Floor,
            Rule::ScheduleLength | Rule::ScheduleZero => Field::Schedule,
            Rule::ShapeMissing => Field::Backoff,
            Rule::StepZero => Field::Step,
            Rule::TimeoutZero => Field::AttemptTimeout,
            Rule::WithinZero => Field::Within,
        }
    }

    /// The rule in words.
    pub const fn text(self) -> &'static str {
        match self {
            Rule::AdditiveRange => "additive jitter must be above 0 and at most 255 times the delay",
            Rule::AttemptsZero => "attempts must be at least 1 (an attempt is a call, the first included)",
            Rule::CapTooSmall => "cap must leave at least 1 us below the jitter",
            Rule::FactorElsewhere => "factor belongs to exponential and decorrelated only",
            Rule::FactorRange => "factor must be exactly 1 or from 1.01 to 255",
            Rule::FirstAboveCap => "the first delay must not be longer than the cap",
            Rule::FirstZero => "the first delay must be at least 1 us (only `immediate` has none)",
            Rule::FloorAboveCap => "floor must not be longer than the cap",
            Rule::HotLoop => "immediate with unlimited attempts needs a floor (else it is a hot loop)",
            Rule::JitterTwice => "decorrelated has its own jitter and takes no other than none",
            Rule::ProportionalRange => "proportional jitter must be above 0 and at most 1 times the delay",
            Rule::ScheduleLength => "a schedule must have from 1 to 4096 delays",
            Rule::ScheduleZero => "each delay of a schedule must be at least 1 us",
            Rule::ShapeMissing => "a policy must name a shape, such as exponential",
            Rule::StepZero => "the step of linear must be at least 1 us",
            Rule::TimeoutZero => "attempt_timeout must be at least 1 us",
            Rule::WithinZero => "within must be at least 1 us",
        }
    }
}

/// Kept beside [`LONGEST`]: the longest cap still compiles without overflow.
const _: () = assert!(Ratio(255 << 24).room_under(LONGEST) < LONGEST);
