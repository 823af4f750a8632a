//! AWS: the C libraries, the SDKs for Python and Rust.

use crate::case::Fields;
use crate::curve::{Bound, Curve, SATURATED, Shape, Spread, Waits, Whole};
use crate::findings::{Checked, not_applicable};

const DOUBLING: f64 = 2.0;

/// Their names.
pub(super) const MODELS: [&str; 6] =
    ["aws-c-backoff", "aws-c-io", "aws-c-mqtt3", "aws-c-mqtt5", "aws-standard", "pow2"];

pub(super) fn curve(model: &str, policy: &Fields) -> Checked<Curve> {
    match model {
        "aws-c-backoff" => backoff_algorithm(policy),
        "aws-c-io" => io(policy),
        "aws-c-mqtt3" => mqtt(policy, Spread::None),
        "aws-c-mqtt5" => {
            let spread = jitter(policy, "full")?;
            mqtt(policy, spread)
        }
        "aws-standard" => standard(policy),
        _ => {
            let (first, cap) = (policy.needed_length("initial")?, policy.needed_length("max")?);
            Ok(Curve { bound: Bound::Curve(cap), counted_from: 0, ..doubling(first) })
        }
    }
}

fn doubling(first: f64) -> Curve {
    Curve::of(Shape::Exponential { first, factor: DOUBLING })
}

/// The jitter by its name; `default` is full.
fn jitter(policy: &Fields, default: &str) -> Checked<Spread> {
    match policy.text("jitter").unwrap_or(default) {
        "none" => Ok(Spread::None),
        "full" | "default" => Ok(Spread::Full),
        other => not_applicable(format!("{other} jitter: stated as a rule in words only")),
    }
}

/// FreeRTOS backoffAlgorithm: `max_attempts` counts the waits; the draws are of whole milliseconds.
fn backoff_algorithm(policy: &Fields) -> Checked<Curve> {
    let (first, cap) = (policy.needed_length("base")?, policy.needed_length("max")?);
    let waits = match policy.count("max_attempts")? {
        None | Some(u32::MAX) => Waits::Unlimited,
        Some(waits) => Waits::Exactly(waits),
    };
    let bound = Bound::Curve(cap);
    let whole = Whole::Doubling(1e6 * policy.scale());
    Ok(Curve { spread: Spread::Full, bound, waits, whole, first_is_free: true, ..doubling(first) })
}

fn io(policy: &Fields) -> Checked<Curve> {
    let first = policy.length("scale")?.unwrap_or(500e6);
    let cap = policy.length("cap")?.unwrap_or(20e9);
    let waits = policy.count("max_retries")?.map_or(Waits::Unsaid, Waits::Exactly);
    Ok(Curve { spread: jitter(policy, "full")?, bound: Bound::Curve(cap), waits, ..doubling(first) })
}

/// `reset_after` is a matter of the connection and not of one curve.
fn mqtt(policy: &Fields, spread: Spread) -> Checked<Curve> {
    let (first, cap) = (policy.needed_length("min")?, policy.length("max")?.unwrap_or(SATURATED));
    policy.length("reset_after")?;
    let bound = if spread == Spread::None { Bound::Curve(cap) } else { Bound::Draw(cap) };
    Ok(Curve { spread, bound, ..doubling(first) })
}

/// Retry mode "standard": the SDK for Rust draws 1 in its tests.
fn standard(policy: &Fields) -> Checked<Curve> {
    let scale = policy.scale();
    let new = policy.text("spec") == Some("2.1");
    let said = policy.length("initial_backoff")?;
    let first = match (new, policy.text("service")) {
        (true, Some("dynamodb")) => 0.025e9 * scale,
        (true, _) => 0.05e9 * scale,
        (false, _) => said.unwrap_or(1e9),
    };
    let cap = policy.length("max_backoff")?.unwrap_or(20e9);
    let waits = policy.count("attempts")?.map_or(Waits::Unsaid, |n| Waits::Exactly(n.saturating_sub(1)));
    let bound = Bound::Curve(cap);
    Ok(Curve { spread: Spread::Full, bound, waits, usual_draw: Some(1.0), ..doubling(first) })
}
