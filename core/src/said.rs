//! What was said of a policy, and the one check that every policy passes.

use crate::backoff::{Growth, Shape};
use crate::jitter::{Kind, Spread};
use crate::policy::{Policy, UNLIMITED};
use crate::ratio::{LONGEST, Ratio};
use crate::rule::{Field, Invalid, Rule};
use crate::time::Micros;

/// What was said: a number for each field, and which fields were said (a bit each).
///
/// Lengths are in microseconds, a factor or a share in units of 2^-24. All are in one row, by [`Field`]:
/// no code is then needed to find one, neither to set it nor to say what is wrong. A text is read
/// on devices where every byte of code counts.
#[derive(Clone, Copy)]
pub(crate) struct Said {
    numbers: [u64; Field::Within as usize + 1],
    fields: u16,
    pub(crate) shape: Shape,
    pub(crate) kind: Kind,
}

/// The defaults that [`Policy`] documents, beside the cap's, which follows the other numbers.
const ATTEMPTS: u64 = 5;
const DOUBLING: Ratio = Ratio(2 << 24);
const TRIPLING: Ratio = Ratio(3 << 24);
const CAP: u64 = 30_000_000;
pub(crate) const HINT_CEILING: Micros = Micros(600_000_000);

/// The number of attempts when they have no end: one more than there can be.
pub(crate) const UNLIMITED_ATTEMPTS: u64 = UNLIMITED as u64 + 1;

/// The most entries a schedule may have: what `worst_case` may add up at compile time.
const ENTRIES: usize = 4_096;
const FACTORS: (Ratio, Ratio) = (Ratio::new(101, 100), Ratio(255 << 24));

impl Said {
    /// The defaults, but for those that follow from what is said.
    ///
    /// Long runs of the same bytes would link a `memset`, so what is always said is not zero here.
    pub(crate) const fn nothing() -> Said {
        Said {
            numbers: [
                u64::MAX, // attempt_timeout
                ATTEMPTS,
                0,                   // backoff; in the end where the curve stops
                u64::MAX,            // cap
                Ratio::ONE.0 as u64, // factor
                u64::MAX,            // first
                0,                   // first_delay
                0,                   // floor
                HINT_CEILING.0,
                Ratio::ONE.0 as u64, // jitter: full
                0,                   // schedule
                0,                   // step
                u64::MAX,            // within
            ],
            fields: 0,
            shape: Shape::Constant,
            kind: Kind::Full,
        }
    }

    /// The two fields of a recovery have no place in the row, and are never said here.
    pub(crate) const fn say(&mut self, field: Field, number: u64) {
        if (field as usize) < self.numbers.len() {
            self.numbers[field as usize] = number;
        }
        self.fields |= field.bit();
    }

    pub(crate) const fn has(&self, field: Field) -> bool {
        self.fields & field.bit() != 0
    }

    const fn number(&self, field: Field) -> u64 {
        if (field as usize) < self.numbers.len() { self.numbers[field as usize] } else { 0 }
    }

    /// Checks everything, fills in what was not said, and compiles the numbers in their places: on a
    /// device the moving about of policies is most of the code. First broken rule, first answer.
    pub(crate) const fn resolve(&mut self, steps: &[Micros]) -> Result<(), Rule> {
        let curve = self.resolve_curve(steps);
        if curve.is_err() {
            return curve;
        }
        let jitter = self.resolve_jitter();
        if jitter.is_err() {
            return jitter;
        }
        let limits = self.check_limits();
        if limits.is_err() {
            return limits;
        }
        self.resolve_cap(steps)
    }

    const fn resolve_curve(&mut self, steps: &[Micros]) -> Result<(), Rule> {
        if !steps.is_empty() {
            let entries = check_entries(steps);
            if entries.is_err() {
                return entries;
            }
        } else if self.number(Field::First) == 0 && !matches!(self.shape, Shape::Immediate) {
            return Err(Rule::FirstZero);
        }
        if self.number(Field::Step) == 0 && matches!(self.shape, Shape::Linear) {
            return Err(Rule::StepZero);
        }
        let mut factor = match self.shape {
            Shape::Decorrelated => TRIPLING,
            Shape::Exponential => DOUBLING,
            _ if self.has(Field::Factor) => return Err(Rule::FactorElsewhere),
            _ => Ratio::ONE,
        };
        if self.has(Field::Factor) {
            factor = Ratio(self.number(Field::Factor) as u32);
            if factor.0 != Ratio::ONE.0 && !(factor.0 >= FACTORS.0.0 && factor.0 <= FACTORS.1.0) {
                return Err(Rule::FactorRange);
            }
        }
        self.numbers[Field::Factor as usize] = (factor.0 - Ratio::ONE.0) as u64;
        if !matches!(self.shape, Shape::Linear) {
            self.numbers[Field::Step as usize] = factor.may_stand_still() as u64;
        }
        Ok(())
    }

