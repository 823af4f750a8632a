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

mod build;
mod cancel;
mod cut;
mod reported;
mod session;

pub use cancel::{Cancel, CancelOn, Never};
pub use cut::{Cut, CutAt, Limit, Uncut};
pub use reported::Reported;
pub use session::{Session, Settle};

use crate::classify::{Answer, Classify, Each, Operation};
use crate::event::{Observe, Silent};
use crate::poll::{Gap, Pace};
use crate::report::GaveUpOn;
use crate::session::{Life, Next, Runtime, Setup};
use core::borrow::Borrow;
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, ready};
use pin_project_lite::pin_project;
use undaunted_core::{Micros, Policy, Reason, Verdict};

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

/// Retries `operation` under `policy` on `runtime`. `tokio::retry` is the usual door; `tokio::poll` is the
/// same for a probe.
#[inline(always)]
pub fn retry<R: Timer, P: Borrow<Policy>, O: Operation<A, Output: Future>, A>(
    runtime: R,
    policy: P,
    operation: O,
) -> Retry<R, P, O, A> {
    let life = Life::new(policy.borrow());
    Retry { setup: Setup::new(runtime, policy, operation), life, cancel: Never, state: State::Fresh }
}

pin_project! {
    /// The future of a retry: nothing happens before it is polled, dropping it stops everything.
    ///
    /// It answers `Result<T, GaveUp<T, E>>`. An attempt is cut at the nearer of the policy's
    /// `attempt_timeout` and the time left: it is dropped, and counts as a failure. It is one named
    /// type of the size of the operation's future, a sleep and 64 bytes, with the policy by reference;
    /// [`uncut`](Retry::uncut) of the larger of the two and 64 bytes.
    ///
    /// Where a wait may be the end, because time is limited or something may cancel, what the last attempt
    /// gave is kept until the wait is over, so that giving up can hand it out.
    #[must_use = "nothing is called before it is awaited"]
    pub struct Retry<R, P, O, A, C = Each, H = Silent, K = Cut, X = Never, Y = Gap>
    where
        R: Timer,
        O: Operation<A>,
        O::Output: Future,
        K: Limit,
        X: Cancel,
    {
        setup: Setup<R, P, O, A, C, H, Y>,
        life: Life,
        #[pin]
        cancel: X,
        #[pin]
        state: State<O::Output, R::Sleep, K::Guard<R::Sleep>, Held<X, K, O::Output>>,
    }
}

/// What the last attempt gave, kept across the wait after it, or nothing at all.
type Held<X, K, F> = <X as Cancel>::Held<K, <F as Future>::Output>;

pin_project! {
    #[project = StateProjection]
    enum State<F, S, G, L> {
        Fresh,
        FirstWait { #[pin] sleep: S },
        Attempt { #[pin] operation: F, #[pin] guard: G },
        Wait { #[pin] sleep: S, last: L },
        Finished,
    }
}

type Pinned<'a, R, F, K, X> =
    Pin<&'a mut State<F, <R as Timer>::Sleep, <K as Limit>::Guard<<R as Timer>::Sleep>, Held<X, K, F>>>;

impl<R, P, O, A, C, H, K, X, Y, F, V> Future for Retry<R, P, O, A, C, H, K, X, Y>
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
    type Output = Result<V::Value, GaveUpOn<V>>;

    #[inline(always)]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let (setup, life, mut cancel, mut state) = (this.setup, this.life, this.cancel, this.state);
        // Before the first attempt.
        loop {
            let begun = match state.as_mut().project() {
                StateProjection::Fresh => match life.first_wait(setup.policy.borrow(), &setup.runtime) {
                    Some(Verdict::RetryAfter(wait)) => {
                        let sleep = setup.runtime.sleep(wait);
                        state.set(State::FirstWait { sleep });
                        continue;
                    }
                    Some(Verdict::GiveUp(reason)) => Err(reason),
                    Some(Verdict::Done) | None if is_ready(cancel.as_mut(), context) => {
                        Err(Reason::Cancelled)
                    }
                    Some(Verdict::Done) | None => Ok(()),
                },
                StateProjection::FirstWait { .. } if is_ready(cancel.as_mut(), context) => {
                    Err(Reason::Cancelled)
                }
                StateProjection::FirstWait { sleep } => {
                    ready!(sleep.poll(context));
                    Ok(())
                }
                _ => break,
            };
            let begun = match begun {
                Ok(()) if setup.begin(life) => Ok(()),
                Ok(()) => Err(Reason::Deadline),
                Err(reason) => Err(reason),
            };
            if let Err(reason) = begun {
                state.set(State::Finished);
                return Poll::Ready(Err(setup.never(life, reason)));
            }
            setup.attempt::<F, V, K, X>(life, state.as_mut());
            break;
        }
        // Straight from one state to the next, so that a compiler need not look again which it is.
        loop {
            if let StateProjection::Wait { sleep, last } = state.as_mut().project() {
                let over = if is_ready(cancel.as_mut(), context) {
                    Some(Reason::Cancelled)
                } else {
                    ready!(sleep.poll(context));
                    let over = (K::CUTS || X::CANCELS) && life.is_over(setup.policy.borrow(), &setup.runtime);
                    over.then_some(Reason::Deadline)
                };
                if let Some(reason) = over {
                    let last = X::take::<K, V>(last);
                    state.set(State::Finished);
                    return Poll::Ready(Err(setup.end_of_wait(life, reason, last)));
                }
                setup.attempt::<F, V, K, X>(life, state.as_mut());
            }
            let StateProjection::Attempt { operation, guard } = state.as_mut().project() else {
                panic!("`retry` polled after it was ready")
            };
            let next = match operation.poll(context) {
                Poll::Ready(answer) => setup.settle(life, answer),
                Poll::Pending if is_ready(cancel.as_mut(), context) => {
                    state.set(State::Finished);
                    Next::GiveUp(setup.cancelled(life))
                }
                Poll::Pending if K::CUTS => {
                    ready!(guard.poll(context));
                    // What is cut is gone before anybody hears of it.
                    state.set(State::Finished);
                    setup.cut(life)
                }
                Poll::Pending => return Poll::Pending,
            };
            let result = match next {
                Next::Wait(wait, answer) => {
                    let may_end = X::CANCELS || K::CUTS && life.is_limited(setup.policy.borrow());
                    let last = X::hold::<K, V>(if may_end { answer } else { None });
                    let sleep = setup.runtime.sleep(wait);
                    state.set(State::Wait { sleep, last });
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

/// Whether it is cancelled.
#[inline(always)]
fn is_ready<X: Cancel>(cancel: Pin<&mut X>, context: &mut Context<'_>) -> bool {
    X::CANCELS && cancel.poll_cancelled(context).is_ready()
}

impl<R, P, O, A, C, H, Y> Setup<R, P, O, A, C, H, Y>
where
    R: Timer,
    P: Borrow<Policy>,
    O: Operation<A>,
    Y: Pace,
{
    /// Calls the operation, under its guard: what it does before its first await counts too.
    #[inline(always)]
    fn attempt<F, V, K, X>(&mut self, life: &Life, mut state: Pinned<'_, R, F, K, X>)
    where
        O: Operation<A, Output = F>,
        F: Future<Output = V>,
        K: Limit,
        X: Cancel,
    {
        let limit = if K::CUTS { self.limit(life) } else { None };
        let guard = K::guard(&self.runtime, limit);
        let operation = self.call(life);
        state.set(State::Attempt { operation, guard });
    }
}
