//! One awaitable step, for loops that borrow and use `?`.

use super::Timer;
use crate::classify::Attempt;
use crate::deadline::Until;
use crate::poll::Gap;
use crate::report::Settled;
use crate::session::Life;
use core::borrow::Borrow;
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, ready};
use pin_project_lite::pin_project;
use undaunted_core::{Micros, Outcome, Policy, Reason, Rng, Verdict};

/// One operation's life for a loop of your own: report each attempt with [`settle`](Session::settle).
#[derive(Clone, Debug)]
pub struct Session<R, P> {
    runtime: R,
    policy: P,
    life: Life,
}

impl<R: Timer, P: Borrow<Policy>> Session<R, P> {
    /// Starts now, on this runtime.
    pub fn start_on(runtime: R, policy: P) -> Session<R, P> {
        let mut life = Life::new(policy.borrow());
        life.begin(policy.borrow(), runtime.now());
        Session { runtime, policy, life }
    }

    /// Draws the jitter from this seed, for a schedule that can be told in advance.
    pub fn seed(mut self, seed: u64) -> Self {
        self.life.rng = Some(Rng::seeded(seed));
        self
    }

    /// Inherits a deadline: that of the [`Attempt`] it is nested in, or of a phase; the nearest one holds. To
    /// be said at the start. If it is here already, no attempt must be made:
    /// [`first_wait`](Session::first_wait) says so.
    pub fn deadline(mut self, deadline: impl Until) -> Self {
        let deadline = deadline.until();
        self.life.deadline = self.life.deadline.min(deadline);
        self.life.retry.inherit(deadline, self.runtime.now());
        self
    }

    /// Waits the policy's `first_delay`, if it has one, and starts the clock after it. Once an attempt has
    /// been reported there is no first any more: it only says how things stand.
    pub async fn first_wait(&mut self) -> Settled {
        if self.life.retry.attempts() > 0 || self.life.retry.stopped().is_some() {
            return self.life.standing(&self.runtime, Micros::ZERO);
        }
        let wait = match self.life.first_wait(self.policy.borrow(), &self.runtime) {
            Some(Verdict::GiveUp(reason)) => {
                let _ = self.life.retry.give_up(reason);
                return self.life.standing(&self.runtime, Micros::ZERO);
            }
            Some(Verdict::RetryAfter(wait)) => wait,
            Some(Verdict::Done) | None => Micros::ZERO,
        };
        if wait > Micros::ZERO {
            self.runtime.sleep(wait).await;
        }
        self.life.begin(self.policy.borrow(), self.runtime.now());
        self.life.standing(&self.runtime, wait)
    }

    /// What the attempt that begins now may know: its number, and the limits to keep to. To cut it, give
    /// its time left to the runtime's own timeout, and report a cut attempt as a failure.
    pub fn attempt(&self) -> Attempt {
        Attempt::new(self.policy.borrow(), &self.life.retry, self.runtime.now())
    }

    /// Reports what an attempt came to: decides at its first poll, and waits if there is to be another. A
    /// wait that took so long that time is up is the end too.
    ///
    /// Dropped in its wait, the attempt has been counted; dropped before its first poll, nothing has. To
    /// cancel, race it against a token and [`give_up`](Session::give_up).
    pub fn settle(&mut self, outcome: Outcome) -> Settle<'_, R, P> {
        Settle { session: self, step: Step::Report { outcome } }
    }

    /// Gives up for a reason of your own. What has stopped before stays as it was.
    pub fn give_up(&mut self, reason: Reason) -> Settled {
        let verdict = self.life.retry.give_up(reason);
        self.life.settled(&self.runtime, verdict)
    }
}

impl<R: Timer + Default, P: Borrow<Policy>> Session<R, P> {
    /// Starts now.
    pub fn start(policy: P) -> Session<R, P> {
        Session::start_on(R::default(), policy)
    }
}

pin_project! {
    /// One step of a [`Session`]; from [`Session::settle`].
    #[must_use = "nothing is decided before it is awaited"]
    pub struct Settle<'a, R: Timer, P> {
        session: &'a mut Session<R, P>,
        #[pin]
        step: Step<R::Sleep>,
    }
}

pin_project! {
    #[project = StepProjection]
    enum Step<S> {
        Report { outcome: Outcome },
        Wait { settled: Settled, #[pin] sleep: S },
    }
}

impl<R: Timer, P: Borrow<Policy>> Future for Settle<'_, R, P> {
    type Output = Settled;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Settled> {
        let mut this = self.project();
        loop {
            match this.step.as_mut().project() {
                StepProjection::Report { outcome } => {
                    let Session { runtime, policy, life } = &mut **this.session;
                    let verdict = life.settle((*policy).borrow(), runtime, *outcome, &mut Gap);
                    let settled = life.settled(runtime, verdict);
                    let Verdict::RetryAfter(wait) = verdict else { return Poll::Ready(settled) };
                    let sleep = runtime.sleep(wait);
                    this.step.set(Step::Wait { settled, sleep });
                }
                StepProjection::Wait { settled, sleep } => {
                    ready!(sleep.poll(context));
                    let Session { runtime, policy, life } = &**this.session;
                    let over = life.is_over((*policy).borrow(), runtime);
                    let settled = *settled;
                    return Poll::Ready(match over {
                        true => this.session.give_up(Reason::Deadline),
                        false => settled,
                    });
                }
            }
        }
    }
}
