//! `script`: operations on one thing with a state.

use crate::case::Fields;
use crate::curve::{Curve, Shape, Waits};
use crate::findings::{Checked, Findings, ensure, failed};
use crate::kinds::{quota, recovery, rules};
use crate::models;
use crate::walk::{draw, walk};
use undaunted::{Instant, Micros, Outcome, Policy, Reason, Retry, Verdict};

pub(crate) fn check(case: &Fields, policy: &Fields, expect: &Fields, found: &mut Findings) -> Checked {
    if expect.has("rule") {
        return rules::check(case, policy, expect, found);
    }
    match policy.text("model").unwrap_or_default() {
        "aws-c-backoff" => backoff_algorithm(case, policy, expect, found),
        "aws-c-mqtt3" | "aws-c-mqtt5" | "k8s-wait-manager" | "k8s-wait-delay-with-reset" => {
            recovery::script(case, policy, expect, found)
        }
        "aws-standard" => quota::check(case, policy, expect, found),
        "cenkalti" => clocked(case, policy, expect, found),
        "max-duration" => max_duration(case, policy, expect, found),
        _ => sequence(case, policy, expect, found),
    }
}

/// `next` and `reset`, which is a new operation.
fn sequence(case: &Fields, policy: &Fields, expect: &Fields, found: &mut Findings) -> Checked {
    let curve = models::curve(policy)?;
    let operations = case.objects("input")?;
    let built = curve.policy(operations.len())?;
    let now = Instant::from_micros(0);
    let mut retry = Retry::start(&built, now);
    let mut got = Vec::new();
    for operation in &operations {
        let name = operation.text("op").unwrap_or_default();
        for _ in 0..operation.count("repeat")?.unwrap_or(1) {
            match name {
                "reset" => retry = Retry::start(&built, now),
                "next" => {
                    let verdict = retry.next(&built, Outcome::Fail, now, 0);
                    if let Verdict::RetryAfter(wait) = verdict {
                        got.push(wait.as_micros() as f64 * 1e3);
                    }
                    let stopped = matches!(verdict, Verdict::GiveUp(Reason::Attempts));
                    let want = operation.text("want");
                    let agrees = want.is_none_or(|want| (want == "stop") == stopped);
                    ensure(agrees, || format!("{want:?}; got {verdict:?}"))?;
                }
                other => return failed(format!("the operation {other:?} is not understood")),
            }
        }
    }
    if let Some(delays) = expect.lengths("delays")? {
        ensure(same(&delays, &got), || format!("{delays:?} ns; got {got:?}"))?;
    }
    if let Some(n) = expect.count("stops_after")? {
        let (waits, verdict) = walk(&built, n as usize + 1, |_| 0);
        ensure(waits.len() == n as usize && verdict == Verdict::GiveUp(Reason::Attempts), || {
            format!("the end after {n} waits; got {} and {verdict:?}", waits.len())
        })?;
    }
    expect.all_true(&["stop_is_sticky", "reset_rearms", "all_wants"])?;
    found.remark("a reset is run as a new operation");
    Ok(())
}

pub(super) fn same(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-5 * b + 1.0)
}

