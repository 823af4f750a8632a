//! `delays`: a sequence of waits.

use crate::case::Fields;
use crate::curve::{Bound, Curve, Spread, Waits, Whole};
use crate::findings::{Checked, Findings, ensure, failed, not_applicable};
use crate::kinds::rules;
use crate::models;
use crate::walk::{Want, compare, ends, is_hot_loop, walk};
use undaunted::{Instant, Outcome, Reason, Retry, Verdict};

pub(crate) fn check(case: &Fields, policy: &Fields, expect: &Fields, found: &mut Findings) -> Checked {
    if expect.has("rule") {
        return rules::check(case, policy, expect, found);
    }
    let model = policy.text("model").unwrap_or_default();
    if model == "polly" && policy.text("type") == Some("exponential") && policy.flag("jitter") {
        return not_applicable(
            "decorrelated jitter V2 is a formula of floating point (tanh); law 11 wants integers",
        );
    }
    let curve = models::curve(policy)?;
    if model == "take-until" {
        return until(policy, expect, &curve, found);
    }
    let wants = wants(case, expect, &curve)?;
    if model == "shift-u8" {
        return rules::shift_of_eight_bits(&curve, &wants, found);
    }
    compare(&curve, &wants, found)?;
    if case.has("upstream_defect") && found.laws.is_empty() {
        rules::bounded(&curve, wants.len(), found)?;
    }
    let nominal = nominal(expect, &curve, found)?;
    growth(expect, &curve)?;
    measured(expect, &curve)?;
    end(expect, &curve, wants.len())?;
    expect.informative(&["note", "attempts"]);
    if expect.has("upstream_want_ns") || expect.has("upstream_schedule_s") {
        expect.informative(&["upstream_rule"]);
        found.remark("what the upstream test states loosely is compared as derived from its code");
    }
    ensure(!wants.is_empty() || nominal || expect.has("then") || says_more(expect), || {
        "nothing in `expect` is understood".to_string()
    })
}

fn says_more(expect: &Fields) -> bool {
    ["strictly_increasing_for", "measured_s", "exhausted_after"].iter().any(|key| expect.has(key))
}

/// All waits that are expected as a length or a range.
fn wants(case: &Fields, expect: &Fields, curve: &Curve) -> Checked<Vec<Want>> {
    let draws = draws(case)?;
    let drawn = |at: usize| match curve.spread {
        Spread::None => None,
        _ if matches!(curve.whole, Whole::EachStep(_)) && draws.is_empty() => None,
        _ => draws.get(at).copied().or(curve.usual_draw),
    };
    let mut wants = Vec::new();
    for name in ["delays", "derived_delays"] {
        let lengths = expect.lengths(name)?.unwrap_or_default();
        wants
            .extend(lengths.into_iter().enumerate().map(|(at, length)| Want::exactly(at, length, drawn(at))));
    }
    for name in ["range", "derived_range"] {
        wants.extend(ranges(expect, name)?);
    }
    if let Some(highest) = expect.lengths("jitter_max")? {
        let of = |(at, high)| Want { at, low: 0.0, high, draw: None };
        wants.extend(highest.into_iter().enumerate().map(of));
    }
    if let Some((values, unit)) = expect.with_unit("possible_values") {
        let sets: Vec<Vec<f64>> = serde_json::from_value(values.clone()).unwrap_or_default();
        for (at, set) in sets.iter().enumerate() {
            let (low, high) = ends_of(set);
            wants.push(Want { at, low: low * unit, high: high * unit, draw: None });
        }
    }
    if let (Some(first), Some(next)) = (expect.length("first_100")?, expect.length("next_100")?) {
        wants.extend((0..200).map(|at| Want::exactly(at, if at < 100 { first } else { next }, None)));
    }
    Ok(wants)
}

fn ends_of(set: &[f64]) -> (f64, f64) {
    (set.iter().copied().fold(f64::INFINITY, f64::min), set.iter().copied().fold(0.0, f64::max))
}

/// The uniform draws to feed.
pub(crate) fn draws(case: &Fields) -> Checked<Vec<f64>> {
    let Some(random) = case.value("random") else { return Ok(Vec::new()) };
    match serde_json::from_value::<Vec<f64>>(random.clone()) {
        Ok(draws) => Ok(draws),
        Err(_) => failed(format!("random must be a list of numbers, not {random}")),
    }
}

fn ranges(expect: &Fields, name: &str) -> Checked<Vec<Want>> {
    let Some((value, unit)) = expect.with_unit(name) else { return Ok(Vec::new()) };
    let Ok(pairs) = serde_json::from_value::<Vec<(f64, f64)>>(value.clone()) else {
        return failed(format!("{name} must be a list of pairs, not {value}"));
    };
    let want = |at, (low, high): (f64, f64)| Want { at, low: low * unit, high: high * unit, draw: None };
    let repeated = expect.count("attempts")?.unwrap_or(1) as usize;
    Ok(match pairs[..] {
        [pair] => (0..repeated.max(1)).map(|at| want(at, pair)).collect(),
        _ => pairs.into_iter().enumerate().map(|(at, pair)| want(at, pair)).collect(),
    })
}

