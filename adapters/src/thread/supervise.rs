//! Supervision on a thread.

use super::Thread;
use crate::classify::Classify;
use crate::event::Observe;
use crate::poll::NotReady;
use crate::report::{GaveUp, Last, Report};
use crate::session::Runtime;
use crate::stop::Stop;
use crate::supervise::{After, Crash, Ended, Escalation, Keeper, Ran, Run, Supervise, Supervised, Task};
use core::fmt;
use core::panic::AssertUnwindSafe;
use std::boxed::Box;
use std::panic::catch_unwind;
use std::string::{String, ToString};
use std::sync::mpsc;
use std::vec::Vec;
use undaunted_core::{Micros, Recovery};

/// Runs `task` on this thread, and again after each failure, as `recovery` says.
///
/// A panic is a failure with its message, where panics unwind. Nothing cuts a run: the task is told to stop
/// through the [`Stop`] that it may take as its parameter, and has to look. Or it takes
/// [`Running`](crate::Running), to say when it is up.
///
/// ```
/// use std::time::Duration;
/// use undaunted::{Ended, Policy, Recovery, Stop, thread::supervise};
///
/// const SERVE: Recovery = Recovery::new(Policy::exponential(Duration::from_millis(1)).attempts(5))
///     .reset_after(Duration::from_secs(60));
///
/// let mut runs = 0;
/// let serve = |stop: Stop| {
///     runs += 1;
///     match runs {
///         1 => Err("address in use"),
///         2 => panic!("index out of bounds"),
///         _ => Ok(stop.is_stopped()), // serves until it is stopped
///     }
/// };
/// let ended = supervise(&SERVE, serve).on_event(|event| println!("{event}")).run();
/// assert_eq!(ended, Ok(Ended::Finished(false)));
/// ```
pub fn supervise<F: Task<A>, A>(recovery: &Recovery, task: F) -> Supervise<Thread, F, A, NoGate> {
    Supervise::new(Thread, recovery, task)
}

/// The gate of who has none.
pub type NoGate = fn(&Stop) -> Result<Report<()>, GaveUp<(), NotReady>>;

impl<T, E> Run<Thread> for Result<T, E> {
    type Value = T;
    type Error = E;
}

impl<F, A, G, C, H> Supervise<Thread, F, A, G, C, H> {
    /// Between a failure and the next run waits for a prerequisite: a [`poll`](super::poll) like any other,
    /// with its own limits and hooks. When it was shut and opens, the next run begins at once; when it
    /// was open at its first probe, the wait of the policy holds. When the gate gives up, so does this. The stop that
    /// it is given is to `cancel` it.
    ///
    /// The observers of the gate hear of its end too, before those of the supervision do: those that are `nested`, of
    /// the modules `log` and `tracing`, leave the one line that is an error to these.
    ///
    /// ```
    /// use std::time::Duration;
    /// use undaunted::{Policy, Recovery, thread::{poll, supervise}};
    ///
    /// const FLANNEL: Recovery = Recovery::new(Policy::constant(Duration::from_millis(5)).attempts(5));
    /// const LINK_UP: Policy = Policy::constant(Duration::from_millis(2)).unlimited_attempts().within(Duration::from_secs(30));
    ///
    /// # let (mut runs, mut asked) = (0, 0);
    /// # let flannel = || { runs += 1; if runs == 1 { Err("link is down") } else { Ok(()) } };
    /// # let mut link_is_up = || { asked += 1; asked > 2 };
    /// let ended = supervise(&FLANNEL, flannel)
    ///     .gate(|stop| poll(&LINK_UP, &mut link_is_up).cancel(stop).report())
    ///     .run();
    /// # assert!(ended.is_ok());
    /// ```
    pub fn gate<W, X, Y>(self, gate: W) -> Supervise<Thread, F, A, W, C, H>
    where
        W: FnMut(&Stop) -> Result<Report<X>, GaveUp<X, Y>>,
    {
        self.behind(gate)
    }

    /// Runs it until it ends.
    ///
    /// # Errors
    /// [`GaveUp`] with the reason, the runs made, and how the last one failed. A task that was told to stop and
    /// failed on its way out gives up with [`Reason::Cancelled`](crate::Reason::Cancelled).
    pub fn run<T, E, X, Y>(mut self) -> Supervised<T, E>
    where
        F: Task<A, Output = Result<T, E>>,
        G: FnMut(&Stop) -> Result<Report<X>, GaveUp<X, Y>>,
        C: Classify<Ran<T, E>>,
        H: Observe<Crash<E>>,
        Y: fmt::Display,
    {
        let mut keeper = Keeper::start(self.runtime, &self.recovery, self.seed);
        if self.stop.wait(keeper.first_wait().as_duration()) {
            return Ok(Ended::Stopped);
        }
        keeper.start_now();
        loop {
            let begun = keeper.begin(self.stop.child(), || Thread.now());
            let ran = match catch_unwind(AssertUnwindSafe(|| self.task.run(begun.running()))) {
                Ok(result) => result.map_err(Crash::Failed),
                Err(thrown) => Err(Crash::panicked(thrown)),
            };
            let healthy = keeper.health(&begun, F::HEALTHY_AT_ONCE);
            drop(begun);
            if self.stop.is_stopped() {
                return keeper.stopped(Some(ran), &mut self.observe);
            }
            let after = keeper.settle(healthy, ran, self.always, &mut self.classify, &mut self.observe);
            let paused = match after {
                After::End(ended) => return ended,
                After::Wait(wait, failed) => self.pause(&mut keeper, wait, failed),
            };
            if let Err(ended) = paused {
                return ended;
            }
        }
    }

