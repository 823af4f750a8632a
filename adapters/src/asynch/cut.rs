//! Cutting an attempt at its limit, or not: a choice by type, since not cutting makes a smaller future.

use super::Timer;
use core::future::{Future, Pending, pending};
use core::pin::Pin;
use core::task::{Context, Poll};
use pin_project_lite::pin_project;
use undaunted_core::Micros;

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
