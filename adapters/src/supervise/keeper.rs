//! What both runtimes decide alike: the state of one supervised task.

use super::{Begun, Crash, Ended, Ran, Supervised};
use crate::classify::Classify;
use crate::event::{Event, Observe};
use crate::report::{GaveUp, Last, Report};
use crate::session::Runtime;
use crate::stop::Stop;
use std::vec::Vec;
use undaunted_core::{Instant, Micros, Outcome, Policy, Reason, Recovery, Restarts, Retry, Rng, Verdict};

/// The state of one supervised task.
pub(crate) struct Keeper<R> {
    runtime: R,
    recovery: Recovery,
    restarts: Restarts<Vec<Instant>>,
    rng: Rng,
    start: Instant,
    runs: u32,
}

/// What to do after a run.
pub(crate) enum After<T, E> {
    End(Supervised<T, E>),
    /// Run it again after this wait; whether it failed.
    Wait(Micros, bool),
}

impl<R: Runtime> Keeper<R> {
    /// Starts now; the first wait is that of the policy's `first_delay`.
    pub(crate) fn start(runtime: R, recovery: &Recovery, seed: Option<u64>) -> Keeper<R> {
        let start = runtime.now();
        let restarts = restarts(recovery, start);
        let rng = Rng::seeded(seed.unwrap_or_else(|| runtime.seed()));
        Keeper { runtime, recovery: *recovery, restarts, rng, start, runs: 0 }
    }

    /// The wait before the first run.
    pub(crate) fn first_wait(&mut self) -> Micros {
        let policy = self.recovery.policy();
        if policy.settings().first_delay == Micros::ZERO {
            return Micros::ZERO;
        }
        match Retry::first_wait(policy, Instant::MAX, self.runtime.now(), self.rng.draw()) {
            Verdict::RetryAfter(wait) => wait,
            Verdict::Done | Verdict::GiveUp(_) => Micros::ZERO,
        }
    }

    /// The first wait is over: time counts from here.
    pub(crate) fn start_now(&mut self) {
        self.start = self.runtime.now();
        self.restarts = restarts(&self.recovery, self.start);
    }

    /// A run begins, that is told to end by this.
    pub(crate) fn begin(&mut self, stop: Stop, now: fn() -> Instant) -> Begun {
        self.runs = self.runs.saturating_add(1);
        Begun::new(self.runtime.now(), stop, now)
    }

    /// A run ended: classified, decided, told.
    pub(crate) fn settle<T, E>(
        &mut self,
        healthy: Micros,
        ran: Ran<T, E>,
        always: bool,
        classify: &mut impl Classify<Ran<T, E>>,
        observe: &mut impl Observe<Crash<E>>,
    ) -> After<T, E> {
        let now = self.runtime.now();
        let outcome = match (classify.outcome(&ran), &ran) {
            // A classifier that calls a failure a clean end: there is no value to hand out.
            (Outcome::Succeed, Err(_)) => Outcome::Abort,
            (outcome, _) => outcome,
        };
        let clean = outcome == Outcome::Succeed;
        let verdict = match outcome {
            Outcome::Succeed if always => self.restarts.again(&self.recovery, healthy, now, self.rng.draw()),
            Outcome::Succeed | Outcome::Abort => self.restarts.next(&self.recovery, outcome, healthy, now, 0),
            _ => self.restarts.next(&self.recovery, outcome, healthy, now, self.rng.draw()),
        };
        let last = match ran {
            Err(crash) => Last::Error(crash),
            Ok(value) if clean => Last::Finished(value),
            Ok(value) => Last::NotYet(value),
        };
        self.tell(observe, verdict, last.shown());
        match (verdict, last) {
            (Verdict::RetryAfter(wait), last) => After::Wait(wait, !matches!(last, Last::Finished(_))),
            (Verdict::Done, Last::Finished(value)) => After::End(Ok(Ended::Finished(value))),
            (Verdict::GiveUp(reason), last) => After::End(Err(self.gave_up(reason, last))),
            // Done follows a clean end alone, see above.
            (Verdict::Done, last) => After::End(Err(self.gave_up(Reason::Permanent, last))),
        }
    }

    /// How long a run that ends now was healthy.
    pub(crate) fn health(&self, begun: &Begun, at_once: bool) -> Micros {
        begun.healthy_since(at_once).map_or(Micros::ZERO, |since| self.runtime.now().since(since))
    }

    /// It was told to stop while it ran, and this is how it ended. A failure on the way out is one.
    pub(crate) fn stopped<T, E>(
        &mut self,
        ran: Option<Ran<T, E>>,
        observe: &mut impl Observe<Crash<E>>,
    ) -> Supervised<T, E> {
        let last = match ran {
            Some(Ok(value)) => {
                self.tell(observe, Verdict::GiveUp(Reason::Cancelled), Last::Finished(()));
                return Ok(Ended::Finished(value));
            }
            Some(Err(crash)) => Last::Error(crash),
            None => Last::Cut,
        };
        // It was an attempt, and the last.
        let _ = self.restarts.next(&self.recovery, Outcome::Abort, Micros::ZERO, self.start, 0);
        self.end(Reason::Cancelled, last, observe)
    }

    /// It is not run again.
    pub(crate) fn end<T, E>(
        &mut self,
        reason: Reason,
        last: Last<T, Crash<E>>,
        observe: &mut impl Observe<Crash<E>>,
    ) -> Supervised<T, E> {
        self.tell(observe, Verdict::GiveUp(reason), last.shown());
        Err(self.gave_up(reason, last))
    }

    /// What is left of a wait once the gate is open, which began to be asked at `asked`. One that was open at its
    /// first probe kept nobody from running, so that the wait holds; one that was shut was the reason.
    pub(crate) fn left<T>(&self, wait: Micros, asked: Instant, gate: &Report<T>) -> Micros {
        match gate.attempts {
            0 | 1 => (asked + wait).since(self.runtime.now()),
            _ => Micros::ZERO,
        }
    }

    fn tell<E>(&self, observe: &mut impl Observe<Crash<E>>, verdict: Verdict, last: Last<(), &Crash<E>>) {
        let policy: &Policy = self.recovery.policy();
        observe.event(&Event {
            attempt: self.restarts.attempts(),
            limit: policy.settings().attempts,
            last,
            verdict,
            elapsed: self.runtime.now().since(self.start),
        });
    }

    fn gave_up<T, E>(&self, reason: Reason, last: Last<T, Crash<E>>) -> GaveUp<T, Crash<E>> {
        let elapsed = self.runtime.now().since(self.start);
        GaveUp { last, reason, attempts: self.runs, elapsed }
    }
}

/// With as much memory as the intensity asks for.
fn restarts(recovery: &Recovery, start: Instant) -> Restarts<Vec<Instant>> {
    let room = recovery.settings().intensity.map_or(0, |intensity| intensity.restarts as usize);
    let mut memory = Vec::new();
    memory.resize(room, Instant::default());
    Restarts::start(recovery, start, memory)
        .unwrap_or_else(|_| unreachable!("the memory has the room that the intensity asks for"))
}
