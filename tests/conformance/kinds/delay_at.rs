//! `delay_at`: one wait, or some by number.

use crate::case::Fields;
use crate::curve::{Curve, SATURATED, Shape, Spread, Waits};
use crate::findings::{Checked, End, Findings, ensure, failed, not_applicable};
use crate::kinds::{delays::growth, rules};
use crate::models;
use crate::walk::{Want, compare, draw, ends, walk};
use undaunted::{Instant, Micros, Outcome, Retry, Rng, Verdict, blocking};
use undaunted_tests::simulated::{Happened, World};

pub(crate) fn check(case: &Fields, policy: &Fields, expect: &Fields, found: &mut Findings) -> Checked {
    let nothing = serde_json::Value::Object(serde_json::Map::new());
    let none = Fields::of_case(&nothing)?;
    let input = case.object("input").unwrap_or(none);
    let model = policy.text("model").unwrap_or_default();
    expect.informative(&["note"]);
    match model {
        "azure-embedded-c" => azure(&input, policy, expect, found),
        "tenacity-exponential-jitter" => match models::curve(policy) {
            Err(End::NotApplicable(reason)) => rules::cut_at_the_cap(case, policy, expect, &reason, found),
            curve => by_number(case, &input, policy, expect, &curve?, found),
        },
        _ => by_number(case, &input, policy, expect, &models::curve(policy)?, found),
    }
}

fn by_number(
    case: &Fields,
    input: &Fields,
    policy: &Fields,
    expect: &Fields,
    curve: &Curve,
    found: &mut Findings,
) -> Checked {
    growth(expect, curve)?;
    let curve = &for_error(curve, policy, input);
    if let Some((by, unit)) = expect.with_unit_between("delay", "_by_attempt") {
        return several(by, unit, curve, found);
    }
    let Some(at) = position(input, curve)? else { return failed("input says no attempt") };
    case.informative(&["random"]);
    if expect.has("retry") {
        return ends(curve, at, !expect.flag("retry"));
    }
    if let Some(hint) = input.length("retry_after")? {
        return hinted(policy, curve, at, hint, expect, found);
    }
    greatest_shift(policy, expect)?;
    let said = want(input, expect, curve, at)?;
    if expect.value("delay").is_some_and(|delay| delay.is_number()) {
        found.remark("numbers without a unit: run as microseconds");
    }
    compare(curve, &said, found)?;
    bounds(expect, curve, at)?;
    mean(expect, curve, at)?;
    let more = ["delay_gt_ns", "delay_le_ns", "mean_s"].iter().any(|key| expect.has(key));
    ensure(!said.is_empty() || more, || "nothing in `expect` is understood".to_string())
}

/// In the SDKs' newer rule a throttle begins at 1 s.
fn for_error(curve: &Curve, policy: &Fields, input: &Fields) -> Curve {
    let throttled = input.text("error").is_some_and(|error| error.starts_with("throttling"));
    let new = policy.text("spec") == Some("2.1");
    match &curve.shape {
        Shape::Exponential { factor, .. } if throttled && new => {
            Curve { shape: Shape::Exponential { first: 1e9, factor: *factor }, ..curve.clone() }
        }
        _ => curve.clone(),
    }
}

/// Which wait, from 0. A curve without a number in the input is asked for its first wait.
fn position(input: &Fields, curve: &Curve) -> Checked<Option<usize>> {
    if let Some(n) = input.count("attempt")? {
        return Ok((n as usize).checked_sub(1));
    }
    if let Some(n) = input.count("attempt0")?.or(input.count("retry_index")?) {
        return Ok(Some(n as usize));
    }
    match input.count("n")? {
        Some(n) => Ok((n as usize).checked_sub(curve.counted_from)),
        None => Ok(Some(0)),
    }
}