    const fn resolve_jitter(&mut self) -> Result<(), Rule> {
        let share = self.number(Field::Jitter) as u32;
        let (most, rule) = match self.kind {
            Kind::Additive => (255 << 24, Rule::AdditiveRange),
            _ => (1 << 24, Rule::ProportionalRange),
        };
        if let Shape::Decorrelated = self.shape {
            if self.has(Field::Jitter) && !matches!(self.kind, Kind::None) {
                return Err(Rule::JitterTwice);
            }
            self.kind = Kind::Decorrelated;
            self.numbers[Field::Jitter as usize] = 0;
        } else if matches!(self.kind, Kind::Additive | Kind::Proportional) && (share == 0 || share > most) {
            return Err(rule);
        }
        Ok(())
    }

    const fn check_limits(&self) -> Result<(), Rule> {
        let cap = self.number(Field::Cap);
        let unlimited = self.number(Field::Attempts) == UNLIMITED_ATTEMPTS;
        Err(if self.number(Field::Attempts) == 0 {
            Rule::AttemptsZero
        } else if self.number(Field::Within) == 0 {
            Rule::WithinZero
        } else if self.number(Field::AttemptTimeout) == 0 {
            Rule::TimeoutZero
        } else if self.number(Field::First) > cap {
            Rule::FirstAboveCap
        } else if self.number(Field::Floor) > cap {
            Rule::FloorAboveCap
        } else if unlimited && matches!(self.shape, Shape::Immediate) && self.number(Field::Floor) == 0 {
            Rule::HotLoop
        } else {
            return Ok(());
        })
    }

    /// The default cap is as much more as what was said needs: it never changes a number that was said.
    const fn resolve_cap(&mut self, steps: &[Micros]) -> Result<(), Rule> {
        let share = Ratio(self.number(Field::Jitter) as u32);
        let above = Spread { share, kind: self.kind }.above();
        if !self.has(Field::Cap) {
            let longest = longest(self.number(Field::First), steps);
            let cap = most(above.room_over(longest), most(CAP, self.number(Field::Floor)));
            self.numbers[Field::Cap as usize] = cap;
        }
        let limit = above.room_under(self.number(Field::Cap));
        self.numbers[Field::Backoff as usize] = limit;
        if limit == 0 { Err(Rule::CapTooSmall) } else { Ok(()) }
    }

    /// The policy, when everything is resolved. Number by number, so that no device needs a `memcpy`.
    #[inline(always)]
    pub(crate) const fn policy(&self, steps: &'static [Micros]) -> Policy {
        Policy {
            growth: match steps {
                [] => Growth::AtLeast(self.number(Field::Step)),
                _ => Growth::Steps(steps),
            },
            first: self.number(Field::First),
            limit: self.number(Field::Backoff),
            cap: self.number(Field::Cap),
            floor: self.number(Field::Floor),
            hint_ceiling: self.number(Field::HintCeiling),
            within: self.number(Field::Within),
            attempt_timeout: self.number(Field::AttemptTimeout),
            first_delay: self.number(Field::FirstDelay),
            excess: Ratio(self.number(Field::Factor) as u32),
            share: Ratio(self.number(Field::Jitter) as u32),
            waits: (self.number(Field::Attempts) - 1) as u32,
            shape: self.shape,
            kind: self.kind,
            cap_said: self.has(Field::Cap),
        }
    }

    /// The field and the value that break a rule: found afterwards, so that the checks hand on one byte.
    pub(crate) const fn invalid(&self, rule: Rule) -> Invalid {
        let field = rule.field();
        let value = match rule {
            Rule::HotLoop | Rule::JitterTwice | Rule::ScheduleZero => 0,
            _ => self.number(field),
        };
        Invalid { field, value, rule }
    }
}

const fn check_entries(steps: &[Micros]) -> Result<(), Rule> {
    if steps.len() > ENTRIES {
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

/// The longest of the delays before jitter that are said, as long as a curve can be.
const fn longest(first: u64, steps: &[Micros]) -> u64 {
    let (mut longest, mut rest) = (first, steps);
    while let [step, others @ ..] = rest {
        longest = most(longest, step.of_a_curve().0);
        rest = others;
    }
    longest
}

const fn most(a: u64, b: u64) -> u64 {
    if a > b { a } else { b }
}

/// Kept beside [`LONGEST`]: the longest cap still compiles without overflow.
const _: () = assert!(Ratio(255 << 24).room_under(LONGEST) < LONGEST);
