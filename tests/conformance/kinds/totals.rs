//! `totals`: what the waits of a policy add up to, from its plan and its worst case.

use crate::case::Fields;
use crate::curve::{Bound, Curve, Shape, Spread, Waits};
use crate::drive::drive;
use crate::findings::{Checked, Findings, ensure, failed, not_applicable};
use crate::kinds::rules::spreads_at_the_cap;
use crate::kinds::run::{Pace, agree};
use crate::models::{self, go::has_absolute_jitter};
use crate::runs::{Run, Step, simulate};
use crate::walk::{FARTHEST, Want, compare, is_hot_loop, refused};
use undaunted::{Micros, Policy, Rule};

pub(crate) fn check(case: &Fields, policy: &Fields, expect: &Fields, found: &mut Findings) -> Checked {
    expect.informative(&["note"]);
    match policy.text("model").unwrap_or_default() {
        "busy-poll" => return busy(policy, expect, found),
        "k8s-poll" => {
            return polled(&models::curve(policy)?, &Pace::of("k8s-poll", policy)?, expect, found);
        }
        "paho" => return paho(policy, expect, found),
        "azure-embedded-c" => return azure(policy, expect, found),
        "coap" => return coap(policy, expect),
        _ => {}
    }
    if has_absolute_jitter(policy) {
        return with_absolute_jitter(case, policy, expect, found);
    }
    let curve = calls(policy, models::curve(policy)?)?;
    if is_hot_loop(&curve) {
        expect.informative(&["attempts"]);
        return compare(&curve, &[Want::exactly(0, 0.0, None)], found);
    }
    let built = curve.policy(0)?;
    let attempts = built.settings().attempts;
    single(expect, &curve, &built)?;
    if expect.has("attempts") {
        let expected = expect.count("attempts")?;
        ensure(expected == attempts, || format!("{expected:?} attempts; got {attempts:?}"))?;
    }
    match attempts {
        None => endless(&curve, &built),
        Some(attempts) if attempts as usize > FARTHEST => {
            not_applicable("a wait beyond the millionth is not walked to")
        }
        Some(attempts) => sums(case, expect, &curve, &built, attempts, found),
    }
}

/// `steps` of the wait package are calls.
fn calls(policy: &Fields, curve: Curve) -> Checked<Curve> {
    if policy.text("model") != Some("k8s-wait") {
        return Ok(curve);
    }
    let steps = policy.number_or("steps", 0.0)?.max(1.0) as u32;
    Ok(Curve { waits: Waits::Exactly(steps - 1), ..curve })
}

fn endless(curve: &Curve, built: &Policy) -> Checked {
    ensure(built.worst_case() == Micros::MAX, || "no end".to_string())?;
    for (at, undaunted::Step { min, max, .. }) in built.plan().take(1_000).enumerate() {
        let (low, high) = curve.lawful(at);
        let got = (nanos(min), nanos(max));
        ensure(near(got.0, low) && near(got.1, high), || format!("{low} to {high} ns; got {got:?}"))?;
    }
    Ok(())
}

fn nanos(length: Micros) -> f64 {
    length.as_micros() as f64 * 1e3
}

/// Within 1 ms or 0.001 %, whichever is larger. Half a millisecond more is what three decimals hide.
fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= (b.abs() * 1e-5).max(1e6)
}

fn sums(
    case: &Fields,
    expect: &Fields,
    curve: &Curve,
    built: &Policy,
    attempts: u32,
    found: &mut Findings,
) -> Checked {
    let waits = attempts - 1;
    let last = built.plan().last();
    let zero = Micros::ZERO;
    let (min, mean, max) =
        last.map_or((zero, zero, zero), |step| (step.total_min, step.total_mean, step.total_max));
    ensure(built.plan().count() == waits as usize && built.worst_case() == max, || {
        format!("{waits} waits and a worst case of {max}; got {}", built.worst_case())
    })?;
    let useless = expect.length("of_which_useless")?;
    if let Some(useless) = useless {
        ensure(near(useless, curve.lawful(waits as usize).0), || format!("a useless wait of {useless} ns"))?;
        found.law(1, "no wait after the last attempt");
    }
    let extra = u32::from(useless.is_some());
    if let Some(sleeps) = expect.count("sleeps")? {
        let none = nanos(max) == 0.0 && sleeps == 0;
        ensure(sleeps == waits + extra || none, || format!("{sleeps} sleeps; got {waits}"))?;
    }
    let useless = useless.unwrap_or(0.0);
    let rows = [
        ("total_min", min),
        ("total_mean", mean),
        ("total_max", max),
        ("total_sleep", max),
        ("derived_exact", max),
    ];
    for (name, got) in rows {
        if let Some(want) = expect.length(name)? {
            let got = nanos(got) + useless;
            ensure(near(got, want), || format!("{name} {want} ns; got {got} ns"))?;
        }
    }
    loosely(expect, nanos(mean), nanos(max))?;
    ceilings(expect, built)?;
    claim(expect, nanos(min), nanos(max))?;
    if nanos(max) == 0.0 && case.has("upstream_defect") {
        refused(Policy::draft().constant(std::time::Duration::ZERO), Rule::FirstZero)?;
        found.law(4, "a delay of zero is refused, unless the policy says `immediate`");
    }
    Ok(())
}

