//! Cases in words, and cases that record a defect: the law is asserted in their place.

use crate::case::Fields;
use crate::curve::{Bound, Curve, Shape, Spread};
use crate::findings::{Checked, Findings, ensure, failed, not_applicable};
use crate::kinds::delay_at::after_hint;
use crate::models;
use crate::walk::{Want, compare, draw, walk};
use undaunted::{Policy, Verdict};

/// A rule in words: its model says which law is in its place.
pub(crate) fn check(case: &Fields, policy: &Fields, expect: &Fields, found: &mut Findings) -> Checked {
    expect.informative(&["rule"]);
    case.informative(&["input"]);
    match (policy.text("model").unwrap_or_default(), policy.text("jitter")) {
        ("aws-c-io" | "aws-c-mqtt5", Some("decorrelated")) => decorrelated(policy, found),
        ("grpc-a6", _) => pushback(policy, found),
        (model, _) => not_applicable(format!("a rule of {model} in words only")),
    }
}

/// Decorrelated never falls below its first delay, remembers its last one, and spreads up to the cap.
fn decorrelated(policy: &Fields, found: &mut Findings) -> Checked {
    let (first, cap) = match policy.length("scale")? {
        Some(first) => (first, policy.needed_length("cap")?),
        None => (policy.needed_length("min")?, policy.needed_length("max")?),
    };
    policy.length("reset_after")?;
    let draft = Policy::draft().decorrelated(crate::build::duration(first)).cap(crate::build::duration(cap));
    let Ok(built) = draft.unlimited_attempts().build() else { return failed("the builder refuses it") };
    let lowest = walk(&built, 40, |_| 0).0;
    ensure(lowest.iter().all(|wait| *wait == first), || format!("{first} ns at the lowest; got {lowest:?}"))?;
    found.law(4, "the shortest draw is the first delay, never none");
    let mut top = first;
    for (at, got) in walk(&built, 40, |_| u32::MAX).0.into_iter().enumerate() {
        top = (top * 3.0).min(cap);
        ensure((got - top).abs() <= 1e3 + 1e-5 * top, || format!("wait {}: {top} ns; got {got}", at + 1))?;
    }
    if first < cap {
        found.law(3, "the range grows from the last delay up to the cap, and spreads there");
    }
    Ok(())
}

/// gRPC's pushback: exactly so long, then from the start. Law 5: at least so long, and nothing moves.
fn pushback(policy: &Fields, found: &mut Findings) -> Checked {
    let curve = models::curve(policy)?;
    let product = curve.policy(2)?;
    let hint = curve.lawful(0).1 * 7.0;
    let width = curve.lawful(0).1 - curve.lawful(0).0;
    for (random, wait) in [(0, hint), (u32::MAX, hint + width)] {
        let got = after_hint(&product, 0, hint, random)?;
        ensure((got - wait).abs() <= 2e3 + 1e-5 * wait, || format!("{wait} ns by law 5; got {got} ns"))?;
    }
    // Zero and what cannot be read: the computed delay.
    let (computed, got) = (curve.lawful(0).1, after_hint(&product, 0, 0.0, u32::MAX)?);
    ensure((got - computed).abs() <= 2e3 + 1e-5 * computed, || format!("{computed} ns; got {got} ns"))?;
    // The curve after it is where it would be without.
    let now = undaunted::Instant::from_micros(0);
    let mut retry = undaunted::Retry::start(&product, now);
    let retry_after = undaunted::Micros::from_duration(crate::build::duration(hint));
    let _ = retry.next(&product, undaunted::Outcome::Throttle { retry_after }, now, 0);
    let after = retry.next(&product, undaunted::Outcome::Fail, now, 0);
    let second = walk(&product, 2, |_| 0).0.get(1).copied();
    let same =
        matches!((after, second), (Verdict::RetryAfter(w), Some(s)) if w.as_micros() as f64 * 1e3 == s);
    ensure(same, || format!("{second:?} ns after the hint; got {after:?}"))?;
    found.law(5, "a hint is a floor under the jitter, falls back when unreadable, and moves no curve");
    Ok(())
}

/// A delay in eight bits: where theirs is lost, ours goes on.
pub(crate) fn shift_of_eight_bits(curve: &Curve, wants: &[Want], found: &mut Findings) -> Checked {
    let (kept, lost): (Vec<Want>, Vec<Want>) = wants.iter().partition(|want| want.at < 8);
    compare(curve, &kept, found)?;
    for want in lost {
        ensure(want.high == 0.0, || format!("wait {} expected {}; theirs is none", want.at + 1, want.high))?;
        let (low, high) = curve.lawful(want.at);
        compare(curve, &[Want { at: want.at, low, high, draw: None }], found)?;
        found.law(7, "huge values saturate instead of wrapping");
    }
    Ok(())
}

