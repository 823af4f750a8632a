//! Cutting an attempt at its limit, or not: a choice by type, since not cutting makes a smaller future.

use super::Timer;
use crate::classify::{Attempt, Operation};
use crate::event::Observe;
use crate::report::Last;
use crate::session::{Life, Next, Runtime, Setup};
use core::borrow::Borrow;
use core::future::{Future, Pending, pending};
use core::pin::Pin;
use core::task::{Context, Poll};
use pin_project_lite::pin_project;
use undaunted_core::{Instant, Micros, Outcome, Policy, Reason, Verdict};

/// Whether attempts are cut at their limit: [`Cut`] or [`Uncut`].
pub trait Limit {
    /// What is ready when the attempt must end.
    type Guard<S: Future<Output = ()>>: Future<Output = ()>;

    /// Whether anything is cut at all.
    const CUTS: bool;

    /// The guard of an attempt that begins now; without a limit it is never ready.
    fn guard<R: Timer>(runtime: &R, limit: Option<Micros>) -> Self::Guard<R::Sleep>;
}

/// Attempts are cut at the nearer of the policy's `attempt_timeout` and the time left: the default.
#[derive(Clone, Copy, Debug)]
pub struct Cut;

impl Limit for Cut {
    type Guard<S: Future<Output = ()>> = CutAt<S>;

    const CUTS: bool = true;

    #[inline(always)]
    fn guard<R: Timer>(runtime: &R, limit: Option<Micros>) -> CutAt<R::Sleep> {
        CutAt { sleep: limit.map(|limit| runtime.sleep(limit)) }
    }
}

/// Attempts take as long as they take: from `.uncut()`.
#[derive(Clone, Copy, Debug)]
pub struct Uncut;

impl Limit for Uncut {
    type Guard<S: Future<Output = ()>> = Pending<()>;

    const CUTS: bool = false;

    #[inline(always)]
    fn guard<R: Timer>(_: &R, _: Option<Micros>) -> Pending<()> {
        pending()
    }
}

pin_project! {
    /// Ready when the attempt must end; never without a limit.
    #[derive(Debug)]
    pub struct CutAt<S> {
        #[pin]
        sleep: Option<S>,
    }
}

impl<S: Future<Output = ()>> Future for CutAt<S> {
    type Output = ();

    #[inline(always)]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        match self.project().sleep.as_pin_mut() {
            Some(sleep) => sleep.poll(context),
            None => Poll::Pending,
        }
    }
}

impl<R: Runtime, P: Borrow<Policy>, O: Operation<A>, A, C, H> Setup<R, P, O, A, C, H> {
    /// How long the attempt that begins now may take, if anything limits it.
    #[inline(always)]
    pub(super) fn limit(&self, life: &Life) -> Option<Micros> {
        let policy = self.policy.borrow();
        let settings = policy.settings();
        if settings.within.is_none() && settings.attempt_timeout.is_none() && life.deadline == Instant::MAX {
            return None;
        }
        Attempt::new(policy, &life.retry, self.runtime.now()).time_left()
    }

    /// An attempt was cut at its limit: a failure without a result.
    #[cold]
    pub(super) fn cut<T, E>(&mut self, life: &mut Life) -> Next<T, E>
    where
        H: Observe<E>,
    {
        let verdict = life.settle(self.policy.borrow(), &self.runtime, Outcome::Fail);
        if H::LISTENS {
            self.tell(life, verdict, Last::Cut);
        }
        let reason = match verdict {
            Verdict::RetryAfter(wait) => return Next::Wait(wait),
            Verdict::GiveUp(reason) => reason,
            // A failure is not a success.
            Verdict::Done => Reason::Permanent,
        };
        Next::GiveUp(life.gave_up(&self.runtime, reason, Last::Cut))
    }
}
