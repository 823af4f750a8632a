//! `run`: a whole run, against the laws' simulation and the peer's.

use crate::case::Fields;
use crate::curve::{Curve, Spread, Waits};
use crate::drive::{Driven, drive};
use crate::findings::{Checked, Findings, ensure, failed, not_applicable};
use crate::models::{self, go::has_absolute_jitter};
use crate::runs::{Rule, Run, Step, Told, script, simulate};
use crate::walk::{is_hot_loop, refused};
use undaunted::{Policy, Reason, Verdict};

pub(crate) fn check(case: &Fields, policy: &Fields, expect: &Fields, found: &mut Findings) -> Checked {
    let context = case.text("context").unwrap_or("none");
    if policy.has("attempts_for_error") {
        return not_applicable("a limit of attempts for one kind of error is the caller's classifier");
    }
    let sleeps = ["sleeps_ns", "sleeps_ms", "sleeps_s", "total_sleep_ns"];
    if has_absolute_jitter(policy) {
        if sleeps.iter().any(|key| expect.has(key)) {
            return not_applicable("absolute jitter on a curve that grows (a length, not a share)");
        }
        found.remark("run without the peer's absolute jitter: nothing that is expected depends on it");
    }
    let run = run(case, policy, context)?;
    if run.attempts == Some(0) {
        return no_attempts(policy, expect, found);
    }
    if is_hot_loop(&Curve {
        waits: run.attempts.map_or(Waits::Unlimited, Waits::Exactly),
        ..run.curve.clone()
    }) {
        refused(run.curve.draft(1).unlimited_attempts(), undaunted::Rule::HotLoop)?;
        found.law(4, "no delay without a limit of attempts is refused");
        return read_all(expect);
    }
    let by_law = simulate(&run, &[]);
    ensure(by_law.result != "no end", || "a run that ends; by the laws it does not".to_string())?;
    let driven = drive(&run)?;
    agree(&driven.told, &by_law, &run.curve)?;
    let expected = Expected::read(expect, &run)?;
    if let Some(difference) = expected.differs(&driven.told) {
        if run.fixed_rate && run.work > run.curve.lawful(0).0 {
            return not_applicable("a probe longer than its interval: theirs is followed by one at once");
        }
        settle(&run, &expected, &by_law, &difference, found)?;
        return settled(expect, &run, &driven);
    }
    if case.has("upstream_defect") {
        // The laws' simulation has been asserted, though the numbers come out the same.
        for rule in &run.rules {
            let (law, decided) = rule.law();
            found.law(law, decided);
        }
    }
    counts(expect, &driven, &run, found)
}

/// What to run, and which rules of the peer a law contradicts.
fn run(case: &Fields, policy: &Fields, context: &str) -> Checked<Run> {
    let model = policy.text("model").unwrap_or_default();
    let curve = match (model, policy.object("backoff")) {
        ("cenkalti-v7", Some(backoff)) if backoff.text("model") == Some("stop") => {
            Curve { waits: Waits::Exactly(0), ..Curve::of(crate::curve::Shape::Immediate) }
        }
        ("cenkalti-v7", Some(backoff)) => models::curve(&backoff)?,
        _ => models::curve(policy)?,
    };
    let (deadline, cancel) = match context {
        "none" => (case.length("timeout")?, case.count("cancel_after_attempt")?),
        "cancelled" => (None, Some(0)),
        "deadline_passed" => (Some(0.0), None),
        other => return failed(format!("the context {other:?} is not understood")),
    };
    let within = match policy.length("max_elapsed")?.filter(|limit| *limit > 0.0) {
        Some(limit) => Some(limit),
        None => policy.length("max_duration")?,
    };
    let work = case.length("work")?.unwrap_or(0.0);
    let attempts = attempts(model, policy, &curve)?;
    let Pace { first_delay, fixed_rate, limit } = Pace::of(model, policy)?;
    let deadline = limit.map(|limit| limit.min(deadline.unwrap_or(limit))).or(deadline);
    let (script, rules) = (script(case)?, rules(model));
    Ok(Run { curve, attempts, within, deadline, first_delay, fixed_rate, cancel, work, script, rules })
}

/// When a poll asks. Its own limit counts from before its first wait.
pub(crate) struct Pace {
    pub(crate) first_delay: f64,
    pub(crate) fixed_rate: bool,
    pub(crate) limit: Option<f64>,
}

impl Pace {
    pub(crate) fn of(model: &str, policy: &Fields) -> Checked<Pace> {
        if model != "k8s-poll" {
            return Ok(Pace { first_delay: 0.0, fixed_rate: false, limit: None });
        }
        let first_delay = if policy.flag("immediate") { 0.0 } else { policy.needed_length("interval")? };
        Ok(Pace { first_delay, fixed_rate: !policy.flag("sliding"), limit: policy.length("timeout")? })
    }
}

