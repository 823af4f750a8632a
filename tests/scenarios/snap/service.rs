//! The service and its control: one change at a time, or the answer that one is in progress.

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fmt;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

/// How long a change takes, besides the processes that it ends and starts.
const CHANGE: Duration = Duration::from_millis(5);

/// Why the service was not restarted.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// Somebody else is at it.
    Conflict,
    /// Somebody else was at it at the same time, which the lock is there to prevent.
    Intruder,
    /// What else went wrong.
    Other(io::Error),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Conflict => f.write_str("a service change is in progress"),
            Trouble::Intruder => f.write_str("two changes at once"),
            Trouble::Other(error) => error.fmt(f),
        }
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Trouble {
        Trouble::Other(error)
    }
}

/// A service that is a process, and the folder of its control: a lock, its number, and how often it was restarted.
pub(crate) struct Service(PathBuf);

impl Service {
    pub(crate) fn in_folder(folder: &Path) -> Service {
        Service(folder.into())
    }

    /// Restarts it, unless somebody else is at it.
    pub(crate) fn restart(&self) -> Result<(), Trouble> {
        let _lock = self.lock()?;
        self.change()
    }

    /// The right to change it: an advisory lock (flock), which the kernel takes back from who dies.
    pub(crate) fn lock(&self) -> Result<Flock<File>, Trouble> {
        let file = File::create(self.0.join("lock"))?;
        Flock::lock(file, FlockArg::LockExclusiveNonblock).map_err(|(_, errno)| match errno {
            Errno::EWOULDBLOCK => Trouble::Conflict,
            errno => Trouble::Other(errno.into()),
        })
    }

    /// The change itself, which sees without any lock whether it is alone.
    pub(crate) fn change(&self) -> Result<(), Trouble> {
        let inside = self.0.join("inside");
        File::create_new(&inside).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => Trouble::Intruder,
            _ => Trouble::Other(error),
        })?;
        let restarts = self.restarts();
        self.stop()?;
        thread::sleep(CHANGE);
        let process = Command::new("sleep").arg("1000").stdin(Stdio::null()).stdout(Stdio::null()).spawn()?;
        fs::write(self.0.join("process"), process.id().to_string())?;
        fs::write(self.0.join("restarts"), (restarts + 1).to_string())?;
        Ok(fs::remove_file(inside)?)
    }

    /// Ends the process, if there is one.
    pub(crate) fn stop(&self) -> Result<(), Trouble> {
        match fs::read_to_string(self.0.join("process")) {
            Ok(text) => {
                let pid = Pid::from_raw(text.parse().map_err(io::Error::other)?);
                kill(pid, Signal::SIGKILL).map_err(|errno| Trouble::Other(errno.into()))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// How often it was restarted. Two hands at once would lose one.
    pub(crate) fn restarts(&self) -> u32 {
        fs::read_to_string(self.0.join("restarts")).map_or(0, |text| text.parse().unwrap())
    }
}
