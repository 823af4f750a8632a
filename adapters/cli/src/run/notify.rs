//! Under systemd with `Type=notify`: what the command says of itself is passed on, as if we had said it.
//!
//! systemd listens to its main process alone (`NotifyAccess=main`), which is us. Descriptors that come along (the store of
//! descriptors, the barrier) are not passed on.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use tempfile::TempDir;

/// The name of our own socket, in a folder of its own.
const SOCKET: &str = "socket";

/// More than any message has.
const LONGEST: usize = 1 << 16;

/// Our own socket, which the command is told of, and systemd's.
#[derive(Debug)]
pub(super) struct Notify {
    ours: UnixDatagram,
    folder: TempDir,
    systemd: SocketAddr,
}

impl Notify {
    /// Nothing, where nobody listens.
    pub(super) fn from_environment() -> io::Result<Option<Notify>> {
        let Some(listener) = env::var_os("NOTIFY_SOCKET").filter(|path| !path.is_empty()) else {
            return Ok(None);
        };
        let (folder, ours) = socket().map_err(|error| {
            let folder = env::temp_dir();
            io::Error::other(format!("no socket for NOTIFY_SOCKET in {}: {error}", folder.display()))
        })?;
        ours.set_nonblocking(true)?;
        let systemd =
            address(&listener).map_err(|error| io::Error::other(format!("NOTIFY_SOCKET: {error}")))?;
        Ok(Some(Notify { ours, folder, systemd }))
    }

    /// What the command is to find: our socket; and not that somebody else is to feed the watchdog.
    pub(super) fn environment(&self) -> [(&'static str, Option<OsString>); 2] {
        [("NOTIFY_SOCKET", Some(self.folder.path().join(SOCKET).into())), ("WATCHDOG_PID", None)]
    }

    /// Passes on what was said. Which process is the main one is ours to say, and stays as it is. When the command ends
    /// and we do not, nobody is stopping: systemd would end us.
    pub(super) fn pass_on(&self, stopping: bool) {
        let ours = |line: &[u8]| {
            line.starts_with(b"MAINPID=") || line == b"BARRIER=1" || line == b"STOPPING=1" && !stopping
        };
        let mut message = vec![0; LONGEST];
        while let Ok(length) = self.ours.recv(&mut message) {
            let lines = message[..length].split(|byte| *byte == b'\n');
            let lines: Vec<&[u8]> = lines.filter(|line| !ours(line)).collect();
            if lines.iter().any(|line| !line.is_empty()) {
                let _ = self.ours.send_to_addr(&lines.join(&b'\n'), &self.systemd);
            }
        }
    }
}

impl AsFd for Notify {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.ours.as_fd()
    }
}

fn socket() -> io::Result<(TempDir, UnixDatagram)> {
    let folder = tempfile::Builder::new().prefix("undaunted-notify-").tempdir()?;
    let socket = UnixDatagram::bind(folder.path().join(SOCKET))?;
    Ok((folder, socket))
}

/// A path, or with an `@` a name without a file.
fn address(listener: &OsStr) -> io::Result<SocketAddr> {
    match listener.as_bytes().strip_prefix(b"@") {
        Some(name) => SocketAddr::from_abstract_name(name),
        None => SocketAddr::from_pathname(listener),
    }
}
