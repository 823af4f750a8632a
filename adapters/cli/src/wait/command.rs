//! `command:TEXT`: the shell says 0 to it.

use super::limit::Limit;
use super::seen::{Seen, Sight};
use super::target::{Kind, some};
use crate::failure::Failure;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};
use undaunted::Probe;

/// From TERM to KILL, and as long again for the kernel to carry that out.
const GRACE: Duration = Duration::from_millis(40);

/// How often it is asked whether a command has ended, at most and at least.
const OFTEN: Duration = Duration::from_millis(1);
const SELDOM: Duration = Duration::from_millis(20);

/// How long the last words of a command that has ended are waited for: who inherited its standard error
/// may hold it open.
const LAST_WORDS: Duration = Duration::from_millis(20);

#[derive(Debug)]
pub(crate) struct Shell(String);

impl Shell {
    pub(crate) fn parse(rest: &str) -> Result<Shell, String> {
        Ok(Shell(some(rest, "command:TEXT")?.into()))
    }

    /// In a process group of its own, so that all of it can be ended.
    fn start(&self) -> Result<Child, Failure> {
        let mut command = Command::new("sh");
        command.arg("-c").arg(&self.0).process_group(0);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        command.spawn().map_err(|error| Failure::start("sh".as_ref(), error))
    }
}

impl Kind for Shell {
    fn look(&self, limit: &Limit) -> Sight {
        let mut child = match self.start() {
            Ok(child) => child,
            Err(failure) => return failed(&failure, String::new()),
        };
        let words = child.stderr.take().map(listen);
        match wait(&mut child, limit) {
            Some(status) => {
                // What it left behind is ended too: there is a look every second.
                end(&mut child);
                match Failure::of(status.code(), status.signal()) {
                    Ok(()) => Probe::Ready(()),
                    Err(failure) => failed(&failure, words.map_or_else(String::new, last)),
                }
            }
            None => {
                end(&mut child);
                Probe::NotYet(Seen::new(self.silent()))
            }
        }
    }

    fn there(&self) -> &'static str {
        "exit status 0"
    }

    fn silent(&self) -> &'static str {
        "did not end"
    }

    fn has_children(&self) -> bool {
        true
    }
}

/// The status, or nothing when the limit or a stop came first.
fn wait(child: &mut Child, limit: &Limit) -> Option<ExitStatus> {
    let mut pause = OFTEN;
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        let left = limit.left();
        if left.is_zero() || limit.stop.wait(pause.min(left)) {
            return None;
        }
        pause = (pause * 2).min(SELDOM);
    }
}

/// Asks the whole group to end, then ends it. Its number is its own while anything of it is left.
fn end(child: &mut Child) {
    let Ok(group) = i32::try_from(child.id()).map(Pid::from_raw) else { return };
    let _ = killpg(group, Signal::SIGTERM);
    if within_grace(|| !is_running(group, child)) {
        return;
    }
    let _ = killpg(group, Signal::SIGKILL);
    // Of the others, who are not our children, it is not known when they have been waited for.
    within_grace(|| matches!(child.try_wait(), Ok(Some(_))));
}

fn within_grace(mut done: impl FnMut() -> bool) -> bool {
    let until = Instant::now() + GRACE;
    while !done() {
        if Instant::now() >= until {
            return false;
        }
        thread::sleep(OFTEN);
    }
    true
}

/// Whether anything of the group is left.
fn is_running(group: Pid, child: &mut Child) -> bool {
    !matches!(child.try_wait(), Ok(Some(_))) || killpg(group, None).is_ok()
}

fn failed(failure: &Failure, words: String) -> Sight {
    let more = if words.is_empty() { words } else { format!(" ({words})") };
    let seen = match failure {
        Failure::Exit(_) => Seen::absent(failure.to_string()),
        Failure::Cut | Failure::Seen(_) | Failure::Signal(_) | Failure::Start { .. } => {
            Seen::new(failure.to_string())
        }
    };
    if failure.may_pass() { Probe::NotYet(seen.more(more)) } else { Probe::Never(seen.more(more)) }
}

/// Hears what a command says; what it said last comes when it is silent for good.
fn listen(mut stderr: ChildStderr) -> Receiver<String> {
    let (send, words) = channel();
    // Without a thread nothing is heard of it.
    let _ = thread::Builder::new().spawn(move || {
        let (mut kept, mut part) = (Vec::new(), [0; 1024]);
        while let Ok(length @ 1..) = stderr.read(&mut part) {
            kept.extend_from_slice(&part[..length]);
            kept.drain(..kept.len().saturating_sub(part.len()));
        }
        let text = String::from_utf8_lossy(&kept);
        let _ = send.send(text.trim_end().lines().last().unwrap_or_default().trim().into());
    });
    words
}

fn last(words: Receiver<String>) -> String {
    words.recv_timeout(LAST_WORDS).unwrap_or_default()
}
