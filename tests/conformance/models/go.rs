//! Libraries for Go: cenkalti/backoff, sethvargo/go-retry, avast/retry-go, and the VPC CNI plugin.

use super::algebra::inner;
use crate::case::Fields;
use crate::curve::{Bound, Curve, SATURATED, Shape, Spread, Waits};
use crate::findings::{Checked, failed, not_applicable};

/// README: a length instead of a share.
pub(super) const ABSOLUTE: &str = "absolute jitter on a curve that grows (a length, not a share)";

/// Their names.
pub(super) const MODELS: [&str; 15] = [
    "add-jitter",
    "capped",
    "cenkalti",
    "cenkalti-randomize",
    "exponential-shift",
    "fibonacci",
    "max-duration",
    "max-retries",
    "percent-jitter",
    "plus-minus-jitter",
    "retry-go",
    "retry-go-backoff",
    "retry-go-combine",
    "retry-go-full-jitter",
    "vpc-cni-simple",
];

pub(super) fn curve(model: &str, policy: &Fields) -> Checked<Curve> {
    let length = |name| policy.needed_length(name);
    match model {
        "add-jitter" => Ok(Curve::uniform(length("duration")?, length("duration")? + length("jitter")?)),
        "capped" => {
            let bound = Bound::Draw(length("cap")?);
            Ok(Curve { bound, ..inner(policy)? })
        }
        "cenkalti" => cenkalti(policy),
        "cenkalti-randomize" => {
            let spread = proportional(policy.number_or("randomization", 0.0)?);
            Ok(Curve { spread, ..Curve::of(Shape::Constant(length("interval")?)) })
        }
        "exponential-shift" => {
            let shape = Shape::Exponential { first: length("base")?, factor: 2.0 };
            Ok(Curve { bound: Bound::Curve(SATURATED), ..Curve::of(shape) })
        }
        "fibonacci" => {
            let shape = Shape::Fibonacci(length("base")?);
            Ok(Curve { bound: Bound::Curve(SATURATED), ..Curve::of(shape) })
        }
        "max-duration" => inner(policy),
        "max-retries" => max_retries(policy),
        "percent-jitter" => {
            let spread = proportional(policy.needed("percent")? / 100.0);
            Ok(Curve { spread, ..Curve::of(Shape::Constant(length("delay")?)) })
        }
        "plus-minus-jitter" => plus_minus(length("delay")?, length("jitter")?),
        "retry-go" => retry_go(policy),
        "retry-go-backoff" => retry_go_backoff(policy),
        "retry-go-combine" => match policy.lengths("delays")? {
            Some(delays) => {
                let sum = delays.iter().sum::<f64>().min(SATURATED);
                Ok(Curve { bound: Bound::Curve(SATURATED), ..Curve::of(Shape::Constant(sum)) })
            }
            None => failed("policy.delays_ns is missing"),
        },
        "retry-go-full-jitter" => {
            let shape = Shape::Exponential { first: length("delay")?, factor: 2.0 };
            let bound = policy.length("max_delay")?.filter(|cap| *cap > 0.0);
            let bound = bound.map_or(Bound::None, Bound::Curve);
            Ok(Curve { spread: Spread::Full, bound, counted_from: 0, ..Curve::of(shape) })
        }
        _ => cni(policy),
    }
}

pub(super) fn proportional(share: f64) -> Spread {
    if share == 0.0 { Spread::None } else { Spread::Proportional(share) }
}

/// The cap is for the interval; the value drawn may exceed it.
fn cenkalti(policy: &Fields) -> Checked<Curve> {
    let first = policy.length("initial")?.unwrap_or(500e6);
    let factor = policy.number_or("multiplier", 1.5)?;
    let spread = proportional(policy.number_or("randomization", 0.5)?);
    let bound = Bound::Curve(policy.length("max_interval")?.unwrap_or(60e9));
    policy.length("max_elapsed")?;
    Ok(Curve { spread, bound, ..Curve::of(Shape::Exponential { first, factor }) })
}

