//! `accept` and `reject`: what the builder and the text refuse.

use crate::case::Fields;
use crate::curve::Shape;
use crate::findings::{Checked, End, Findings, ensure, failed, not_applicable};
use crate::models;
use crate::walk::{refused, walk};
use std::time::Duration;
use undaunted::{Draft, Policy, Rule};

/// A policy like any other, to have something to be wrong in.
fn plain() -> Draft {
    Policy::draft().exponential(Duration::from_millis(100))
}

pub(crate) fn reject(_: &Fields, policy: &Fields, expect: &Fields, found: &mut Findings) -> Checked {
    expect.informative(&["note"]);
    ensure(expect.value("error").and_then(|error| error.as_bool()) != Some(false), || {
        "`reject` without an error".to_string()
    })?;
    match policy.text("model").unwrap_or_default() {
        "aws-c-io" => shifts(policy, found),
        "chain" => {
            let steps = policy.lengths("delays")?.unwrap_or_default();
            ensure(steps.is_empty(), || format!("something that is wrong in {steps:?}"))?;
            refused(Policy::draft().schedule(&[]), Rule::ScheduleLength)
        }
        "grpc-service-config" => service_config(policy, found),
        "r4j" => resilience4j(policy),
        _ if policy.has("context") && policy.value("context").is_none() => {
            not_applicable("a null pointer cannot be said in Rust")
        }
        model => {
            let curve = models::curve(policy)?;
            match curve.draft(1).build() {
                Err(_) => Ok(()),
                // Nothing or less than nothing is the only length that a model leaves out.
                Ok(_) if matches!(curve.shape, Shape::Immediate) => {
                    refused(Policy::draft().constant(Duration::ZERO), Rule::FirstZero)
                }
                Ok(built) => failed(format!("{model} refuses it; got a policy: {built}")),
            }
        }
    }
}

/// aws-c-io refuses more retries than its shift has bits. Ours has no such limit.
fn shifts(policy: &Fields, found: &mut Findings) -> Checked {
    let retries = policy.count("max_retries")?.unwrap_or(0);
    ensure(retries > 63, || format!("{retries} retries fit into a shift"))?;
    let curve = models::curve(policy)?;
    let (waits, _) = walk(&curve.policy(0)?, retries as usize, |_| u32::MAX);
    let cap = curve.cap();
    let ends = waits.last().copied();
    ensure(waits.len() == retries as usize && ends == Some(cap), || {
        format!("{cap} ns at the end; got {ends:?}")
    })?;
    found.law(7, "huge values saturate: no number of retries overflows");
    Ok(())
}

/// The first thing that is wrong.
fn resilience4j(policy: &Fields) -> Checked {
    if let Some(interval) = policy.length("interval")?.filter(|interval| *interval <= 0.0) {
        return length(interval, Policy::draft().constant(Duration::ZERO), Rule::FirstZero);
    }
    if let Some(cap) = policy.length("max_interval")? {
        let first = policy.length("interval")?.unwrap_or(500e6);
        if cap < first {
            let draft = Policy::draft().constant(crate::build::duration(first));
            return length(cap, draft.cap(crate::build::duration(cap.max(0.0))), Rule::FirstAboveCap);
        }
    }
    if let Some(factor) = policy.number("multiplier")? {
        return multiplier(factor);
    }
    match policy.number("randomization")? {
        Some(share) if share < 0.0 => unsayable(&format!("exponential 100ms jitter +-{}%", share * 100.0)),
        Some(share) => {
            let (numerator, denominator) = crate::build::ratio(share);
            refused(plain().proportional_jitter(numerator, denominator), Rule::ProportionalRange)
        }
        None => not_applicable("what is wrong is none of the builder's numbers"),
    }
}

/// Below zero it cannot be said at all; the text shows it.
fn length(nanos: f64, draft: Draft, rule: Rule) -> Checked {
    if nanos < 0.0 { unsayable(&format!("constant {}ms", nanos / 1e6)) } else { refused(draft, rule) }
}

