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
#[derive(Clone, Copy, Debug)]
#[must_use = "a draft is not a policy until it is built"]
pub struct Draft {
    pub(crate) shape: Option<Shape>,
    pub(crate) first: Micros,
    pub(crate) step: Micros,
    pub(crate) steps: &'static [Micros],
    pub(crate) factor: Option<Ratio>,
    pub(crate) jitter: Option<Jitter>,
    pub(crate) attempts: Option<u32>,
    pub(crate) cap: Option<Micros>,
    pub(crate) floor: Micros,
    pub(crate) within: Option<Micros>,
    pub(crate) attempt_timeout: Option<Micros>,
    pub(crate) hint_ceiling: Micros,
    pub(crate) first_delay: Micros,
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
            shape: None,
            first: Micros::ZERO,
            step: Micros::ZERO,
            steps: &[],
            factor: None,
            jitter: None,
            attempts: Some(ATTEMPTS),
            cap: None,
            floor: Micros::ZERO,
            within: None,
            attempt_timeout: None,
            hint_ceiling: HINT_CEILING,
            first_delay: Micros::ZERO,
        }
    }

    pub(crate) const fn shape(self, shape: Shape, first: Micros) -> Draft {
        Draft { shape: Some(shape), first: first.of_a_curve(), ..self }
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
        let step = Micros::from_duration(step).of_a_curve();
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
    pub const fn attempts(self, n: u32) -> Draft {
        Draft { attempts: Some(n), ..self }
    }

    /// As [`Policy::retries`].
    pub const fn retries(self, n: u32) -> Draft {
        self.attempts(n.saturating_add(1))
    }

    /// As [`Policy::unlimited_attempts`].
    pub const fn unlimited_attempts(self) -> Draft {
        Draft { attempts: None, ..self }
    }

    /// As [`Policy::cap`].
    pub const fn cap(self, cap: Duration) -> Draft {
        Draft { cap: Some(Micros::from_duration(cap).of_a_curve()), ..self }
    }

    /// As [`Policy::floor`].
    pub const fn floor(self, floor: Duration) -> Draft {
        Draft { floor: Micros::from_duration(floor).of_a_curve(), ..self }
    }

    /// As [`Policy::factor`].
    pub const fn factor(self, numerator: u32, denominator: u32) -> Draft {
        Draft { factor: Some(Ratio::new(numerator, denominator)), ..self }
    }

    /// As [`Policy::jitter`].
    pub const fn jitter(self, jitter: Jitter) -> Draft {
        Draft { jitter: Some(jitter), ..self }
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
        Draft { within: Some(Micros::from_duration(within)), ..self }
    }

    /// As [`Policy::attempt_timeout`].
    pub const fn attempt_timeout(self, timeout: Duration) -> Draft {
        Draft { attempt_timeout: Some(Micros::from_duration(timeout)), ..self }
    }

    /// As [`Policy::hint_ceiling`].
    pub const fn hint_ceiling(self, ceiling: Duration) -> Draft {
        Draft { hint_ceiling: Micros::from_duration(ceiling), ..self }
    }

    /// As [`Policy::first_delay`].
    pub const fn first_delay(self, delay: Duration) -> Draft {
        Draft { first_delay: Micros::from_duration(delay).of_a_curve(), ..self }
    }

    /// The policy, if what was said makes one.
    ///
    /// # Errors
    /// [`Invalid`] names the field, its value and the rule; the first broken rule in the order of
    /// shape, factor, jitter, limits, and rules between fields.
    pub const fn build(self) -> Result<Policy, Invalid> {
        match self.check() {
            Ok(checked) => Ok(self.compile(checked)),
            Err(rule) => Err(self.invalid(rule)),
        }
    }

    /// What the numbers come to if every rule is kept; [`compile`](Draft::compile) makes the policy of it.
    pub(crate) const fn check(&self) -> Result<Checked, Rule> {
        let Some(shape) = self.shape else { return Err(Rule::ShapeMissing) };
        if let Err(broken) = self.check_curve(shape) {
            return Err(broken);
        }
        let factor = match self.check_factor(shape) {
            Ok(factor) => factor,
            Err(broken) => return Err(broken),
        };
        let jitter = match self.check_jitter(shape) {
            Ok(jitter) => jitter,
            Err(broken) => return Err(broken),
        };
        if let Err(broken) = self.check_limits(shape) {
            return Err(broken);
        }
        let cap = match self.cap {
            Some(cap) => cap.0,
            None => self.default_cap(jitter),
        };
        match jitter.above().room_under(cap) {
            0 => Err(Rule::CapTooSmall),
            limit => Ok(Checked { shape, factor, jitter, cap, limit }),
        }
    }

    const fn check_curve(&self, shape: Shape) -> Result<(), Rule> {
        if let Shape::Schedule = shape {
            return check_entries(self.steps);
        }
        if let (Shape::Linear, Micros::ZERO) = (shape, self.step) {
            return Err(Rule::StepZero);
        }
        match (shape, self.first) {
            (Shape::Immediate, _) => Ok(()),
            (_, Micros::ZERO) => Err(Rule::FirstZero),
            _ => Ok(()),
        }
    }

    const fn check_factor(&self, shape: Shape) -> Result<Ratio, Rule> {
        match (shape, self.factor) {
            (Shape::Exponential, None) => Ok(DOUBLING),
            (Shape::Decorrelated, None) => Ok(TRIPLING),
            (Shape::Exponential | Shape::Decorrelated, Some(Ratio(bits))) => {
                let grows = bits >= FACTORS.0.0 && bits <= FACTORS.1.0;
                if grows || bits == Ratio::ONE.0 {
                    return Ok(Ratio(bits));
                }
                Err(Rule::FactorRange)
            }
            (_, None) => Ok(Ratio::ONE),
            (_, Some(_)) => Err(Rule::FactorElsewhere),
        }
    }

    const fn check_jitter(&self, shape: Shape) -> Result<Jitter, Rule> {
        let (share, most, rule) = match (shape, self.jitter) {
            (Shape::Decorrelated, None | Some(Jitter::None)) => return Ok(Jitter::None),
            (Shape::Decorrelated, Some(_)) => return Err(Rule::JitterTwice),
            (_, None) => return Ok(Jitter::Full),
            (_, Some(Jitter::Additive { share })) => (share.0, 255 << 24, Rule::AdditiveRange),
            (_, Some(Jitter::Proportional { share })) => (share.0, 1 << 24, Rule::ProportionalRange),
            (_, Some(jitter)) => return Ok(jitter),
        };
        match self.jitter {
            Some(jitter) if share > 0 && share <= most => Ok(jitter),
            _ => Err(rule),
        }
    }

    const fn check_limits(&self, shape: Shape) -> Result<(), Rule> {
        if let Some(0) = self.attempts {
            return Err(Rule::AttemptsZero);
        }
        if let Some(Micros::ZERO) = self.within {
            return Err(Rule::WithinZero);
        }
        if let Some(Micros::ZERO) = self.attempt_timeout {
            return Err(Rule::TimeoutZero);
        }
        if let Some(cap) = self.cap {
            if self.first.0 > cap.0 {
                return Err(Rule::FirstAboveCap);
            }
            if self.floor.0 > cap.0 {
                return Err(Rule::FloorAboveCap);
            }
        }
        match (shape, self.attempts, self.floor) {
            (Shape::Immediate, None, Micros::ZERO) => Err(Rule::HotLoop),
            _ => Ok(()),
        }
    }

    pub(crate) const fn compile(&self, checked: Checked) -> Policy {
        let Checked { shape, factor, jitter, cap, limit } = checked;
        let Spread { share, kind } = Spread::compile(jitter);
        Policy {
            first: self.first.0,
            limit,
            cap,
            floor: self.floor.0,
            hint_ceiling: self.hint_ceiling.0,
            within: or_max(self.within),
            attempt_timeout: or_max(self.attempt_timeout),
            first_delay: self.first_delay.0,
            growth: match shape {
                Shape::Schedule => Growth::Steps(self.steps),
                Shape::Linear => Growth::AtLeast(self.step.0),
                _ => Growth::AtLeast(factor.may_stand_still() as u64),
            },
            excess: Ratio(factor.0 - Ratio::ONE.0),
            share,
            waits: match self.attempts {
                Some(n) => n.saturating_sub(1),
                None => UNLIMITED,
            },
            shape,
            kind: if let Shape::Decorrelated = shape { Kind::Decorrelated } else { kind },
            cap_said: self.cap.is_some(),
        }
    }

    /// The field and the value that break a rule: found afterwards, so that the checks hand on one byte.
    pub(crate) const fn invalid(&self, rule: Rule) -> Invalid {
        let bits = match (self.jitter, self.factor) {
            (Some(jitter), _) if rule.field() as u8 == Field::Jitter as u8 => jitter.above().0,
            (_, Some(factor)) => factor.0,
            _ => 0,
        };
        let value = match rule {
            Rule::AdditiveRange | Rule::FactorElsewhere | Rule::FactorRange | Rule::ProportionalRange => {
                bits as u64
            }
            Rule::CapTooSmall => or_max(self.cap),
            Rule::FirstAboveCap => self.first.0,
            Rule::FloorAboveCap => self.floor.0,
            Rule::ScheduleLength => self.steps.len() as u64,
            _ => 0,
        };
        Invalid { field: rule.field(), value, rule }
    }

    /// 30 s, or as much more as what was said needs: a default never changes a number that was said.
    const fn default_cap(&self, jitter: Jitter) -> u64 {
        let (mut longest, mut rest) = (self.first.0, self.steps);
        if let Some(Shape::Schedule) = self.shape {
            while let [step, others @ ..] = rest {
                longest = most(longest, step.0);
                rest = others;
            }
        }
        most(CAP, most(jitter.above().room_over(longest), self.floor.0))
    }
}

/// A draft that keeps the rules: what was said and what follows from it.
#[derive(Clone, Copy)]
pub(crate) struct Checked {
    shape: Shape,
    factor: Ratio,
    jitter: Jitter,
    cap: u64,
    limit: u64,
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

const fn or_max(limit: Option<Micros>) -> u64 {
    match limit {
        Some(limit) => limit.0,
        None => u64::MAX,
    }
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
