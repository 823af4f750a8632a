//! Curves that are put together from parts: Finagle's and tenacity's.

use super::curve as inner_curve;
use crate::case::Fields;
use crate::curve::{Bound, Curve, Shape, Waits};
use crate::findings::{Checked, failed, not_applicable};

/// Their names.
pub(super) const MODELS: [&str; 11] = [
    "chain",
    "concat",
    "constant",
    "empty",
    "exponential",
    "linear",
    "map",
    "sum",
    "take",
    "take-until",
    "uniform",
];

pub(super) fn curve(model: &str, policy: &Fields) -> Checked<Curve> {
    match model {
        "constant" => constant(policy),
        "chain" => chain(policy),
        "concat" => concat(policy),
        "empty" => Ok(Curve { waits: Waits::Exactly(0), ..Curve::of(Shape::Immediate) }),
        "exponential" => {
            let (first, factor) = (policy.needed_length("start")?, policy.needed("multiplier")?);
            capped(policy, Shape::Exponential { first, factor })
        }
        "linear" => {
            let first = policy.needed_length("start")?;
            let step = match policy.length("offset")? {
                Some(step) => step,
                None => policy.needed_length("increment")?,
            };
            capped(policy, Shape::Linear { first, step })
        }
        "map" => map(policy),
        "sum" => sum(policy),
        "take" => {
            let waits = Waits::Exactly(policy.count("n")?.unwrap_or(0));
            Ok(Curve { waits, ..inner(policy)? })
        }
        // Where it ends is a matter of time: see the check of its sequence.
        "take-until" => inner(policy),
        _ => Ok(Curve::uniform(policy.needed_length("min")?, policy.needed_length("max")?)),
    }
}

fn constant(policy: &Fields) -> Checked<Curve> {
    let delay = policy.needed_length("delay")?;
    let waits = policy.count("attempts")?.map_or(Waits::Unsaid, |n| Waits::Exactly(n.saturating_sub(1)));
    Ok(Curve { waits, ..Curve::of(Shape::Constant(delay)) })
}

fn capped(policy: &Fields, shape: Shape) -> Checked<Curve> {
    let bound = policy.length("max")?.map_or(Bound::None, Bound::Curve);
    Ok(Curve { bound, ..Curve::of(shape) })
}

fn chain(policy: &Fields) -> Checked<Curve> {
    let Some(steps) = policy.lengths("delays")? else { return failed("policy.delays is missing") };
    let waits = policy.count("attempts")?.map_or(Waits::Unsaid, |n| Waits::Exactly(n.saturating_sub(1)));
    Ok(Curve { waits, ..Curve::of(Shape::List(steps)) })
}

/// "+1ms": each delay is so much longer than the one before.
fn map(policy: &Fields) -> Checked<Curve> {
    let first = policy.needed_length("start")?;
    let f = policy.text("f").unwrap_or_default();
    match f.strip_prefix('+').and_then(|f| f.strip_suffix("ms")).and_then(|f| f.trim().parse::<f64>().ok()) {
        Some(step) => Ok(Curve::of(Shape::Linear { first, step: step * 1e6 * policy.scale() })),
        None => not_applicable(format!("a function of the delay before, {f:?}: no shape does that")),
    }
}

pub(super) fn inner(policy: &Fields) -> Checked<Curve> {
    match policy.object("inner") {
        Some(inner) => inner_curve(&inner),
        None => failed("policy.inner is missing"),
    }
}

/// Lists one after the other: the finite ones in full, then the last.
fn concat(policy: &Fields) -> Checked<Curve> {
    let mut parts = Vec::new();
    for member in policy.objects("members")? {
        let curve = inner_curve(&member)?;
        if !matches!(curve.waits, Waits::Exactly(0)) {
            parts.push(curve);
        }
    }
    if parts.len() < 2 {
        let empty = Curve { waits: Waits::Exactly(0), ..Curve::of(Shape::Immediate) };
        return Ok(parts.pop().unwrap_or(empty));
    }
    let (mut steps, mut waits) = (Vec::new(), Waits::Exactly(0));
    for part in &parts {
        match (part.waits, &part.shape, waits) {
            (_, _, Waits::Unsaid) => break, // nothing comes after what has no end
            (Waits::Exactly(n), _, Waits::Exactly(before)) => {
                steps.extend((0..n as usize).map(|at| part.lawful(at).0));
                waits = Waits::Exactly(before + n);
            }
            (_, Shape::Constant(delay), _) => {
                steps.push(*delay);
                waits = Waits::Unsaid;
            }
            // A schedule of its first delays, more than any case looks at.
            _ => {
                steps.extend((0..ENOUGH).map(|at| part.lawful(at).0));
                waits = Waits::Unsaid;
            }
        }
    }
    Ok(Curve { waits, ..Curve::of(Shape::List(steps)) })
}

/// Delays of a curve without an end after a list.
const ENOUGH: usize = 500;

/// Ranges and constants add up to one range.
fn sum(policy: &Fields) -> Checked<Curve> {
    let (mut low, mut high) = (0.0, 0.0);
    for member in policy.objects("members")? {
        let curve = inner_curve(&member)?;
        if !matches!(curve.shape, Shape::Constant(_) | Shape::Immediate) {
            return not_applicable("a sum with a curve that grows: no shape does that");
        }
        if low != high && curve.lawful(0).0 != curve.lawful(0).1 {
            return not_applicable("a sum of two ranges is not uniform: no jitter does that");
        }
        low += curve.lawful(0).0;
        high += curve.lawful(0).1;
    }
    if low == high { Ok(Curve::of(Shape::Constant(low))) } else { Ok(Curve::uniform(low, high)) }
}
