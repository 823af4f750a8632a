//! One event loop for everything that a running command can meet: its end, its limit, and signals.

use super::child::Program;
use super::notify::Notify;
use super::signals::{Came, Signals};
use super::tree::{self, Process, Tree};
use crate::failure::Failure;
use crate::say;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::signal::Signal;
use nix::sys::time::TimeSpec;
use nix::unistd::Pid;
use rustix::process::{WaitOptions, WaitStatus};
use std::collections::HashSet;
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

/// How often it looks whether a tree is gone: not each of its processes is our child, whose end we would hear of.
const LOOK: Duration = Duration::from_millis(20);

/// How long a KILL may take until it is said that it does not help: a process may hang in the kernel.
const PATIENCE: Duration = Duration::from_secs(5);

/// Within so long of the first a second signal is the same one, by another way: `timeout` tells its child and then the
/// whole group, and a wrapper passes on what the terminal told us too.
const ECHO: Duration = Duration::from_millis(50);

/// What holds for every command that is run.
#[derive(Debug)]
pub(super) struct Engine {
    tree: Tree,
    signals: Signals,
    notify: Option<Notify>,
    grace: Duration,
    /// The command under way.
    running: Option<Pid>,
    /// Whether it gets the signals that end nothing.
    listens: bool,
    /// How it ended.
    status: Option<WaitStatus>,
    stopping: Option<Stopping>,
}

/// A signal came that ends it.
#[derive(Clone, Copy, Debug)]
struct Stopping {
    signal: Signal,
    by_terminal: bool,
    since: Instant,
    /// It came again: no grace any more.
    again: bool,
}

/// How one run of a command ended.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) result: Result<(), Failure>,
    /// Without the time that it took to end it, and what it left behind.
    pub(super) lasted: Duration,
}

impl Engine {
    /// To be made once. From now on signals are events, and orphans of the tree are ours.
    pub(super) fn new(grace: Duration, hangup_is_news: bool) -> io::Result<Engine> {
        let tree = Tree::adopt()?;
        let signals = Signals::watch(hangup_is_news)?;
        let notify = Notify::from_environment()?;
        Ok(Engine {
            tree,
            signals,
            notify,
            grace,
            running: None,
            listens: false,
            status: None,
            stopping: None,
        })
    }

    /// The signal that ends it, if one came.
    pub(super) fn stopping(&self) -> Option<Signal> {
        self.stopping.map(|stopping| stopping.signal)
    }

    /// Runs a command until it ends; cuts it at its limit, and when a signal ends us. What a failed one leaves
    /// behind is ended too, and what any one leaves when `whole`.
    pub(super) fn run(
        &mut self,
        program: &Program<'_>,
        mut environment: Vec<(&str, Option<OsString>)>,
        limit: Option<Duration>,
        whole: bool,
    ) -> Ran {
        let begun = Instant::now();
        if let Some(notify) = &self.notify {
            environment.extend(notify.environment());
        }
        self.listens = program.listens;
        match program.start(&environment, self.signals.before) {
            Ok(pid) => self.follow(pid, begun, limit.and_then(|limit| begun.checked_add(limit)), whole),
            Err(failure) => Ran { result: Err(failure), lasted: begun.elapsed() },
        }
    }

    fn follow(&mut self, pid: Pid, begun: Instant, until: Option<Instant>, whole: bool) -> Ran {
        (self.running, self.status) = (Some(pid), None);
        let mut time_is_up = false;
        self.reap();
        while self.status.is_none() && self.stopping.is_none() && !time_is_up {
            time_is_up = self.next(until);
        }
        let lasted = begun.elapsed();
        // Who ended in that same moment has not been cut.
        let cut = self.status.is_none() && self.stopping.is_none();
        match (self.stopping, self.status) {
            (Some(Stopping { signal, by_terminal, .. }), _) => self.end_tree(signal, by_terminal),
            (None, Some(status)) if status.exit_status() == Some(0) && !whole => {}
            _ => self.end_tree(Signal::SIGTERM, false),
        }
        self.running = None;
        // What was said just before the end.
        self.pass_on();
        let result = match self.status {
            _ if cut => Err(Failure::Cut),
            Some(status) => Failure::of(status.exit_status(), status.terminating_signal()),
            // It cannot be ended, which has been said.
            None => Err(Failure::Signal(Signal::SIGKILL as i32)),
        };
        Ran { result, lasted }
    }

    /// Waits for so long, unless a signal ends it: then false. `tick` is told what is left, about once a second.
    pub(super) fn sleep(&mut self, length: Duration, mut tick: impl FnMut(Duration)) -> bool {
        let end = Instant::now().checked_add(length);
        loop {
            let left = end.map_or(Duration::MAX, |end| end.saturating_duration_since(Instant::now()));
            if self.stopping.is_some() || left.is_zero() {
                return self.stopping.is_none();
            }
            tick(left);
            let second = Instant::now() + Duration::from_secs(1);
            self.next(Some(end.map_or(second, |end| end.min(second))));
        }
    }

    /// Waits until there is something to read, or its end; false when a signal ends it before.
    pub(super) fn ready(&mut self, stream: BorrowedFd<'_>) -> bool {
        let mut readable = false;
        while self.stopping.is_none() && !readable {
            readable = self.watch(None, Some(stream));
        }
        self.stopping.is_none()
    }

