//! What the device must have reported: worked out by the twin, from what the server did and when the device says so.
//!
//! Exact: every line, and with it the number of attempts, faults, verdicts, waits to the microsecond, reasons, and the
//! exit code. That nothing is early: no attempt before its wait is over, none cut before its limit. How late the
//! device may be depends on the machine that emulates it, so only the most punctual of all waits is checked, and coarsely.

use crate::device::Line;
use crate::draws::Draws;
use crate::play::{Played, elapsed};
use crate::scenarios::{End, Scenario};
use crate::script::{Report, TwinRetry};
use crate::server::Behaviour;
use crate::twin::Twin;
use undaunted_core::{Micros, Outcome, Reason, Verdict};

/// The device's clock counts milliseconds.
const TICK: u64 = 1_000;

/// What was found.
#[derive(Clone, Copy, Debug, Default)]
pub struct Found {
    /// The calls made.
    pub attempts: u32,
    /// The sum of the waits as told.
    pub told: u64,
    /// And as they lasted.
    pub lasted: u64,
    /// Whether a wait lasted less than half again as long as it was told.
    pub punctual: bool,
}

/// Compares a report with what it must be.
///
/// # Errors
/// What differs.
pub fn check(scenario: &Scenario, played: &Played) -> Result<Found, String> {
    let twin = Twin::new(scenario.said).map_err(|broken| format!("the policy: {broken:?}"))?;
    let mut lines = played.lines.iter();
    let mut line = || lines.next().ok_or("the report ends too early");
    line()?; // the policy
    let mut attempts = Attempts::new(scenario, &twin);
    let end = loop {
        match attempts.next(line()?, line()?)? {
            Verdict::RetryAfter(_) => {}
            end => break end,
        }
    };
    let last = line()?;
    attempts.check_last(last, end)?;
    expect("the exit code", &played.code, &code(end))?;
    expect("what is left of the report", &lines.collect::<Vec<_>>(), &Vec::new())?;
    attempts.all_used()?;
    Ok(attempts.found)
}

/// The attempts of a report, from the first on.
struct Attempts<'a> {
    scenario: &'a Scenario,
    twin: &'a Twin,
    retry: TwinRetry<'a>,
    draws: Draws,
    /// When the first began, by the device's clock.
    start: Option<u64>,
    /// The event before, and the wait that it told.
    before: Option<(u64, u64)>,
    elapsed: u64,
    found: Found,
}

