//! What is run: a closure, what it may take, and since when it is healthy.

use crate::stop::Stop;
use std::sync::{Arc, OnceLock};
use undaunted_core::Instant;

/// What can be supervised: a closure without parameters, with the [`Stop`] that ends it, or with [`Running`].
///
/// `Args` only tells them apart; it is inferred from the parameter, whose type must be written: `|stop: Stop| ..`.
pub trait Task<Args> {
    /// What one run gives: a `Result`, or a future of one.
    type Output;

    /// Whether a run is healthy from its beginning, since it cannot say when it is up.
    const HEALTHY_AT_ONCE: bool = true;

    /// Begins one run.
    fn run(&mut self, running: Running) -> Self::Output;
}

impl<F: FnMut() -> Output, Output> Task<()> for F {
    type Output = Output;

    fn run(&mut self, _: Running) -> Output {
        self()
    }
}

impl<F: FnMut(Stop) -> Output, Output> Task<(Stop,)> for F {
    type Output = Output;

    fn run(&mut self, running: Running) -> Output {
        self(running.stop)
    }
}

impl<F: FnMut(Running) -> Output, Output> Task<(Running,)> for F {
    type Output = Output;

    const HEALTHY_AT_ONCE: bool = false;

    fn run(&mut self, running: Running) -> Output {
        self(running)
    }
}

/// What a run may take as its parameter: its [`Stop`], and a way to say that it is up.
///
/// How long a run lasted is not always how long it was healthy: a connect that hangs for two minutes and fails was not.
/// A run that takes this counts as healthy from the moment at which it says [`up`](Running::up), and not at all when
/// it never does.
#[derive(Clone, Debug)]
pub struct Running {
    stop: Stop,
    up: Arc<OnceLock<Instant>>,
    now: fn() -> Instant,
}

impl Running {
    /// It is up: connected, ready. Only the first time counts.
    pub fn up(&self) {
        self.up.get_or_init(self.now);
    }

    /// Stopped when the task is to end, and when its run has ended.
    pub fn stop(&self) -> &Stop {
        &self.stop
    }
}

/// One run, from its beginning. What it left behind and holds its [`Stop`] is told when it ends.
pub(crate) struct Begun {
    at: Instant,
    running: Running,
}

impl Begun {
    pub(super) fn new(at: Instant, stop: Stop, now: fn() -> Instant) -> Begun {
        Begun { at, running: Running { stop, up: Arc::default(), now } }
    }

    /// Since when it is healthy: from its beginning where it cannot say, else since it said that it is up.
    pub(super) fn healthy_since(&self, at_once: bool) -> Option<Instant> {
        if at_once { Some(self.at) } else { self.running.up.get().copied() }
    }

    /// What the task is given.
    pub(crate) fn running(&self) -> Running {
        self.running.clone()
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        self.running.stop.stop();
    }
}

/// What a run on this runtime comes to, whether it is there at once or in the future.
#[diagnostic::on_unimplemented(
    message = "a run must give a `Result`; on tokio, a future of one",
    label = "`{Self}` says neither how it ended nor how it failed"
)]
pub trait Run<R> {
    /// What a clean end gives.
    type Value;

    /// What a failure gives.
    type Error;
}
