//! Supervision of tokio's tasks.

use super::Tokio;
use crate::classify::Classify;
use crate::event::Observe;
use crate::poll::NotReady;
use crate::report::{GaveUp, Last, Report};
use crate::session::Runtime;
use crate::stop::Stop;
use crate::supervise::{After, Crash, Ended, Escalation, Keeper, Ran, Run, Supervise, Supervised, Task};
use ::tokio::task::JoinHandle;
use core::fmt;
use core::future::{Future, Ready, poll_fn};
use core::panic::AssertUnwindSafe;
use core::pin::{Pin, pin};
use core::task::{Context, Poll};
use core::time::Duration;
use std::boxed::Box;
use std::panic::catch_unwind;
use std::string::{String, ToString};
use std::vec::Vec;
use undaunted_core::{Micros, Recovery};

/// Runs `task` as a task of tokio, and again after each failure, as `recovery` says.
///
/// A panic is a failure with its message, where panics unwind. When it is stopped, the task is told through
/// the [`Stop`] that it may take as its parameter, and aborted when it has not ended after its
/// [`grace`](Supervise::grace). Dropping the supervision aborts the task too. Or it takes [`Running`](crate::Running),
/// to say when it is up.
///
/// ```
/// use std::time::Duration;
/// use undaunted::{Ended, Policy, Recovery, Stop, tokio::supervise};
///
/// const SERVE: Recovery = Recovery::new(Policy::exponential(Duration::from_millis(100)).attempts(5))
///     .reset_after(Duration::from_secs(60));
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
/// let mut runs = 0;
/// let stop = Stop::new();
/// let serve = |stop: Stop| {
///     runs += 1;
///     let run = runs;
///     async move {
///         match run {
///             1 => Err("address in use"),
///             2 => panic!("index out of bounds"),
///             _ => Ok(stop.stopped().await), // serves until it is stopped
///         }
///     }
/// };
/// # let outside = stop.clone();
/// # tokio::spawn(async move { tokio::time::sleep(Duration::from_secs(3600)).await; outside.stop() });
/// let ended = supervise(&SERVE, serve).stop(&stop).on_event(|event| println!("{event}")).run().await;
/// assert_eq!(ended, Ok(Ended::Finished(())));
/// # });
/// ```
pub fn supervise<F: Task<A>, A>(recovery: &Recovery, task: F) -> Supervise<Tokio, F, A, NoGate> {
    Supervise::new(Tokio, recovery, task)
}

/// The gate of who has none.
pub type NoGate = fn() -> Ready<Result<Report<()>, GaveUp<(), NotReady>>>;

impl<F: Future<Output = Result<T, E>>, T, E> Run<Tokio> for F {
    type Value = T;
    type Error = E;
}

impl<F, A, G, C, H> Supervise<Tokio, F, A, G, C, H> {
    /// How long a task that is told to stop may take before it is aborted; 10 s unless said.
    pub fn grace(mut self, length: Duration) -> Self {
        self.grace = length;
        self
    }

    /// Between a failure and the next run waits for a prerequisite: a [`poll`](super::poll) like any other,
    /// with its own limits and hooks. When it was shut and opens, the next run begins at once; when it
    /// was open at its first probe, the wait of the policy holds. When the gate gives up, so does this.
    ///
    /// The observers of the gate hear of its end too, before those of the supervision do: those that are `nested`, of
    /// the modules `log` and `tracing`, leave the one line that is an error to these.
    ///
    /// ```
    /// use std::time::Duration;
    /// use undaunted::{Policy, Recovery, tokio::{poll, supervise}};
    ///
    /// const FLANNEL: Recovery = Recovery::new(Policy::constant(Duration::from_secs(5)).attempts(5));
    /// const LINK_UP: Policy = Policy::constant(Duration::from_secs(2)).unlimited_attempts().within(Duration::from_secs(30));
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
    /// # let mut runs = 0;
    /// # let asked = std::cell::Cell::new(0);
    /// # let flannel = || { runs += 1; let run = runs; async move { if run == 1 { Err("link is down") } else { Ok(()) } } };
    /// # let link_is_up = async || { asked.set(asked.get() + 1); asked.get() > 2 };
    /// let ended = supervise(&FLANNEL, flannel)
    ///     .gate(|| poll(&LINK_UP, &link_is_up).report())
    ///     .run()
    ///     .await;
    /// # assert!(ended.is_ok());
    /// # });
    /// ```
    pub fn gate<W, Q, X, Y>(self, gate: W) -> Supervise<Tokio, F, A, W, C, H>
    where
        W: FnMut() -> Q,
        Q: Future<Output = Result<Report<X>, GaveUp<X, Y>>>,
    {
        self.behind(gate)
    }