/// Delays that overflowed: wherever the ideal is said, that is asserted.
pub(crate) fn wrapped(policy: &Fields, expect: &Fields, curve: &Curve, found: &mut Findings) -> Checked {
    policy.informative(&["arithmetic"]);
    let ideal = expect.length("ideal")?;
    let wrong = expect.value("wrong_at").and_then(|value| value.as_array()).cloned().unwrap_or_default();
    let observed = expect.value("observed_ms_by_attempt");
    let Some(map) = observed.or(expect.value("delay_ms_by_attempt")).and_then(|value| value.as_object())
    else {
        return failed("nothing in `expect` is understood");
    };
    for (number, length) in map {
        let Ok(at) = number.parse::<usize>() else { return failed(format!("attempt {number:?}")) };
        let length = crate::case::number(length, number)? * 1e6;
        let lost = observed.is_some() || wrong.iter().any(|n| n.as_u64() == Some(at as u64));
        let length = match ideal {
            Some(ideal) if lost => {
                let wraps = policy.text("arithmetic") == Some("wrapping");
                let theirs = f64::from(in_32_bits(curve, at)) * 1e6;
                ensure(!wraps || length == theirs, || format!("{length} ns; wrapped it is {theirs}"))?;
                found.law(7, "huge values saturate instead of wrapping");
                ideal
            }
            _ => length,
        };
        compare(curve, &[Want::exactly(at, length, None)], found)?;
    }
    Ok(())
}

/// Signed milliseconds that wrap, at most the cap; below zero is the cap.
fn in_32_bits(curve: &Curve, at: usize) -> i32 {
    let cap = (curve.cap() / 1e6) as i32;
    let power = if at <= 30 { 1 << at } else { i32::MAX };
    match ((curve.value(0) / 1e6) as i32).wrapping_mul(power).min(cap) {
        negative if negative < 0 => cap,
        length => length,
    }
}

/// A length at random that is cut off at the cap: with any jitter of ours the range there ends at the cap.
/// Elsewhere such a jitter has no name here.
pub(crate) fn cut_at_the_cap(
    case: &Fields,
    policy: &Fields,
    expect: &Fields,
    reason: &str,
    found: &mut Findings,
) -> Checked {
    if !case.has("upstream_defect") {
        return not_applicable(reason);
    }
    case.informative(&["input"]);
    let (Some(cap), Some((pair, unit))) = (policy.length("max")?, expect.with_unit("range")) else {
        return not_applicable(reason);
    };
    let Ok((low, high)) = serde_json::from_value::<(f64, f64)>(pair.clone()) else {
        return failed(format!("a range must be a pair, not {pair}"));
    };
    ensure(low * unit == cap && high * unit == cap, || {
        format!("expected {pair}; their rule gives {cap} ns")
    })?;
    let first = policy.number_or("multiplier", 1.0)? * 1e9;
    let curve = Curve { bound: Bound::Draw(cap), ..Curve::of(Shape::Exponential { first, factor: 2.0 }) };
    spreads_at_the_cap(&curve, cap, found)
}

/// A peer whose numbers are right and whose jitter or cap is missing: ours spreads once the curve is at
/// the cap, and stays below it before.
pub(crate) fn bounded(curve: &Curve, waits: usize, found: &mut Findings) -> Checked {
    let cap = curve.cap();
    if waits == 0 || curve.spread != Spread::None || cap.is_infinite() {
        return Ok(());
    }
    if curve.value(waits - 1) >= cap {
        return spreads_at_the_cap(curve, cap, found);
    }
    let highest = walk(&curve.policy(waits)?, waits, |_| u32::MAX).0;
    ensure(highest.iter().all(|wait| *wait <= cap), || format!("at most {cap} ns; got {highest:?}"))?;
    found.law(2, "the cap holds, whatever else is said");
    Ok(())
}

/// Under each jitter the waits at the cap never exceed it, and differ.
pub(crate) fn spreads_at_the_cap(curve: &Curve, cap: f64, found: &mut Findings) -> Checked {
    for spread in [Spread::Full, Spread::Additive(0.2), Spread::Proportional(0.2)] {
        let curve = Curve { spread, bound: Bound::Draw(cap), ..curve.clone() };
        let policy = curve.policy(64)?;
        let (low, high) = curve.lawful(63);
        for uniform in [0.0, 0.25, 0.5, 0.75, 1.0] {
            let got = walk(&policy, 64, |_| draw(uniform)).0.last().copied().unwrap_or(0.0);
            let want = low + uniform * (high - low);
            let holds = got <= cap && (got - want).abs() <= 1e-5 * cap + 2e3;
            ensure(holds, || format!("{want} ns at the cap of {cap}; got {got} for the draw {uniform}"))?;
        }
    }
    found.law(3, "the range ends at the cap instead of being cut off there");
    Ok(())
}
