//! What the blocking and the asynchronous loops share: one operation's life on some clock.

use crate::classify::{Attempt, Classify, Operation};
use crate::event::{Event, Observe};
use crate::report::{GaveUp, Last, Settled};
use core::marker::PhantomData;
use undaunted_core::{Instant, Micros, Outcome, Policy, Reason, Retry, Rng, Verdict};

/// A clock and a source of seeds: the part of a runtime that does not wait.
///
/// An implementation MUST keep to this:
/// * [`now`](Runtime::now) is monotonic, and all its instants are on one epoch for the whole process,
///   so that a nested retry can take over a deadline.
/// * [`seed`](Runtime::seed) differs between the members of a fleet, and between sessions of one.
///   It is asked once a session, at its first failure, and only if no seed was given.
pub trait Runtime {
    /// The time now.
    fn now(&self) -> Instant;

    /// A seed for the jitter of one session.
    fn seed(&self) -> u64;
}

/// The state of one operation: the core's, the generator, and when it started.
#[derive(Clone, Debug)]
pub(crate) struct Life {
    pub(crate) retry: Retry,
    pub(crate) start: Instant,
    pub(crate) deadline: Instant,
    pub(crate) rng: Option<Rng>,
}

impl Life {
    #[inline(always)]
    pub(crate) fn new(policy: &Policy) -> Life {
        let start = Instant::default();
        Life { retry: Retry::start(policy, start), start, deadline: Instant::MAX, rng: None }
    }

    /// The first attempt begins at `now`.
    #[inline(always)]
    pub(crate) fn begin(&mut self, policy: &Policy, now: Instant) {
        self.start = now;
        self.retry = Retry::start_before(policy, now, self.deadline);
    }

    /// Draws the wait before the first attempt; none for a policy without a `first_delay`.
    #[inline(always)]
    pub(crate) fn first_wait(&mut self, policy: &Policy, runtime: &impl Runtime) -> Option<Verdict> {
        if policy.settings().first_delay == Micros::ZERO {
            return None;
        }
        let random = self.draw(runtime);
        Some(Retry::first_wait(policy, self.deadline, runtime.now(), random))
    }

    /// Decides. A draw and a look at the clock are due only after a failure.
    #[inline(always)]
    pub(crate) fn settle(&mut self, policy: &Policy, runtime: &impl Runtime, outcome: Outcome) -> Verdict {
        match outcome {
            Outcome::Abort | Outcome::Succeed => self.retry.next(policy, outcome, self.start, 0),
            Outcome::Fail | Outcome::Throttle { .. } => {
                let random = self.draw(runtime);
                self.retry.next(policy, outcome, runtime.now(), random)
            }
        }
    }

    #[inline(always)]
    fn draw(&mut self, runtime: &impl Runtime) -> u32 {
        self.rng.get_or_insert_with(|| Rng::seeded(runtime.seed())).draw()
    }

    #[inline(always)]
    pub(crate) fn elapsed(&self, runtime: &impl Runtime) -> Micros {
        runtime.now().since(self.start)
    }

    #[inline(always)]
    pub(crate) fn settled(&self, runtime: &impl Runtime, verdict: Verdict) -> Settled {
        Settled { verdict, attempts: self.retry.attempts(), elapsed: self.elapsed(runtime) }
    }

    /// How things stand: what it stopped with, or that the next attempt is due after a wait.
    pub(crate) fn standing(&self, runtime: &impl Runtime, wait: Micros) -> Settled {
        self.settled(runtime, self.retry.stopped().unwrap_or(Verdict::RetryAfter(wait)))
    }

    pub(crate) fn gave_up<T, E>(
        &self,
        runtime: &impl Runtime,
        reason: Reason,
        last: Last<T, E>,
    ) -> GaveUp<T, E> {
        GaveUp { last, reason, attempts: self.retry.attempts(), elapsed: self.elapsed(runtime) }
    }
}

