//! `property`: a statement about many draws, or about every one.

use crate::case::Fields;
use crate::curve::{Bound, Curve, Spread};
use crate::findings::{Checked, Findings, ensure, failed, not_applicable};
use crate::kinds::rules;
use crate::models;
use crate::walk::{Want, compare, walk};
use undaunted::Rng;

pub(crate) fn check(case: &Fields, policy: &Fields, expect: &Fields, found: &mut Findings) -> Checked {
    if expect.has("rule") {
        return rules::check(case, policy, expect, found);
    }
    let curve = models::curve(policy)?;
    expect.informative(&["note"]);
    if expect.has("uniform_over_s") {
        let input = case.object("input");
        let at = match input {
            Some(input) => input.count("attempt")?.unwrap_or(1).saturating_sub(1) as usize,
            None => 0,
        };
        return uniform(expect, &curve, at);
    }
    if let (Some(low), Some(high)) = (expect.number("floor_fraction")?, expect.number("ceiling_fraction")?) {
        let x = curve.value(0);
        return compare(&curve, &[Want { at: 0, low: low * x, high: high * x, draw: None }], found);
    }
    if expect.has("share_waiting_exactly_max_by_n") {
        return at_the_cap(expect, &curve, found);
    }
    match (expect.number("floor")?, expect.text("ceiling")) {
        (Some(floor), Some("4*base*2^attempt - 1 tick")) => between(&curve, floor),
        _ => not_applicable("a statement in words only"),
    }
}

/// `samples` draws of this wait (from 0).
fn samples(curve: &Curve, at: usize, samples: u32) -> Checked<Vec<f64>> {
    let policy = curve.policy(at + 1)?;
    let mut rng = Rng::seeded(1);
    let mut sample = || {
        let random = rng.draw();
        walk(&policy, at + 1, |_| random).0.last().copied().unwrap_or(0.0)
    };
    Ok((0..samples).map(|_| sample()).collect())
}

/// Ten equal cells, each with its share of the draws.
fn uniform(expect: &Fields, curve: &Curve, at: usize) -> Checked {
    let Some((pair, unit)) = expect.with_unit("uniform_over") else { return failed("uniform over what") };
    let Ok((low, high)) = serde_json::from_value::<(f64, f64)>(pair.clone()) else {
        return failed(format!("a range must be a pair, not {pair}"));
    };
    let (low, high) = (low * unit, high * unit);
    let n = expect.count("samples")?.unwrap_or(10_000);
    let tolerance = expect.number_or("bucket_tolerance", 0.2)?;
    let mut cells = [0; 10];
    for sample in samples(curve, at, n)? {
        ensure(sample >= low && sample <= high, || format!("{low} to {high} ns; got {sample}"))?;
        cells[(((sample - low) / (high - low) * 10.0) as usize).min(9)] += 1;
    }
    let share = f64::from(n) / 10.0;
    let even = cells.iter().all(|cell| (f64::from(*cell) - share).abs() <= tolerance * share);
    ensure(even, || format!("{share} draws in each tenth; got {cells:?}"))
}

/// Polly's bounds for its jitter of floats, which ours must keep to as well.
fn between(curve: &Curve, floor: f64) -> Checked {
    for at in 0..20 {
        let ceiling = 4.0 * curve.value(0) * 2_f64.powi(at as i32);
        for sample in samples(curve, at, 200)? {
            ensure(sample >= floor && sample < ceiling, || format!("{floor} to {ceiling} ns; got {sample}"))?;
        }
    }
    Ok(())
}

/// A cap after the draw: most clients wait exactly the cap. Ours spread over the whole range there.
fn at_the_cap(expect: &Fields, curve: &Curve, found: &mut Findings) -> Checked {
    let Some(shares) = expect.value("share_waiting_exactly_max_by_n").and_then(|value| value.as_object())
    else {
        return failed("shares by number must be an object");
    };
    let Bound::Draw(cap) = curve.bound else { return not_applicable("no cap after a draw") };
    ensure(curve.spread == Spread::Full, || "full jitter".to_string())?;
    for (n, share) in shares {
        let Ok(at) = n.parse::<usize>() else { return failed(format!("the number {n:?}")) };
        let share = crate::case::number(share, n)?;
        let theirs = (1.0 - cap / curve.value(at)).max(0.0);
        ensure((share - theirs).abs() < 1e-3, || format!("a share of {share}; by their rule {theirs}"))?;
        let waits = samples(curve, at, 10_000)?;
        let most = curve.lawful(at).1;
        let exactly = waits.iter().filter(|wait| **wait >= cap).count();
        let tenths = waits.iter().filter(|wait| **wait > most * 0.9).count();
        ensure(exactly <= 1 && (800..1_200).contains(&tenths), || {
            format!("a tenth in the highest tenth, none at the cap; got {tenths} and {exactly} of 10 000")
        })?;
    }
    found.law(3, "the range ends at the cap instead of being cut off there");
    Ok(())
}