fn attempts(model: &str, policy: &Fields, curve: &Curve) -> Checked<Option<u32>> {
    let by_waits = match curve.waits {
        Waits::Exactly(waits) => Some(waits.saturating_add(1)),
        Waits::Unlimited | Waits::Unsaid => None,
    };
    Ok(match model {
        "k8s-wait" => Some(policy.number_or("steps", 0.0)?.max(0.0) as u32),
        "fixed" | "fixed-sleep-after-every-failure" | "netlink-dump" | "vpc-cni-simple" => {
            policy.count("attempts")?
        }
        // Zero is no limit, also of the tries of a backoff that ends on its own.
        "cenkalti-v7" => match (policy.count("max_tries")?.filter(|tries| *tries > 0), by_waits) {
            (Some(tries), Some(attempts)) => Some(tries.min(attempts)),
            (tries, attempts) => tries.or(attempts),
        },
        _ => by_waits,
    })
}

/// From the notes of the suites.
fn rules(model: &str) -> Vec<Rule> {
    match model {
        "aws-c-io" => vec![Rule::ClientErrorsAreFree],
        "azure-http" => vec![Rule::HintReplaces],
        "cenkalti" => vec![Rule::WaitMayEndAtLimit],
        "cenkalti-v7" => {
            vec![
                Rule::CallsWhenOver,
                Rule::CancelBeforeDeadline,
                Rule::HintReplaces,
                Rule::HintResets,
                Rule::WaitMayEndAtLimit,
            ]
        }
        "failsafe" => vec![Rule::ClipsTheWait],
        "k8s-poll" => vec![Rule::CallsWhenOver, Rule::CancelBeforeDeadline],
        "vpc-cni-simple" => vec![Rule::CancelIsSuccess, Rule::SleepsWhenCancelled],
        "fixed-sleep-after-every-failure" => vec![Rule::DeadlineIsCancel, Rule::SleepsAfterLast],
        "k8s-wait" => vec![Rule::CancelBeforeDeadline, Rule::CapEndsIt],
        "netlink-dump" => vec![Rule::NoFirstSleep, Rule::SleepsAfterLast],
        _ => Vec::new(),
    }
}

/// The product against the laws.
pub(crate) fn agree(got: &Told, law: &Told, curve: &Curve) -> Checked {
    let jittered = curve.spread != Spread::None;
    let near = |(at, (got, law)): (usize, (&f64, &f64))| {
        let (low, high) = if jittered { (*law, curve.lawful(at).1.max(*law)) } else { (*law, *law) };
        *got >= low * (1.0 - 1e-5) - 1e3 && *got <= high * (1.0 + 1e-5) + 1e3
    };
    let sleeps =
        got.sleeps.len() == law.sleeps.len() && got.sleeps.iter().zip(&law.sleeps).enumerate().all(near);
    ensure(got.attempts == law.attempts && got.result == law.result && sleeps, || {
        format!("by the laws {law:?}; got {got:?}")
    })
}

/// What the case expects of the run itself.
struct Expected {
    attempts: Option<u32>,
    sleeps: Option<Vec<f64>>,
    total_sleep: Option<f64>,
    result: Option<String>,
}

impl Expected {
    fn read(expect: &Fields, run: &Run) -> Checked<Expected> {
        let sleeps = match expect.lengths("sleeps")? {
            Some(sleeps) => Some(sleeps),
            None => expect.lengths("derived_sleeps")?,
        };
        let attempts = expect.count("attempts")?.or(expect.count("retries")?.map(|n| n + 1));
        let own_cancel = run.script.contains(&Step::OwnCancel);
        let result = match expect.text("result") {
            // Nobody cancelled: the operation failed with an error of that name.
            Some("cancelled") if own_cancel => Some("fatal".to_string()),
            result => result.map(str::to_string),
        };
        Ok(Expected { attempts, sleeps, total_sleep: expect.length("total_sleep")?, result })
    }

    /// The first difference, in words.
    fn differs(&self, told: &Told) -> Option<String> {
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-5 * b.abs() + 1e3;
        let total: f64 = told.sleeps.iter().sum();
        match self {
            Expected { attempts: Some(n), .. } if *n != told.attempts => {
                Some(format!("{n} attempts; got {}", told.attempts))
            }
            Expected { result: Some(word), .. } if word != told.result => {
                Some(format!("{word}; got {}", told.result))
            }
            Expected { sleeps: Some(sleeps), .. }
                if sleeps.len() != told.sleeps.len()
                    || !sleeps.iter().zip(&told.sleeps).all(|(a, b)| near(*a, *b)) =>
            {
                Some(format!("sleeps {sleeps:?}; got {:?}", told.sleeps))
            }
            Expected { total_sleep: Some(sum), .. } if !near(*sum, total) => {
                Some(format!("{sum} ns asleep; got {total}"))
            }
            _ => None,
        }
    }
}

/// The case states what the peer's rules give: then the laws that contradict them decide.
fn settle(run: &Run, expected: &Expected, by_law: &Told, difference: &str, found: &mut Findings) -> Checked {
    if let Some(theirs) = expected.differs(&simulate(run, &run.rules)) {
        return failed(format!("{difference} (by the peer's own rules: {theirs})"));
    }
    let matters = |rule: &&Rule| {
        let others: Vec<Rule> = run.rules.iter().filter(|other| other != rule).copied().collect();
        simulate(run, &others) != simulate(run, &run.rules) || simulate(run, &[**rule]) != *by_law
    };
    for rule in run.rules.iter().filter(matters) {
        let (law, decided) = rule.law();
        found.law(law, decided);
    }
    Ok(())
}

