//! Whether somebody may cancel: a choice by type, since most do not and should not pay.

use super::Limit;
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll};
use pin_project_lite::pin_project;

/// Whether somebody may cancel: [`Never`] or [`CancelOn`] a token.
pub trait Cancel {
    /// What the last attempt gave, kept across the wait after it, or nothing at all.
    type Held<K: Limit, V>;

    /// Whether anybody may cancel at all.
    const CANCELS: bool;

    /// Keeps what the last attempt gave.
    fn hold<K: Limit, V>(last: Option<V>) -> Self::Held<K, V>;

    /// Hands it out.
    fn take<K: Limit, V>(held: &mut Self::Held<K, V>) -> Option<V>;

    /// Ready once it is cancelled, and ever after.
    fn poll_cancelled(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()>;
}

/// Nobody cancels: unless told otherwise. Dropping the future stops it too.
#[derive(Clone, Copy, Debug, Default)]
pub struct Never;

impl Cancel for Never {
    type Held<K: Limit, V> = K::Held<V>;

    const CANCELS: bool = false;

    #[inline(always)]
    fn hold<K: Limit, V>(last: Option<V>) -> K::Held<V> {
        K::hold(last)
    }

    #[inline(always)]
    fn take<K: Limit, V>(held: &mut K::Held<V>) -> Option<V> {
        K::take(held)
    }

    #[inline(always)]
    fn poll_cancelled(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        Poll::Pending
    }
}

pin_project! {
    /// Cancelled once a token is ready; from `.cancel(..)`.
    #[derive(Debug)]
    pub struct CancelOn<F> {
        #[pin]
        token: F,
        cancelled: bool,
    }
}

impl<F> CancelOn<F> {
    pub(super) fn new(token: F) -> CancelOn<F> {
        CancelOn { token, cancelled: false }
    }
}

impl<F: Future<Output = ()>> Cancel for CancelOn<F> {
    type Held<K: Limit, V> = Option<V>;

    const CANCELS: bool = true;

    fn hold<K: Limit, V>(last: Option<V>) -> Option<V> {
        last
    }

    fn take<K: Limit, V>(held: &mut Option<V>) -> Option<V> {
        held.take()
    }

    fn poll_cancelled(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let this = self.project();
        // A token must not be polled again once it was ready.
        if *this.cancelled || this.token.poll(context).is_ready() {
            *this.cancelled = true;
            return Poll::Ready(());
        }
        Poll::Pending
    }
}
