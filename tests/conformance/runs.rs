//! A whole run of an operation: what it is given, what came of it, and what the rules say would.

use crate::case::Fields;
use crate::curve::Curve;
use crate::findings::{Checked, Law, failed};

/// What one call comes to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Step {
    /// Try again at once, and do not count it.
    ClientError,
    Fatal,
    /// A failure with a pause asked for, in nanoseconds.
    Hint(f64),
    Ok,
    /// The operation's own error says "cancelled"; nobody cancelled it.
    OwnCancel,
    Retry,
}

/// A run before it is made. Points count from its start, in nanoseconds.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) curve: Curve,
    /// `None` when unlimited.
    pub(crate) attempts: Option<u32>,
    /// The policy's own limit in time.
    pub(crate) within: Option<f64>,
    /// A limit from outside.
    pub(crate) deadline: Option<f64>,
    /// Before the first call; it comes before `within`, and after `deadline` has begun.
    pub(crate) first_delay: f64,
    /// Waits count from the beginning of a call and not from its end.
    pub(crate) fixed_rate: bool,
    /// This call (from 1) cancels before it returns; 0 is before the first.
    pub(crate) cancel: Option<u32>,
    pub(crate) work: f64,
    pub(crate) script: Vec<Step>,
    /// How the peer's rules differ from the laws.
    pub(crate) rules: Vec<Rule>,
}

impl Run {
    /// What the call (from 0) comes to; the last one repeats.
    pub(crate) fn step(&self, call: usize) -> Step {
        self.script.get(call).or(self.script.last()).copied().unwrap_or(Step::Retry)
    }
}

/// What came of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Told {
    pub(crate) attempts: u32,
    /// In nanoseconds.
    pub(crate) sleeps: Vec<f64>,
    pub(crate) result: &'static str,
}

/// A rule of a peer that a law contradicts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Rule {
    CallsWhenOver,
    CancelBeforeDeadline,
    CancelIsSuccess,
    CapEndsIt,
    ClientErrorsAreFree,
    ClipsTheWait,
    DeadlineIsCancel,
    HintReplaces,
    HintResets,
    NoFirstSleep,
    SleepsAfterLast,
    SleepsWhenCancelled,
    WaitMayEndAtLimit,
}

impl Rule {
    /// The law that contradicts it, and what it says.
    pub(crate) fn law(self) -> (Law, &'static str) {
        match self {
            Rule::CallsWhenOver => {
                (9, "a deadline or cancel that is there before the first call makes no call")
            }
            Rule::CancelBeforeDeadline => {
                (8, "the first that applies decides: no time left, before the wait that a cancel would end")
            }
            Rule::CancelIsSuccess => (9, "nothing reports success without a success: a cancel is a reason"),
            Rule::CapEndsIt => (1, "attempts(n) makes n calls; the cap ends nothing"),
            Rule::ClientErrorsAreFree => (1, "attempts are calls: every failure counts"),
            Rule::ClipsTheWait => (6, "a wait that does not fit is not begun, and not shortened"),
            Rule::DeadlineIsCancel => (9, "the reason is the deadline, and the last error is kept"),
            Rule::HintReplaces => (5, "a hint is a floor: it raises a wait and never lowers it"),
            Rule::HintResets => (5, "a hint moves the curve no differently"),
            Rule::NoFirstSleep => (4, "there is a wait before the first retry too"),
            Rule::SleepsAfterLast => (1, "no wait after the last attempt"),
            Rule::SleepsWhenCancelled => (9, "a cancel is a stop: no further wait"),
            Rule::WaitMayEndAtLimit => (6, "a wait that would end at the limit is not begun"),
        }
    }
}