fn want(input: &Fields, expect: &Fields, curve: &Curve, at: usize) -> Checked<Vec<Want>> {
    let random = input.value("random").filter(|random| random.as_str() != Some("any"));
    let random = random.map(|random| crate::case::number(random, "input.random")).transpose()?;
    // Failsafe counts its factor from the top.
    let uniform = match curve.spread {
        Spread::None => None,
        _ => random.map(|random| if curve.draws_downwards { 1.0 - random } else { random }),
    };
    let mut wants = Vec::new();
    if expect.text("delay") == Some("saturated maximum") {
        wants.push(Want::exactly(at, SATURATED, None));
        return Ok(wants);
    }
    if let Some(length) = expect.number("delay")? {
        // Without a unit, as its policy.
        wants.push(Want::exactly(at, length * 1e3, uniform));
    }
    if let Some(length) = expect.length("delay")? {
        wants.push(Want::exactly(at, length, uniform.or(curve.usual_draw)));
    }
    if let Some((pair, unit)) = expect.with_unit("range") {
        let Ok((low, high)) = serde_json::from_value::<(f64, f64)>(pair.clone()) else {
            return failed(format!("a range must be a pair, not {pair}"));
        };
        wants.push(Want { at, low: low * unit, high: high * unit, draw: None });
    }
    Ok(wants)
}

/// Numbers of attempts as the peer counts them, each with its delay.
fn several(by: &serde_json::Value, unit: f64, curve: &Curve, found: &mut Findings) -> Checked {
    let Some(map) = by.as_object() else { return failed("delays by attempt must be an object") };
    for (number, length) in map {
        let at = number.parse::<usize>().ok().and_then(|n| n.checked_sub(curve.counted_from.min(1)));
        let Some(at) = at else { return failed(format!("the attempt {number:?} is not understood")) };
        let length = crate::case::number(length, number)? * unit;
        compare(curve, &[Want::exactly(at, length, None)], found)?;
    }
    Ok(())
}

/// Above and at most, for draws from end to end.
fn bounds(expect: &Fields, curve: &Curve, at: usize) -> Checked {
    let (above, most) = (expect.length("delay_gt")?, expect.length("delay_le")?);
    if above.is_none() && most.is_none() {
        return Ok(());
    }
    let policy = curve.policy(at + 1)?;
    for uniform in [0.0, 0.3, 0.6, 0.99, 1.0] {
        let got = walk(&policy, at + 1, |_| draw(uniform)).0.get(at).copied().unwrap_or(-1.0);
        let holds = above.is_none_or(|above| got > above) && most.is_none_or(|most| got <= most);
        ensure(holds, || format!("above {above:?}, at most {most:?} ns; got {got} for the draw {uniform}"))?;
    }
    Ok(())
}

/// The mean of as many samples as said.
fn mean(expect: &Fields, curve: &Curve, at: usize) -> Checked {
    let Some(mean) = expect.length("mean")? else { return Ok(()) };
    let tolerance = expect.needed_length("tolerance")?;
    let samples = expect.count("samples")?.unwrap_or(4_000);
    let policy = curve.policy(at + 1)?;
    let mut rng = Rng::seeded(1);
    let mut sum = 0.0;
    for _ in 0..samples {
        let random = rng.draw();
        sum += walk(&policy, at + 1, |_| random).0.last().copied().unwrap_or(0.0);
    }
    let got = sum / f64::from(samples);
    ensure((got - mean).abs() <= tolerance, || format!("a mean of {mean} +- {tolerance} ns; got {got} ns"))
}

/// retry-go shifts no further than 63 bits hold; that is the cap of its curve.
fn greatest_shift(policy: &Fields, expect: &Fields) -> Checked {
    let Some(said) = expect.count("max_backoff_n")? else { return Ok(()) };
    let delay = policy.number_or("delay_ns", 0.0)?;
    let shifts = 62.0 - delay.max(1.0).log2().floor();
    ensure(shifts == f64::from(said), || format!("a greatest shift of {said}; got {shifts}"))
}

