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

use crate::classify::{Answer, Attempt, Classify, Each, Operation, When, Whole};
use crate::deadline::Until;
use crate::event::{Event, Observe, Silent};
use crate::poll::{Gap, Pace, Rate};
use crate::report::{GaveUpOn, Report, Settled};
use crate::session::{Life, Next, Runtime, Setup};
use core::borrow::Borrow;
use undaunted_core::{Micros, Outcome, Policy, Reason, Rng, Verdict};

/// A runtime that waits by blocking.
///
/// Beside what [`Runtime`] demands, an implementation MUST sleep at least `length`: round up, split
/// what its timer cannot express, saturate what it cannot hold, and never panic.
pub trait Sleep: Runtime {
    /// Whether [`is_cancelled`](Sleep::is_cancelled) may ever be true.
    const CANCELS: bool = false;

    /// Blocks for at least `length`; shorter only when it is cancelled.
    fn sleep(&self, length: Micros);

    /// Whether somebody wants no further attempt.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// Retries `operation` under `policy` on `runtime`. `thread::retry` is the usual door; `thread::poll` is the
/// same for a probe.
#[inline(always)]
pub fn retry<R: Sleep, P: Borrow<Policy>, O: Operation<A>, A>(
    runtime: R,
    policy: P,
    operation: O,
) -> Retry<R, P, O, A> {
    Retry { life: Life::new(policy.borrow()), setup: Setup::new(runtime, policy, operation) }
}

/// A retry that is set up and not yet run.
#[derive(Debug)]
#[must_use = "nothing is called before `run`"]
pub struct Retry<R, P, O, A, C = Each, H = Silent, Y = Gap> {
    pub(crate) setup: Setup<R, P, O, A, C, H, Y>,
    pub(crate) life: Life,
}

impl<R, P, O, A, C, H, Y, V> Retry<R, P, O, A, C, H, Y>
where
    R: Sleep,
    P: Borrow<Policy>,
    O: Operation<A, Output = V>,
    V: Answer,
    Y: Pace,
{
    /// Only errors for which `predicate` holds are worth another attempt; others end it at once.
    #[inline(always)]
    pub fn when<F: FnMut(&V::Error) -> bool>(self, predicate: F) -> Retry<R, P, O, A, When<F>, H, Y> {
        Retry { setup: self.setup.classify(When(predicate)), life: self.life }
    }

    /// The whole answer decides: an `Ok` can count as not yet, an error can carry a server's hint.
    #[inline(always)]
    pub fn classify<F: FnMut(&V) -> Outcome>(self, f: F) -> Retry<R, P, O, A, Whole<F>, H, Y> {
        Retry { setup: self.setup.classify(Whole(f)), life: self.life }
    }

    /// Calls `hook` after each attempt, before its wait. Said again, both are called, in this order.
    #[inline(always)]
    pub fn on_event<F: FnMut(&Event<'_, V::Error>)>(self, hook: F) -> Retry<R, P, O, A, C, (H, F), Y> {
        Retry { setup: self.setup.observe(hook), life: self.life }
    }

    /// Counts each wait from the beginning of an attempt and not from its end, on a grid: a poll every
    /// 5 s then asks every 5 s, however long a probe takes; with jitter each interval is drawn. See [`Rate`].
    #[inline(always)]
    pub fn fixed_rate(self) -> Retry<R, P, O, A, C, H, Rate> {
        Retry { setup: self.setup.pace(Rate::default()), life: self.life }
    }

    /// Draws the jitter from this seed, for a schedule that can be told in advance.
    #[inline(always)]
    pub fn seed(mut self, seed: u64) -> Self {
        self.life.rng = Some(Rng::seeded(seed));
        self
    }

    /// Inherits a deadline: that of the [`Attempt`] it is nested in, or of a phase. The nearest one holds.
    #[inline(always)]
    pub fn deadline(mut self, deadline: impl Until) -> Self {
        self.life.deadline = self.life.deadline.min(deadline.until());
        self
    }

    /// Calls until it succeeds or the policy says stop.
    ///
    /// # Errors
    /// [`GaveUp`](crate::GaveUp) with the reason and what came last.
    #[inline(always)]
    pub fn run(mut self) -> Result<V::Value, GaveUpOn<V>>
    where
        C: Classify<V>,
        H: Observe<V::Error>,
    {
        Ok(self.drive()?.0)
    }

    /// As [`run`](Retry::run), and says what the success took.
    ///
    /// # Errors
    /// [`GaveUp`](crate::GaveUp) with the reason and what came last.
    #[inline(always)]
    pub fn report(mut self) -> Result<Report<V::Value>, GaveUpOn<V>>
    where
        C: Classify<V>,
        H: Observe<V::Error>,
    {
        let (value, attempts) = self.drive()?;
        Ok(Report { value, attempts, elapsed: self.life.elapsed(&self.setup.runtime) })
    }

    /// The value and the attempts. A success at the first attempt pays for no state, no draw, and no
    /// look at the clock but the one at the start.
    #[inline(always)]
    fn drive(&mut self) -> Result<(V::Value, u32), GaveUpOn<V>>
    where
        C: Classify<V>,
        H: Observe<V::Error>,
    {
        let Retry { setup, life } = self;
        match life.first_wait(setup.policy.borrow(), &setup.runtime) {
            Some(Verdict::GiveUp(reason)) => return Err(setup.never(life, reason)),
            Some(Verdict::RetryAfter(wait)) => setup.runtime.sleep(wait),
            Some(Verdict::Done) | None => {}
        }
        if R::CANCELS && setup.runtime.is_cancelled() {
            return Err(setup.never(life, Reason::Cancelled));
        }
        if !setup.begin(life) {
            return Err(setup.never(life, Reason::Deadline));
        }
        loop {
            let answer = setup.call(life);
            match setup.settle(life, answer) {
                Next::Succeeded(value) => return Ok((value, life.retry.attempts())),
                Next::GiveUp(gave_up) => return Err(gave_up),
                Next::Wait(wait, last) => setup.wait(life, wait, last)?,
            }
        }
    }
}

impl<R, P, O, A, C, H, Y> Setup<R, P, O, A, C, H, Y>
where
    R: Sleep,
    P: Borrow<Policy>,
    O: Operation<A>,
    Y: Pace,
{
    /// Waits. What came last is kept only where the wait may be the end.
    #[inline(always)]
    fn wait<V: Answer>(&mut self, life: &Life, wait: Micros, last: Option<V>) -> Result<(), GaveUpOn<V>>
    where
        H: Observe<V::Error>,
    {
        let limited = life.is_limited(self.policy.borrow());
        let last = if R::CANCELS || limited { last } else { None };
        self.runtime.sleep(wait);
        if R::CANCELS && self.runtime.is_cancelled() {
            return Err(self.end_of_wait(life, Reason::Cancelled, last));
        }
        if limited && life.is_over(self.policy.borrow(), &self.runtime) {
            return Err(self.end_of_wait(life, Reason::Deadline, last));
        }
        Ok(())
    }
}

/// One operation's life for a loop of your own: report each attempt with [`settle`](Session::settle).
#[derive(Clone, Debug)]
pub struct Session<R, P> {
    pub(crate) runtime: R,
    pub(crate) policy: P,
    pub(crate) life: Life,
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

