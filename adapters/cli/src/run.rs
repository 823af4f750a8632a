//! `undaunted run`: retries a command, or keeps it running.

mod args;
mod child;
mod course;
mod engine;
mod gate;
mod hint;
mod input;
mod notify;
mod output;
mod signals;
mod statuses;
mod teller;
mod tree;

pub(crate) use args::Run;

use crate::failure::Failure;
use crate::{Trouble, UNABLE, policy, say};
use args::Restart;
use child::Program;
use course::{Course, Kind};
use engine::{Engine, Ran};
use gate::Gate;
use hint::Hint;
use input::Input;
use nix::sys::signal::Signal;
use output::Output;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::time::{Duration, Instant};
use teller::Teller;
use undaunted::{Event, Last, Micros, Outcome, Policy, Reason, Recovery, Verdict};

/// The status of who gave up without a failure to show for it: too many clean ends.
const GAVE_UP: i32 = 1;

/// Runs the command under the policy and answers the exit code.
pub(crate) fn run(args: &Run) -> Result<i32, Trouble> {
    let kind = kind(args)?;
    let gate_policy = policy::said(std::slice::from_ref(&args.gate_policy))?;
    let gate = gate(args)?;
    let ready = Engine::new(args.grace.as_duration(), args.supervise).and_then(|mut engine| {
        let input = Input::of(args.stdin, |stream| engine.ready(stream))?;
        Ok((input, Output::of(args.output)?, engine))
    });
    let (input, output, engine) = match ready {
        Ok(ready) => ready,
        Err(error) => {
            say(format_args!("{error}"));
            return Ok(UNABLE);
        }
    };
    let program = Program { command: &args.command, input: &input, output: &output, listens: true };
    let course = Course::start(kind, args.seed);
    let mut job = Job {
        args,
        gate,
        gate_policy,
        program,
        engine,
        hint: Hint::new(),
        teller: Teller::new(args.events, args.quiet),
        course: if is_at_fixed_rate(args)? { course.at_fixed_rate() } else { course },
    };
    let code = job.drive();
    Ok(match output.show() {
        // Who stops reading has seen enough; the command did what it did.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            say(format_args!("cannot show the output: {error}"));
            if code == 0 { UNABLE } else { code }
        }
        _ => code,
    })
}

/// What [`run`] finds wrong before it does anything.
pub(crate) fn check(args: &Run) -> Result<(), Trouble> {
    kind(args)?;
    policy::said(std::slice::from_ref(&args.gate_policy))?;
    gate(args)?;
    is_at_fixed_rate(args)?;
    Ok(())
}

fn gate(args: &Run) -> Result<Option<Gate>, Trouble> {
    args.gate.as_deref().map(Gate::parse).transpose().map_err(Trouble::Usage)
}

/// What is to be kept to: a policy, or a recovery.
fn kind(args: &Run) -> Result<Kind, Trouble> {
    if !args.supervise {
        let mut policy = policy::policy(&args.source)?;
        if let Some(timeout) = args.attempt_timeout {
            policy = policy::with_timeout(policy, timeout)?;
        }
        return Ok(Kind::Policy(policy));
    }
    let meant = policy::meant(&args.source)?;
    if meant.policy.settings().attempt_timeout.is_some() {
        let text = "attempt_timeout has no meaning with --supervise: a run that is kept up may last for ever";
        return Err(Trouble::Usage(text.into()));
    }
    recovery(&meant, args).map(Kind::Recovery)
}

/// Said, or as the preset is used where it comes from.
fn is_at_fixed_rate(args: &Run) -> Result<bool, Trouble> {
    match &args.source.preset {
        Some(name) if !args.supervise => Ok(args.fixed_rate || policy::preset(name)?.fixed_rate),
        _ => Ok(args.fixed_rate),
    }
}

/// The words of a recovery are in the policy's text or options of their own, not both.
fn recovery(meant: &policy::Meant, args: &Run) -> Result<Recovery, Trouble> {
    match meant.recovery {
        Some(recovery) if args.healthy_after.is_none() && args.intensity.is_none() => return Ok(recovery),
        Some(recovery) => {
            let text = "--healthy-after or --intensity was said, and their words in the policy: say them in one place";
            return Err(Trouble::Usage(format!("{text}\n  {recovery}")));
        }
        None => {}
    }
    let mut draft = Recovery::draft(meant.policy);
    if let Some(healthy) = args.healthy_after {
        draft = draft.reset_after(healthy.as_duration());
    }
    if let Some(intensity) = args.intensity {
        draft = draft.intensity(intensity.restarts, intensity.window.as_duration());
    }
    draft.build().map_err(|invalid| Trouble::Usage(invalid.to_string()))
}

/// One command, and all that it takes to run it again and again.
struct Job<'a> {
    args: &'a Run,
    gate: Option<Gate>,
    gate_policy: Policy,
    program: Program<'a>,
    engine: Engine,
    hint: Hint,
    teller: Teller,
    course: Course,
}

