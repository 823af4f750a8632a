//! `unix:PATH`: a Unix stream socket accepts.

use super::limit::Limit;
use super::seen::{Sight, of_error};
use super::target::{Kind, some};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use undaunted::Probe;

#[derive(Debug)]
pub(crate) struct Socket(PathBuf);

impl Socket {
    pub(crate) fn parse(rest: &str) -> Result<Socket, String> {
        Ok(Socket(some(rest, "unix:PATH")?.into()))
    }
}

impl Kind for Socket {
    /// Blocks while the queue of the listener is full: then nothing accepts.
    fn look(&self, _: &Limit) -> Sight {
        match UnixStream::connect(&self.0) {
            Ok(_) => Probe::Ready(()),
            Err(error) => of_error(&error),
        }
    }

    fn there(&self) -> &'static str {
        "accepts connections"
    }
}