fn max_retries(policy: &Fields) -> Checked<Curve> {
    let Some(max) = policy.count("max")? else { return failed("policy.max is missing") };
    let inner = match policy.text("inner") {
        Some("zero") => Curve::of(Shape::Immediate),
        Some(other) => return failed(format!("policy.inner {other:?} is not understood")),
        None => inner(policy)?,
    };
    Ok(Curve { waits: Waits::Exactly(max), ..inner })
}

/// On one delay a length either way is a range.
fn plus_minus(delay: f64, jitter: f64) -> Checked<Curve> {
    if jitter > delay {
        return not_applicable("absolute jitter that reaches below zero (what is below counts as zero)");
    }
    Ok(Curve::uniform(delay - jitter, delay + jitter))
}

/// The absolute jitter is left out; a check that would need it asks [`has_absolute_jitter`].
fn retry_go(policy: &Fields) -> Checked<Curve> {
    let first = policy.length("delay")?.unwrap_or(100e6);
    let kinds = delay_types(policy);
    let jitter = policy.length("max_jitter")?.unwrap_or(100e6);
    policy.informative(&["last_error_only", "wrap_context_error_with_last_error"]);
    let bound = policy.length("max_delay")?.filter(|cap| *cap > 0.0).map_or(Bound::None, Bound::Draw);
    let waits = match policy.count("attempts")?.unwrap_or(10) {
        0 => Waits::Unlimited,
        n => Waits::Exactly(n - 1),
    };
    let curve = match (kinds.contains(&"backoff"), kinds.contains(&"fixed"), kinds.contains(&"random")) {
        (true, false, _) => Curve::of(Shape::Exponential { first, factor: 2.0 }),
        (false, true, false) => Curve::of(Shape::Constant(first)),
        (false, true, true) => Curve::uniform(first, first + jitter),
        (false, false, true) => Curve::uniform(0.0, jitter),
        (false, false, false) => Curve::of(Shape::Immediate),
        (true, true, _) => return not_applicable("a sum with a curve that grows: no shape does that"),
    };
    Ok(Curve { bound, waits, ..curve })
}

fn delay_types<'a>(policy: &Fields<'a>) -> Vec<&'a str> {
    let list = policy.value("delay_type").and_then(|value| value.as_array());
    list.map_or(vec!["backoff", "random"], |list| list.iter().filter_map(|kind| kind.as_str()).collect())
}

/// Whether it adds a length at random to a curve that grows.
pub(crate) fn has_absolute_jitter(policy: &Fields) -> bool {
    let kinds = delay_types(policy);
    policy.text("model") == Some("retry-go") && kinds.contains(&"backoff") && kinds.contains(&"random")
}

/// Its greatest shift is its cap.
fn retry_go_backoff(policy: &Fields) -> Checked<Curve> {
    let first = policy.needed_length("delay")?;
    let shifts = 62.0 - (first / policy.scale()).max(1.0).log2().floor();
    let bound = if first > 0.0 { Bound::Curve(first * shifts.exp2()) } else { Bound::None };
    Ok(Curve { bound, ..Curve::of(Shape::Exponential { first, factor: 2.0 }) })
}

/// Jitter is added to what the cap has bounded.
fn cni(policy: &Fields) -> Checked<Curve> {
    let shape =
        Shape::Exponential { first: policy.needed_length("start")?, factor: policy.needed("multiple")? };
    let share = policy.number_or("jitter", 0.0)?;
    let waits = match policy.count("attempts")? {
        Some(attempts) => Waits::Exactly(attempts.saturating_sub(1)),
        None => Waits::Unlimited,
    };
    Ok(Curve {
        spread: if share > 0.0 { Spread::Additive(share) } else { Spread::None },
        bound: Bound::Curve(policy.needed_length("max")?),
        waits,
        first_is_free: true,
        ..Curve::of(shape)
    })
}