/// FreeRTOS: draws by modulo, and a state that can be set. Set, it is the policy that begins there.
fn backoff_algorithm(case: &Fields, policy: &Fields, expect: &Fields, found: &mut Findings) -> Checked {
    let mut curve = models::curve(policy)?;
    let now = Instant::from_micros(0);
    let (mut done, mut at) = (0, 0);
    for operation in case.objects("input")? {
        if operation.text("op") == Some("set") {
            done = operation.count("attempts_done")?.unwrap_or(done);
            if let Some(top) = operation.length("next_jitter_max")? {
                (at, curve) = (0, Curve { shape: Shape::Exponential { first: top, factor: 2.0 }, ..curve });
            }
            continue;
        }
        let random = operation.count("random_u32")?.unwrap_or(0);
        let left = match curve.waits {
            Waits::Exactly(waits) => Waits::Exactly(waits.saturating_sub(done)),
            waits => waits,
        };
        let built = Curve { waits: left, ..curve.clone() }.policy(1)?;
        let mut retry = Retry::start(&built, now);
        let exhausted = retry.next(&built, Outcome::Fail, now, random) == Verdict::GiveUp(Reason::Attempts);
        let want = operation.text("status").unwrap_or("ok");
        ensure((want == "exhausted") == exhausted, || format!("{want}; got exhausted {exhausted}"))?;
        if exhausted {
            let state = (operation.count("attempts_done")?, operation.length("next_jitter_max")?);
            let same = state == (Some(done), Some(top(&curve, at)?)) && operation.length("out")?.is_none();
            ensure(same, || format!("{state:?}; got {done}, and no wait"))?;
            continue;
        }
        drawn(&curve, at, random, operation.needed_length("out")?, found)?;
        // Theirs wraps.
        (done, at) = (done.wrapping_add(1), at + 1);
        let top = top(&curve, at)?;
        let state = (operation.count("attempts_done")?, operation.length("next_jitter_max")?);
        ensure(state == (Some(done), Some(top)), || format!("{state:?}; got {done} and {top} ns"))?;
    }
    if let Some(top_said) = expect.length("next_jitter_max")? {
        let state = (expect.count("attempts_done")?, top(&curve, at)?);
        ensure(state == (Some(done), top_said), || format!("{top_said} ns; got {state:?}"))?;
    }
    expect.all_true(&["all_wants"])
}

/// The top of the range of this wait (from 0).
fn top(curve: &Curve, at: usize) -> Checked<f64> {
    let built = Curve { waits: Waits::Unlimited, ..curve.clone() }.policy(at + 1)?;
    Ok(walk(&built, at + 1, |_| u32::MAX).0.last().copied().unwrap_or(0.0))
}

/// Theirs is the rest of a division, which is biased; ours is a share of the range.
fn drawn(curve: &Curve, at: usize, random: u32, want: f64, found: &mut Findings) -> Checked {
    let built = Curve { waits: Waits::Unlimited, ..curve.clone() }.policy(at + 1)?;
    let got = walk(&built, at + 1, |_| random).0.last().copied().unwrap_or(-1.0);
    let high = curve.lawful(at).1;
    let by_law = (high * f64::from(random) / 4_294_967_296.0 / 1e3).floor() * 1e3;
    ensure((got - by_law).abs() <= 1e3, || format!("{by_law} ns by the laws; got {got} ns"))?;
    if (got - want).abs() <= 1e3 {
        return Ok(());
    }
    let theirs = f64::from(random) % (high / 1e6 + 1.0) * 1e6;
    ensure((theirs - want).abs() < 1e3, || format!("{want} ns; by their rule {theirs} ns, got {got} ns"))?;
    found.law(3, "a draw is a share of the range, unbiased, and not the rest of a division");
    Ok(())
}

/// `start` or `reset`, `elapsed` and `next` at points in time, under a limit.
fn clocked(case: &Fields, policy: &Fields, expect: &Fields, found: &mut Findings) -> Checked {
    let curve = models::curve(policy)?;
    let Ok(built) = limited(&curve, policy.length("max_elapsed")?).build() else {
        return failed("the builder refuses it");
    };
    let mut started = None;
    for operation in case.objects("input")? {
        let now = Micros::from_duration(crate::build::duration(operation.needed_length("now")?));
        let now = Instant::from_micros(0).after(now);
        match operation.text("op").unwrap_or_default() {
            "start" | "reset" => started = Some((now, Retry::start(&built, now))),
            "elapsed" => {
                let Some((start, _)) = &started else { return failed("it has not started") };
                let (want, got) =
                    (expect.needed_length("elapsed")?, now.since(*start).as_micros() as f64 * 1e3);
                ensure(want == got, || format!("{want} ns; got {got} ns"))?;
            }
            "next" => {
                let Some((_, retry)) = &mut started else { return failed("it has not started") };
                let verdict = retry.next(&built, Outcome::Fail, now, draw(0.5));
                stopped(verdict, policy, expect, found)?;
            }
            other => return failed(format!("the operation {other:?} is not understood")),
        }
    }
    Ok(())
}

