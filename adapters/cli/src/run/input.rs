//! What the command reads: our own input, all of it again for each attempt, or nothing.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::Stdio;
use std::{env, io};
use tempfile::NamedTempFile;

/// Where each attempt's input comes from.
#[derive(Debug)]
pub(super) enum Input {
    /// Our own: what one attempt has read the next does not see.
    Inherit,
    /// None.
    Null,
    /// All that we were given, from its beginning.
    Replay(File),
}

/// As it stands on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Stdin {
    /// The command has our standard input; what one attempt has read the next does not see.
    Inherit,
    /// The command has no input.
    Null,
    /// Standard input is read to its end, then every attempt gets all of it.
    Replay,
}

impl Input {
    /// To be called once, before anything is started: for a replay it reads all there is.
    pub(super) fn of(stdin: Stdin, ready: impl FnMut(BorrowedFd<'_>) -> bool) -> io::Result<Input> {
        Ok(match stdin {
            Stdin::Inherit => Input::Inherit,
            Stdin::Null => Input::Null,
            Stdin::Replay => Input::Replay(all_of(io::stdin().as_fd(), ready)?),
        })
    }

    /// The input of one attempt.
    pub(super) fn stream(&self) -> io::Result<Stdio> {
        Ok(match self {
            Input::Inherit => Stdio::inherit(),
            Input::Null => Stdio::null(),
            // No reader of an attempt before is left, so that the place to read from is this one's alone.
            Input::Replay(file) => {
                (&*file).rewind()?;
                file.try_clone()?.into()
            }
        })
    }
}

/// In a file that can only be read, and has no name any more: it is gone with us. What there is when `ready` says that
/// nothing more is to be waited for is all.
fn all_of(source: BorrowedFd<'_>, mut ready: impl FnMut(BorrowedFd<'_>) -> bool) -> io::Result<File> {
    let trouble = |error| {
        let folder = env::temp_dir();
        io::Error::other(format!("cannot keep the input for --stdin replay in {}: {error}", folder.display()))
    };
    let mut file = NamedTempFile::with_prefix("undaunted-input-").map_err(trouble)?;
    let mut from = File::from(source.try_clone_to_owned()?);
    let mut buffer = vec![0; 1 << 16];
    while ready(source) {
        match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) => file.write_all(&buffer[..length]).map_err(trouble)?,
            Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => {}
            Err(error) => return Err(io::Error::other(format!("cannot read the input: {error}"))),
        }
    }
    File::open(file.path()).map_err(trouble)
}
