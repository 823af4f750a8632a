//! From a curve to the product's policy.

use crate::curve::{Bound, Curve, Shape, Spread, Waits};
use crate::findings::{Checked, not_applicable};
use std::time::Duration;
use undaunted::{Draft, Micros, Policy};

impl Curve {
    /// The product's policy, for at least this many waits unless the curve says how many.
    pub(crate) fn policy(&self, needed: usize) -> Checked<Policy> {
        match self.draft(needed).build() {
            Ok(policy) => Ok(policy),
            Err(invalid) => not_applicable(format!("the builder refuses it: {}", invalid.rule.text())),
        }
    }

    /// The same before it is checked.
    pub(crate) fn draft(&self, needed: usize) -> Draft {
        let cap = match self.bound {
            Bound::Curve(cap) => cap * (1.0 + self.above()),
            Bound::Draw(cap) => cap,
            Bound::None => f64::INFINITY,
        };
        let first = |length: f64| duration(length.min(cap));
        let share = |share: f64| ratio(share);
        let draft = match &self.shape {
            _ if self.grows.is_some_and(|grows| needed > grows as usize + 1) => {
                let stands = self.grows.unwrap_or(0) as usize;
                schedule((0..=stands).map(|at| self.value(at).min(cap)))
            }
            Shape::Constant(delay) => Policy::draft().constant(first(*delay)),
            Shape::Exponential { first: delay, factor } => {
                let (numerator, denominator) = ratio(*factor);
                Policy::draft().exponential(first(*delay)).factor(numerator, denominator)
            }
            Shape::Fibonacci(delay) => Policy::draft().fibonacci(first(*delay)),
            Shape::Immediate => Policy::draft().immediate(),
            Shape::Linear { first: delay, step } => Policy::draft().linear(first(*delay), duration(*step)),
            Shape::List(steps) => schedule(steps.iter().map(|step| step.min(cap))),
        };
        let draft = match self.spread {
            Spread::Additive(p) => draft.additive_jitter(share(p).0, share(p).1),
            Spread::Full => draft.full_jitter(),
            Spread::None => draft.no_jitter(),
            Spread::Proportional(p) => draft.proportional_jitter(share(p).0, share(p).1),
        };
        // Peers have no ceiling for hints.
        let draft = draft.cap(duration(cap)).floor(duration(self.floor)).hint_ceiling(Duration::MAX);
        match (self.waits, &self.shape) {
            (Waits::Exactly(waits), _) => draft.retries(waits),
            (Waits::Unsaid, Shape::Immediate) => draft.retries(needed as u32 + 1),
            (Waits::Unlimited | Waits::Unsaid, _) => draft.unlimited_attempts(),
        }
    }
}

/// A number as a fraction that is rounded to 8.24 fixed point.
pub(crate) fn ratio(number: f64) -> (u32, u32) {
    ((number * f64::from(1 << 24)).round() as u32, 1 << 24)
}

/// A length for the builder; saturating.
pub(crate) fn duration(nanos: f64) -> Duration {
    if nanos >= u64::MAX as f64 { Duration::MAX } else { Duration::from_nanos(nanos.round() as u64) }
}

/// Lives as long as the run: the door of the library is for `'static` lists.
fn schedule(steps: impl Iterator<Item = f64>) -> Draft {
    let steps: Vec<Micros> = steps.map(|step| Micros::from_duration(duration(step))).collect();
    Policy::draft().schedule(Vec::leak(steps))
}
