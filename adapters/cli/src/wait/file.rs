//! `file:PATH`: there is something, whatever it is; a link to nothing is nothing.

use super::limit::Limit;
use super::seen::{Sight, of_error};
use super::target::{Kind, some};
use std::fs;
use std::path::PathBuf;
use undaunted::Probe;

#[derive(Debug)]
pub(crate) struct File(PathBuf);

impl File {
    pub(crate) fn parse(rest: &str) -> Result<File, String> {
        Ok(File(some(rest, "file:PATH")?.into()))
    }
}

impl Kind for File {
    /// Hangs where a file system does (NFS without its server).
    fn look(&self, _: &Limit) -> Sight {
        match fs::metadata(&self.0) {
            Ok(_) => Probe::Ready(()),
            Err(error) => of_error(&error),
        }
    }

    fn there(&self) -> &'static str {
        "exists"
    }
}