impl Job<'_> {
    /// Attempt after attempt, until it is over; answers the exit code.
    fn drive(&mut self) -> i32 {
        let first = self.course.first_wait();
        if !self.sleep(first) {
            return self.stopped_before(Last::Nothing);
        }
        self.course.begin();
        loop {
            let ran = self.attempt();
            if self.engine.stopping().is_some() {
                return self.stopped(ran);
            }
            let outcome = self.outcome(&ran);
            let again = self.args.restart == Restart::Always;
            let verdict = self.course.settle(outcome, ran.lasted, again);
            let failure = ran.result.err();
            self.tell(verdict, &last(outcome, failure.as_ref()));
            let wait = match verdict {
                Verdict::Done => return 0,
                Verdict::GiveUp(_) => return failure.map_or(GAVE_UP, |failure| failure.code()),
                Verdict::RetryAfter(wait) => wait,
            };
            if let Some(code) = self.pause(wait, failure) {
                return code;
            }
        }
    }

    /// One run of the command, with what it may know.
    fn attempt(&mut self) -> Ran {
        let (number, limit, left) =
            (self.course.attempts() + 1, self.course.limit(), self.course.time_left());
        let text = |number: u32| OsString::from(number.to_string());
        let environment = vec![
            ("UNDAUNTED_ATTEMPT", Some(text(number))),
            ("UNDAUNTED_ATTEMPTS", limit.map(text)),
            ("UNDAUNTED_TIME_LEFT", left.map(|left| left.to_string().into())),
            ("UNDAUNTED_HINT_FILE", self.hint.fresh()),
        ];
        let limit = left.map(Micros::as_duration);
        self.engine.run(&self.program, environment, limit, self.args.supervise)
    }

    /// What the end of an attempt means.
    fn outcome(&self, ran: &Ran) -> Outcome {
        let Err(failure) = &ran.result else { return Outcome::Succeed };
        let refused =
            self.args.retry_on.as_ref().is_some_and(|list| !failure.is_cut() && !list.have(failure));
        let ending = self.args.stop_on.as_ref().is_some_and(|list| list.have(failure));
        if refused || ending || !failure.may_pass() {
            return Outcome::Abort;
        }
        self.hint.outcome().unwrap_or_else(|unreadable| {
            self.teller.remark(&unreadable);
            Outcome::Fail
        })
    }

    /// Waits until the next attempt is due; the exit code when there is to be none.
    fn pause(&mut self, wait: Micros, failure: Option<Failure>) -> Option<i32> {
        let asked = Instant::now();
        let mut left = wait.as_duration();
        if let (Some(mut gate), Some(_)) = (self.gate.take(), &failure) {
            let found = self.open(&mut gate);
            self.gate = Some(gate);
            match found {
                Found::Open => left = left.saturating_sub(asked.elapsed()),
                Found::Opened => left = Duration::ZERO,
                Found::Shut if self.engine.stopping().is_none() => {
                    return Some(failure.map_or(GAVE_UP, |failure| failure.code()));
                }
                Found::Shut => {}
            }
        }
        if !self.sleep(Micros::from_duration(left)) {
            return Some(self.stopped_before(last(Outcome::Succeed, failure.as_ref())));
        }
        if self.course.is_over() {
            self.tell(Verdict::GiveUp(Reason::Deadline), &last(Outcome::Fail, failure.as_ref()));
            return Some(failure.map_or(GAVE_UP, |failure| failure.code()));
        }
        None
    }

    /// Asks the gate until it is open.
    fn open(&mut self, gate: &mut Gate) -> Found {
        let mut course = Course::start(Kind::Policy(self.gate_policy), self.args.seed);
        let mut wait = course.first_wait();
        loop {
            if !self.sleep(wait) {
                return Found::Shut;
            }
            if course.attempts() == 0 {
                course.begin();
            }
            let limit = course.time_left().map(Micros::as_duration);
            let (outcome, failure) = gate.ask(&mut self.engine, limit);
            if self.engine.stopping().is_some() {
                return Found::Shut;
            }
            let verdict = course.settle(outcome, Duration::ZERO, false);
            self.teller.event(Some("gate"), &course.event(verdict, last(outcome, failure.as_ref())));
            wait = match verdict {
                Verdict::RetryAfter(wait) => wait,
                Verdict::Done if course.attempts() == 1 => return Found::Open,
                Verdict::Done => return Found::Opened,
                Verdict::GiveUp(_) => return Found::Shut,
            };
        }
    }

    /// A signal ended it while the command ran: the status is the command's own.
    fn stopped(&mut self, ran: Ran) -> i32 {
        let failure = ran.result.err();
        let outcome = if failure.is_none() { Outcome::Succeed } else { Outcome::Fail };
        let mut event =
            self.course.event(Verdict::GiveUp(Reason::Cancelled), last(outcome, failure.as_ref()));
        event.attempt = event.attempt.saturating_add(1);
        self.teller.event(None, &event);
        failure.map_or(0, |failure| failure.code())
    }

    /// A signal ended it while nothing ran.
    fn stopped_before(&self, last: Last<(), &Failure>) -> i32 {
        self.tell(Verdict::GiveUp(Reason::Cancelled), &last);
        self.engine.stopping().map_or(GAVE_UP, |signal: Signal| 128 + signal as i32)
    }

    fn sleep(&mut self, wait: Micros) -> bool {
        let teller = &self.teller;
        let slept = self.engine.sleep(wait.as_duration(), |left| teller.count(left));
        teller.counted();
        slept
    }

    fn tell(&self, verdict: Verdict, last: &Last<(), &Failure>) {
        let event: Event<'_, Failure> = self.course.event(verdict, *last);
        self.teller.event(None, &event);
    }
}

/// How the gate was found.
enum Found {
    /// Open at once: it was not the reason.
    Open,
    /// Shut at first.
    Opened,
    /// It gave up, or a signal ended it.
    Shut,
}

fn last(outcome: Outcome, failure: Option<&Failure>) -> Last<(), &Failure> {
    match failure {
        Some(Failure::Cut) => Last::Cut,
        Some(failure) => Last::Error(failure),
        None if outcome == Outcome::Succeed => Last::Finished(()),
        None => Last::Nothing,
    }
}