fn multiplier(factor: f64) -> Checked {
    if factor < 0.0 {
        return unsayable(&format!("exponential 100ms x{factor}"));
    }
    let (numerator, denominator) = crate::build::ratio(factor);
    refused(plain().factor(numerator, denominator), Rule::FactorRange)
}

fn unsayable(text: &str) -> Checked {
    match Policy::parse(text) {
        Err(_) => Ok(()),
        Ok(policy) => failed(format!("{text:?} is refused; got {policy}")),
    }
}

/// gRPC's service config; what is no number of a policy is the caller's or a budget's.
fn service_config(policy: &Fields, found: &mut Findings) -> Checked {
    for key in ["initialBackoff_s", "maxBackoff_s", "backoffMultiplier", "maxAttempts"] {
        if policy.value(key).is_some_and(|value| !value.is_number()) {
            return not_applicable("what is no number cannot be said to the builder");
        }
    }
    for (key, rule) in [("initialBackoff_s", Rule::FirstZero), ("maxBackoff_s", Rule::FirstAboveCap)] {
        if let Some(seconds) = policy.number(key)? {
            let draft = match rule {
                Rule::FirstZero => Policy::draft().constant(crate::build::duration((seconds * 1e9).max(0.0))),
                _ => plain().cap(crate::build::duration((seconds * 1e9).max(0.0))),
            };
            return length(seconds * 1e9, draft, rule);
        }
    }
    if let Some(factor) = policy.number("backoffMultiplier")? {
        return multiplier(factor);
    }
    match policy.number("maxAttempts")? {
        Some(0.0) => return refused(plain().attempts(0), Rule::AttemptsZero),
        Some(1.0) => {
            ensure(plain().attempts(1).build().is_ok(), || "one attempt is a policy".to_string())?;
            found.law(1, "attempts(1) makes one call");
            return Ok(());
        }
        Some(n) if n < 0.0 => return unsayable(&format!("exponential 100ms attempts {n}")),
        Some(n) => return failed(format!("{n} attempts are refused; the builder takes them")),
        None => {}
    }
    policy.informative(&["retryableStatusCodes", "maxTokens", "tokenRatio"]);
    if policy.has("maxTokens") && policy.value("maxTokens").is_some() || policy.value("tokenRatio").is_some()
    {
        return not_applicable("not built: budgets");
    }
    if policy.value("retryableStatusCodes").is_some() {
        return not_applicable("which failures are worth another attempt is the caller's classifier");
    }
    not_applicable("a field of the service config that no policy has")
}

pub(crate) fn accept(_: &Fields, policy: &Fields, expect: &Fields, found: &mut Findings) -> Checked {
    expect.informative(&["note"]);
    if policy.text("model") == Some("grpc-service-config") {
        return accept_config(policy, expect, found);
    }
    ensure(!expect.flag("error"), || "`accept` with an error".to_string())?;
    expect.informative(&["error"]);
    match models::curve(policy)?.policy(1) {
        Ok(_) => Ok(()),
        Err(End::NotApplicable(reason) | End::Failed(reason)) => failed(format!("a policy; got: {reason}")),
    }
}

/// gRPC lowers a number silently; law 1 makes as many calls as were said.
fn accept_config(policy: &Fields, expect: &Fields, found: &mut Findings) -> Checked {
    let Some(said) = policy.count("maxAttempts")? else {
        return match policy.value("tokenRatio").or(policy.value("maxTokens")) {
            Some(_) => not_applicable("not built: budgets"),
            None => not_applicable("a field of the service config that no policy has"),
        };
    };
    let effective = expect.count("effective")?.unwrap_or(said);
    ensure(effective == said.min(5), || format!("{effective} attempts; their rule gives {}", said.min(5)))?;
    let Ok(built) = plain().attempts(said).build() else { return failed("the builder refuses it") };
    let (waits, _) = walk(&built, said as usize, |_| 0);
    ensure(waits.len() + 1 == said as usize, || format!("{said} calls; got {}", waits.len() + 1))?;
    if said != effective {
        found.law(1, "attempts(n) makes n calls, and no fewer in silence");
    }
    Ok(())
}
