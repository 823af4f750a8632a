//! Azure, gRPC, Polly, resilience4j, Failsafe, tenacity, systemd and the protocols.

use super::go::{ABSOLUTE, proportional};
use crate::case::Fields;
use crate::curve::{Bound, Curve, Shape, Spread, Waits, Whole};
use crate::findings::{Checked, failed, not_applicable};

/// Their names.
pub(super) const MODELS: [&str; 18] = [
    "azure-embedded-c",
    "azure-http",
    "azure-iot-sdk-c",
    "coap",
    "failsafe",
    "failsafe-duration-jitter",
    "failsafe-factor-jitter",
    "grpc-a6",
    "grpc-connect",
    "paho",
    "polly",
    "r4j",
    "random-in-range",
    "shift-u8",
    "systemd",
    "tenacity-exponential",
    "tenacity-exponential-jitter",
    "tenacity-random-exponential",
];

pub(super) fn curve(model: &str, policy: &Fields) -> Checked<Curve> {
    match model {
        "azure-embedded-c" => azure_embedded(policy),
        "azure-http" => azure_http(policy),
        "azure-iot-sdk-c" => azure_iot(policy),
        "coap" => coap(policy),
        "failsafe" => {
            let delay = policy.length("delay")?.unwrap_or(0.0);
            let waits = match policy.number_or("max_retries", 2.0)? {
                n if n < 0.0 => Waits::Unlimited,
                n => Waits::Exactly(n as u32),
            };
            Ok(Curve { waits, ..Curve::of(Shape::Constant(delay)) })
        }
        "failsafe-duration-jitter" => {
            let (delay, jitter) = (unit(policy, "delay")?, unit(policy, "jitter")?);
            Ok(Curve { draws_downwards: true, ..Curve::uniform((delay - jitter).max(0.0), delay + jitter) })
        }
        "failsafe-factor-jitter" => {
            let spread = proportional(policy.needed("factor")?);
            Ok(Curve { spread, draws_downwards: true, ..Curve::of(Shape::Constant(unit(policy, "delay")?)) })
        }
        "grpc-a6" | "grpc-connect" => grpc(policy),
        "polly" => polly(policy),
        "r4j" => resilience4j(policy),
        "random-in-range" => Ok(Curve::uniform(unit(policy, "min")?, unit(policy, "max")?)),
        "shift-u8" => {
            policy.informative(&["unit"]);
            Ok(Curve::of(Shape::Exponential { first: 1e9, factor: 2.0 }))
        }
        "systemd" => systemd(policy),
        _ => tenacity(model, policy),
    }
}

/// Numbers without a unit are run as microseconds.
fn unit(policy: &Fields, key: &str) -> Checked<f64> {
    Ok(policy.needed(key)? * 1e3)
}

/// Defaults of the embedded C SDK: 1 s to 100 s.
fn azure_embedded(policy: &Fields) -> Checked<Curve> {
    let (first, cap) = (policy.length("min")?.unwrap_or(1e9), policy.length("max")?.unwrap_or(100e9));
    policy.informative(&["arithmetic"]);
    policy.length("max_jitter")?;
    let shape = Shape::Exponential { first, factor: 2.0 };
    Ok(Curve { bound: Bound::Curve(cap), counted_from: 0, ..Curve::of(shape) })
}

/// The first wait is the delay shifted by two.
fn azure_http(policy: &Fields) -> Checked<Curve> {
    let first = policy.length("delay")?.unwrap_or(4e9) * 4.0;
    let bound = Bound::Curve(policy.length("max_delay")?.unwrap_or(120e9));
    let waits = Waits::Exactly(policy.count("max_retries")?.unwrap_or(4));
    Ok(Curve { bound, waits, ..Curve::of(Shape::Exponential { first, factor: 2.0 }) })
}

/// Whole seconds; the first retry at once; 30 s at most, before the jitter.
fn azure_iot(policy: &Fields) -> Checked<Curve> {
    let name = policy.text("policy").unwrap_or("exponential-with-jitter");
    let first = policy.length("initial")?.unwrap_or(if name.starts_with("exp") { 1e9 } else { 5e9 });
    let percent = policy.number_or("max_jitter_percent", 5.0)?;
    policy.length("max_retry_time")?;
    let (shape, bound) = match name {
        "exponential" | "exponential-with-jitter" => (
            Shape::Exponential { first, factor: 2.0 },
            Bound::Curve(policy.length("max_delay")?.unwrap_or(30e9)),
        ),
        "interval" => (Shape::Constant(first), Bound::None),
        "linear" => (Shape::Linear { first, step: first }, Bound::Curve(30e9)),
        other => return not_applicable(format!("the policy {other:?} of azure-iot-sdk-c")),
    };
    let jittered = name.ends_with("jitter") && percent > 0.0;
    let spread = if jittered { Spread::Additive(percent / 100.0) } else { Spread::None };
    let whole = if jittered { Whole::EachStep(1e9) } else { Whole::No };
    Ok(Curve { spread, bound, whole, leading_zero: true, ..Curve::of(shape) })
}