/// What a `retry` was told: everything but the state.
#[derive(Debug)]
pub(crate) struct Setup<R, P, O, A, C, H> {
    pub(crate) runtime: R,
    pub(crate) policy: P,
    pub(crate) operation: O,
    pub(crate) classify: C,
    pub(crate) observe: H,
    pub(crate) args: PhantomData<fn() -> A>,
}

impl<R, P, O, A, C, H> Setup<R, P, O, A, C, H> {
    pub(crate) fn classify<D>(self, classify: D) -> Setup<R, P, O, A, D, H> {
        let Setup { runtime, policy, operation, observe, args, .. } = self;
        Setup { runtime, policy, operation, classify, observe, args }
    }

    pub(crate) fn observe<D>(self, observe: D) -> Setup<R, P, O, A, C, D> {
        let Setup { runtime, policy, operation, classify, args, .. } = self;
        Setup { runtime, policy, operation, classify, observe, args }
    }
}

/// What to do after an attempt, with what it gave.
pub(crate) enum Next<T, E> {
    GiveUp(GaveUp<T, E>),
    Succeeded(T),
    Wait(Micros),
}

impl<R: Runtime, P: core::borrow::Borrow<Policy>, O: Operation<A>, A, C, H> Setup<R, P, O, A, C, H> {
    /// One call of the operation.
    #[inline(always)]
    pub(crate) fn call(&mut self, life: &Life) -> O::Output {
        let (policy, runtime) = (self.policy.borrow(), &self.runtime);
        self.operation.call(|| Attempt::new(policy, &life.retry, runtime.now()))
    }

    /// One result: classified, decided, told.
    #[inline(always)]
    pub(crate) fn settle<T, E>(&mut self, life: &mut Life, result: Result<T, E>) -> Next<T, E>
    where
        C: Classify<T, E>,
        H: Observe<E>,
    {
        let outcome = match (self.classify.outcome(&result), &result) {
            // A classifier that calls an error a success: there is no value to hand out.
            (Outcome::Succeed, Err(_)) => Outcome::Abort,
            (outcome, _) => outcome,
        };
        let verdict = life.settle(self.policy.borrow(), &self.runtime, outcome);
        if H::LISTENS {
            let last = match &result {
                Err(error) => Last::Error(error),
                Ok(_) if verdict == Verdict::Done => Last::Finished(()),
                Ok(_) => Last::NotYet(()),
            };
            self.tell(life, verdict, last);
        }
        match (verdict, result) {
            (Verdict::RetryAfter(wait), _) => Next::Wait(wait),
            (Verdict::Done, Ok(value)) => Next::Succeeded(value),
            (Verdict::GiveUp(reason), result) => {
                Next::GiveUp(life.gave_up(&self.runtime, reason, Last::of(result)))
            }
            // Done follows a success alone, see above.
            (Verdict::Done, result @ Err(_)) => {
                Next::GiveUp(life.gave_up(&self.runtime, Reason::Permanent, Last::of(result)))
            }
        }
    }

    /// Time was up before the first attempt.
    #[cold]
    pub(crate) fn never<T, E>(&mut self, life: &mut Life, reason: Reason) -> GaveUp<T, E>
    where
        H: Observe<E>,
    {
        let now = self.runtime.now();
        life.begin(self.policy.borrow(), now);
        if H::LISTENS {
            self.tell(life, Verdict::GiveUp(reason), Last::Nothing);
        }
        life.gave_up(&self.runtime, reason, Last::Nothing)
    }

    pub(crate) fn tell<E>(&mut self, life: &Life, verdict: Verdict, last: Last<(), &E>)
    where
        H: Observe<E>,
    {
        self.observe.event(&Event {
            attempt: life.retry.attempts(),
            limit: self.policy.borrow().settings().attempts,
            last,
            verdict,
            elapsed: life.elapsed(&self.runtime),
        });
    }
}
