//! What is reset by health, and what has a limit of restarts.

use crate::build::duration;
use crate::case::Fields;
use crate::findings::{Checked, Findings, ensure, failed};
use crate::kinds::script::same;
use crate::models;
use undaunted::{Instant, Micros, Outcome, Policy, Reason, Recovery, Restarts, Verdict};

/// Failures, each after a connection that held so long.
pub(crate) fn script(case: &Fields, policy: &Fields, expect: &Fields, found: &mut Findings) -> Checked {
    policy.informative(&["reset_rule", "steps"]);
    let operations = case.objects("input")?;
    let built = models::curve(policy)?.policy(operations.len())?;
    let reset = policy.length("reset_after")?.or(policy.length("reset")?).unwrap_or(0.0);
    let recovery = match reset > 0.0 {
        true => Recovery::draft(built).reset_after(duration(reset)).build(),
        false => Recovery::draft(built).build(),
    };
    let Ok(recovery) = recovery else { return failed("the builder refuses it") };
    let start = || Restarts::start(&recovery, Instant::default(), []).expect("it needs no memory");
    let (mut restarts, mut healthy, mut now) = (start(), Micros::ZERO, Instant::default());
    let mut got = Vec::new();
    for operation in &operations {
        match operation.text("op").unwrap_or_default() {
            "connected_for" => healthy = length(operation)?,
            "advance" => {
                found.remark("the time between two calls is taken as health; theirs has their sleep in it");
                healthy = length(operation)?;
            }
            "user_disconnect" => {
                found.remark("a stop by the user is run as a new recovery");
                restarts = start();
            }
            "fail" | "next" => {
                now = now + healthy;
                let Verdict::RetryAfter(wait) = restarts.next(&recovery, Outcome::Fail, healthy, now, 0)
                else {
                    return failed(format!("a wait; got {:?}", restarts.stopped()));
                };
                got.push(wait.as_micros() as f64 * 1e3);
                (healthy, now) = (Micros::ZERO, now + wait);
            }
            other => return failed(format!("the operation {other:?} is not understood")),
        }
    }
    if let Some(delays) = expect.lengths("delays")? {
        ensure(same(&delays, &got), || format!("{delays:?} ns; got {got:?}"))?;
    }
    if let Some(last) = expect.length("last_delay")? {
        ensure(got.last() == Some(&last), || format!("{last} ns at last; got {got:?}"))?;
    }
    Ok(())
}

/// The length of an operation, by its unit alone.
fn length(operation: &Fields) -> Checked<Micros> {
    for (unit, nanos) in [("ns", 1.0), ("ms", 1e6), ("s", 1e9)] {
        if let Some(number) = operation.number(unit)? {
            return Ok(Micros::from_duration(duration(number * nanos * operation.scale())));
        }
    }
    failed("an operation needs ns, ms or s")
}

/// Restarts of a supervisor, and which of them it allows.
pub(crate) fn intensity(case: &Fields, policy: &Fields, expect: &Fields) -> Checked {
    policy.informative(&["rule"]);
    let (Some(allowed), period) = (policy.count("intensity")?, policy.needed_length("period")?) else {
        return failed("policy.intensity is missing");
    };
    let forever = Recovery::draft(Policy::immediate().attempts(u32::MAX));
    let Ok(recovery) = forever.intensity(allowed, duration(period)).build() else {
        return failed("the builder refuses it");
    };
    let memory = vec![Instant::default(); allowed as usize];
    let mut restarts = Restarts::start(&recovery, Instant::default(), memory).expect("there is room");
    let mut got = Vec::new();
    for restart in case.objects("input")? {
        let at = Micros::from_duration(duration(restart.needed_length("restart_at")?));
        let verdict = restarts.next(&recovery, Outcome::Fail, Micros::ZERO, Instant::default() + at, 0);
        got.push(verdict != Verdict::GiveUp(Reason::Intensity));
    }
    let want = expect.value("ok").and_then(|ok| ok.as_array()).cloned().unwrap_or_default();
    ensure(want == got, || format!("{want:?}; got {got:?}"))
}
