//! Asynchronous calls on any timer: what `tokio` drives, and what a runtime of your own can.
//!
//! A runtime of your own gives a clock, seeds, and a future that is ready after a length of time:
//!
//! ```
//! use core::{cell::Cell, future::{Future, Ready, ready}, pin::pin, task::{Context, Poll, Waker}, time::Duration};
//! use undaunted::{Instant, Micros, Policy, Runtime, asynch};
//!
//! /// A clock for tests: whoever sleeps moves it, and need not wait.
//! #[derive(Default)]
//! struct Simulated(Cell<u64>);
//!
//! impl Runtime for &Simulated {
//!     fn now(&self) -> Instant {
//!         Instant::from_micros(self.0.get())
//!     }
//!     fn seed(&self) -> u64 {
//!         1
//!     }
//! }
//!
//! impl asynch::Timer for &Simulated {
//!     type Sleep = Ready<()>;
//!
//!     fn sleep(&self, length: Micros) -> Ready<()> {
//!         self.0.set(self.0.get().saturating_add(length.as_micros()));
//!         ready(())
//!     }
//! }
//!
//! const HOURLY: Policy = Policy::constant(Duration::from_secs(3600)).no_jitter().attempts(25);
//!
//! let clock = Simulated::default();
//! let day = Duration::from_secs(86_400);
//! let operation = async || if clock.0.get() < day.as_micros() as u64 { Err("not yet") } else { Ok("a day later") };
//! let mut retry = pin!(asynch::retry(&clock, &HOURLY, operation)); // an executor of two lines
//! let Poll::Ready(result) = retry.as_mut().poll(&mut Context::from_waker(Waker::noop())) else { unreachable!() };
//! assert_eq!(result, Ok("a day later"));
//! ```

mod cut;
mod session;

pub use cut::{Cut, CutAt, Limit, Uncut};
pub use session::{Session, Settle};

use crate::classify::{Classify, Each, Operation, When, Whole};
use crate::event::{Event, Observe, Silent};
use crate::report::{GaveUp, Report};
use crate::session::{Life, Next, Runtime, Setup};
use core::borrow::Borrow;
use core::future::Future;
use core::marker::PhantomData;
use core::pin::Pin;
use core::task::{Context, Poll, ready};
use pin_project_lite::pin_project;
use undaunted_core::{Instant, Micros, Outcome, Policy, Reason, Rng, Verdict};

/// A runtime that waits by a future.
///
/// Beside what [`Runtime`] demands, an implementation MUST give a future that is ready after at
/// least `length`, counted from this call: round up, split what its timer cannot express, saturate
/// what it cannot hold, and never panic.
pub trait Timer: Runtime {
    /// The wait.
    type Sleep: Future<Output = ()>;

    /// A wait of at least `length` from now.
    fn sleep(&self, length: Micros) -> Self::Sleep;
}

/// Retries `operation` under `policy` on `runtime`. `tokio::retry` is the usual door.
#[inline(always)]
pub fn retry<R: Timer, P: Borrow<Policy>, O: Operation<A, Output: Future>, A>(
    runtime: R,
    policy: P,
    operation: O,
) -> Retry<R, P, O, A> {
    let life = Life::new(policy.borrow());
    let args = PhantomData;
    let setup = Setup { runtime, policy, operation, classify: Each, observe: Silent, args };
    Retry { setup, life, state: State::Fresh }
}

pin_project! {
    /// The future of a retry: nothing happens before it is polled, dropping it stops everything.
    ///
    /// It answers `Result<T, GaveUp<T, E>>`. An attempt is cut at the nearer of the policy's
    /// `attempt_timeout` and the time left: it is dropped, and counts as a failure. It is one named
    /// type of the size of the operation's future, a sleep and 64 bytes, with the policy by reference;
    /// [`uncut`](Retry::uncut) of the larger of the two and 64 bytes.
    #[must_use = "nothing is called before it is awaited"]
    pub struct Retry<R, P, O, A, C = Each, H = Silent, K = Cut>
    where
        R: Timer,
        O: Operation<A>,
        K: Limit,
    {
        setup: Setup<R, P, O, A, C, H>,
        life: Life,
        #[pin]
        state: State<O::Output, R::Sleep, K::Guard<R::Sleep>>,
    }
}