/// What an upstream test states of a sum that it measured.
fn loosely(expect: &Fields, mean: f64, max: f64) -> Checked {
    if let Some((pair, unit)) = expect.with_unit("total_sleep_range") {
        let Ok((low, high)) = serde_json::from_value::<(f64, f64)>(pair.clone()) else {
            return failed(format!("a range must be a pair, not {pair}"));
        };
        ensure(mean >= low * unit && max <= high * unit, || {
            format!("{pair}; got {mean} ns in the mean, {max} ns at most")
        })?;
    }
    if let Some(limit) = expect.length("total_sleep_lt")? {
        ensure(max < limit, || format!("below {limit} ns; got {max} ns"))?;
    }
    Ok(())
}

fn ceilings(expect: &Fields, built: &Policy) -> Checked {
    let Some(ceilings) = expect.lengths("ceilings")? else { return Ok(()) };
    let got: Vec<f64> = built.plan().map(|step| nanos(step.max)).collect();
    ensure(got == ceilings, || format!("{ceilings:?}; got {got:?}"))
}

/// Whether what is claimed of it is true, within half a second.
fn claim(expect: &Fields, min: f64, max: f64) -> Checked {
    expect.informative(&["claim"]);
    let (claimed, within) = (expect.length("claim")?, expect.has("claim_within_min_max"));
    if let Some(claimed) = claimed.filter(|_| within) {
        let got = min - 0.5e9 <= claimed && claimed <= max + 0.5e9;
        let want = expect.flag("claim_within_min_max");
        ensure(got == want, || format!("the claim of {claimed} ns is {want}; got {min} to {max} ns"))?;
    }
    Ok(())
}

/// The longest of all waits.
fn single(expect: &Fields, curve: &Curve, built: &Policy) -> Checked {
    let Some(longest) = expect.length("max_single")? else { return Ok(()) };
    let (_, high) = curve.lawful(200);
    let got = built.plan().take(200).last().map_or(0.0, |step| nanos(step.max));
    ensure(near(got, longest) && near(high, longest), || format!("at most {longest} ns; got {got} ns"))
}

/// A poll whose probes take no time: how many there are before its limit.
fn polled(curve: &Curve, pace: &Pace, expect: &Fields, found: &mut Findings) -> Checked {
    let Pace { first_delay, fixed_rate, limit } = *pace;
    let mut script = vec![Step::Retry; ENDLESS];
    script.push(if limit.is_some() { Step::Retry } else { Step::Ok });
    // As a preset: what is left of the limit after the first wait. Less than nothing is the caller's deadline.
    let within = limit.map(|limit| limit - first_delay).filter(|left| *left > 0.0);
    let run = Run {
        curve: curve.clone(),
        attempts: None,
        within,
        deadline: limit.filter(|_| within.is_none()),
        first_delay,
        fixed_rate,
        cancel: None,
        work: 0.0,
        script,
        rules: Vec::new(),
    };
    let by_law = simulate(&run, &[]);
    let told = drive(&run)?.told;
    agree(&told, &by_law, curve)?;
    let Some(limit) = limit else {
        let first = if first_delay > 0.0 { first_delay } else { curve.lawful(0).0 };
        return ensure(told.attempts as usize > ENDLESS && told.sleeps.first() == Some(&first), || {
            format!("no end, and a first wait of {first} ns; got {} probes", told.attempts)
        });
    };
    if let Some(most) = expect.count("max_attempts_if_instant")? {
        ensure(told.attempts == most, || format!("{most} probes; got {}", told.attempts))?;
    }
    if let Some(end) = expect.length("give_up")? {
        ensure(end == limit, || format!("it gives up at {end} ns; their rule is {limit} ns"))?;
        let ours: f64 = told.sleeps.iter().sum();
        ensure(ours < end, || format!("the last probe before {end} ns; got {ours} ns"))?;
        found.law(6, "a wait that would end at the limit is not begun: it gives up at its last probe");
    }
    Ok(())
}

/// Probes after which a poll without a limit is believed to have none.
const ENDLESS: usize = 1_000;

