//! The same future, with what it took.

use super::{Cancel, Limit, Retry, Timer};
use crate::classify::{Answer, Classify, Operation};
use crate::event::Observe;
use crate::poll::Pace;
use crate::report::{GaveUpOn, Report};
use core::borrow::Borrow;
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, ready};
use pin_project_lite::pin_project;
use undaunted_core::Policy;

pin_project! {
    /// The future of a retry that answers a [`Report`]; from [`Retry::report`].
    #[must_use = "nothing is called before it is awaited"]
    pub struct Reported<R, P, O, A, C, H, K, X, Y>
    where
        R: Timer,
        O: Operation<A>,
        O::Output: Future,
        K: Limit,
        X: Cancel,
    {
        #[pin]
        retry: Retry<R, P, O, A, C, H, K, X, Y>,
    }
}

impl<R, P, O, A, C, H, K, X, Y> Reported<R, P, O, A, C, H, K, X, Y>
where
    R: Timer,
    O: Operation<A>,
    O::Output: Future,
    K: Limit,
    X: Cancel,
{
    pub(super) fn new(retry: Retry<R, P, O, A, C, H, K, X, Y>) -> Self {
        Reported { retry }
    }
}

impl<R, P, O, A, C, H, K, X, Y, F, V> Future for Reported<R, P, O, A, C, H, K, X, Y>
where
    R: Timer,
    K: Limit,
    X: Cancel,
    Y: Pace,
    P: Borrow<Policy>,
    O: Operation<A, Output = F>,
    F: Future<Output = V>,
    V: Answer,
    C: Classify<V>,
    H: Observe<V::Error>,
{
    type Output = Result<Report<V::Value>, GaveUpOn<V>>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut retry = self.project().retry;
        let result = ready!(retry.as_mut().poll(context));
        let this = retry.project();
        let (attempts, elapsed) = (this.life.retry.attempts(), this.life.elapsed(&this.setup.runtime));
        Poll::Ready(result.map(|value| Report { value, attempts, elapsed }))
    }
}
