//! Blocking calls on any clock: what `thread` drives, and what a runtime of your own can.
//!
//! Nothing cuts a blocking call. `within` and `attempt_timeout` are told to the operation through
//! [`Attempt`], and no wait is begun that would pass the deadline; but a call that hangs, hangs.
//!
//! ```
//! use core::{cell::Cell, time::Duration};
//! use undaunted::{Instant, Micros, Policy, Runtime, blocking};
//!
//! /// A board with a counter of microseconds and a serial number.
//! struct Board {
//!     counter: Cell<u64>,
//!     serial: u64,
//! }
//!
//! impl Runtime for &Board {
//!     fn now(&self) -> Instant {
//!         Instant::from_micros(self.counter.get())
//!     }
//!     fn seed(&self) -> u64 {
//!         self.serial // differs from board to board
//!     }
//! }
//!
//! impl blocking::Sleep for &Board {
//!     fn sleep(&self, length: Micros) {
//!         self.counter.set(self.counter.get().saturating_add(length.as_micros())); // wait for it
//!     }
//! }
//!
//! const SENSOR: Policy = Policy::constant(Duration::from_millis(10)).no_jitter().attempts(3);
//!
//! let board = Board { counter: Cell::new(0), serial: 4711 };
//! let report = blocking::retry(&board, &SENSOR, || {
//!     if board.counter.get() < 20_000 { Err("no answer") } else { Ok(21.5) }
//! })
//! .report()
//! .unwrap();
//! assert_eq!((report.attempts, report.elapsed), (3, Micros::from_millis(20)));
//! ```

use crate::classify::{Attempt, Classify, Each, Operation, When, Whole};
use crate::event::{Event, Observe, Silent};
use crate::report::{GaveUp, Report, Settled};
use crate::session::{Life, Next, Runtime, Setup};
use core::{borrow::Borrow, marker::PhantomData};
use undaunted_core::{Instant, Micros, Outcome, Policy, Reason, Rng, Verdict};

/// A runtime that waits by blocking.
///
/// Beside what [`Runtime`] demands, an implementation MUST sleep at least `length`: round up, split
/// what its timer cannot express, saturate what it cannot hold, and never panic.
pub trait Sleep: Runtime {
    /// Blocks for at least `length`.
    fn sleep(&self, length: Micros);
}

/// Retries `operation` under `policy` on `runtime`. `thread::retry` is the usual door.
#[inline(always)]
pub fn retry<R: Sleep, P: Borrow<Policy>, O: Operation<A>, A>(
    runtime: R,
    policy: P,
    operation: O,
) -> Retry<R, P, O, A> {
    let life = Life::new(policy.borrow());
    let args = PhantomData;
    Retry { setup: Setup { runtime, policy, operation, classify: Each, observe: Silent, args }, life }
}

/// A retry that is set up and not yet run.
#[derive(Debug)]
#[must_use = "nothing is called before `run`"]
pub struct Retry<R, P, O, A, C = Each, H = Silent> {
    setup: Setup<R, P, O, A, C, H>,
    life: Life,
}

