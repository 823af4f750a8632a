//! Cutting an attempt at its limit, or not: a choice by type, since not cutting makes a smaller future.

use super::Timer;
use crate::classify::{Answer, Attempt, Operation};
use crate::event::Observe;
use crate::poll::Pace;
use crate::report::{GaveUp, Last};
use crate::session::{Life, Next, Runtime, Setup};
use core::borrow::Borrow;
use core::future::{Future, Pending, pending};
use core::pin::Pin;
use core::task::{Context, Poll};
use pin_project_lite::pin_project;
use undaunted_core::{Micros, Outcome, Policy, Reason, Verdict};

/// Whether attempts are cut at their limit: [`Cut`] or [`Uncut`].
pub trait Limit {
    /// What is ready when the attempt must end.
    type Guard<S: Future<Output = ()>>: Future<Output = ()>;

    /// Whether anything is cut at all.
    const CUTS: bool;

    /// What the last attempt gave, kept across the wait after it, or nothing at all.
    type Held<V>;

    /// The guard of an attempt that begins now; without a limit it is never ready.
    fn guard<R: Timer>(runtime: &R, limit: Option<Micros>) -> Self::Guard<R::Sleep>;

    /// Keeps what the last attempt gave.
    fn hold<V>(last: Option<V>) -> Self::Held<V>;

    /// Hands it out.
    fn take<V>(held: &mut Self::Held<V>) -> Option<V>;
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

    type Held<V> = Option<V>;

    #[inline(always)]
    fn hold<V>(last: Option<V>) -> Option<V> {
        last
    }

    #[inline(always)]
    fn take<V>(held: &mut Option<V>) -> Option<V> {
        held.take()
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

    type Held<V> = ();

    #[inline(always)]
    fn hold<V>(_: Option<V>) {}

    #[inline(always)]
    fn take<V>(_: &mut ()) -> Option<V> {
        None
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

impl<R: Runtime, P: Borrow<Policy>, O: Operation<A>, A, C, H, Y: Pace> Setup<R, P, O, A, C, H, Y> {
    /// How long the attempt that begins now may take, if anything limits it.
    #[inline(always)]
    pub(super) fn limit(&self, life: &Life) -> Option<Micros> {
        let policy = self.policy.borrow();
        if !life.is_limited(policy) && policy.settings().attempt_timeout.is_none() {
            return None;
        }
        Attempt::new(policy, &life.retry, self.runtime.now()).time_left()
    }

    /// An attempt was cut at its limit: a failure without a result.
    #[cold]
    pub(super) fn cut<V: Answer>(&mut self, life: &mut Life) -> Next<V>
    where
        H: Observe<V::Error>,
    {
        let verdict = life.settle(self.policy.borrow(), &self.runtime, Outcome::Fail, &mut self.pace);
        if H::LISTENS {
            self.tell(life, verdict, Last::Cut);
        }
        let reason = match verdict {
            Verdict::RetryAfter(wait) => return Next::Wait(wait, None),
            Verdict::GiveUp(reason) => reason,
            // A failure is not a success.
            Verdict::Done => Reason::Permanent,
        };
        Next::GiveUp(life.gave_up(&self.runtime, reason, Last::Cut))
    }

    /// An attempt was under way when it was cancelled: it is cut, and was a call.
    #[cold]
    pub(super) fn cancelled<T, E>(&mut self, life: &mut Life) -> GaveUp<T, E>
    where
        H: Observe<E>,
    {
        let _ = life.settle(self.policy.borrow(), &self.runtime, Outcome::Abort, &mut self.pace);
        if H::LISTENS {
            self.tell(life, Verdict::GiveUp(Reason::Cancelled), Last::Cut);
        }
        life.gave_up(&self.runtime, Reason::Cancelled, Last::Cut)
    }
}
