//! A whole run through `undaunted::blocking` and `undaunted::asynch`, on a clock that moves only when something
//! sleeps or works.

use crate::build::duration;
use crate::findings::{Checked, failed};
use crate::runs::{Run, Step, Told};
use std::cell::Cell;
use std::future::{poll_fn, ready};
use std::rc::Rc;
use std::task::Poll;
use undaunted::{
    Event, GaveUp, Instant, Last, Micros, Outcome, Policy, Reason, Report, Runtime, Verdict, asynch, blocking,
};
use undaunted_tests::simulated::{Happened, World, block_on};

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

/// Makes the run, blocking and asynchronous, which must come out the same.
pub(crate) fn drive(run: &Run) -> Checked<Driven> {
    let mut draft = run.curve.draft(run.attempts.unwrap_or(1_000) as usize);
    draft = match run.attempts {
        Some(attempts) => draft.attempts(attempts),
        None => draft.unlimited_attempts(),
    };
    if let Some(within) = run.within {
        draft = draft.within(duration(within));
    }
    if run.first_delay > 0.0 {
        draft = draft.first_delay(duration(run.first_delay));
    }
    let policy = match draft.build() {
        Ok(policy) => policy,
        Err(invalid) => return failed(format!("a policy; got {}", invalid.rule.text())),
    };
    let [blocking, asynchronous] = [Way::Blocking, Way::Asynchronous].map(|way| once(run, &policy, way));
    let (blocking, asynchronous) = (blocking?, asynchronous?);
    let same = blocking.told == asynchronous.told
        && blocking.last_error == asynchronous.last_error
        && blocking.events == asynchronous.events;
    if !same {
        return failed(format!("the same asynchronous: {:?}; got {:?}", blocking.told, asynchronous.told));
    }
    Ok(blocking)
}

#[derive(Clone, Copy, PartialEq)]
enum Way {
    Asynchronous,
    Blocking,
}

fn once(run: &Run, policy: &Policy, way: Way) -> Checked<Driven> {
    let world = World::default();
    world.pass(START);
    let deadline = match run.deadline {
        Some(deadline) => Instant::from_micros(START).after(Micros::from_duration(duration(deadline))),
        None => Instant::MAX,
    };
    let (mut calls, mut events) = (0, Vec::new());
    let cancelled = Rc::new(Cell::new(run.cancel == Some(0)));
    let operation = || {
        let call = calls;
        calls += 1;
        world.pass(Micros::from_duration(duration(run.work)).as_micros());
        cancelled.set(cancelled.get() || run.cancel == Some(calls as u32));
        if run.step(call) == Step::Ok { Ok(()) } else { Err(call) }
    };
    let classify = |result: &Result<(), usize>| {
        result.as_ref().map_or_else(|call| meaning(run.step(*call)), |()| Outcome::Succeed)
    };
    let observe = |event: &Event<'_, usize>| events.push((event.error().is_some(), event.verdict));
    // Whoever cannot be cancelled takes the way of those who cannot.
    let outcome: Result<Report<()>, GaveUp<(), usize>> = match (way, run.cancel) {
        (Way::Blocking, None) => {
            let retry = blocking::retry(world.clone(), policy, operation).deadline(deadline);
            let retry = retry.classify(classify).on_event(observe);
            if run.fixed_rate { retry.fixed_rate().report() } else { retry.report() }
        }
        (Way::Blocking, Some(_)) => {
            let runtime = Cancellable { world: world.clone(), cancelled: cancelled.clone() };
            let retry = blocking::retry(runtime, policy, operation).deadline(deadline);
            let retry = retry.classify(classify).on_event(observe);
            if run.fixed_rate { retry.fixed_rate().report() } else { retry.report() }
        }
        (Way::Asynchronous, cancel) => {
            let mut operation = operation;
            let retry = asynch::retry(world.clone(), policy, || ready(operation())).deadline(deadline);
            let retry = retry.classify(classify).on_event(observe);
            let token = || poll_fn(|_| if cancelled.get() { Poll::Ready(()) } else { Poll::Pending });
            match (cancel, run.fixed_rate) {
                (None, false) => block_on(retry.report()),
                (None, true) => block_on(retry.fixed_rate().report()),
                (Some(_), false) => block_on(retry.cancel(token()).report()),
                (Some(_), true) => block_on(retry.fixed_rate().cancel(token()).report()),
            }
        }
    };
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
    let cancels = events.iter().filter(|(_, verdict)| *verdict == Verdict::GiveUp(Reason::Cancelled)).count();
    if cancels != usize::from(result == "cancelled") {
        return failed(format!("one event says that it was cancelled, if it was; got {cancels}"));
    }
    Ok(Driven { told: Told { attempts, sleeps: sleeps(&world), result }, last_error, events })
}

/// The world, whose waits end when somebody cancels.
struct Cancellable {
    world: World,
    cancelled: Rc<Cell<bool>>,
}

impl Runtime for Cancellable {
    fn now(&self) -> Instant {
        Runtime::now(&self.world)
    }

    fn seed(&self) -> u64 {
        self.world.seed()
    }
}

impl blocking::Sleep for Cancellable {
    const CANCELS: bool = true;

    fn sleep(&self, length: Micros) {
        if !self.cancelled.get() {
            blocking::Sleep::sleep(&self.world, length);
        }
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.get()
    }
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