impl<R, P, O, A, C, H, T, E> Retry<R, P, O, A, C, H>
where
    R: Sleep,
    P: Borrow<Policy>,
    O: Operation<A, Output = Result<T, E>>,
{
    /// Only errors for which `predicate` holds are worth another attempt; others end it at once.
    #[inline(always)]
    pub fn when<F: FnMut(&E) -> bool>(self, predicate: F) -> Retry<R, P, O, A, When<F>, H> {
        Retry { setup: self.setup.classify(When(predicate)), life: self.life }
    }

    /// The whole result decides: an `Ok` can count as not yet, an error can carry a server's hint.
    #[inline(always)]
    pub fn classify<F: FnMut(&Result<T, E>) -> Outcome>(self, f: F) -> Retry<R, P, O, A, Whole<F>, H> {
        Retry { setup: self.setup.classify(Whole(f)), life: self.life }
    }

    /// Calls `hook` after each attempt, before its wait.
    #[inline(always)]
    pub fn on_event<F: FnMut(&Event<'_, E>)>(self, hook: F) -> Retry<R, P, O, A, C, F> {
        Retry { setup: self.setup.observe(hook), life: self.life }
    }

    /// Draws the jitter from this seed, for a schedule that can be told in advance.
    #[inline(always)]
    pub fn seed(mut self, seed: u64) -> Self {
        self.life.rng = Some(Rng::seeded(seed));
        self
    }

    /// Inherits a deadline, such as that of an outer [`Attempt`]; the nearer one holds.
    #[inline(always)]
    pub fn deadline(mut self, deadline: Instant) -> Self {
        self.life.deadline = deadline;
        self
    }

    /// Calls until it succeeds or the policy says stop.
    ///
    /// # Errors
    /// [`GaveUp`] with the reason and what came last.
    #[inline(always)]
    pub fn run(mut self) -> Result<T, GaveUp<T, E>>
    where
        C: Classify<T, E>,
        H: Observe<E>,
    {
        Ok(self.drive()?.0)
    }

    /// As [`run`](Retry::run), and says what the success took.
    ///
    /// # Errors
    /// [`GaveUp`] with the reason and what came last.
    #[inline(always)]
    pub fn report(mut self) -> Result<Report<T>, GaveUp<T, E>>
    where
        C: Classify<T, E>,
        H: Observe<E>,
    {
        let (value, attempts) = self.drive()?;
        Ok(Report { value, attempts, elapsed: self.life.elapsed(&self.setup.runtime) })
    }

    /// The value and the attempts. A success at the first attempt pays for no state, no draw, and no
    /// look at the clock but the one at the start.
    #[inline(always)]
    fn drive(&mut self) -> Result<(T, u32), GaveUp<T, E>>
    where
        C: Classify<T, E>,
        H: Observe<E>,
    {
        let Retry { setup, life } = self;
        match life.first_wait(setup.policy.borrow(), &setup.runtime) {
            Some(Verdict::GiveUp(reason)) => return Err(setup.never(life, reason)),
            Some(Verdict::RetryAfter(wait)) => setup.runtime.sleep(wait),
            Some(Verdict::Done) | None => {}
        }
        life.begin(setup.policy.borrow(), setup.runtime.now());
        if life.retry.stopped().is_some() {
            return Err(setup.never(life, Reason::Deadline));
        }
        loop {
            let result = setup.call(life);
            match setup.settle(life, result) {
                Next::Succeeded(value) => return Ok((value, life.retry.attempts())),
                Next::GiveUp(gave_up) => return Err(gave_up),
                Next::Wait(wait) => setup.runtime.sleep(wait),
            }
        }
    }
}

/// One operation's life for a loop of your own: report each attempt with [`settle`](Session::settle).
#[derive(Clone, Debug)]
pub struct Session<R, P> {
    runtime: R,
    policy: P,
    life: Life,
}

impl<R: Sleep, P: Borrow<Policy>> Session<R, P> {
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

    /// Inherits a deadline, such as that of an outer [`Attempt`]; the nearer one holds. To be said
    /// at the start. If it is here already, no attempt must be made: [`first_wait`](Session::first_wait)
    /// says so.
    pub fn deadline(mut self, deadline: Instant) -> Self {
        self.life.deadline = deadline;
        self.life.begin(self.policy.borrow(), self.life.start);
        self
    }

    /// Waits the policy's `first_delay`, if it has one, and starts the clock after it. Once an attempt has
    /// been reported there is no first any more: it only says how things stand.
    pub fn first_wait(&mut self) -> Settled {
        if self.life.retry.attempts() > 0 || self.life.retry.stopped().is_some() {
            return self.life.standing(&self.runtime, Micros::ZERO);
        }
        let wait = match self.life.first_wait(self.policy.borrow(), &self.runtime) {
            Some(Verdict::GiveUp(reason)) => {
                let _ = self.life.retry.give_up(reason);
                return self.life.standing(&self.runtime, Micros::ZERO);
            }
            Some(Verdict::RetryAfter(wait)) => wait,
            Some(Verdict::Done) | None => Micros::ZERO,
        };
        if wait > Micros::ZERO {
            self.runtime.sleep(wait);
        }
        self.life.begin(self.policy.borrow(), self.runtime.now());
        self.life.standing(&self.runtime, wait)
    }

    /// What the attempt that begins now may know: its number, and the limits to keep to.
    pub fn attempt(&self) -> Attempt {
        Attempt::new(self.policy.borrow(), &self.life.retry, self.runtime.now())
    }

    /// Reports what an attempt came to; decides, and waits if there is to be another.
    pub fn settle(&mut self, outcome: Outcome) -> Settled {
        let verdict = self.life.settle(self.policy.borrow(), &self.runtime, outcome);
        let settled = self.life.settled(&self.runtime, verdict);
        if let Verdict::RetryAfter(wait) = verdict {
            self.runtime.sleep(wait);
        }
        settled
    }
}

impl<R: Sleep + Default, P: Borrow<Policy>> Session<R, P> {
    /// Starts now.
    pub fn start(policy: P) -> Session<R, P> {
        Session::start_on(R::default(), policy)
    }
}