    /// Runs it until it ends.
    ///
    /// # Errors
    /// [`GaveUp`] with the reason, the runs made, and how the last one failed. A task that was told to stop and
    /// failed on its way out, or had to be aborted, gives up with [`Reason::Cancelled`](crate::Reason::Cancelled).
    ///
    /// # Panics
    /// Outside of a runtime of tokio, as everything that is spawned there.
    pub async fn run<Fut, T, E, Q, X, Y>(mut self) -> Supervised<T, E>
    where
        F: Task<A, Output = Fut>,
        Fut: Future<Output = Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: Send + 'static,
        G: FnMut() -> Q,
        Q: Future<Output = Result<Report<X>, GaveUp<X, Y>>>,
        C: Classify<Ran<T, E>>,
        H: Observe<Crash<E>>,
        Y: fmt::Display,
    {
        let mut keeper = Keeper::start(self.runtime, &self.recovery, self.seed);
        if race(sleep(keeper.first_wait()), &self.stop).await.is_none() {
            return Ok(Ended::Stopped);
        }
        keeper.start_now();
        loop {
            let begun = keeper.begin(self.stop.child(), || Tokio.now());
            let ran = match catch_unwind(AssertUnwindSafe(|| self.task.run(begun.running()))) {
                Ok(future) => ended(future, &self.stop, self.grace).await,
                Err(thrown) => Some(Err(Crash::panicked(thrown))),
            };
            let healthy = keeper.health(&begun, F::HEALTHY_AT_ONCE);
            drop(begun);
            if self.stop.is_stopped() {
                return keeper.stopped(ran, &mut self.observe);
            }
            let ran = ran.unwrap_or(Err(Crash::Aborted));
            let after = keeper.settle(healthy, ran, self.always, &mut self.classify, &mut self.observe);
            let (mut wait, failed) = match after {
                After::End(ended) => return ended,
                After::Wait(wait, failed) => (wait, failed),
            };
            if let Some(gate) = self.gate.as_mut().filter(|_| failed) {
                let asked = self.runtime.now();
                wait = match race(gate(), &self.stop).await {
                    None => return Ok(Ended::Stopped),
                    Some(Ok(report)) => keeper.left(wait, asked, &report),
                    Some(Err(gave_up)) => {
                        let last = Last::Error(Crash::Shut(gave_up.to_string()));
                        return keeper.end(gave_up.reason, last, &mut self.observe);
                    }
                };
            }
            if race(sleep(wait), &self.stop).await.is_none() {
                return Ok(Ended::Stopped);
            }
        }
    }
}

/// Runs it as a task until it ends. Once stopped it has its grace; what is aborted then has ended when this answers,
/// with nothing.
async fn ended<F, T, E>(future: F, stop: &Stop, grace: Duration) -> Option<Ran<T, E>>
where
    F: Future<Output = Result<T, E>> + Send + 'static,
    T: Send + 'static,
    E: Send + 'static,
{
    let mut spawned = Spawned(::tokio::spawn(future));
    if let Some(ran) = race(&mut spawned, stop).await {
        return Some(ran);
    }
    if let Ok(ran) = ::tokio::time::timeout(grace, &mut spawned).await {
        return Some(ran);
    }
    spawned.0.abort();
    let _ = spawned.await;
    None
}

/// A wait that takes no turn of the executor when there is nothing to wait for.
async fn sleep(wait: Micros) {
    if wait > Micros::ZERO {
        ::tokio::time::sleep(wait.as_duration()).await;
    }
}

/// What the future gives, unless it is stopped first.
async fn race<F: Future>(future: F, stop: &Stop) -> Option<F::Output> {
    let (mut future, mut stopped) = (pin!(future), pin!(stop.stopped()));
    poll_fn(|context| match stopped.as_mut().poll(context) {
        Poll::Ready(()) => Poll::Ready(None),
        Poll::Pending => future.as_mut().poll(context).map(Some),
    })
    .await
}

