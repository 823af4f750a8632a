//! Kubernetes: apimachinery, client-go, and the fixed loops around them.

use super::algebra::inner;
use crate::case::Fields;
use crate::curve::{Bound, Curve, Shape, Spread, Waits};
use crate::findings::{Checked, failed};

/// Their names.
pub(super) const MODELS: [&str; 14] = [
    "fixed",
    "fixed-sleep-after-every-failure",
    "forever",
    "k8s-fast-slow",
    "k8s-flowcontrol",
    "k8s-item-exponential",
    "k8s-jittered",
    "k8s-poll",
    "k8s-wait",
    "k8s-wait-delay-with-reset",
    "k8s-wait-manager",
    "max-wait",
    "netlink-dump",
    "step",
];

pub(super) fn curve(model: &str, policy: &Fields) -> Checked<Curve> {
    match model {
        "fixed" | "fixed-sleep-after-every-failure" | "netlink-dump" => fixed(policy),
        "forever" => {
            let delay = policy.needed_length("delay")?;
            Ok(Curve { waits: Waits::Unlimited, ..Curve::of(Shape::Constant(delay)) })
        }
        "k8s-fast-slow" => {
            let (fast, slow) = (policy.needed_length("fast")?, policy.needed_length("slow")?);
            Ok(first_then(fast, policy.count("max_fast")?, slow))
        }
        "k8s-flowcontrol" => flowcontrol(policy),
        "k8s-item-exponential" => {
            let shape = Shape::Exponential { first: policy.needed_length("base")?, factor: 2.0 };
            Ok(Curve { bound: Bound::Curve(policy.needed_length("max")?), ..Curve::of(shape) })
        }
        "k8s-jittered" => Ok(Curve {
            spread: jitter(policy)?,
            ..Curve::of(Shape::Constant(policy.needed_length("duration")?))
        }),
        "k8s-poll" => {
            let shape = Shape::Constant(policy.needed_length("interval")?);
            Ok(Curve { spread: jitter(policy)?, waits: Waits::Unlimited, ..Curve::of(shape) })
        }
        "k8s-wait" => wait(policy),
        "max-wait" => {
            let bound = Bound::Curve(policy.needed_length("max")?);
            Ok(Curve { bound, ..inner(policy)? })
        }
        "step" => step(policy),
        _ => manager(policy),
    }
}

/// `wait.Jitter`: added, and none when it is not above zero.
fn jitter(policy: &Fields) -> Checked<Spread> {
    let share = policy.number_or("jitter", 0.0)?;
    Ok(if share > 0.0 { Spread::Additive(share) } else { Spread::None })
}

/// `wait.Backoff`: grows for `steps` steps; the jitter comes after the cap.
fn wait(policy: &Fields) -> Checked<Curve> {
    if policy.flag("nil") {
        return Ok(Curve::of(Shape::Immediate));
    }
    let first = policy.length("duration")?.unwrap_or(0.0);
    let factor = policy.number_or("factor", 0.0)?;
    let steps = policy.number_or("steps", 0.0)?;
    let cap = policy.length("cap")?.unwrap_or(0.0);
    let shape = if steps < 1.0 { Shape::Constant(first) } else { Shape::Exponential { first, factor } };
    Ok(Curve {
        spread: jitter(policy)?,
        bound: if cap > 0.0 { Bound::Curve(cap) } else { Bound::None },
        first_is_free: true,
        grows: ((1.0..4_000.0).contains(&steps) && factor != 0.0).then_some(steps as u32),
        ..Curve::of(shape)
    })
}

/// The managers: one curve, as long as nothing resets it.
fn manager(policy: &Fields) -> Checked<Curve> {
    let first = policy.needed_length("initial")?;
    let factor = policy.number_or("factor", 0.0)?;
    policy.informative(&["reset_rule", "steps"]);
    let cap = match policy.length("max")? {
        Some(cap) => Some(cap),
        None => policy.length("cap")?,
    };
    // A reset interval of zero resets at every call.
    let grows = policy.length("reset")?.unwrap_or(0.0) > 0.0;
    let factor = if grows { factor } else { 0.0 };
    let bound = cap.filter(|cap| *cap > 0.0).map_or(Bound::None, Bound::Curve);
    Ok(Curve { spread: jitter(policy)?, bound, ..Curve::of(Shape::Exponential { first, factor }) })
}

/// The delays of one key.
fn flowcontrol(policy: &Fields) -> Checked<Curve> {
    let share = policy.number_or("max_jitter_factor", 0.0)?;
    let spread = if share > 0.0 { Spread::Additive(share) } else { Spread::None };
    // Their jitter is cut off at their longest delay.
    let max = policy.needed_length("max")?;
    let bound = if share > 0.0 { Bound::Draw(max) } else { Bound::Curve(max) };
    policy.length("reset_after")?;
    let shape = Shape::Exponential { first: policy.needed_length("initial")?, factor: 2.0 };
    Ok(Curve { bound, spread, first_is_free: true, ..Curve::of(shape) })
}

fn fixed(policy: &Fields) -> Checked<Curve> {
    let Some(attempts) = policy.count("attempts")? else { return failed("policy.attempts is missing") };
    policy.informative(&["rule", "sleep_before_retry_only"]);
    let delay = policy.needed_length("delay")?;
    let waits = Waits::Exactly(attempts.saturating_sub(1));
    Ok(Curve { waits, ..Curve::of(Shape::Constant(delay)) })
}

fn step(policy: &Fields) -> Checked<Curve> {
    let (base, later) = (policy.needed_length("base")?, policy.needed_length("max")?);
    Ok(first_then(base, policy.count("threshold")?, later))
}

/// One delay so many times, then another.
fn first_then(base: f64, times: Option<u32>, later: f64) -> Curve {
    let mut steps = vec![base; times.unwrap_or(0) as usize];
    steps.push(later);
    Curve::of(Shape::List(steps))
}