    /// Inherits a deadline: that of the [`Attempt`] it is nested in, or of a phase; the nearest one holds. To
    /// be said at the start. If it is here already, no attempt must be made:
    /// [`first_wait`](Session::first_wait) says so.
    pub fn deadline(mut self, deadline: impl Until) -> Self {
        let deadline = deadline.until();
        self.life.deadline = self.life.deadline.min(deadline);
        self.life.retry.inherit(deadline, self.runtime.now());
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
        if self.runtime.is_cancelled() {
            return self.give_up(Reason::Cancelled);
        }
        self.life.standing(&self.runtime, wait)
    }

    /// What the attempt that begins now may know: its number, and the limits to keep to.
    pub fn attempt(&self) -> Attempt {
        Attempt::new(self.policy.borrow(), &self.life.retry, self.runtime.now())
    }

    /// Reports what an attempt came to; decides, and waits if there is to be another. A wait that is
    /// cancelled, or took so long that time is up, is the end too.
    pub fn settle(&mut self, outcome: Outcome) -> Settled {
        let verdict = self.life.settle(self.policy.borrow(), &self.runtime, outcome, &mut Gap);
        let settled = self.life.settled(&self.runtime, verdict);
        let Verdict::RetryAfter(wait) = verdict else { return settled };
        self.runtime.sleep(wait);
        if self.runtime.is_cancelled() {
            return self.give_up(Reason::Cancelled);
        }
        if self.life.is_over(self.policy.borrow(), &self.runtime) {
            return self.give_up(Reason::Deadline);
        }
        settled
    }

    /// Gives up for a reason of your own. What has stopped before stays as it was.
    pub fn give_up(&mut self, reason: Reason) -> Settled {
        let verdict = self.life.retry.give_up(reason);
        self.life.settled(&self.runtime, verdict)
    }
}

impl<R: Sleep + Default, P: Borrow<Policy>> Session<R, P> {
    /// Starts now.
    pub fn start(policy: P) -> Session<R, P> {
        Session::start_on(R::default(), policy)
    }
}