/// The rest of a settled case tells of the peer's run; what the laws say of it still holds.
fn settled(expect: &Fields, run: &Run, driven: &Driven) -> Checked {
    read_all(expect)?;
    expect.all_true(&["last_sleep_is_followed_by_no_attempt"])?;
    if let Some(wasted) = expect.length("wasted_final_sleep")? {
        let theirs = simulate(run, &run.rules).sleeps.last().copied();
        ensure(Some(wasted) == theirs, || format!("{wasted} ns wasted; by their rule {theirs:?}"))?;
    }
    if let Some(useful) = expect.count("useful_sleeps")? {
        ensure(driven.told.sleeps.len() == useful as usize, || {
            format!("{useful} useful sleeps; got {}", driven.told.sleeps.len())
        })?;
    }
    let unsuccessful = driven.told.result != "success" && driven.told.attempts > 0;
    ensure(driven.last_error.is_some() == unsuccessful, || "the last error is kept".to_string())
}

fn read_all(expect: &Fields) -> Checked {
    expect.informative(&["attempts", "retries", "result", "error", "sleeps_ns", "total_sleep_ns"]);
    expect.informative(&["notify_calls", "on_retry_calls", "on_retry_n_sum", "last_on_retry_n", "failures"]);
    expect.informative(&[
        "wasted_final_sleep_ns",
        "last_sleep_is_followed_by_no_attempt",
        "errors_kept",
        "note",
    ]);
    Ok(())
}

/// Callbacks and errors.
fn counts(expect: &Fields, driven: &Driven, run: &Run, found: &mut Findings) -> Checked {
    expect.informative(&["note"]);
    let waits = driven.told.sleeps.len() as u32;
    // What ends a wait is told too, and is no further failure.
    let failures = driven.events.iter().filter(|(error, verdict)| *error && !is_cancelled(verdict));
    let errors = failures.clone().count() as u32;
    // retry-go tells of every failure but a fatal one, the last included.
    let retryable =
        |verdict: &Verdict| !matches!(verdict, Verdict::Done | Verdict::GiveUp(Reason::Permanent));
    let told = failures.filter(|(_, verdict)| retryable(verdict)).count() as u32;
    let and_cancelled = expect.text("error") == Some("all + cancelled");
    // Tests that cancel count their call before they make its error.
    let counted_from = usize::from(run.cancel.is_some());
    let sum = told * told.saturating_sub(1) / 2;
    let rows = [
        ("notify_calls", waits),
        ("on_retry_calls", told),
        ("last_on_retry_n", told.saturating_sub(1)),
        ("on_retry_n_sum", sum),
        ("errors_kept", errors + u32::from(and_cancelled)),
        ("failures", errors),
        ("last_error_index", driven.last_error.map_or(0, |call| call + counted_from) as u32),
        ("useful_sleeps", waits),
    ];
    for (key, got) in rows {
        if let Some(want) = expect.count(key)? {
            ensure(want == got, || format!("{key} {want}; got {got}"))?;
        }
    }
    let Some(error) = expect.text("error") else { return Ok(()) };
    let last = driven.last_error == driven.told.attempts.checked_sub(1).map(|n| n as usize);
    match error {
        _ if error.starts_with("last")
            || error.starts_with("all")
            || error == "cancelled wrapping last"
            || run.script.contains(&Step::OwnCancel) =>
        {
            ensure(last && driven.last_error.is_some(), || {
                format!("the error {error:?}; got that of call {:?}", driven.last_error)
            })
        }
        _ if driven.told.result == "cancelled" && error.starts_with("legacy timeout error") => {
            found.law(9, "a cancel is told as a cancel, with what came last");
            ensure(last, || format!("the last error; got that of call {:?}", driven.last_error))
        }
        other => failed(format!("the error {other:?} is not understood")),
    }
}

fn is_cancelled(verdict: &Verdict) -> bool {
    *verdict == Verdict::GiveUp(Reason::Cancelled)
}

/// Law 1: zero attempts do not build. Theirs call nothing, and some call that a success.
fn no_attempts(policy: &Fields, expect: &Fields, found: &mut Findings) -> Checked {
    let said = (expect.number("attempts").ok().flatten(), expect.text("result"));
    let theirs = match policy.text("model") {
        Some("k8s-wait") => (Some(0.0), Some("exhausted")),
        Some("fixed-sleep-after-every-failure") => (Some(0.0), Some("success")),
        _ => said,
    };
    let agrees =
        said.0.is_none_or(|n| Some(n) == theirs.0) && said.1.is_none_or(|word| Some(word) == theirs.1);
    ensure(agrees, || format!("{said:?}; by their rule {theirs:?}"))?;
    read_all(expect)?;
    policy.informative(&["steps", "attempts"]);
    refused(Policy::draft().immediate().attempts(0), undaunted::Rule::AttemptsZero)?;
    found.law(1, "attempts(0) does not build");
    Ok(())
}
