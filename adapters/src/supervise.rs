//! What the supervisors of both runtimes share: what is run, how it ended, and what is decided; feature `std`.

use crate::classify::{Classify, Each, When, Whole};
use crate::event::{Event, Observe, Silent};
use crate::report::{GaveUp, Last, Report};
use crate::session::Runtime;
use crate::stop::Stop;
use core::any::Any;
use core::fmt;
use core::marker::PhantomData;
use core::time::Duration;
use std::boxed::Box;
use std::string::{String, ToString};
use std::sync::{Arc, OnceLock};
use std::vec::Vec;
use undaunted_core::{Instant, Micros, Outcome, Policy, Reason, Recovery, Restarts, Retry, Rng, Verdict};

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
    fn new(stop: Stop, now: fn() -> Instant) -> Running {
        Running { stop, up: Arc::default(), now }
    }

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

/// How a run of a supervised task failed, or what kept it from being run again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Crash<E> {
    /// It was aborted from outside, as when its runtime shuts down.
    Aborted,
    /// It ended with this error.
    Failed(E),
    /// It panicked, with this message.
    Panicked(String),
    /// The gate before its next run stayed shut, with these words.
    Shut(String),
}

impl<E> Crash<E> {
    /// The message of a panic, from what it threw.
    pub(crate) fn panicked(thrown: Box<dyn Any + Send>) -> Crash<E> {
        let text = match thrown.downcast::<String>() {
            Ok(text) => *text,
            Err(thrown) => match thrown.downcast_ref::<&str>() {
                Some(text) => text.to_string(),
                None => {
                    // Dropping it could panic once more, and who panics on purpose can bear a leak.
                    core::mem::forget(thrown);
                    return Crash::Panicked("something that is no text".to_string());
                }
            },
        };
        Crash::Panicked(text)
    }
}

impl<E: fmt::Display> fmt::Display for Crash<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Crash::Aborted => f.write_str("aborted"),
            Crash::Failed(error) => error.fmt(f),
            Crash::Panicked(message) => write!(f, "panicked: {message}"),
            Crash::Shut(text) => write!(f, "the gate stayed shut: {text}"),
        }
    }
}

impl<E: core::error::Error + 'static> core::error::Error for Crash<E> {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Crash::Failed(error) => Some(error),
            Crash::Aborted | Crash::Panicked(_) | Crash::Shut(_) => None,
        }
    }
}

/// How supervision ended without a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended<T> {
    /// The last run ended cleanly with this value: of its own accord, or because it was told to stop.
    Finished(T),
    /// It was stopped while nothing ran.
    Stopped,
}

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

/// How one run ended.
pub type Ran<T, E> = Result<T, Crash<E>>;

/// How supervision ended.
pub type Supervised<T, E> = Result<Ended<T>, GaveUp<T, Crash<E>>>;

/// The state of one supervised task.
pub(crate) struct Keeper<R> {
    runtime: R,
    recovery: Recovery,
    restarts: Restarts<Vec<Instant>>,
    rng: Rng,
    start: Instant,
    runs: u32,
}

/// What to do after a run.
pub(crate) enum After<T, E> {
    End(Supervised<T, E>),
    /// Run it again after this wait; whether it failed.
    Wait(Micros, bool),
}

impl<R: Runtime> Keeper<R> {
    /// Starts now; the first wait is that of the policy's `first_delay`.
    pub(crate) fn start(runtime: R, recovery: &Recovery, seed: Option<u64>) -> Keeper<R> {
        let start = runtime.now();
        let restarts = restarts(recovery, start);
        let rng = Rng::seeded(seed.unwrap_or_else(|| runtime.seed()));
        Keeper { runtime, recovery: *recovery, restarts, rng, start, runs: 0 }
    }

    /// The wait before the first run.
    pub(crate) fn first_wait(&mut self) -> Micros {
        let policy = self.recovery.policy();
        if policy.settings().first_delay == Micros::ZERO {
            return Micros::ZERO;
        }
        match Retry::first_wait(policy, Instant::MAX, self.runtime.now(), self.rng.draw()) {
            Verdict::RetryAfter(wait) => wait,
            Verdict::Done | Verdict::GiveUp(_) => Micros::ZERO,
        }
    }

    /// The first wait is over: time counts from here.
    pub(crate) fn start_now(&mut self) {
        self.start = self.runtime.now();
        self.restarts = restarts(&self.recovery, self.start);
    }

    /// A run begins, that is told to end by this.
    pub(crate) fn begin(&mut self, stop: Stop, now: fn() -> Instant) -> Begun {
        self.runs = self.runs.saturating_add(1);
        Begun { at: self.runtime.now(), running: Running::new(stop, now) }
    }

    /// A run ended: classified, decided, told.
    pub(crate) fn settle<T, E>(
        &mut self,
        healthy: Micros,
        ran: Ran<T, E>,
        always: bool,
        classify: &mut impl Classify<Ran<T, E>>,
        observe: &mut impl Observe<Crash<E>>,
    ) -> After<T, E> {
        let now = self.runtime.now();
        let outcome = match (classify.outcome(&ran), &ran) {
            // A classifier that calls a failure a clean end: there is no value to hand out.
            (Outcome::Succeed, Err(_)) => Outcome::Abort,
            (outcome, _) => outcome,
        };
        let clean = outcome == Outcome::Succeed;
        let verdict = match outcome {
            Outcome::Succeed if always => self.restarts.again(&self.recovery, healthy, now, self.rng.draw()),
            Outcome::Succeed | Outcome::Abort => self.restarts.next(&self.recovery, outcome, healthy, now, 0),
            _ => self.restarts.next(&self.recovery, outcome, healthy, now, self.rng.draw()),
        };
        let last = match ran {
            Err(crash) => Last::Error(crash),
            Ok(value) if clean => Last::Finished(value),
            Ok(value) => Last::NotYet(value),
        };
        self.tell(observe, verdict, last.shown());
        match (verdict, last) {
            (Verdict::RetryAfter(wait), last) => After::Wait(wait, !matches!(last, Last::Finished(_))),
            (Verdict::Done, Last::Finished(value)) => After::End(Ok(Ended::Finished(value))),
            (Verdict::GiveUp(reason), last) => After::End(Err(self.gave_up(reason, last))),
            // Done follows a clean end alone, see above.
            (Verdict::Done, last) => After::End(Err(self.gave_up(Reason::Permanent, last))),
        }
    }

