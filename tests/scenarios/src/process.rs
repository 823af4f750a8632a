//! Processes that end with whoever started them.

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::env;
use std::io::{self, BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};

/// A process in a process group of its own; the group is killed when this is dropped.
#[derive(Debug)]
pub struct Started {
    child: Child,
    ended: Option<ExitStatus>,
}

impl Started {
    /// Starts it, without input.
    ///
    /// # Errors
    /// With the name of the program, when it cannot be started.
    pub fn start(command: &mut Command) -> io::Result<Started> {
        let child = command.process_group(0).stdin(Stdio::null()).spawn().map_err(|error| {
            io::Error::new(error.kind(), format!("{}: {error}", command.get_program().to_string_lossy()))
        })?;
        Ok(Started { child, ended: None })
    }

    /// Its number.
    pub fn pid(&self) -> Pid {
        Pid::from_raw(self.child.id().cast_signed())
    }

    /// The lines of its standard error, which was piped.
    pub fn errors(&mut self) -> impl Iterator<Item = String> + use<> {
        lines(self.child.stderr.take())
    }

    /// The lines of its standard output, which was piped.
    pub fn output(&mut self) -> impl Iterator<Item = String> + use<> {
        lines(self.child.stdout.take())
    }

    /// Sends a signal to it alone.
    ///
    /// # Errors
    /// Those of kill(2).
    pub fn signal(&self, signal: Signal) -> io::Result<()> {
        Ok(nix::sys::signal::kill(self.pid(), signal)?)
    }

    /// Its end, if it has ended.
    ///
    /// # Errors
    /// Those of waitpid(2).
    pub fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        self.ended = self.child.try_wait()?;
        Ok(self.ended)
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// Those of waitpid(2).
    pub fn wait(&mut self) -> io::Result<ExitStatus> {
        let status = self.child.wait()?;
        self.ended = Some(status);
        Ok(status)
    }
}

fn lines(pipe: Option<impl io::Read>) -> impl Iterator<Item = String> {
    BufReader::new(pipe.expect("it was piped and is not read yet")).lines().map(|line| line.expect("text"))
}

impl Drop for Started {
    fn drop(&mut self) {
        // Its group outlives it when it left others behind.
        let _ = killpg(self.pid(), Signal::SIGKILL);
        if self.ended.is_none() {
            let _ = self.child.wait();
        }
    }
}

/// This very program as another part of the scenario: `role` is one of those that it said.
pub fn me(role: &str) -> Command {
    let mut command = Command::new(env::current_exe().expect("the path of this program"));
    command.args(["--as", role]);
    command
}
