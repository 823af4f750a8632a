//! What the blocking and the asynchronous loops share: one operation's life on some clock.

use crate::classify::{Answer, Attempt, Classify, Each, Operation};
use crate::event::{Event, Observe, Silent};
use crate::poll::{Gap, Pace};
use crate::report::{GaveUp, GaveUpOn, Last, Settled};
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
    pub(crate) fn settle(
        &mut self,
        policy: &Policy,
        runtime: &impl Runtime,
        outcome: Outcome,
        pace: &mut impl Pace,
    ) -> Verdict {
        match outcome {
            Outcome::Abort | Outcome::Succeed => self.retry.next(policy, outcome, self.start, 0),
            Outcome::Fail | Outcome::Throttle { .. } => {
                let random = self.draw(runtime);
                pace.next(&mut self.retry, policy, outcome, runtime.now(), random)
            }
        }
    }

    /// Whether anything limits the time.
    #[inline(always)]
    pub(crate) fn is_limited(&self, policy: &Policy) -> bool {
        policy.settings().within.is_some() || self.deadline != Instant::MAX
    }

    /// Whether time is up, for a wait that took longer than it was told.
    #[inline(always)]
    pub(crate) fn is_over(&self, policy: &Policy, runtime: &impl Runtime) -> bool {
        self.is_limited(policy) && self.retry.time_left(policy, runtime.now()) == Micros::ZERO
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
pub(crate) struct Setup<R, P, O, A, C, H, Y> {
    pub(crate) runtime: R,
    pub(crate) policy: P,
    pub(crate) operation: O,
    pub(crate) classify: C,
    pub(crate) observe: H,
    pub(crate) pace: Y,
    pub(crate) args: PhantomData<fn() -> A>,
}

impl<R, P, O, A> Setup<R, P, O, A, Each, Silent, Gap> {
    #[inline(always)]
    pub(crate) fn new(runtime: R, policy: P, operation: O) -> Self {
        Setup { runtime, policy, operation, classify: Each, observe: Silent, pace: Gap, args: PhantomData }
    }
}

impl<R, P, O, A, C, H, Y> Setup<R, P, O, A, C, H, Y> {
    #[cfg(feature = "std")]
    pub(crate) fn runtime<D>(self, runtime: D) -> Setup<D, P, O, A, C, H, Y> {
        let Setup { policy, operation, classify, observe, pace, args, .. } = self;
        Setup { runtime, policy, operation, classify, observe, pace, args }
    }

    pub(crate) fn classify<D>(self, classify: D) -> Setup<R, P, O, A, D, H, Y> {
        let Setup { runtime, policy, operation, observe, pace, args, .. } = self;
        Setup { runtime, policy, operation, classify, observe, pace, args }
    }

    pub(crate) fn observe<D>(self, hook: D) -> Setup<R, P, O, A, C, (H, D), Y> {
        let Setup { runtime, policy, operation, classify, observe, pace, args } = self;
        Setup { runtime, policy, operation, classify, observe: (observe, hook), pace, args }
    }

    pub(crate) fn pace<D>(self, pace: D) -> Setup<R, P, O, A, C, H, D> {
        let Setup { runtime, policy, operation, classify, observe, args, .. } = self;
        Setup { runtime, policy, operation, classify, observe, pace, args }
    }
}

/// What to do after an attempt, with what it gave.
pub(crate) enum Next<V: Answer> {
    GiveUp(GaveUpOn<V>),
    Succeeded(V::Value),
    /// What came last is kept by those whose wait may be the end.
    Wait(Micros, Option<V>),
}

impl<R: Runtime, P: core::borrow::Borrow<Policy>, O: Operation<A>, A, C, H, Y: Pace>
    Setup<R, P, O, A, C, H, Y>
{
    /// The first attempt begins now; false when it must not, since time is up.
    #[inline(always)]
    pub(crate) fn begin(&mut self, life: &mut Life) -> bool {
        let now = self.runtime.now();
        life.begin(self.policy.borrow(), now);
        self.pace.begin(now);
        life.retry.stopped().is_none()
    }

    /// One call of the operation.
    #[inline(always)]
    pub(crate) fn call(&mut self, life: &Life) -> O::Output {
        let (policy, runtime) = (self.policy.borrow(), &self.runtime);
        self.operation.call(|| Attempt::new(policy, &life.retry, runtime.now()))
    }

    /// One answer: classified, decided, told.
    #[inline(always)]
    pub(crate) fn settle<V: Answer>(&mut self, life: &mut Life, answer: V) -> Next<V>
    where
        C: Classify<V>,
        H: Observe<V::Error>,
    {
        let outcome = match (self.classify.outcome(&answer), answer.error()) {
            // A classifier that calls an error a success: there is no value to hand out.
            (Outcome::Succeed, Some(_)) => Outcome::Abort,
            (outcome, _) => outcome,
        };
        let verdict = life.settle(self.policy.borrow(), &self.runtime, outcome, &mut self.pace);
        if H::LISTENS {
            let last = match answer.error() {
                Some(error) => Last::Error(error),
                None if verdict == Verdict::Done => Last::Finished(()),
                None => Last::NotYet(()),
            };
            self.tell(life, verdict, last);
        }
        match verdict {
            Verdict::RetryAfter(wait) => Next::Wait(wait, Some(answer)),
            Verdict::GiveUp(reason) => {
                Next::GiveUp(life.gave_up(&self.runtime, reason, Last::of(answer.into_result())))
            }
            Verdict::Done => match answer.into_result() {
                Ok(value) => Next::Succeeded(value),
                // Done follows a success alone, see above.
                Err(error) => {
                    Next::GiveUp(life.gave_up(&self.runtime, Reason::Permanent, Last::Error(error)))
                }
            },
        }
    }

    /// It is over before the first attempt.
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

    /// It is over in or after a wait: what came before the wait came last.
    #[cold]
    pub(crate) fn end_of_wait<V: Answer>(
        &mut self,
        life: &Life,
        reason: Reason,
        last: Option<V>,
    ) -> GaveUpOn<V>
    where
        H: Observe<V::Error>,
    {
        // An attempt that gave nothing was cut.
        let last = last.map_or(Last::Cut, |answer| Last::of(answer.into_result()));
        if H::LISTENS {
            self.tell(life, Verdict::GiveUp(reason), last.shown());
        }
        life.gave_up(&self.runtime, reason, last)
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
