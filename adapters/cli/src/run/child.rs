//! Starting a command: its streams, what it learns from its environment, and that it dies with us.

use super::input::Input;
use super::output::Output;
use crate::failure::Failure;
use nix::sys::prctl;
use nix::sys::signal::{SigSet, SigmaskHow, Signal, sigprocmask};
use nix::unistd::{Pid, getpid, getppid};
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// A command that can be started again and again.
#[derive(Debug)]
pub(super) struct Program<'a> {
    pub(super) command: &'a [OsString],
    pub(super) input: &'a Input,
    pub(super) output: &'a Output,
    /// Whether it gets the signals that end nothing.
    pub(super) listens: bool,
}

impl Program<'_> {
    /// Starts it, with these variables in its environment.
    pub(super) fn start(
        &self,
        environment: &[(&str, Option<OsString>)],
        blocked: SigSet,
    ) -> Result<Pid, Failure> {
        let Some((program, arguments)) = self.command.split_first() else {
            return Err(Failure::start(OsStr::new(""), io::ErrorKind::NotFound.into()));
        };
        let mut command = Command::new(program);
        command.args(arguments);
        for (name, value) in environment {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let failed = |error| Failure::start(program, error);
        command.stdin(self.input.stream().map_err(failed)?);
        let (out, err) = self.output.streams().map_err(failed)?;
        command.stdout(out).stderr(err);
        prepare(&mut command, blocked);
        let child = command.spawn().map_err(failed)?;
        Ok(Pid::from_raw(child.id() as i32))
    }
}

/// The command has the signals blocked that we found blocked. And nobody can catch a KILL: when one ends us, the kernel
/// kills the command that we started.
#[allow(unsafe_code, reason = "what runs between fork and exec: three system calls, no allocation, no lock")]
fn prepare(command: &mut Command, blocked: SigSet) {
    let parent = getpid();
    // SAFETY: these functions are plain system calls, which are async-signal-safe; an error is made of a number.
    unsafe {
        command.pre_exec(move || {
            sigprocmask(SigmaskHow::SIG_SETMASK, Some(&blocked), None)?;
            prctl::set_pdeathsig(Signal::SIGKILL)?;
            // We may have died before that was said.
            if getppid() == parent { Ok(()) } else { Err(io::ErrorKind::Interrupted.into()) }
        });
    }
}
