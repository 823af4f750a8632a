//! What the command reads: our own input, all of it again for each attempt, or nothing.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::fd::AsRawFd;
use std::process::Stdio;

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
    pub(super) fn of(stdin: Stdin) -> io::Result<Input> {
        Ok(match stdin {
            Stdin::Inherit => Input::Inherit,
            Stdin::Null => Input::Null,
            Stdin::Replay => Input::Replay(all_of(io::stdin().lock())?),
        })
    }

    /// The input of one attempt.
    pub(super) fn stream(&self) -> io::Result<Stdio> {
        Ok(match self {
            Input::Inherit => Stdio::inherit(),
            Input::Null => Stdio::null(),
            // Opened anew, so that it has a place of its own to read from, and cannot be written to.
            Input::Replay(file) => File::open(format!("/proc/self/fd/{}", file.as_raw_fd()))?.into(),
        })
    }
}

/// In a file without a name, which is gone with us.
fn all_of(mut source: impl Read) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    io::copy(&mut source, &mut file)?;
    file.flush()?;
    file.rewind()?;
    Ok(file)
}