    /// Waits until the next run is due.
    fn pause<T, E, X, Y>(
        &mut self,
        keeper: &mut Keeper<Thread>,
        wait: Micros,
        failed: bool,
    ) -> Result<(), Supervised<T, E>>
    where
        G: FnMut(&Stop) -> Result<Report<X>, GaveUp<X, Y>>,
        H: Observe<Crash<E>>,
        Y: fmt::Display,
    {
        let asked = self.runtime.now();
        let left = match self.gate.as_mut().filter(|_| failed).map(|gate| gate(&self.stop)) {
            None => wait,
            Some(Ok(report)) => keeper.left(wait, asked, &report),
            Some(Err(_)) if self.stop.is_stopped() => return Err(Ok(Ended::Stopped)),
            Some(Err(gave_up)) => {
                let last = Last::Error(Crash::Shut(gave_up.to_string()));
                return Err(keeper.end(gave_up.reason, last, &mut self.observe));
            }
        };
        if self.stop.wait(left.as_duration()) { Err(Ok(Ended::Stopped)) } else { Ok(()) }
    }
}

/// Several supervised tasks, each on a thread of its own and restarted on its own. When one gives up, the others
/// are stopped, and its end is that of all: an escalation that cannot be ignored.
///
/// ```
/// use std::time::Duration;
/// use undaunted::{Policy, Recovery, Stop, thread::{Supervisor, supervise}};
///
/// const CHILD: Recovery = Recovery::new(Policy::constant(Duration::from_millis(1)).attempts(3));
///
/// let stop = Stop::new(); // stops it all
/// let mut supervisor = Supervisor::new(&stop);
/// supervisor.child("dns", supervise(&CHILD, |stop: Stop| {
///     stop.wait(Duration::MAX); // serves until it is stopped
///     Ok::<_, &str>(())
/// }));
/// supervisor.child("dhcp", supervise(&CHILD, || Err::<(), _>("address in use")));
/// let escalation = supervisor.run().unwrap_err();
/// assert_eq!(escalation.child, "dhcp");
/// ```
#[must_use = "nothing is run before `run`"]
pub struct Supervisor {
    stop: Stop,
    children: Vec<Child>,
}

type Sender = mpsc::Sender<Result<(), Escalation>>;

/// A name, and what runs until it ends.
type Child = (String, Box<dyn FnOnce() -> Result<(), Escalation> + Send>);

impl Supervisor {
    /// Without children yet; `stop` stops it all.
    pub fn new(stop: &Stop) -> Supervisor {
        Supervisor { stop: stop.child(), children: Vec::new() }
    }

    /// Adds a child. Its [`stop`](Supervise::stop) is from now on the one that is answered, which stops it
    /// alone, and with it all.
    pub fn child<F, A, G, C, H, T, E, X, Y>(
        &mut self,
        name: &str,
        task: Supervise<Thread, F, A, G, C, H>,
    ) -> Stop
    where
        F: Task<A, Output = Result<T, E>> + Send + 'static,
        A: 'static,
        G: FnMut(&Stop) -> Result<Report<X>, GaveUp<X, Y>> + Send + 'static,
        C: Classify<Ran<T, E>> + Send + 'static,
        H: Observe<Crash<E>> + Send + 'static,
        E: fmt::Display,
        Y: fmt::Display,
    {
        let stop = self.stop.child();
        let (task, label, told) = (task.stop(&stop), name.to_string(), stop.clone());
        self.children.push((name.to_string(), Box::new(move || Escalation::of(&label, &told, task.run()))));
        stop
    }

    /// Runs all of them until all have ended.
    ///
    /// # Errors
    /// The first [`Escalation`]; all children have ended when it is answered.
    pub fn run(self) -> Result<(), Escalation> {
        let (sender, ends) = mpsc::channel();
        for (name, child) in self.children {
            spawn(name, child, sender.clone());
        }
        drop(sender);
        let mut first = Ok(());
        for end in ends {
            if end.as_ref().is_err_and(Escalation::concerns_all) {
                self.stop.stop();
            }
            first = Escalation::worse(first, end);
        }
        first
    }
}

/// Runs a child on a thread of its own, and sends its end.
fn spawn(name: String, child: impl FnOnce() -> Result<(), Escalation> + Send + 'static, sender: Sender) {
    let mut thread = std::thread::Builder::new();
    if !name.contains('\0') {
        thread = thread.name(name.clone());
    }
    let (label, ends) = (name.clone(), sender.clone());
    let spawned = thread.spawn(move || {
        // A hook may panic, and nobody must be left waiting for this child.
        let end = catch_unwind(AssertUnwindSafe(child)).unwrap_or_else(|thrown| {
            Err(Escalation::broken(&label, Crash::<&str>::panicked(thrown).to_string()))
        });
        _ = ends.send(end);
    });
    if let Err(error) = spawned {
        _ = sender.send(Err(Escalation::broken(&name, error.to_string())));
    }
}
