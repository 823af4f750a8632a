//! One event loop for everything that a running command can meet: its end, its limit, and signals.

use super::child::Program;
use super::notify::Notify;
use super::signals::{Came, Signals};
use super::tree::{self, Process};
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
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

/// How often it looks whether a tree is gone: not each of its processes is our child, whose end we would hear of.
const LOOK: Duration = Duration::from_millis(20);

/// How long a KILL may take until it is said that it does not help: a process may hang in the kernel.
const PATIENCE: Duration = Duration::from_secs(5);

/// What holds for every command that is run.
#[derive(Debug)]
pub(super) struct Engine {
    signals: Signals,
    notify: Option<Notify>,
    grace: Duration,
    /// The command under way.
    running: Option<Pid>,
    /// How it ended.
    status: Option<WaitStatus>,
    stopping: Option<Stopping>,
}

/// A signal came that ends it.
#[derive(Clone, Copy, Debug)]
struct Stopping {
    signal: Signal,
    by_terminal: bool,
    /// It came again: no grace any more.
    again: bool,
}

/// How one run of a command ended.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) result: Result<(), Failure>,
    pub(super) lasted: Duration,
}

impl Engine {
    /// To be made once. From now on signals are events, and orphans of the tree are ours.
    pub(super) fn new(grace: Duration, hangup_is_news: bool) -> io::Result<Engine> {
        tree::adopt()?;
        let signals = Signals::watch(hangup_is_news)?;
        let notify = Notify::from_environment()?;
        Ok(Engine { signals, notify, grace, running: None, status: None, stopping: None })
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
            environment.push(("NOTIFY_SOCKET", Some(notify.path())));
        }
        let result = match program.start(&environment, self.signals.before) {
            Ok(pid) => self.follow(pid, limit.and_then(|limit| begun.checked_add(limit)), whole),
            Err(failure) => Err(failure),
        };
        Ran { result, lasted: begun.elapsed() }
    }

    fn follow(&mut self, pid: Pid, until: Option<Instant>, whole: bool) -> Result<(), Failure> {
        (self.running, self.status) = (Some(pid), None);
        let mut cut = false;
        self.reap();
        while self.status.is_none() && self.stopping.is_none() && !cut {
            cut = self.next(until);
        }
        match (self.stopping, self.status) {
            (Some(Stopping { signal, by_terminal, .. }), _) => self.end_tree(signal, by_terminal),
            (None, Some(status)) if status.exit_status() == Some(0) && !whole => {}
            _ => self.end_tree(Signal::SIGTERM, false),
        }
        self.running = None;
        match self.status {
            _ if cut => Err(Failure::Cut),
            Some(status) => Failure::of(status.exit_status(), status.terminating_signal()),
            // It cannot be ended, which has been said.
            None => Err(Failure::Signal(Signal::SIGKILL as i32)),
        }
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

    /// Ends everything that descends from us: by this signal, and what has not obeyed after the grace by KILL.
    fn end_tree(&mut self, signal: Signal, by_terminal: bool) {
        let begun = Instant::now();
        let (until, mut told) = (begun + self.grace, HashSet::new());
        loop {
            self.reap();
            let left = tree::descendants();
            if left.is_empty() {
                return;
            }
            let now = Instant::now();
            let killing = now >= until || self.stopping.is_some_and(|stopping| stopping.again);
            for process in &left {
                if killing {
                    let _ = process.send(Signal::SIGKILL);
                } else if told.insert(process.pid) {
                    let heard = by_terminal && process.is_in_our_group();
                    tell_to_end(process, signal, heard);
                }
            }
            if killing && now >= until + PATIENCE {
                return give_up(&left);
            }
            self.next(Some(if killing { now + LOOK } else { until.min(now + LOOK) }));
        }
    }

    /// Waits for what comes next, and takes it in; whether the time is up.
    fn next(&mut self, until: Option<Instant>) -> bool {
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        let mut descriptors = vec![PollFd::new(self.signals.as_fd(), PollFlags::POLLIN)];
        descriptors.extend(self.notify.as_ref().map(|notify| PollFd::new(notify.as_fd(), PollFlags::POLLIN)));
        // An interrupted wait is one that has nothing to tell.
        let _ = ppoll(&mut descriptors, left.map(TimeSpec::from), None);
        if let Some(notify) = &self.notify {
            notify.pass_on();
        }
        while let Some(came) = self.signals.next() {
            self.take(came);
        }
        until.is_some_and(|until| Instant::now() >= until)
    }

    fn take(&mut self, came: Came) {
        match (came, &mut self.stopping) {
            (Came::Child, _) => self.reap(),
            (Came::PassOn(signal), _) => {
                if let Some(pid) = self.running {
                    let _ = nix::sys::signal::kill(pid, signal);
                }
            }
            (Came::End { .. }, Some(stopping)) => stopping.again = true,
            (Came::End { signal, by_terminal }, None) => {
                self.stopping = Some(Stopping { signal, by_terminal, again: false });
            }
        }
    }

    /// Takes in every end: that of the command, and those of orphans, which would stay as zombies else.
    fn reap(&mut self) {
        while let Ok(Some((pid, status))) = rustix::process::wait(WaitOptions::NOHANG) {
            if self.running.map(Pid::as_raw) == Some(pid.as_raw_nonzero().get()) {
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
    say(format_args!("cannot end, not even by SIGKILL: process {}", pids.join(", ")));
}