    /// The same for no longer than this.
    pub(super) fn ready_within(&mut self, stream: BorrowedFd<'_>, limit: Option<Duration>) {
        let until = limit.and_then(|limit| Instant::now().checked_add(limit));
        while self.stopping.is_none() && !self.watch(until, Some(stream)) {
            if until.is_some_and(|until| Instant::now() >= until) {
                return;
            }
        }
    }

    /// Ends everything that descends from us: by this signal, and what has not obeyed after the grace by KILL.
    ///
    /// The signal is for those that are there, and later for those that lose their parent: what a process that was told
    /// starts to clean up behind itself is its own business.
    fn end_tree(&mut self, signal: Signal, by_terminal: bool) {
        let begun = Instant::now();
        let (until, mut told, mut first) = (begun + self.grace, HashSet::new(), true);
        while self.reap() {
            let left = self.left();
            if left.is_empty() && self.tree.has_strangers() {
                // The children that are left are none of ours.
                return;
            }
            if left.is_empty() && !tree::is_visible() {
                return say(format_args!("cannot end what the command left behind: /proc does not show it"));
            }
            let now = Instant::now();
            let killing = now >= until || self.stopping.is_some_and(|stopping| stopping.again);
            for process in &left {
                if killing {
                    let _ = process.send(Signal::SIGKILL);
                } else if (process.is_child || first && !process.is_elsewhere) && told.insert(process.pid) {
                    let heard = first && by_terminal && process.is_in_our_group();
                    tell_to_end(process, signal, heard);
                }
            }
            if killing && now >= until + PATIENCE {
                return give_up(&left);
            }
            first = false;
            self.next(Some(if killing { now + LOOK } else { until.min(now + LOOK) }));
        }
    }

    /// What is to be ended. The command is among it also where `/proc` does not show it.
    fn left(&self) -> Vec<Process> {
        let mut left = self.tree.descendants();
        let command = self.running.filter(|_| self.status.is_none());
        left.extend(command.filter(|pid| left.iter().all(|process| process.pid != *pid)).map(Process::child));
        left
    }

    /// Waits for what comes next, and takes it in; whether the time is up.
    fn next(&mut self, until: Option<Instant>) -> bool {
        self.watch(until, None);
        until.is_some_and(|until| Instant::now() >= until)
    }

    /// The same; whether this stream has something, or an end.
    fn watch(&mut self, until: Option<Instant>, stream: Option<BorrowedFd<'_>>) -> bool {
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        let poll = |fd| PollFd::new(fd, PollFlags::POLLIN);
        let mut descriptors = vec![poll(self.signals.as_fd())];
        descriptors.extend(self.notify.as_ref().map(|notify| poll(notify.as_fd())));
        descriptors.extend(stream.map(poll));
        // An interrupted wait is one that has nothing to tell.
        let woken = ppoll(&mut descriptors, left.map(TimeSpec::from), None).is_ok();
        let last = descriptors.last().and_then(PollFd::any).unwrap_or(false);
        let has = woken && stream.is_some() && last;
        self.pass_on();
        while let Some(came) = self.signals.next() {
            self.take(came);
        }
        has
    }

    fn take(&mut self, came: Came) {
        match (came, &mut self.stopping) {
            (Came::Child, _) => {
                self.reap();
            }
            (Came::PassOn(signal), _) => {
                if let Some(pid) = self.running.filter(|_| self.listens) {
                    let _ = nix::sys::signal::kill(pid, signal);
                }
            }
            (Came::End { .. }, Some(stopping)) => stopping.again |= stopping.since.elapsed() >= ECHO,
            (Came::End { signal, by_terminal }, None) => {
                let since = Instant::now();
                self.stopping = Some(Stopping { signal, by_terminal, since, again: false });
            }
        }
    }

    fn pass_on(&self) {
        if let Some(notify) = &self.notify {
            notify.pass_on(self.stopping.is_some());
        }
    }

    /// Takes in every end: that of the command, and those of orphans, which would stay as zombies else. Whether there
    /// are children left: without one there is nothing below us, since who loses its parent becomes our child.
    fn reap(&mut self) -> bool {
        loop {
            let Ok(ended) = rustix::process::wait(WaitOptions::NOHANG) else { return false };
            let Some((pid, status)) = ended else { return true };
            let pid = pid.as_raw_nonzero().get();
            self.tree.forget(pid);
            if self.running.map(Pid::as_raw) == Some(pid) {
                self.status = Some(status);
            }
        }
    }
}

/// Politely. What is stopped is let go on, since it could not end else.
fn tell_to_end(process: &Process, signal: Signal, heard: bool) {
    if !heard {
        let _ = process.send(signal);
    }
    let _ = process.send(Signal::SIGCONT);
}

fn give_up(left: &[Process]) {
    let pids: Vec<String> = left.iter().map(|process| process.pid.to_string()).collect();
    let those = if pids.is_empty() { "what cannot be seen in /proc".into() } else { pids.join(", ") };
    say(format_args!("cannot end, not even by SIGKILL: process {those}"));
}
