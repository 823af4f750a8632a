//! What a retry may be told before it is awaited.

use super::{Cancel, CancelOn, Limit, Reported, Retry, State, Timer, Uncut};
use crate::classify::{Answer, Operation, When, Whole};
use crate::deadline::Until;
use crate::event::Event;
use crate::poll::{Pace, Rate};
use core::borrow::Borrow;
use core::future::{Future, IntoFuture};
use undaunted_core::{Outcome, Policy, Rng};

impl<R, P, O, A, C, H, K, X, Y, F, V> Retry<R, P, O, A, C, H, K, X, Y>
where
    R: Timer,
    K: Limit,
    X: Cancel,
    Y: Pace,
    P: Borrow<Policy>,
    O: Operation<A, Output = F>,
    F: Future<Output = V>,
    V: Answer,
{
    /// Only errors for which `predicate` holds are worth another attempt; others end it at once.
    #[inline(always)]
    pub fn when<D>(self, predicate: D) -> Retry<R, P, O, A, When<D>, H, K, X, Y>
    where
        D: FnMut(&V::Error) -> bool,
    {
        let Retry { setup, life, cancel, state } = self;
        Retry { setup: setup.classify(When(predicate)), life, cancel, state }
    }

    /// The whole answer decides: an `Ok` can count as not yet, an error can carry a server's hint.
    #[inline(always)]
    pub fn classify<D>(self, f: D) -> Retry<R, P, O, A, Whole<D>, H, K, X, Y>
    where
        D: FnMut(&V) -> Outcome,
    {
        let Retry { setup, life, cancel, state } = self;
        Retry { setup: setup.classify(Whole(f)), life, cancel, state }
    }

    /// Calls `hook` after each attempt, before its wait. Said again, both are called, in this order.
    #[inline(always)]
    pub fn on_event<D>(self, hook: D) -> Retry<R, P, O, A, C, (H, D), K, X, Y>
    where
        D: FnMut(&Event<'_, V::Error>),
    {
        let Retry { setup, life, cancel, state } = self;
        Retry { setup: setup.observe(hook), life, cancel, state }
    }

    /// Counts each wait from the beginning of an attempt and not from its end, on a grid: a poll every
    /// 5 s then asks every 5 s, however long a probe takes; with jitter each interval is drawn. See [`Rate`].
    #[inline(always)]
    pub fn fixed_rate(self) -> Retry<R, P, O, A, C, H, K, X, Rate> {
        let Retry { setup, life, cancel, state } = self;
        Retry { setup: setup.pace(Rate::default()), life, cancel, state }
    }

    /// Draws the jitter from this seed, for a schedule that can be told in advance.
    #[inline(always)]
    pub fn seed(mut self, seed: u64) -> Self {
        self.life.rng = Some(Rng::seeded(seed));
        self
    }

    /// Inherits a deadline: that of the [`Attempt`](crate::Attempt) it is nested in, or of a phase. The
    /// nearest one holds.
    #[inline(always)]
    pub fn deadline(mut self, deadline: impl Until) -> Self {
        self.life.deadline = self.life.deadline.min(deadline.until());
        self
    }

    /// Gives up with [`Reason::Cancelled`](undaunted_core::Reason::Cancelled) once `token` is ready: a `Stop` (feature `std`), the
    /// `cancelled_owned()` of a token of `tokio-util`, the receiver of a channel mapped to `()`. An
    /// attempt under way is dropped, a wait ends at once, and what came last is handed out. To be said
    /// before it is polled, and once: a second token takes the place of the first.
    #[inline(always)]
    #[allow(clippy::type_complexity, reason = "the same type with one parameter changed")]
    pub fn cancel<D>(self, token: D) -> Retry<R, P, O, A, C, H, K, CancelOn<D::IntoFuture>, Y>
    where
        D: IntoFuture<Output = ()>,
    {
        let Retry { setup, life, .. } = self;
        Retry { setup, life, cancel: CancelOn::new(token.into_future()), state: State::Fresh }
    }

    /// Lets every attempt take as long as it takes: for operations with limits of their own, which pass
    /// on what an [`Attempt`](crate::Attempt) tells them. The future is smaller by a sleep, and unless something may cancel it keeps nothing:
    /// it does not look at the clock after a wait, so that an attempt may begin as late as the timer was. To be
    /// said before it is polled.
    #[inline(always)]
    pub fn uncut(self) -> Retry<R, P, O, A, C, H, Uncut, X, Y> {
        let Retry { setup, life, cancel, .. } = self;
        Retry { setup, life, cancel, state: State::Fresh }
    }

    /// The same future, answering a [`Report`](crate::Report): the value and what it took.
    pub fn report(self) -> Reported<R, P, O, A, C, H, K, X, Y> {
        Reported::new(self)
    }
}
