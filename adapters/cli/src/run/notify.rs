//! Under systemd with `Type=notify`: what the command says of itself is passed on, as if we had said it.
//!
//! systemd listens to its main process alone (`NotifyAccess=main`), which is us. Descriptors that come along (the store of
//! descriptors) are not passed on.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use tempfile::TempDir;

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
        let folder = tempfile::Builder::new().prefix("undaunted-notify-").tempdir()?;
        let ours = UnixDatagram::bind(folder.path().join("socket"))?;
        ours.set_nonblocking(true)?;
        Ok(Some(Notify { ours, folder, systemd: address(&listener)? }))
    }

    /// What the command is to find in `NOTIFY_SOCKET`.
    pub(super) fn path(&self) -> OsString {
        self.folder.path().join("socket").into()
    }

    /// Passes on what was said. Which process is the main one is ours to say, and stays as it is.
    pub(super) fn pass_on(&self) {
        let mut message = vec![0; LONGEST];
        while let Ok(length) = self.ours.recv(&mut message) {
            let lines = message[..length].split(|byte| *byte == b'\n');
            let lines: Vec<&[u8]> = lines.filter(|line| !line.starts_with(b"MAINPID=")).collect();
            let _ = self.ours.send_to_addr(&lines.join(&b'\n'), &self.systemd);
        }
    }
}

impl AsFd for Notify {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.ours.as_fd()
    }
}

/// A path, or with an `@` a name without a file.
fn address(listener: &OsStr) -> io::Result<SocketAddr> {
    match listener.as_bytes().strip_prefix(b"@") {
        Some(name) => SocketAddr::from_abstract_name(name),
        None => SocketAddr::from_pathname(listener),
    }
}
