//! A whole run through `undaunted::blocking`, on a clock that moves only when something sleeps or works.

use crate::build::duration;
use crate::findings::{Checked, failed};
use crate::runs::{Run, Step, Told};
use undaunted::{Event, GaveUp, Instant, Last, Micros, Outcome, Reason, Verdict, blocking};
use undaunted_tests::simulated::{Happened, World};

/// What the product did, and what it told.
pub(crate) struct Driven {
    pub(crate) told: Told,
    /// The call (from 0) whose error came last, where an error came last.
    pub(crate) last_error: Option<usize>,
    /// Every event: whether it had an error, and what was decided.
    pub(crate) events: Vec<(bool, Verdict)>,
}

/// The start of every run; not zero, so that a deadline can be behind it.
const START: u64 = 1 << 40;

/// Makes the run.
pub(crate) fn drive(run: &Run) -> Checked<Driven> {
    let mut draft = run.curve.draft(run.attempts.unwrap_or(1_000) as usize);
    draft = match run.attempts {
        Some(attempts) => draft.attempts(attempts),
        None => draft.unlimited_attempts(),
    };
    if let Some(within) = run.within {
        draft = draft.within(duration(within));
    }
    let policy = match draft.build() {
        Ok(policy) => policy,
        Err(invalid) => return failed(format!("a policy; got {}", invalid.rule.text())),
    };
    let world = World::default();
    world.pass(START);
    let deadline = match run.deadline {
        Some(deadline) => Instant::from_micros(START).after(Micros::from_duration(duration(deadline))),
        None => Instant::MAX,
    };
    let (mut calls, mut events) = (0, Vec::new());
    let outcome = blocking::retry(world.clone(), &policy, || {
        let call = calls;
        calls += 1;
        world.pass(Micros::from_duration(duration(run.work)).as_micros());
        if run.step(call) == Step::Ok { Ok(()) } else { Err(call) }
    })
    .classify(|result| result.map_or_else(|call| meaning(run.step(call)), |()| Outcome::Succeed))
    .on_event(|event: &Event<'_, usize>| events.push((event.error().is_some(), event.verdict)))
    .deadline(deadline)
    .report();
    let by_deadline = run.deadline.is_some_and(|point| run.within.is_none_or(|within| point <= within));
    let (result, last_error) = match &outcome {
        Ok(_) => ("success", None),
        Err(gave_up) => (word(gave_up, by_deadline), gave_up.error().copied()),
    };
    let attempts = outcome.as_ref().map_or_else(|gave_up| gave_up.attempts, |report| report.attempts);
    if attempts as usize != calls {
        return failed(format!("{calls} calls were made; got a report of {attempts}"));
    }
    let nothing = matches!(&outcome, Err(GaveUp { last: Last::Nothing, .. }));
    if nothing != (calls == 0) {
        return failed("nothing came last exactly when no call was made");
    }
    Ok(Driven { told: Told { attempts, sleeps: sleeps(&world), result }, last_error, events })
}

/// In nanoseconds.
fn sleeps(world: &World) -> Vec<f64> {
    let slept = |happened| match happened {
        Happened::Slept(micros, _) => Some(micros as f64 * 1e3),
        _ => None,
    };
    world.journal().into_iter().filter_map(slept).collect()
}

fn meaning(step: Step) -> Outcome {
    match step {
        Step::ClientError | Step::Retry => Outcome::Fail,
        Step::Fatal | Step::OwnCancel => Outcome::Abort,
        Step::Hint(nanos) => Outcome::Throttle { retry_after: Micros::from_duration(duration(nanos)) },
        Step::Ok => Outcome::Succeed,
    }
}

/// The README's word. Peers call their own limit in time "exhausted", and one from outside a deadline.
fn word(gave_up: &GaveUp<(), usize>, by_deadline: bool) -> &'static str {
    match gave_up.reason {
        Reason::Attempts => "exhausted",
        Reason::Cancelled => "cancelled",
        Reason::Deadline if by_deadline => "deadline",
        Reason::Deadline => "exhausted",
        Reason::Permanent => "fatal",
        _ => "another reason",
    }
}
