//! `stop`: when to stop, asked of a policy in the state that each row describes.

use crate::build::duration;
use crate::case::Fields;
use crate::findings::{Checked, Findings, ensure, failed};
use crate::walk::refused;
use undaunted::{Instant, Micros, Outcome, Policy, Reason, Retry, Rule, Verdict};

/// The limits of a stop condition.
#[derive(Clone, Copy, Debug, Default)]
struct Limits {
    attempts: Option<u32>,
    /// How long; and whether the wait to come counts.
    time: Option<(f64, bool)>,
    /// The peer stops only where all of them say so.
    all: bool,
}

pub(crate) fn check(case: &Fields, policy: &Fields, expect: &Fields, found: &mut Findings) -> Checked {
    let limits = limits(policy)?;
    expect.all_true(&["all_wants"])?;
    for row in case.objects("input")? {
        let (attempt, elapsed) = (row.count("attempt")?.unwrap_or(1), row.length("elapsed")?.unwrap_or(0.0));
        let upcoming = row.length("upcoming")?.unwrap_or(0.0);
        let want = row.flag("want");
        let theirs = stops(limits, attempt, elapsed, upcoming);
        ensure(want == theirs, || format!("attempt {attempt}: {want}; by their rule {theirs}"))?;
        let got = product(limits, attempt, elapsed, upcoming, found)?;
        let by_law = stops(Limits { all: false, ..lawful(limits) }, attempt, elapsed, upcoming);
        ensure(got == by_law, || {
            format!("attempt {attempt} at {elapsed} ns: {by_law} by the laws; got {got}")
        })?;
        if got != want {
            let all = limits.all && limits.attempts.is_some() && limits.time.is_some();
            match all {
                true => found.law(8, "the first limit that applies decides"),
                false => found.law(6, "the wait to come counts against the limit"),
            }
        }
    }
    Ok(())
}

fn limits(policy: &Fields) -> Checked<Limits> {
    let limit = || policy.needed_length("limit");
    match policy.text("model").unwrap_or_default() {
        "never" => Ok(Limits::default()),
        "stop-after-attempt" => Ok(Limits { attempts: policy.count("max")?, ..Limits::default() }),
        "stop-after-delay" => Ok(Limits { time: Some((limit()?, false)), ..Limits::default() }),
        "stop-before-delay" => Ok(Limits { time: Some((limit()?, true)), ..Limits::default() }),
        all @ ("any" | "all") => {
            let mut both = Limits { all: all == "all", ..Limits::default() };
            for member in policy.objects("members")? {
                let member = limits(&member)?;
                both.attempts = both.attempts.or(member.attempts);
                both.time = both.time.or(member.time);
            }
            Ok(both)
        }
        other => failed(format!("the model {other:?} has no limit here")),
    }
}

/// A wait to come always counts.
fn lawful(limits: Limits) -> Limits {
    Limits { time: limits.time.map(|(limit, _)| (limit, true)), ..limits }
}

fn stops(limits: Limits, attempt: u32, elapsed: f64, upcoming: f64) -> bool {
    let by_attempts = limits.attempts.map(|attempts| attempt >= attempts);
    let by_time = limits.time.map(|(limit, before)| elapsed + if before { upcoming } else { 0.0 } >= limit);
    let says: Vec<bool> = by_attempts.into_iter().chain(by_time).collect();
    if limits.all { !says.is_empty() && says.iter().all(|stop| *stop) } else { says.contains(&true) }
}

fn product(limits: Limits, attempt: u32, elapsed: f64, upcoming: f64, found: &mut Findings) -> Checked<bool> {
    let mut draft = match upcoming {
        0.0 => Policy::draft().immediate().attempts(u32::MAX),
        upcoming => Policy::draft().constant(duration(upcoming)).cap(std::time::Duration::MAX).no_jitter(),
    };
    draft = match limits.attempts {
        Some(attempts) => draft.attempts(attempts),
        None if upcoming > 0.0 => draft.unlimited_attempts(),
        None if limits.time.is_none() => {
            refused(draft.unlimited_attempts(), Rule::HotLoop)?;
            found.law(4, "no delay without a limit of attempts is refused; run with one that is far");
            draft
        }
        None => draft,
    };
    if let Some((limit, _)) = limits.time {
        draft = draft.within(duration(limit));
    }
    let Ok(policy) = draft.build() else { return failed("the builder refuses it") };
    let mut retry = Retry::start(&policy, Instant::from_micros(0));
    for _ in 1..attempt {
        if let Verdict::GiveUp(Reason::Attempts) =
            retry.next(&policy, Outcome::Throttle { retry_after: Micros::ZERO }, Instant::from_micros(0), 0)
        {
            return Ok(true);
        }
    }
    let now = Instant::from_micros(0).after(Micros::from_duration(duration(elapsed)));
    match retry.next(&policy, Outcome::Fail, now, 0) {
        Verdict::GiveUp(Reason::Attempts | Reason::Deadline) => Ok(true),
        Verdict::RetryAfter(_) => Ok(false),
        verdict => failed(format!("a verdict on limits; got {verdict:?}")),
    }
}