/// A run by the laws, changed by these rules: plain code that does not look at the product. Ranges of
/// jitter count with their low end.
pub(crate) fn simulate(run: &Run, rules: &[Rule]) -> Told {
    let has = |rule| rules.contains(&rule);
    let over = if has(Rule::DeadlineIsCancel) { "cancelled" } else { "deadline" };
    let cancelled = if has(Rule::CancelIsSuccess) { "success" } else { "cancelled" };
    let mut told = Told { attempts: 0, sleeps: Vec::new(), result: over };
    // What is over before the first call: in its wait always, at once only for some peers.
    let anyway = has(Rule::CallsWhenOver) && run.first_delay == 0.0;
    if run.deadline.is_some_and(|deadline| deadline <= run.first_delay) && !anyway {
        return told;
    }
    if run.cancel == Some(0) && !anyway {
        return Told { result: cancelled, ..told };
    }
    if run.first_delay > 0.0 {
        told.sleeps.push(run.first_delay);
    }
    let (mut now, mut at, mut counted) = (run.first_delay, 0, 0);
    let mut begun = now;
    for call in 0..MANY {
        told.attempts += 1;
        now += run.work;
        let step = run.step(call);
        match step {
            Step::Ok => return Told { result: "success", ..told },
            Step::Fatal | Step::OwnCancel => return Told { result: "fatal", ..told },
            Step::ClientError if has(Rule::ClientErrorsAreFree) => continue,
            Step::ClientError | Step::Hint(_) | Step::Retry => {}
        }
        counted += 1;
        let last = run.attempts == Some(counted);
        if last && !has(Rule::SleepsAfterLast) {
            return Told { result: "exhausted", ..told };
        }
        let mut wait = run.curve.lawful(at).0;
        if let Step::Hint(hint) = step {
            wait = if has(Rule::HintReplaces) { hint } else { wait.max(hint) };
        }
        if has(Rule::NoFirstSleep) && counted == 1 {
            continue;
        }
        if run.fixed_rate {
            (begun, wait) = on_the_grid(begun, wait, now, step);
        }
        let is_cancelled = run.cancel.is_some_and(|call| told.attempts >= call);
        if is_cancelled && has(Rule::CancelBeforeDeadline) {
            return Told { result: cancelled, ..told };
        }
        match fits(run, rules, now, wait) {
            Ok(fitting) => wait = fitting,
            Err(result) => return Told { result: if result == "deadline" { over } else { result }, ..told },
        }
        if !is_cancelled || has(Rule::SleepsWhenCancelled) {
            told.sleeps.push(wait);
        }
        if is_cancelled {
            return Told { result: cancelled, ..told };
        }
        now += wait;
        let capped = has(Rule::CapEndsIt) && run.curve.value(at + 1) > run.curve.cap();
        if last || capped {
            return Told { result: "exhausted", ..told };
        }
        at = if has(Rule::HintResets) && matches!(step, Step::Hint(_)) { 0 } else { at + 1 };
    }
    Told { result: "no end", ..told }
}

/// Where the next call begins, and how long that is from now: at the first point of the grid that has not
/// passed. A hint counts from the answer that brought it.
fn on_the_grid(begun: f64, drawn: f64, now: f64, step: Step) -> (f64, f64) {
    let mut next = begun + drawn;
    while next < now && drawn > 0.0 {
        next += drawn;
    }
    let least = if let Step::Hint(hint) = step { hint } else { 0.0 };
    let next = next.max(now + least);
    (next, next - now)
}

/// More calls than any case makes.
const MANY: usize = 20_000;

/// The wait that is begun now, or how it ends.
fn fits(run: &Run, rules: &[Rule], now: f64, wait: f64) -> Result<f64, &'static str> {
    let mut wait = wait;
    if let Some(within) = run.within.map(|within| within + run.first_delay) {
        if rules.contains(&Rule::ClipsTheWait) {
            if now > within {
                return Err("exhausted");
            }
            wait = wait.min(within - now);
        } else if now + wait > within || now + wait == within && !rules.contains(&Rule::WaitMayEndAtLimit) {
            return Err("exhausted");
        }
    }
    match run.deadline {
        Some(deadline) if now + wait >= deadline => Err("deadline"),
        _ => Ok(wait),
    }
}

/// The script of a case: words, `x*` for ever, `x#n` n times.
pub(crate) fn script(case: &Fields) -> Checked<Vec<Step>> {
    let words = case.value("outcomes").and_then(|value| value.as_array()).cloned().unwrap_or_default();
    let mut script = Vec::new();
    for word in &words {
        let Some(word) = word.as_str() else { return failed(format!("outcome {word} is no text")) };
        let (word, repeated) = match word.rsplit_once('#') {
            Some((word, n)) => (word, n.parse::<usize>().unwrap_or(0)),
            None => (word.strip_suffix('*').unwrap_or(word), 1),
        };
        let step = step(word, case.scale())?;
        script.extend(std::iter::repeat_n(step, repeated));
    }
    if script.is_empty() { failed("outcomes are missing") } else { Ok(script) }
}

fn step(word: &str, scale: f64) -> Checked<Step> {
    if let Some(nanos) = word.strip_prefix("retry_after:") {
        return hint(nanos, scale);
    }
    if let Some(http) = word.strip_prefix("http") {
        let (status, header) = http.split_once(' ').unwrap_or((http, ""));
        return match (status, header.to_ascii_lowercase().split_once(':')) {
            (_, Some(("retry-after-ms" | "x-ms-retry-after-ms", ms))) => hint(ms, 1e6 * scale),
            (_, Some(("retry-after", seconds))) => hint(seconds, 1e9 * scale),
            ("408" | "429" | "500" | "502" | "503" | "504", None) => Ok(Step::Retry),
            (status, None) if status.starts_with('2') => Ok(Step::Ok),
            (status, None) if status.len() == 3 => Ok(Step::Fatal),
            _ => failed(format!("the outcome {word:?} is not understood")),
        };
    }
    match word {
        "ok" => Ok(Step::Ok),
        "retry" | "pending" => Ok(Step::Retry),
        "fatal" | "permanent" | "unrecoverable" => Ok(Step::Fatal),
        "client_error" => Ok(Step::ClientError),
        "operation_returns_cancelled" => Ok(Step::OwnCancel),
        _ => failed(format!("the outcome {word:?} is not understood")),
    }
}

/// Below zero and unreadable is no hint.
fn hint(number: &str, unit: f64) -> Checked<Step> {
    Ok(Step::Hint(number.trim().parse::<f64>().unwrap_or(0.0).max(0.0) * unit))
}