/// A task that is aborted when nobody waits for it any more.
struct Spawned<T>(JoinHandle<T>);

impl<T, E> Future for Spawned<Result<T, E>> {
    type Output = Ran<T, E>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Ran<T, E>> {
        Pin::new(&mut self.0).poll(context).map(|joined| match joined {
            Ok(result) => result.map_err(Crash::Failed),
            Err(error) => Err(error.try_into_panic().map_or(Crash::Aborted, Crash::panicked)),
        })
    }
}

impl<T> Drop for Spawned<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Several supervised tasks, each restarted on its own. When one gives up, the others are stopped, and its end
/// is that of all: an escalation that cannot be ignored. Dropping it aborts all of them.
///
/// ```
/// use std::time::Duration;
/// use undaunted::{Policy, Recovery, Stop, tokio::{Supervisor, supervise}};
///
/// const CHILD: Recovery = Recovery::new(Policy::constant(Duration::from_secs(1)).attempts(3));
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
/// let stop = Stop::new(); // stops it all
/// let mut supervisor = Supervisor::new(&stop);
/// supervisor.child("dns", supervise(&CHILD, |stop: Stop| async move {
///     stop.stopped().await; // serves until it is stopped
///     Ok::<_, &str>(())
/// }));
/// supervisor.child("dhcp", supervise(&CHILD, || async { Err::<(), _>("address in use") }));
/// let escalation = supervisor.run().await.unwrap_err();
/// assert_eq!(escalation.child, "dhcp");
/// # });
/// ```
#[must_use = "nothing is run before `run` is awaited"]
pub struct Supervisor {
    stop: Stop,
    children: Vec<Child>,
}

/// A name, and one supervision until it ends.
type Child = (String, Pin<Box<dyn Future<Output = Result<(), Escalation>> + Send>>);

impl Supervisor {
    /// Without children yet; `stop` stops it all.
    pub fn new(stop: &Stop) -> Supervisor {
        Supervisor { stop: stop.child(), children: Vec::new() }
    }

    /// Adds a child. Its [`stop`](Supervise::stop) is from now on the one that is answered, which stops it
    /// alone, and with it all.
    pub fn child<F, A, G, C, H, Fut, T, E, Q, X, Y>(
        &mut self,
        name: &str,
        task: Supervise<Tokio, F, A, G, C, H>,
    ) -> Stop
    where
        F: Task<A, Output = Fut> + Send + 'static,
        A: 'static,
        Fut: Future<Output = Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: fmt::Display + Send + 'static,
        G: FnMut() -> Q + Send + 'static,
        Q: Future<Output = Result<Report<X>, GaveUp<X, Y>>> + Send + 'static,
        C: Classify<Ran<T, E>> + Send + 'static,
        H: Observe<Crash<E>> + Send + 'static,
        X: Send + 'static,
        Y: fmt::Display + Send + 'static,
    {
        let stop = self.stop.child();
        let (task, label, told) = (task.stop(&stop), String::from(name), stop.clone());
        let child = async move { Escalation::of(&label, &told, task.run().await) };
        self.children.push((String::from(name), Box::pin(child)));
        stop
    }

    /// Runs all of them until all have ended.
    ///
    /// # Errors
    /// The first [`Escalation`]; all children have ended when it is answered.
    pub async fn run(mut self) -> Result<(), Escalation> {
        let mut first = Ok(());
        poll_fn(|context| {
            self.children.retain_mut(|(name, child)| {
                // A hook may panic, and must not take the others along.
                let polled = catch_unwind(AssertUnwindSafe(|| child.as_mut().poll(context)));
                let end = match polled {
                    Ok(Poll::Pending) => return true,
                    Ok(Poll::Ready(end)) => end,
                    Err(thrown) => Err(Escalation::broken(name, Crash::<&str>::panicked(thrown).to_string())),
                };
                if end.as_ref().is_err_and(Escalation::concerns_all) {
                    self.stop.stop();
                }
                first = Escalation::worse(core::mem::replace(&mut first, Ok(())), end);
                false
            });
            if self.children.is_empty() { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        first
    }
}