fn limited(curve: &Curve, limit: Option<f64>) -> undaunted::Draft {
    let draft = Curve { waits: Waits::Unlimited, ..curve.clone() }.draft(1_000);
    limit.filter(|limit| *limit > 0.0).map_or(draft, |limit| draft.within(crate::build::duration(limit)))
}

/// The end: in words, or as a magic length in place of a reason.
fn stopped(verdict: Verdict, policy: &Fields, expect: &Fields, found: &mut Findings) -> Checked {
    let at_the_limit = verdict == Verdict::GiveUp(Reason::Deadline);
    match (expect.text("result"), expect.length("delay")?) {
        (Some("stop"), None) => ensure(at_the_limit, || format!("the end; got {verdict:?}")),
        (None, Some(delay)) if policy.length("stop")? == Some(delay) => {
            found.law(9, "a stop has a reason, not a length that stands for it");
            ensure(at_the_limit, || format!("no time left; got {verdict:?}"))
        }
        (None, Some(delay)) => match verdict {
            Verdict::RetryAfter(wait) if (wait.as_micros() as f64 * 1e3 - delay).abs() <= 1e3 => Ok(()),
            verdict => failed(format!("{delay} ns; got {verdict:?}")),
        },
        other => failed(format!("the expectation {other:?} is not understood")),
    }
}

/// go-retry shortens a wait to the time that is left; law 6 does not begin it.
fn max_duration(case: &Fields, policy: &Fields, expect: &Fields, found: &mut Findings) -> Checked {
    let curve = models::curve(policy)?;
    let limit = policy.needed_length("timeout")?;
    let Ok(built) = limited(&curve, Some(limit)).build() else { return failed("the builder refuses it") };
    let limits = expect.lengths("delays_le")?.unwrap_or_default();
    ensure(expect.text("then") == Some("stop"), || "it stops".to_string())?;
    let mut retry = Retry::start(&built, Instant::from_micros(0));
    let mut ended = false;
    for (at, operation) in case.objects("input")?.iter().enumerate() {
        let now = operation.needed_length("now")?;
        ensure(operation.text("op") == Some("next"), || "only `next` is understood".to_string())?;
        let point = Instant::from_micros(0).after(Micros::from_duration(crate::build::duration(now)));
        let verdict = retry.next(&built, Outcome::Fail, point, 0);
        let left = limit - now;
        match limits.get(at) {
            Some(most) => {
                let theirs = curve.lawful(at).0.min(left);
                ensure(left > 0.0 && theirs <= *most, || {
                    format!("at most {most} ns; by their rule {theirs}")
                })?;
            }
            None => ensure(left <= 0.0, || format!("the end at {now} ns; by their rule {left} ns are left"))?,
        }
        ended |= curve.lawful(at).0 >= left;
        let by_law = if ended { Verdict::GiveUp(Reason::Deadline) } else { verdict };
        ensure(verdict == by_law, || format!("{by_law:?}; got {verdict:?}"))?;
        match verdict {
            Verdict::GiveUp(_) if limits.get(at).is_some() => {
                found.law(6, "a wait that does not fit is not begun, and not shortened");
            }
            Verdict::RetryAfter(wait) => {
                let most = limits.get(at).copied().unwrap_or(0.0);
                ensure(wait.as_micros() as f64 * 1e3 <= most, || format!("at most {most} ns; got {wait}"))?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// As the SDKs do it: the policy with its limit of attempts, for the checks of its quota.
pub(crate) fn walked(policy: &Policy, waits: usize) -> (Vec<f64>, Verdict) {
    walk(policy, waits, |_| u32::MAX)
}
