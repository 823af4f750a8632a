//! What the kernel says of processes: which are there, what they hold, and when.

use nix::sys::signal::{Signal, kill};
use nix::time::{ClockId, clock_gettime};
use nix::unistd::Pid;
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};
use std::{fs, thread};

/// As long as a test waits for something that must come. No machine is that slow.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Waits until there is an answer.
pub(crate) fn until<T>(what: &str, mut answer: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(answer) = answer() {
            return answer;
        }
        assert!(Instant::now() < end, "{what}: not within {PATIENCE:?}");
        thread::sleep(Duration::from_millis(2));
    }
}

/// Waits until somebody wrote this file.
pub(crate) fn file(path: &Path) -> String {
    let read = || fs::read_to_string(path).ok().filter(|text| text.ends_with('\n'));
    until(&path.display().to_string(), read)
}

/// The end of a child, which must come.
pub(crate) fn end(child: &mut Child) -> std::process::ExitStatus {
    until("the end", || child.try_wait().unwrap())
}

pub(crate) fn send(child: &Child, signal: Signal) {
    kill(Pid::from_raw(child.id() as i32), signal).unwrap();
}

/// Nanoseconds of the clock that a command reads too.
pub(crate) fn monotonic() -> u64 {
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC).unwrap();
    now.tv_sec() as u64 * 1_000_000_000 + now.tv_nsec() as u64
}

/// A mark in the environment, which everything inherits that is started, wherever it goes.
pub(crate) struct Mark(String);

/// A test that fails leaves no process behind either.
impl Drop for Mark {
    fn drop(&mut self) {
        for pid in self.processes() {
            let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
        }
    }
}

impl Mark {
    pub(crate) fn of(name: &str) -> Mark {
        Mark(format!("UNDAUNTED_TEST={name}-{}", std::process::id()))
    }

    pub(crate) fn put(&self, command: &mut Command) {
        let (name, value) = self.0.split_once('=').unwrap();
        command.env(name, value);
    }

    /// The processes that have it and have not ended. Between `fork` and `exec`, and at its end, a process has none.
    pub(crate) fn processes(&self) -> Vec<i32> {
        let has = |pid: &i32| {
            let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|word| word == self.0.as_bytes())
        };
        let entries = fs::read_dir("/proc").unwrap().flatten();
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter(has).collect()
    }

    /// Nothing is left, or will be at once: a process that was killed takes its time to go.
    pub(crate) fn nothing_left(&self) {
        let short = Instant::now() + Duration::from_secs(2);
        while !self.processes().is_empty() {
            assert!(Instant::now() < short, "left: {:?}", self.processes());
            thread::sleep(Duration::from_millis(5));
        }
    }
}

/// A line of `/proc/PID/status`, without its name.
pub(crate) fn status(pid: u32, name: &str) -> Option<String> {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    Some(line.trim().to_owned())
}

/// How much memory it has, in KiB, and how many descriptors.
pub(crate) fn holds(pid: u32) -> Option<(u64, usize)> {
    let memory = status(pid, "VmRSS")?.split(' ').next()?.parse().ok()?;
    Some((memory, fs::read_dir(format!("/proc/{pid}/fd")).ok()?.count()))
}

/// Waits until signals are its events: from then on it ends by its own will.
pub(crate) fn listening(pid: u32) {
    until("signals are blocked", || {
        let blocked = u64::from_str_radix(&status(pid, "SigBlk")?, 16).ok()?;
        (blocked & 1 << (Signal::SIGTERM as u64 - 1) != 0).then_some(())
    });
}