/// A server's hint: theirs replaces or bounds the delay, law 5 makes it a floor under the jitter.
fn hinted(
    policy: &Fields,
    curve: &Curve,
    at: usize,
    hint: f64,
    expect: &Fields,
    found: &mut Findings,
) -> Checked {
    let want = expect.needed_length("delay")?;
    let (low, high) = curve.lawful(at);
    let theirs = match policy.text("spec") {
        Some("2.1") => high.max(hint.min(high + 5e9 * policy.scale())),
        _ => hint.min(curve.cap()),
    };
    ensure((want - theirs).abs() < 1e3, || format!("expected {want} ns; their rule gives {theirs} ns"))?;
    let by_law = low.max(hint) + (high - low);
    let product = curve.policy(at + 1)?;
    let got = after_hint(&product, at, hint, u32::MAX)?;
    ensure((got - by_law).abs() <= 2e3 + 1e-5 * by_law, || format!("{by_law} ns by law 5; got {got} ns"))?;
    let least = after_hint(&product, at, hint, 0)?;
    ensure(least >= hint && least >= low, || format!("at least the hint of {hint} ns; got {least} ns"))?;
    if (got - want).abs() > 1e3 {
        found.law(5, "a hint is a floor under the jitter, and may exceed the cap");
    }
    Ok(())
}

/// The wait after a hint that comes with this failure (from 0), at this draw.
pub(crate) fn after_hint(policy: &undaunted::Policy, at: usize, hint: f64, random: u32) -> Checked<f64> {
    let now = Instant::from_micros(0);
    let mut retry = Retry::start(policy, now);
    for _ in 0..at {
        let _ = retry.next(policy, Outcome::Fail, now, 0);
    }
    let retry_after = Micros::from_duration(crate::build::duration(hint.max(0.0)));
    match retry.next(policy, Outcome::Throttle { retry_after }, now, random) {
        Verdict::RetryAfter(wait) => Ok(wait.as_micros() as f64 * 1e3),
        verdict => failed(format!("a wait; got {verdict:?}")),
    }
}

/// Signed 32-bit milliseconds, a jitter that is a length, and the operation's time taken off.
fn azure(input: &Fields, policy: &Fields, expect: &Fields, found: &mut Findings) -> Checked {
    let absolute = "absolute jitter on a curve that grows (a length, not a share)";
    if expect.has("jitter_effect_ms_by_attempt") || input.number_or("jitter_ms", 0.0)? > 0.0 {
        return not_applicable(absolute);
    }
    let curve = models::curve(if input.has("min_ms") { input } else { policy })?;
    if let Some(length) = expect.length("delay")? {
        let at = input.count("attempt")?.unwrap_or(0) as usize;
        let operation = input.length("operation")?.unwrap_or(0.0);
        if operation > 0.0 {
            return less_the_operation(&curve, at, operation, length);
        }
        return compare(&curve, &[Want::exactly(at, length, None)], found);
    }
    rules::wrapped(policy, expect, &curve, found)
}

/// A wait less the operation's time is a fixed rate.
fn less_the_operation(curve: &Curve, at: usize, operation: f64, want: f64) -> Checked {
    if operation > curve.lawful(at).0 {
        return not_applicable("an operation longer than its interval: theirs is followed by one at once");
    }
    let theirs = curve.theirs(at).0 - operation;
    ensure((theirs - want).abs() < 1.0, || format!("{want} ns; by their rule {theirs} ns"))?;
    let policy = Curve { waits: Waits::Exactly(at as u32 + 1), ..curve.clone() }.policy(at + 1)?;
    let (world, mut calls) = (World::default(), 0);
    let failing = || {
        calls += 1;
        // Only the attempt that is asked about takes time, so that the grid skips nothing before it.
        let works = if calls == at + 1 { operation } else { 0.0 };
        world.pass(Micros::from_duration(crate::build::duration(works)).as_micros());
        Err::<(), ()>(())
    };
    let _ = blocking::retry(world.clone(), &policy, failing).fixed_rate().run();
    let slept = |happened: &Happened| match happened {
        Happened::Slept(micros, _) => Some(*micros as f64 * 1e3),
        _ => None,
    };
    let got = world.journal().iter().filter_map(slept).nth(at);
    ensure(got.is_some_and(|got| (got - want).abs() <= 1e3), || format!("{want} ns; got {got:?}"))
}