fn coap(policy: &Fields) -> Checked<Curve> {
    let share = policy.number_or("ack_random_factor", 1.5)? - 1.0;
    let shape = Shape::Exponential { first: policy.length("ack_timeout")?.unwrap_or(2e9), factor: 2.0 };
    let waits = Waits::Exactly(policy.count("max_retransmit")?.unwrap_or(4));
    let spread = if share > 0.0 { Spread::Additive(share) } else { Spread::None };
    Ok(Curve { spread, waits, ..Curve::of(shape) })
}

/// +-20 % of what the cap has bounded.
fn grpc(policy: &Fields) -> Checked<Curve> {
    let shape =
        Shape::Exponential { first: policy.needed_length("initial")?, factor: policy.needed("multiplier")? };
    policy.length("min_connect_timeout")?;
    let waits = policy.count("attempts")?.map_or(Waits::Unsaid, |n| Waits::Exactly(n.saturating_sub(1)));
    let spread = proportional(policy.number_or("jitter", 0.2)?);
    Ok(Curve { spread, bound: Bound::Curve(policy.needed_length("max")?), waits, ..Curve::of(shape) })
}

/// Jitter of +-25 %; with an exponential curve a formula of floats, whose support full jitter has.
fn polly(policy: &Fields) -> Checked<Curve> {
    let first = policy.length("base")?.unwrap_or(1e9);
    let jittered = policy.flag("jitter");
    let bound = policy.length("max_delay")?.map_or(Bound::None, Bound::Draw);
    let curve = match policy.text("type").unwrap_or("constant") {
        "constant" => Curve::of(Shape::Constant(first)),
        "linear" => Curve::of(Shape::Linear { first, step: first }),
        "exponential" => Curve::of(Shape::Exponential { first, factor: 2.0 }),
        other => return failed(format!("policy.type {other:?} is not understood")),
    };
    let curve = Curve { bound, counted_from: 0, ..curve };
    Ok(match (jittered, &curve.shape) {
        (false, _) | (_, Shape::Immediate) => curve,
        (true, Shape::Exponential { .. }) => Curve { spread: Spread::Full, floor: 1e3, ..curve },
        (true, _) => Curve { spread: Spread::Proportional(0.25), ..curve },
    })
}

/// Whole milliseconds at every step; ranges are stated to the next one.
fn resilience4j(policy: &Fields) -> Checked<Curve> {
    let first = policy.length("interval")?.unwrap_or(500e6);
    let factor = policy.number_or("multiplier", 1.0)?;
    let spread = proportional(policy.number_or("randomization", 0.0)?);
    let bound = policy.length("max_interval")?.map_or(Bound::None, Bound::Draw);
    let unit = 1e6 * policy.scale();
    let whole = if factor.fract() == 0.0 { Whole::No } else { Whole::EachStep(unit) };
    let slack = if spread == Spread::None { 0.0 } else { unit };
    Ok(Curve { spread, bound, whole, slack, ..Curve::of(Shape::Exponential { first, factor }) })
}

/// Geometric from the first delay to the last in so many steps; without steps the cap is not looked at.
fn systemd(policy: &Fields) -> Checked<Curve> {
    let (first, last) = (policy.needed_length("restart")?, policy.needed_length("max_delay")?);
    let steps = policy.number_or("steps", 0.0)?;
    let factor = if steps > 0.0 { (last / first).powf(1.0 / steps) } else { 1.0 };
    Ok(Curve { bound: Bound::Curve(last), ..Curve::of(Shape::Exponential { first, factor }) })
}

fn tenacity(model: &str, policy: &Fields) -> Checked<Curve> {
    let first = policy.length("multiplier")?.unwrap_or(policy.number_or("multiplier", 1.0)? * 1e9);
    let factor = policy.number_or("base", 2.0)?;
    let floor = policy.length("min")?.unwrap_or(0.0);
    let cap = policy.length("max")?;
    let bound = cap.map_or(Bound::None, Bound::Curve);
    let curve = Curve { bound, floor, ..Curve::of(Shape::Exponential { first, factor }) };
    match model {
        "tenacity-random-exponential" => Ok(Curve { spread: Spread::Full, ..curve }),
        "tenacity-exponential-jitter" if policy.length("jitter")?.unwrap_or(1e9) > 0.0 => {
            not_applicable(ABSOLUTE)
        }
        _ => Ok(curve),
    }
}
