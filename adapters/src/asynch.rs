//! Asynchronous calls on any timer: what `tokio` drives, and what a runtime of your own can.

use crate::classify::{Classify, Each, Operation, When, Whole};
use crate::event::{Event, Observe, Silent};
use crate::report::{GaveUp, Report, Settled};
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
    /// It answers `Result<T, GaveUp<T, E>>`. It is one named type of the size of the larger of the
    /// operation's future and the sleep, and 64 bytes, with the policy by reference.
    #[must_use = "nothing is called before it is awaited"]
    pub struct Retry<R, P, O, A, C = Each, H = Silent>
    where
        R: Timer,
        O: Operation<A>,
    {
        setup: Setup<R, P, O, A, C, H>,
        life: Life,
        #[pin]
        state: State<O::Output, R::Sleep>,
    }
}

pin_project! {
    #[project = StateProjection]
    enum State<F, S> {
        Fresh,
        FirstWait { #[pin] sleep: S },
        Attempt { #[pin] operation: F },
        Wait { #[pin] sleep: S },
        Finished,
    }
}

impl<R, P, O, A, C, H, F, T, E> Retry<R, P, O, A, C, H>
where
    R: Timer,
    P: Borrow<Policy>,
    O: Operation<A, Output = F>,
    F: Future<Output = Result<T, E>>,
{
    /// Only errors for which `predicate` holds are worth another attempt; others end it at once.
    #[inline(always)]
    pub fn when<D: FnMut(&E) -> bool>(self, predicate: D) -> Retry<R, P, O, A, When<D>, H> {
        Retry { setup: self.setup.classify(When(predicate)), life: self.life, state: self.state }
    }

    /// The whole result decides: an `Ok` can count as not yet, an error can carry a server's hint.
    #[inline(always)]
    pub fn classify<D>(self, f: D) -> Retry<R, P, O, A, Whole<D>, H>
    where
        D: FnMut(&Result<T, E>) -> Outcome,
    {
        Retry { setup: self.setup.classify(Whole(f)), life: self.life, state: self.state }
    }

    /// Calls `hook` after each attempt, before its wait.
    #[inline(always)]
    pub fn on_event<D: FnMut(&Event<'_, E>)>(self, hook: D) -> Retry<R, P, O, A, C, D> {
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

    /// The same future, answering a [`Report`]: the value and what it took.
    pub fn report(self) -> Reported<R, P, O, A, C, H> {
        Reported { retry: self }
    }
}

impl<R, P, O, A, C, H, F, T, E> Future for Retry<R, P, O, A, C, H>
where
    R: Timer,
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
                    if let Some(gave_up) = begin(setup, life, state.as_mut()) {
                        return Poll::Ready(Err(gave_up));
                    }
                }
            }
        }
        if let StateProjection::FirstWait { sleep } = state.as_mut().project() {
            ready!(sleep.poll(context));
            if let Some(gave_up) = begin(setup, life, state.as_mut()) {
                return Poll::Ready(Err(gave_up));
            }
        }
        // Straight from one state to the next, so that a compiler need not look again which it is.
        loop {
            if let StateProjection::Wait { sleep } = state.as_mut().project() {
                ready!(sleep.poll(context));
                let operation = setup.call(life);
                state.set(State::Attempt { operation });
            }
            let StateProjection::Attempt { operation } = state.as_mut().project() else {
                panic!("`retry` polled after it was ready")
            };
            let result = ready!(operation.poll(context));
            let result = match setup.settle(life, result) {
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
fn begin<R, P, O, A, C, H, F, T, E>(
    setup: &mut Setup<R, P, O, A, C, H>,
    life: &mut Life,
    mut state: Pin<&mut State<F, R::Sleep>>,
) -> Option<GaveUp<T, E>>
where
    R: Timer,
    P: Borrow<Policy>,
    O: Operation<A, Output = F>,
    H: Observe<E>,
{
    life.begin(setup.policy.borrow(), setup.runtime.now());
    if life.retry.stopped().is_some() {
        state.set(State::Finished);
        return Some(setup.never(life, Reason::Deadline));
    }
    let operation = setup.call(life);
    state.set(State::Attempt { operation });
    None
}

pin_project! {
    /// The future of a retry that answers a [`Report`]; from [`Retry::report`].
    #[must_use = "nothing is called before it is awaited"]
    pub struct Reported<R, P, O, A, C, H>
    where
        R: Timer,
        O: Operation<A>,
    {
        #[pin]
        retry: Retry<R, P, O, A, C, H>,
    }
}

impl<R, P, O, A, C, H, F, T, E> Future for Reported<R, P, O, A, C, H>
where
    R: Timer,
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

    /// Waits the policy's `first_delay`, if it has one, and starts the clock after it.
    pub async fn first_wait(&mut self) -> Settled {
        let verdict = self.life.first_wait(self.policy.borrow(), &self.runtime);
        if let Some(Verdict::RetryAfter(wait)) = verdict {
            self.runtime.sleep(wait).await;
        }
        self.life.begin(self.policy.borrow(), self.runtime.now());
        self.life.settled(&self.runtime, verdict.unwrap_or(Verdict::RetryAfter(Micros::ZERO)))
    }

    /// Reports what an attempt came to: decides at its first poll, and waits if there is to be another.
    ///
    /// Dropped in its wait, the attempt has been counted; dropped before its first poll, nothing has.
    pub fn settle(&mut self, outcome: Outcome) -> Settle<'_, R, P> {
        Settle { session: self, step: Step::Report { outcome } }
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
                    let verdict = life.settle((*policy).borrow(), runtime, *outcome);
                    let settled = life.settled(runtime, verdict);
                    let Verdict::RetryAfter(wait) = verdict else { return Poll::Ready(settled) };
                    let sleep = runtime.sleep(wait);
                    this.step.set(Step::Wait { settled, sleep });
                }
                StepProjection::Wait { settled, sleep } => {
                    ready!(sleep.poll(context));
                    return Poll::Ready(*settled);
                }
            }
        }
    }
}