    /// How long a run that ends now was healthy.
    pub(crate) fn health(&self, begun: &Begun, at_once: bool) -> Micros {
        let since = if at_once { Some(begun.at) } else { begun.running.up.get().copied() };
        since.map_or(Micros::ZERO, |since| self.runtime.now().since(since))
    }

    /// It was told to stop while it ran, and this is how it ended. A failure on the way out is one.
    pub(crate) fn stopped<T, E>(
        &mut self,
        ran: Option<Ran<T, E>>,
        observe: &mut impl Observe<Crash<E>>,
    ) -> Supervised<T, E> {
        let last = match ran {
            Some(Ok(value)) => {
                self.tell(observe, Verdict::GiveUp(Reason::Cancelled), Last::Finished(()));
                return Ok(Ended::Finished(value));
            }
            Some(Err(crash)) => Last::Error(crash),
            None => Last::Cut,
        };
        // It was an attempt, and the last.
        let _ = self.restarts.next(&self.recovery, Outcome::Abort, Micros::ZERO, self.start, 0);
        self.end(Reason::Cancelled, last, observe)
    }

    /// It is not run again.
    pub(crate) fn end<T, E>(
        &mut self,
        reason: Reason,
        last: Last<T, Crash<E>>,
        observe: &mut impl Observe<Crash<E>>,
    ) -> Supervised<T, E> {
        self.tell(observe, Verdict::GiveUp(reason), last.shown());
        Err(self.gave_up(reason, last))
    }

    /// What is left of a wait once the gate is open, which began to be asked at `asked`. One that was open at its
    /// first probe kept nobody from running, so that the wait holds; one that was shut was the reason.
    pub(crate) fn left<T>(&self, wait: Micros, asked: Instant, gate: &Report<T>) -> Micros {
        match gate.attempts {
            0 | 1 => (asked + wait).since(self.runtime.now()),
            _ => Micros::ZERO,
        }
    }

    fn tell<E>(&self, observe: &mut impl Observe<Crash<E>>, verdict: Verdict, last: Last<(), &Crash<E>>) {
        let policy: &Policy = self.recovery.policy();
        observe.event(&Event {
            attempt: self.restarts.attempts(),
            limit: policy.settings().attempts,
            last,
            verdict,
            elapsed: self.runtime.now().since(self.start),
        });
    }

    fn gave_up<T, E>(&self, reason: Reason, last: Last<T, Crash<E>>) -> GaveUp<T, Crash<E>> {
        let elapsed = self.runtime.now().since(self.start);
        GaveUp { last, reason, attempts: self.runs, elapsed }
    }
}

/// With as much memory as the intensity asks for.
fn restarts(recovery: &Recovery, start: Instant) -> Restarts<Vec<Instant>> {
    let room = recovery.settings().intensity.map_or(0, |intensity| intensity.restarts as usize);
    let mut memory = Vec::new();
    memory.resize(room, Instant::default());
    Restarts::start(recovery, start, memory)
        .unwrap_or_else(|_| unreachable!("the memory has the room that the intensity asks for"))
}

/// A supervised child gave up: which, and why. What else was supervised has been stopped.
///
/// ```text
/// dns: gave up after 5 attempts in 12 s: no attempts left; last: address in use
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "an escalation that is ignored is a service that is down in silence"]
pub struct Escalation {
    /// The name of the child.
    pub child: String,
    /// Why it gave up.
    pub reason: Reason,
    /// Its [`GaveUp`] in words.
    pub message: String,
    /// Whether it was told to stop, and failed on its way out.
    told: bool,
}

impl Escalation {
    pub(crate) fn of<T, E>(child: &str, stop: &Stop, supervised: Supervised<T, E>) -> Result<(), Escalation>
    where
        E: fmt::Display,
    {
        match supervised {
            Ok(_) => Ok(()),
            Err(gave_up) => Err(Escalation {
                child: child.to_string(),
                reason: gave_up.reason,
                message: gave_up.to_string(),
                told: gave_up.reason == Reason::Cancelled && stop.is_stopped(),
            }),
        }
    }

    /// A child that could not be supervised at all.
    pub(crate) fn broken(child: &str, message: String) -> Escalation {
        Escalation { child: child.to_string(), reason: Reason::Permanent, message, told: false }
    }

    /// Whether the others are to stop too. A child that was told to stop, and failed on its way out, concerns
    /// nobody else.
    pub(crate) fn concerns_all(&self) -> bool {
        !self.told
    }

    /// The end of all, of the end so far and one more: the first, but one that was the reason for the others.
    pub(crate) fn worse(
        first: Result<(), Escalation>,
        next: Result<(), Escalation>,
    ) -> Result<(), Escalation> {
        match (&first, &next) {
            (Err(one), Err(other)) if one.told && !other.told => next,
            (Err(_), _) => first,
            (Ok(()), _) => next,
        }
    }
}

impl fmt::Display for Escalation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.child, self.message)
    }
}

impl core::error::Error for Escalation {}