pin_project! {
    #[project = StateProjection]
    enum State<F, S, G> {
        Fresh,
        FirstWait { #[pin] sleep: S },
        Attempt { #[pin] operation: F, #[pin] guard: G },
        Wait { #[pin] sleep: S },
        Finished,
    }
}

type PinnedState<'a, F, S, K> = Pin<&'a mut State<F, S, <K as Limit>::Guard<S>>>;

impl<R, P, O, A, C, H, K, F, T, E> Retry<R, P, O, A, C, H, K>
where
    R: Timer,
    K: Limit,
    P: Borrow<Policy>,
    O: Operation<A, Output = F>,
    F: Future<Output = Result<T, E>>,
{
    /// Only errors for which `predicate` holds are worth another attempt; others end it at once.
    #[inline(always)]
    pub fn when<D: FnMut(&E) -> bool>(self, predicate: D) -> Retry<R, P, O, A, When<D>, H, K> {
        Retry { setup: self.setup.classify(When(predicate)), life: self.life, state: self.state }
    }

    /// The whole result decides: an `Ok` can count as not yet, an error can carry a server's hint.
    #[inline(always)]
    pub fn classify<D>(self, f: D) -> Retry<R, P, O, A, Whole<D>, H, K>
    where
        D: FnMut(&Result<T, E>) -> Outcome,
    {
        Retry { setup: self.setup.classify(Whole(f)), life: self.life, state: self.state }
    }

    /// Calls `hook` after each attempt, before its wait.
    #[inline(always)]
    pub fn on_event<D: FnMut(&Event<'_, E>)>(self, hook: D) -> Retry<R, P, O, A, C, D, K> {
        Retry { setup: self.setup.observe(hook), life: self.life, state: self.state }
    }

    /// Draws the jitter from this seed, for a schedule that can be told in advance.
    #[inline(always)]
    pub fn seed(mut self, seed: u64) -> Self {
        self.life.rng = Some(Rng::seeded(seed));
        self
    }

    /// Inherits a deadline, such as that of an outer [`Attempt`](crate::Attempt); the nearer one holds.
    #[inline(always)]
    pub fn deadline(mut self, deadline: Instant) -> Self {
        self.life.deadline = deadline;
        self
    }

    /// Lets every attempt take as long as it takes: for operations with limits of their own, which pass
    /// on what an [`Attempt`](crate::Attempt) tells them. The future is smaller by a sleep. To be said
    /// before it is polled.
    #[inline(always)]
    pub fn uncut(self) -> Retry<R, P, O, A, C, H, Uncut> {
        Retry { setup: self.setup, life: self.life, state: State::Fresh }
    }

    /// The same future, answering a [`Report`]: the value and what it took.
    pub fn report(self) -> Reported<R, P, O, A, C, H, K> {
        Reported { retry: self }
    }
}

impl<R, P, O, A, C, H, K, F, T, E> Future for Retry<R, P, O, A, C, H, K>
where
    R: Timer,
    K: Limit,
    P: Borrow<Policy>,
    O: Operation<A, Output = F>,
    F: Future<Output = Result<T, E>>,
    C: Classify<T, E>,
    H: Observe<E>,
{
    type Output = Result<T, GaveUp<T, E>>;

    #[inline(always)]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let (setup, life, mut state) = (this.setup, this.life, this.state);
        if let StateProjection::Fresh = state.as_mut().project() {
            match life.first_wait(setup.policy.borrow(), &setup.runtime) {
                Some(Verdict::GiveUp(reason)) => {
                    state.set(State::Finished);
                    return Poll::Ready(Err(setup.never(life, reason)));
                }
                Some(Verdict::RetryAfter(wait)) => {
                    let sleep = setup.runtime.sleep(wait);
                    state.set(State::FirstWait { sleep });
                }
                Some(Verdict::Done) | None => {
                    if let Some(gave_up) = begin::<_, _, _, _, _, _, K, _, _, _>(setup, life, state.as_mut())
                    {
                        return Poll::Ready(Err(gave_up));
                    }
                }
            }
        }
        if let StateProjection::FirstWait { sleep } = state.as_mut().project() {
            ready!(sleep.poll(context));
            if let Some(gave_up) = begin::<_, _, _, _, _, _, K, _, _, _>(setup, life, state.as_mut()) {
                return Poll::Ready(Err(gave_up));
            }
        }
        // Straight from one state to the next, so that a compiler need not look again which it is.
        loop {
            if let StateProjection::Wait { sleep } = state.as_mut().project() {
                ready!(sleep.poll(context));
                attempt::<_, _, _, _, _, _, K, _>(setup, life, state.as_mut());
            }
            let StateProjection::Attempt { operation, guard } = state.as_mut().project() else {
                panic!("`retry` polled after it was ready")
            };
            let next = match operation.poll(context) {
                Poll::Ready(result) => setup.settle(life, result),
                Poll::Pending if K::CUTS => {
                    ready!(guard.poll(context));
                    // What is cut is gone before anybody hears of it.
                    state.set(State::Finished);
                    setup.cut(life)
                }
                Poll::Pending => return Poll::Pending,
            };
            let result = match next {
                Next::Wait(wait) => {
                    let sleep = setup.runtime.sleep(wait);
                    state.set(State::Wait { sleep });
                    continue;
                }
                Next::Succeeded(value) => Ok(value),
                Next::GiveUp(gave_up) => Err(gave_up),
            };
            state.set(State::Finished);
            return Poll::Ready(result);
        }
    }
}

/// Starts the clock, and the first attempt unless time is up already.
#[inline(always)]
fn begin<R, P, O, A, C, H, K, F, T, E>(
    setup: &mut Setup<R, P, O, A, C, H>,
    life: &mut Life,
    mut state: PinnedState<'_, F, R::Sleep, K>,
) -> Option<GaveUp<T, E>>
where
    R: Timer,
    P: Borrow<Policy>,
    O: Operation<A, Output = F>,
    H: Observe<E>,
    K: Limit,
{
    life.begin(setup.policy.borrow(), setup.runtime.now());
    if life.retry.stopped().is_some() {
        state.set(State::Finished);
        return Some(setup.never(life, Reason::Deadline));
    }
    attempt::<_, _, _, _, _, _, K, _>(setup, life, state);
    None
}

/// Calls the operation, under its guard: what it does before its first await counts too.
#[inline(always)]
fn attempt<R, P, O, A, C, H, K, F>(
    setup: &mut Setup<R, P, O, A, C, H>,
    life: &Life,
    mut state: PinnedState<'_, F, R::Sleep, K>,
) where
    R: Timer,
    P: Borrow<Policy>,
    O: Operation<A, Output = F>,
    K: Limit,
{
    let limit = if K::CUTS { setup.limit(life) } else { None };
    let guard = K::guard(&setup.runtime, limit);
    let operation = setup.call(life);
    state.set(State::Attempt { operation, guard });
}

pin_project! {
    /// The future of a retry that answers a [`Report`]; from [`Retry::report`].
    #[must_use = "nothing is called before it is awaited"]
    pub struct Reported<R, P, O, A, C, H, K>
    where
        R: Timer,
        O: Operation<A>,
        K: Limit,
    {
        #[pin]
        retry: Retry<R, P, O, A, C, H, K>,
    }
}

impl<R, P, O, A, C, H, K, F, T, E> Future for Reported<R, P, O, A, C, H, K>
where
    R: Timer,
    K: Limit,
    P: Borrow<Policy>,
    O: Operation<A, Output = F>,
    F: Future<Output = Result<T, E>>,
    C: Classify<T, E>,
    H: Observe<E>,
{
    type Output = Result<Report<T>, GaveUp<T, E>>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut retry = self.project().retry;
        let result = ready!(retry.as_mut().poll(context));
        let this = retry.project();
        let (attempts, elapsed) = (this.life.retry.attempts(), this.life.elapsed(&this.setup.runtime));
        Poll::Ready(result.map(|value| Report { value, attempts, elapsed }))
    }
}