/// What the curve is without its jitter; whether anything was said about it.
fn nominal(expect: &Fields, curve: &Curve, found: &mut Findings) -> Checked<bool> {
    let plain = curve.nominal();
    let mut said = false;
    for name in ["nominal", "interval"] {
        for (at, length) in expect.lengths(name)?.unwrap_or_default().into_iter().enumerate() {
            said = true;
            compare(&plain, &[Want::exactly(at, length, None)], found)?;
        }
    }
    if let Some(length) = expect.length("interval_after_one_next")? {
        said = true;
        compare(&plain, &[Want::exactly(1, length, None)], found)?;
    }
    for (key, unit) in [("nominal_s_6dp", Whole::No), ("interval_s_3dp", Whole::EachStep(1e6))] {
        let rounded = Curve { whole: unit, ..plain.clone() };
        let list = expect.value(key).and_then(|value| value.as_array()).into_iter().flatten();
        for (at, length) in list.enumerate() {
            said = true;
            let length = crate::case::number(length, key)? * 1e9;
            compare(&rounded, &[Want::exactly(at, length, None)], found)?;
        }
    }
    Ok(said)
}

/// Every delay is longer than the one before.
pub(crate) fn growth(expect: &Fields, curve: &Curve) -> Checked {
    let Some(n) = expect.count("strictly_increasing_for")? else { return Ok(()) };
    let (lengths, _) = walk(&curve.nominal().policy(n as usize)?, n as usize, |_| 0);
    let grows = lengths.len() == n as usize && lengths.windows(2).all(|pair| pair[0] < pair[1]);
    ensure(grows, || format!("{n} delays that grow; got {lengths:?}"))
}

/// Taken with a clock on a running system, so within a third of a second.
fn measured(expect: &Fields, curve: &Curve) -> Checked {
    let Some(measured) = expect.lengths("measured")? else { return Ok(()) };
    let (lengths, _) = walk(&curve.policy(measured.len())?, measured.len(), |_| 0);
    for (at, (want, got)) in measured.iter().zip(&lengths).enumerate() {
        ensure((want - got).abs() < 0.35e9, || format!("wait {} measured {want} ns; got {got} ns", at + 1))?;
    }
    Ok(())
}

fn end(expect: &Fields, curve: &Curve, waits: usize) -> Checked {
    let stops = match (expect.text("then"), expect.has("exhausted_after")) {
        (Some("stop"), _) => true,
        (Some(other), _) => return failed(format!("then {other:?} is not understood")),
        (None, true) => expect.flag("exhausted_after"),
        (None, false) => return Ok(()),
    };
    if is_hot_loop(curve) { Ok(()) } else { ends(curve, waits, stops) }
}

/// Finagle's `takeUntil` stops when the waits so far add up; law 6 does not begin the wait that would.
fn until(policy: &Fields, expect: &Fields, curve: &Curve, found: &mut Findings) -> Checked {
    let limit = policy.needed_length("cumulative")?;
    let theirs = expect.lengths("delays")?.unwrap_or_default();
    let (mut sum, mut by_law, mut by_them) = (0.0, Vec::new(), Vec::new());
    for at in 0..1_000 {
        let wait = curve.lawful(at).0;
        if sum >= limit {
            break;
        }
        by_them.push(wait);
        if sum + wait < limit {
            by_law.push(wait);
        }
        sum += wait;
    }
    ensure(expect.flag("exhausted_after"), || "it ends".to_string())?;
    ensure(theirs == by_them, || format!("{theirs:?}; by their rule {by_them:?}"))?;
    let policy = Curve { waits: Waits::Unlimited, bound: Bound::None, ..curve.clone() };
    let policy = policy.draft(1_000).within(crate::build::duration(limit)).build();
    let policy = match policy {
        Ok(policy) => policy,
        Err(invalid) => return not_applicable(format!("the builder refuses it: {}", invalid.rule.text())),
    };
    let mut now = Instant::from_micros(0);
    let mut retry = Retry::start(&policy, now);
    let mut got = Vec::new();
    let verdict = loop {
        match retry.next(&policy, Outcome::Fail, now, 0) {
            Verdict::RetryAfter(wait) => {
                got.push(wait.as_micros() as f64 * 1e3);
                now = now + wait;
            }
            verdict => break verdict,
        }
    };
    ensure(got == by_law && verdict == Verdict::GiveUp(Reason::Deadline), || {
        format!("{by_law:?}, then no time left; got {got:?}, then {verdict:?}")
    })?;
    if by_law != by_them {
        found.law(6, "a wait that would end at or after the limit is not begun");
    }
    Ok(())
}
