//! Watchdogs that have to be fed while somebody waits.

#[cfg(feature = "asynch")]
use crate::asynch::Timer;
use crate::blocking::Sleep;
use crate::session::Runtime;
use core::time::Duration;
use undaunted_core::{Instant, Micros};

/// A runtime that feeds a watchdog while it waits: at the beginning and the end of each wait, and at least `every` so
/// often in between.
///
/// It goes wherever a runtime goes: into [`blocking::retry`](crate::blocking::retry), `asynch::retry`, or
/// `start_on` of either `Session`. Work is not fed, so that a blocking call that hangs is still caught; an asynchronous
/// attempt under a limit is, since its limit is a wait too, and ends it.
///
/// Whether the work and the waits fit without any feeding can be checked where the policy is written:
///
/// ```
/// use std::{cell::Cell, time::Duration};
/// use undaunted::{Fed, Policy, blocking};
///
/// const PERIOD: Duration = Duration::from_secs(8);
///
/// /// Short enough to be left alone: at worst 4 attempts of 100 ms and the waits between them.
/// const READ: Policy = Policy::exponential(Duration::from_millis(10)).attempts(4);
/// const _: () = assert!(READ.worst_case_with(Duration::from_millis(100)).as_micros() < PERIOD.as_micros() as u64);
///
/// /// Longer than the watchdog's patience: to be fed.
/// const JOIN: Policy = Policy::constant(Duration::from_secs(20)).no_jitter().attempts(3);
///
/// # use undaunted::{Instant, Micros, Runtime};
/// # #[derive(Default)] struct Board(Cell<u64>);
/// # impl Runtime for &Board {
/// #     fn now(&self) -> Instant { Instant::from_micros(self.0.get()) }
/// #     fn seed(&self) -> u64 { 1 }
/// # }
/// # impl blocking::Sleep for &Board {
/// #     fn sleep(&self, length: Micros) {
/// #         assert!(length <= Micros::from_secs(4));
/// #         self.0.set(self.0.get() + length.as_micros());
/// #     }
/// # }
/// # let board = Board::default();
/// let meals = Cell::new(0);
/// let fed = Fed::new(&board, PERIOD / 2, || meals.set(meals.get() + 1)); // or `|| dog.borrow_mut().feed()`
/// let gave_up = blocking::retry(fed, &JOIN, || Err::<(), _>("no network")).run().unwrap_err();
/// assert_eq!(gave_up.elapsed, Micros::from_secs(40));
/// assert_eq!(meals.get(), 12); // twice: at once, and after each 4 s
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Fed<R, F> {
    runtime: R,
    every: Micros,
    feed: F,
}

impl<R: Runtime, F: Fn()> Fed<R, F> {
    /// This runtime, with `feed` called at least `every` so often in its waits (a microsecond or more). The timer may be
    /// late by a tick or two in each piece: leave the watchdog a margin.
    pub fn new(runtime: R, every: Duration, feed: F) -> Fed<R, F> {
        Fed { runtime, every: Micros::from_duration(every).max(Micros::new(1)), feed }
    }
}

impl<R: Runtime, F> Runtime for Fed<R, F> {
    fn now(&self) -> Instant {
        self.runtime.now()
    }

    fn seed(&self) -> u64 {
        self.runtime.seed()
    }
}

impl<R: Sleep, F: Fn()> Sleep for Fed<R, F> {
    const CANCELS: bool = R::CANCELS;

    fn sleep(&self, length: Micros) {
        let mut left = length;
        (self.feed)();
        while left > Micros::ZERO && !self.is_cancelled() {
            let piece = left.min(self.every);
            self.runtime.sleep(piece);
            (self.feed)();
            left = left.saturating_sub(piece);
        }
    }

    fn is_cancelled(&self) -> bool {
        self.runtime.is_cancelled()
    }
}

#[cfg(feature = "asynch")]
impl<R: Timer + Clone, F: Fn() + Clone> Timer for Fed<R, F> {
    type Sleep = asynchronous::FedSleep<R, F>;

    fn sleep(&self, length: Micros) -> Self::Sleep {
        (self.feed)();
        asynchronous::FedSleep::new(self.clone(), length)
    }
}

#[cfg(feature = "asynch")]
mod asynchronous {
    use super::Fed;
    use crate::asynch::Timer;
    use core::future::Future;
    use core::pin::Pin;
    use core::task::{Context, Poll, ready};
    use pin_project_lite::pin_project;
    use undaunted_core::Micros;

    pin_project! {
        /// A wait in pieces, with a feeding after each.
        pub struct FedSleep<R: Timer, F> {
            fed: Fed<R, F>,
            left: Micros,
            #[pin]
            piece: R::Sleep,
        }
    }

    impl<R: Timer, F> FedSleep<R, F> {
        pub(super) fn new(fed: Fed<R, F>, length: Micros) -> FedSleep<R, F> {
            let first = length.min(fed.every);
            let piece = fed.runtime.sleep(first);
            FedSleep { fed, left: length.saturating_sub(first), piece }
        }
    }

    impl<R: Timer, F: Fn()> Future for FedSleep<R, F> {
        type Output = ();

        fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
            let mut this = self.project();
            loop {
                ready!(this.piece.as_mut().poll(context));
                (this.fed.feed)();
                if *this.left == Micros::ZERO {
                    return Poll::Ready(());
                }
                let next = (*this.left).min(this.fed.every);
                *this.left = this.left.saturating_sub(next);
                this.piece.set(this.fed.runtime.sleep(next));
            }
        }
    }
}
