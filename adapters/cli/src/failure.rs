//! What a failed attempt was: the exit status of a command as an error worth retrying, or not.

use nix::errno::Errno;
use nix::sys::signal::Signal;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{self, ErrorKind};

/// The statuses with which shells say that a command cannot be executed, or is not there.
const NOT_EXECUTABLE: i32 = 126;
const NOT_FOUND: i32 = 127;
/// The status with which commands such as `test` say no.
const NOT_THERE: i32 = 1;
/// The status with which `timeout` says that time was up.
const TIME_IS_UP: i32 = 124;

/// An attempt that did not succeed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It was ended at its limit.
    Cut,
    /// It ended with this status, which is not 0.
    Exit(i32),
    /// This was seen instead of what a gate waits for.
    Seen(String),
    /// This signal killed it.
    Signal(i32),
    /// It could not be started.
    Start { program: OsString, error: io::Error },
}

impl Failure {
    /// Nothing after a success, else what kind of failure it was.
    pub(crate) fn of(status: Option<i32>, signal: Option<i32>) -> Result<(), Failure> {
        match (status, signal) {
            (Some(0), _) => Ok(()),
            (Some(code), _) => Err(Failure::Exit(code)),
            (None, signal) => Err(Failure::Signal(signal.unwrap_or(0))),
        }
    }

    /// Whether it was ended at its limit.
    pub(crate) fn is_cut(&self) -> bool {
        matches!(self, Failure::Cut)
    }

    pub(crate) fn start(program: &OsStr, error: io::Error) -> Failure {
        Failure::Start { program: program.into(), error }
    }

    /// Whether another attempt may help. It will not bring a command that is not there; it may well
    /// find the memory, the process, the descriptor or the finished copy of the program that was missing a moment ago.
    pub(crate) fn may_pass(&self) -> bool {
        match self {
            Failure::Exit(code) => !matches!(*code, NOT_EXECUTABLE | NOT_FOUND),
            Failure::Cut | Failure::Seen(_) | Failure::Signal(_) => true,
            Failure::Start { error, .. } => matches!(
                error.raw_os_error().map(Errno::from_raw),
                Some(
                    Errno::EAGAIN
                        | Errno::EINTR
                        | Errno::EMFILE
                        | Errno::ENFILE
                        | Errno::ENOMEM
                        | Errno::ETXTBSY
                )
            ),
        }
    }

    /// The exit status that stands for it, as in a shell.
    pub(crate) fn code(&self) -> i32 {
        match self {
            Failure::Cut => TIME_IS_UP,
            Failure::Exit(code) => *code,
            Failure::Seen(_) => NOT_THERE,
            Failure::Signal(signal) => 128 + signal,
            Failure::Start { error, .. } if error.kind() == ErrorKind::NotFound => NOT_FOUND,
            Failure::Start { .. } => NOT_EXECUTABLE,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Cut => f.write_str("ended at its limit"),
            Failure::Exit(NOT_EXECUTABLE) => f.write_str("exit status 126 (cannot be executed)"),
            Failure::Exit(NOT_FOUND) => f.write_str("exit status 127 (command not found)"),
            Failure::Exit(code) => write!(f, "exit status {code}"),
            Failure::Seen(text) => f.write_str(text),
            Failure::Signal(signal) => match name(*signal) {
                Some(name) => write!(f, "killed by signal {signal} ({name})"),
                None => write!(f, "killed by signal {signal}"),
            },
            Failure::Start { program, error } => {
                write!(f, "cannot run {}: ", program.display())?;
                match error.kind() {
                    ErrorKind::NotFound => f.write_str("command not found"),
                    _ => write!(f, "{error}"),
                }
            }
        }
    }
}

fn name(signal: i32) -> Option<&'static str> {
    Signal::try_from(signal).ok().map(Signal::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_pass_is_tried_again() {
        let start = |errno: Errno| Failure::start("tool".as_ref(), errno.into());
        for (failure, may_pass, code) in [
            (Failure::Exit(1), true, 1),
            (Failure::Exit(255), true, 255),
            (Failure::Exit(126), false, 126),
            (Failure::Exit(127), false, 127),
            (Failure::Seen("the link is down".into()), true, 1),
            (Failure::Signal(15), true, 143),
            (Failure::Cut, true, 124),
            (start(Errno::ENOENT), false, 127),
            (start(Errno::EACCES), false, 126),
            (start(Errno::ETXTBSY), true, 126),
            (start(Errno::EAGAIN), true, 126),
            (start(Errno::EMFILE), true, 126),
        ] {
            assert_eq!((failure.may_pass(), failure.code()), (may_pass, code), "{failure}");
        }
    }
}
