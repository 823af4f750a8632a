//! What a policy and a recovery may not say.

use crate::ratio::Ratio;
use crate::time::Micros;
use core::fmt;

/// A rule that was broken: which field, its value, and the rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Invalid {
    /// The field that is wrong.
    pub field: Field,
    /// What it was: microseconds for a length; a count for attempts, for restarts (or for how many of them
    /// there is room) and for the entries of a schedule; [`Ratio::to_bits`] for a factor or a share that is
    /// out of range; 0 where it is the kind that is wrong and not a number.
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
            (_, Field::Factor | Field::Jitter) if ratio.0 == u32::MAX => f.write_str("; got 256 or more"),
            (_, Field::Factor | Field::Jitter) => write!(f, "; got {ratio}"),
            (Rule::MemoryTooShort | Rule::RestartsRange, _)
            | (_, Field::Attempts | Field::Schedule | Field::Backoff) => write!(f, "; got {}", self.value),
            _ => write!(f, "; got {}", Micros(self.value)),
        }
    }
}

impl core::error::Error for Invalid {}

/// The fields of a policy and of a recovery, by the words of their texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
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
    Intensity = 13,
    Jitter = 9,
    ResetAfter = 14,
    Schedule = 10,
    Step = 11,
    Within = 12,
}

/// What a policy says comes first: it keeps a row of numbers by field, and a recovery's two are not in it.
const _: () = assert!(Field::Within as usize + 1 == Field::Intensity as usize);

impl Field {
    /// Its place in a set of fields.
    pub(crate) const fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// What a policy and a recovery may not say; [`Rule::text`] says it in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
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
    MemoryTooShort,
    ProportionalRange,
    ResetAfterZero,
    RestartsRange,
    ScheduleLength,
    ScheduleZero,
    ShapeMissing,
    StepZero,
    TimeoutZero,
    WindowZero,
    WithinZero,
}

impl Rule {
    /// The field of a policy that the rule is about. Out of line, so that it stays a table.
    ///
    /// A recovery says itself which of its fields breaks a rule: with those in the table, each use of an
    /// answer as a place in the row of numbers would need a check, on every device that reads a policy.
    #[inline(never)]
    pub(crate) const fn field(self) -> Field {
        match self {
            Rule::AdditiveRange | Rule::JitterTwice | Rule::ProportionalRange => Field::Jitter,
            Rule::AttemptsZero | Rule::HotLoop => Field::Attempts,
            Rule::CapTooSmall => Field::Cap,
            Rule::FactorElsewhere | Rule::FactorRange => Field::Factor,
            Rule::FirstAboveCap | Rule::FirstZero => Field::First,
            Rule::FloorAboveCap => Field::Floor,
            Rule::ScheduleLength | Rule::ScheduleZero => Field::Schedule,
            // A recovery's four are not asked for.
            Rule::ShapeMissing
            | Rule::MemoryTooShort
            | Rule::ResetAfterZero
            | Rule::RestartsRange
            | Rule::WindowZero => Field::Backoff,
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
            Rule::MemoryTooShort => "the memory must have room for as many restarts as the intensity allows",
            Rule::ProportionalRange => "proportional jitter must be above 0 and at most 1 times the delay",
            Rule::ResetAfterZero => "reset_after must be at least 1 us",
            Rule::RestartsRange => "intensity must allow from 1 to 65535 restarts",
            Rule::ScheduleLength => "a schedule must have from 1 to 4096 delays",
            Rule::ScheduleZero => "each delay of a schedule must be at least 1 us",
            Rule::ShapeMissing => "a policy must name a shape, such as exponential",
            Rule::StepZero => "the step of linear must be at least 1 us",
            Rule::TimeoutZero => "attempt_timeout must be at least 1 us",
            Rule::WindowZero => "the window of intensity must be at least 1 us",
            Rule::WithinZero => "within must be at least 1 us",
        }
    }
}
