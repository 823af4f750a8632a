//! Which policies are refused, and with which words.

use undaunted_core::{Field, Invalid, Rule};

use crate::said::{Calls, Said, Shape, Spread};
use crate::twin::{ONE, cap_of, curve_length, first_of, jitter_of, ratio, room};

/// Every rule that is broken, in the documented order of groups: shape, factor, jitter, limits,
/// rules between fields. `build` answers one of the first group that has any.
pub fn broken_rules(said: &Said) -> Vec<Invalid> {
    let groups = [shape(said), factor(said), jitter(said), limits(said), between(said)];
    groups.into_iter().find(|group| !group.is_empty()).unwrap_or_default()
}

fn shape(said: &Said) -> Vec<Invalid> {
    let mut broken = Vec::new();
    match said.shape {
        Shape::Constant { delay: 0 }
        | Shape::Decorrelated { first: 0 }
        | Shape::Exponential { first: 0 }
        | Shape::Fibonacci { first: 0 }
        | Shape::Linear { first: 0, .. } => broken.push(invalid(Field::First, 0, Rule::FirstZero)),
        Shape::Schedule { steps } => {
            if steps.is_empty() || steps.len() > 4096 {
                broken.push(invalid(Field::Schedule, steps.len() as u64, Rule::ScheduleLength));
            }
            if steps.iter().any(|step| step.as_micros() == 0) {
                broken.push(invalid(Field::Schedule, 0, Rule::ScheduleZero));
            }
        }
        _ => {}
    }
    if let Shape::Linear { step: 0, .. } = said.shape {
        broken.push(invalid(Field::Step, 0, Rule::StepZero));
    }
    broken
}

fn factor(said: &Said) -> Vec<Invalid> {
    let Some((numerator, denominator)) = said.factor else {
        return Vec::new();
    };
    let factor = ratio(numerator, denominator);
    let mut broken = Vec::new();
    if !matches!(said.shape, Shape::Exponential { .. } | Shape::Decorrelated { .. }) {
        broken.push(invalid(Field::Factor, factor as u64, Rule::FactorElsewhere));
    }
    let in_range = factor == ONE || (ratio(101, 100) <= factor && factor <= 255 * ONE);
    if !in_range {
        broken.push(invalid(Field::Factor, factor as u64, Rule::FactorRange));
    }
    broken
}

fn jitter(said: &Said) -> Vec<Invalid> {
    let mut broken = Vec::new();
    let (jitter, share) = jitter_of(said);
    let brings_its_own = matches!(said.shape, Shape::Decorrelated { .. });
    if brings_its_own && jitter != Spread::None {
        // It is the kind that is wrong, not its share.
        broken.push(invalid(Field::Jitter, 0, Rule::JitterTwice));
    }
    let rule = match jitter {
        Spread::Additive(..) if share == 0 || share > 255 * ONE => Rule::AdditiveRange,
        Spread::Proportional(..) if share == 0 || share > ONE => Rule::ProportionalRange,
        _ => return broken,
    };
    broken.push(invalid(Field::Jitter, share as u64, rule));
    broken
}

fn limits(said: &Said) -> Vec<Invalid> {
    let mut broken = Vec::new();
    if said.attempts == Some(Calls::Limited(0)) {
        broken.push(invalid(Field::Attempts, 0, Rule::AttemptsZero));
    }
    if said.within == Some(0) {
        broken.push(invalid(Field::Within, 0, Rule::WithinZero));
    }
    if said.attempt_timeout == Some(0) {
        broken.push(invalid(Field::AttemptTimeout, 0, Rule::TimeoutZero));
    }
    broken
}

/// Rules between fields compare only what was said.
fn between(said: &Said) -> Vec<Invalid> {
    let mut broken = Vec::new();
    let floor = curve_length(said.floor.unwrap_or(0));
    if let Some(cap) = said.cap.map(curve_length) {
        let (_, share) = jitter_of(said);
        if first_of(said) > cap {
            broken.push(invalid(Field::First, first_of(said), Rule::FirstAboveCap));
        }
        if floor > cap {
            broken.push(invalid(Field::Floor, floor, Rule::FloorAboveCap));
        }
        if room(cap_of(said), share) == 0 {
            broken.push(invalid(Field::Cap, cap, Rule::CapTooSmall));
        }
    }
    // Only `immediate` can have the range [0, 0], and then it has it at every step.
    if said.shape == Shape::Immediate && floor == 0 && said.attempts == Some(Calls::Unlimited) {
        broken.push(invalid(Field::Attempts, 0, Rule::HotLoop));
    }
    broken
}

fn invalid(field: Field, value: u64, rule: Rule) -> Invalid {
    Invalid { field, value, rule }
}
