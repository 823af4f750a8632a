//! What the supervisors of both runtimes share: what is run, how it ended, and what is decided; feature `std`.

mod crash;
mod escalation;
mod keeper;
mod task;

pub use crash::Crash;
pub use escalation::Escalation;
pub(crate) use keeper::{After, Keeper};
pub(crate) use task::Begun;
pub use task::{Run, Running, Task};

use crate::classify::{Each, When, Whole};
use crate::event::{Event, Silent};
use crate::report::GaveUp;
use crate::stop::Stop;
use core::marker::PhantomData;
use core::time::Duration;
use undaunted_core::{Outcome, Recovery};

/// How supervision ended without a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended<T> {
    /// The last run ended cleanly with this value: of its own accord, or because it was told to stop.
    Finished(T),
    /// It was stopped while nothing ran.
    Stopped,
}

/// How one run ended.
pub type Ran<T, E> = Result<T, Crash<E>>;

/// How supervision ended.
pub type Supervised<T, E> = Result<Ended<T>, GaveUp<T, Crash<E>>>;

/// A supervised task that is set up and not yet run; from `thread::supervise` or `tokio::supervise`.
///
/// A run that fails or panics is followed by another after the wait of the [`Recovery`]'s policy; one
/// that ends cleanly is the end, unless it is to run [`always`](Supervise::always). How long a run
/// lasted, or since when it was [`up`](Running::up), is how long it was healthy: only `reset_after` or more brings the
/// waits back to the first.
/// When attempts, time or intensity are used up it gives up, which must not be ignored.
///
/// A run is not cut: it may last for ever, so `attempt_timeout` means nothing here, and `within` only keeps
/// restarts from being begun.
#[must_use = "nothing is run before `run`"]
pub struct Supervise<R, F, A, G, C = Each, H = Silent> {
    pub(crate) runtime: R,
    pub(crate) recovery: Recovery,
    pub(crate) task: F,
    pub(crate) gate: Option<G>,
    pub(crate) classify: C,
    pub(crate) observe: H,
    pub(crate) stop: Stop,
    pub(crate) grace: Duration,
    pub(crate) always: bool,
    pub(crate) seed: Option<u64>,
    args: PhantomData<fn() -> A>,
}

/// How long a task that is told to stop may take, unless told otherwise.
const GRACE: Duration = Duration::from_secs(10);

impl<R, F, A, G> Supervise<R, F, A, G> {
    pub(crate) fn new(runtime: R, recovery: &Recovery, task: F) -> Supervise<R, F, A, G> {
        Supervise {
            runtime,
            recovery: *recovery,
            task,
            gate: None,
            classify: Each,
            observe: Silent,
            stop: Stop::new(),
            grace: GRACE,
            always: false,
            seed: None,
            args: PhantomData,
        }
    }
}

impl<R, F, A, G, C, H> Supervise<R, F, A, G, C, H> {
    /// Ends it once `stop` is stopped. The task is told through its own [`Stop`], and a wait ends at once.
    pub fn stop(mut self, stop: &Stop) -> Self {
        self.stop = stop.clone();
        self
    }

    pub(crate) fn behind<W>(self, gate: W) -> Supervise<R, F, A, W, C, H> {
        let Supervise { runtime, recovery, task, classify, observe, stop, grace, always, seed, args, .. } =
            self;
        let gate = Some(gate);
        Supervise { runtime, recovery, task, gate, classify, observe, stop, grace, always, seed, args }
    }

    fn with<D, K>(self, change: impl FnOnce(C, H) -> (D, K)) -> Supervise<R, F, A, G, D, K> {
        let Supervise { runtime, recovery, task, gate, stop, grace, always, seed, args, .. } = self;
        let (classify, observe) = change(self.classify, self.observe);
        Supervise { runtime, recovery, task, gate, classify, observe, stop, grace, always, seed, args }
    }
}

impl<R, F, A, G, C, H> Supervise<R, F, A, G, C, H>
where
    F: Task<A>,
    F::Output: Run<R>,
{
    /// Runs it again after a clean end too. That is no failure: it uses up no attempt. It waits all the same,
    /// and counts for the intensity.
    pub fn always(mut self) -> Self {
        self.always = true;
        self
    }

    /// Only failures for which `predicate` holds are worth another run; others end it at once.
    pub fn when<D>(self, predicate: D) -> Supervise<R, F, A, G, When<D>, H>
    where
        D: FnMut(&Crash<<F::Output as Run<R>>::Error>) -> bool,
    {
        self.with(|_, observe| (When(predicate), observe))
    }

    /// The whole result of a run decides: `Succeed` is a clean end.
    pub fn classify<D>(self, f: D) -> Supervise<R, F, A, G, Whole<D>, H>
    where
        D: FnMut(&Ran<<F::Output as Run<R>>::Value, <F::Output as Run<R>>::Error>) -> Outcome,
    {
        self.with(|_, observe| (Whole(f), observe))
    }

    /// Calls `hook` after each run, before its wait. Said again, both are called, in this order.
    pub fn on_event<D>(self, hook: D) -> Supervise<R, F, A, G, C, (H, D)>
    where
        D: FnMut(&Event<'_, Crash<<F::Output as Run<R>>::Error>>),
    {
        self.with(|classify, observe| (classify, (observe, hook)))
    }

    /// Draws the jitter from this seed, for a schedule that can be told in advance.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }
}