impl<'a> Attempts<'a> {
    fn new(scenario: &'a Scenario, twin: &'a Twin) -> Attempts<'a> {
        Attempts {
            scenario,
            twin,
            retry: TwinRetry::start(twin, 0, u64::MAX),
            draws: Draws::seeded(scenario.seed),
            start: None,
            before: None,
            elapsed: 0,
            found: Found::default(),
        }
    }

    /// One attempt: the line at its begin, and its event.
    fn next(&mut self, begin: &Line, event: &Line) -> Result<Verdict, String> {
        let number = self.found.attempts + 1;
        expect("a line", begin.text.as_str(), &format!("attempt {number} begins"))?;
        self.found.attempts = number;
        let behaviour = self.scenario.server.get(number as usize - 1);
        let behaviour = *behaviour.ok_or(format!("attempt {number} is one too many"))?;
        let (text, elapsed) = elapsed(event).ok_or(format!("no event: {:?}", event.text))?;
        self.check_wait(begin)?;
        self.check_time(behaviour, begin, event, elapsed)?;
        let outcome = outcome(behaviour);
        let verdict =
            self.retry.next(Report { outcome, now: elapsed, random: self.draws.for_outcome(outcome) });
        expect("an event", text, &self.event(behaviour, verdict, elapsed))?;
        self.before = match verdict {
            Verdict::RetryAfter(wait) => Some((event.at, wait.as_micros())),
            Verdict::Done | Verdict::GiveUp(_) => None,
        };
        self.elapsed = elapsed;
        Ok(verdict)
    }

    /// The wait before an attempt lasted as long as it was told, at least.
    fn check_wait(&mut self, begin: &Line) -> Result<(), String> {
        let Some((told_at, told)) = self.before else { return Ok(()) };
        let lasted = begin.at - told_at;
        self.found.told += told;
        self.found.lasted += lasted;
        self.found.punctual |= lasted < told + told / 2;
        match lasted >= told {
            true => Ok(()),
            false => Err(format!("{:?} is early: {lasted} us after a wait of {told} us", begin.text)),
        }
    }

    /// The elapsed time agrees with the time stamps, and what is cut had its time.
    fn check_time(
        &mut self,
        behaviour: Behaviour,
        begin: &Line,
        event: &Line,
        elapsed: u64,
    ) -> Result<(), String> {
        let start = *self.start.get_or_insert(begin.at);
        let (least, most) = (begin.at - start, event.at - start + TICK);
        if !(least..=most).contains(&elapsed) {
            return Err(format!("{:?}: by the time stamps it is {least} to {most} us", event.text));
        }
        let limit = self.twin.attempt_timeout.unwrap_or(u64::MAX);
        let limit = limit.min(self.twin.within.map_or(u64::MAX, |within| within.saturating_sub(least)));
        match behaviour {
            Behaviour::IsSilent if event.at - begin.at < limit => {
                Err(format!("{:?} is early: the limit is {limit} us", event.text))
            }
            _ => Ok(()),
        }
    }

    /// The text of an event.
    fn event(&self, behaviour: Behaviour, verdict: Verdict, elapsed: u64) -> String {
        let number = self.found.attempts;
        let limit = self.twin.attempts.map_or(String::new(), |limit| format!("/{limit}"));
        let happened = match fault(behaviour) {
            None => String::new(),
            Some(Fault::Cut) => " was cut at its limit".into(),
            Some(Fault::Error(error)) => format!(" failed: {error}"),
        };
        let decided = match verdict {
            Verdict::Done => format!(" succeeded after {elapsed} us"),
            Verdict::RetryAfter(wait) => format!("; next in {} us", wait.as_micros()),
            Verdict::GiveUp(reason) => format!("; giving up after {elapsed} us: {reason:?}"),
        };
        format!("attempt {number}{limit}{happened}{decided}")
    }

    /// What the device says at the end. It looks at the clock once more.
    fn check_last(&self, line: &Line, end: Verdict) -> Result<(), String> {
        let (before, after) = line.text.rsplit_once(", elapsed: ").ok_or("no last line")?;
        expect("the last line", before, &self.last(end))?;
        let elapsed = after.strip_suffix(" us }").and_then(|elapsed| elapsed.parse().ok());
        let times = self.elapsed..=line.at - self.start.unwrap_or(0) + TICK;
        match elapsed.is_some_and(|elapsed: u64| times.contains(&elapsed)) {
            true => Ok(()),
            false => Err(format!("{:?}: the time is not in {times:?}", line.text)),
        }
    }

    fn last(&self, end: Verdict) -> String {
        let attempts = self.found.attempts;
        let behaviour = self.scenario.server[attempts as usize - 1];
        match (end, behaviour, fault(behaviour)) {
            (Verdict::Done, Behaviour::Answers(value), None) => {
                format!("Report {{ value: {value}, attempts: {attempts}")
            }
            (Verdict::GiveUp(reason), _, Some(fault)) => {
                let last = match fault {
                    Fault::Cut => "Cut".into(),
                    Fault::Error(error) => format!("Error({error})"),
                };
                format!("GaveUp {{ last: {last}, reason: {reason:?}, attempts: {attempts}")
            }
            _ => unreachable!("an answer is a success, and nothing else is"),
        }
    }

    /// It ended as the scenario says, and with its last attempt.
    fn all_used(&self) -> Result<(), String> {
        let expected = match self.scenario.end {
            End::GiveUp(reason) => Verdict::GiveUp(reason),
            End::OutOfTime => Verdict::GiveUp(Reason::Deadline),
            End::Value(_) => Verdict::Done,
        };
        expect("the end", &self.retry.stopped, &Some(expected))?;
        let all = self.scenario.server.len() as u32;
        match self.scenario.end {
            End::OutOfTime => Ok(()),
            _ => expect("the number of attempts", &self.found.attempts, &all),
        }
    }
}

/// What a device makes of a behaviour.
enum Fault {
    Cut,
    Error(String),
}

fn fault(behaviour: Behaviour) -> Option<Fault> {
    let error = match behaviour {
        Behaviour::Answers(_) => return None,
        Behaviour::IsSilent => return Some(Fault::Cut),
        Behaviour::Busy(millis) => format!("Busy({} us)", u64::from(millis) * 1_000),
        Behaviour::Denies => "Denied".into(),
        Behaviour::Garbles => "Garbled".into(),
        Behaviour::Halves => "Closed".into(),
        Behaviour::Refuses => "Connect(ConnectionReset)".into(),
        Behaviour::Resets => "Reset".into(),
    };
    Some(Fault::Error(error))
}

fn outcome(behaviour: Behaviour) -> Outcome {
    match behaviour {
        Behaviour::Answers(_) => Outcome::Succeed,
        Behaviour::Busy(millis) => Outcome::Throttle { retry_after: Micros::from_millis(millis.into()) },
        Behaviour::Denies => Outcome::Abort,
        _ => Outcome::Fail,
    }
}

/// What the device ends with; its source says the same.
fn code(end: Verdict) -> i32 {
    match end {
        Verdict::GiveUp(Reason::Attempts) => 10,
        Verdict::GiveUp(Reason::Deadline) => 11,
        Verdict::GiveUp(Reason::Hint) => 12,
        Verdict::GiveUp(Reason::Permanent) => 13,
        Verdict::GiveUp(_) => 19,
        Verdict::Done | Verdict::RetryAfter(_) => 0,
    }
}

fn expect<T: PartialEq + std::fmt::Debug + ?Sized>(what: &str, is: &T, must_be: &T) -> Result<(), String> {
    match is == must_be {
        true => Ok(()),
        false => Err(format!("{what} is {is:?}, not {must_be:?}")),
    }
}