fn busy(policy: &Fields, expect: &Fields, found: &mut Findings) -> Checked {
    let delay = policy.length("delay")?.unwrap_or(0.0);
    if delay > 0.0 {
        let curve = Curve { waits: Waits::Unlimited, ..Curve::of(Shape::Constant(delay)) };
        let pace = Pace { first_delay: 0.0, fixed_rate: false, limit: policy.length("timeout")? };
        return polled(&curve, &pace, expect, found);
    }
    let within = crate::build::duration(policy.length("timeout")?.unwrap_or(f64::INFINITY));
    refused(Policy::draft().immediate().unlimited_attempts().within(within), Rule::HotLoop)?;
    found.law(4, "no delay without a limit of attempts is refused");
    Ok(())
}

/// From x / 1.2 to x * 1.2 in whole seconds: the top can be said, the bottom cannot.
fn paho(policy: &Fields, expect: &Fields, found: &mut Findings) -> Checked {
    let shape =
        Shape::Exponential { first: policy.needed_length("min")?, factor: policy.needed("multiplier")? };
    policy.informative(&["jitter"]);
    let bound = Bound::Curve(policy.needed_length("max")?);
    let curve = Curve { bound, spread: Spread::Proportional(0.2), ..Curve::of(shape) };
    let Some((ranges, unit)) = expect.with_unit("ranges") else { return failed("no ranges") };
    let ranges: Vec<(f64, f64)> = serde_json::from_value(ranges.clone()).unwrap_or_default();
    let built = curve.policy(ranges.len())?;
    for (step, (_, top)) in built.plan().zip(ranges) {
        let got = ((nanos(step.max) + 1e4) / unit).floor();
        ensure(got == top, || format!("a top of {top}; got {got}"))?;
    }
    found.remark("the tops of its ranges were run and agree");
    not_applicable("jitter from x / 1.2 to x * 1.2 in whole seconds (not the same share either way)")
}

fn azure(policy: &Fields, expect: &Fields, found: &mut Findings) -> Checked {
    let curve = models::curve(policy)?;
    if let Some(n) = expect.count("cap_reached_at_attempt")? {
        let n = n as usize;
        let cap = curve.cap();
        ensure(curve.value(n - 1) < cap, || format!("the cap from {n} on; by their rule earlier"))?;
        let below = curve.value(n - 1);
        compare(&curve, &[Want::exactly(n - 1, below, None), Want::exactly(n, cap, None)], found)?;
    }
    expect.informative(&["jitter_at_cap_ms"]);
    if policy.length("max_jitter")?.unwrap_or(0.0) > 0.0 {
        found.remark("the curve without its absolute jitter was run and agrees");
        return not_applicable("absolute jitter on a curve that grows (a length, not a share)");
    }
    Ok(())
}

/// RFC 7252: the span has one wait less than the time until the last answer is given up.
fn coap(policy: &Fields, expect: &Fields) -> Checked {
    let curve = models::curve(policy)?;
    let Waits::Exactly(waits) = curve.waits else { return failed("max_retransmit is missing") };
    let waits = waits as usize;
    let longer = Curve { waits: Waits::Exactly(waits as u32 + 1), ..curve.clone() }.policy(0)?;
    if let Some((pair, unit)) = expect.with_unit("initial_range") {
        let (low, high) = serde_json::from_value::<(f64, f64)>(pair.clone()).unwrap_or_default();
        let got = longer.plan().next().map(|step| (nanos(step.min), nanos(step.max)));
        let agrees = got.is_some_and(|got| near(got.0, low * unit) && near(got.1, high * unit));
        ensure(agrees, || format!("at first {pair}; got {got:?}"))?;
    }
    let rows =
        [("max_transmit_span", curve.policy(0)?.worst_case()), ("max_transmit_wait", longer.worst_case())];
    for (name, got) in rows {
        if let Some(want) = expect.length(name)? {
            ensure(near(nanos(got), want), || format!("{name} {want} ns; got {got}"))?;
        }
    }
    if let Some(nominal) = expect.lengths("nominal_waits")? {
        let got: Vec<f64> = longer.plan().map(|step| nanos(step.min)).collect();
        ensure(got == nominal, || format!("{nominal:?} ns; got {got:?}"))?;
    }
    Ok(())
}

/// A length at random has no name here, but a cap after it contradicts a law.
fn with_absolute_jitter(case: &Fields, policy: &Fields, expect: &Fields, found: &mut Findings) -> Checked {
    let curve = models::curve(policy)?;
    match curve.bound {
        Bound::Draw(cap) if case.has("upstream_defect") => {
            expect.informative(&["total_sleep_range_ns"]);
            let curve = Curve { waits: Waits::Unlimited, ..curve };
            spreads_at_the_cap(&curve, cap, found)
        }
        _ => not_applicable("absolute jitter on a curve that grows (a length, not a share)"),
    }
}
