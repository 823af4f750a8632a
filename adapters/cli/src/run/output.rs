//! What the command writes: as it comes, or only that of the last attempt.
//!
//! Files and not pipes take what is held back, so that an attempt ends when its command ends, and not when the last of
//! its descendants closes its end of a pipe.

use std::fs::File;
use std::io::{self, Seek};
use std::process::Stdio;

/// Where output goes.
#[derive(Debug)]
pub(super) enum Output {
    /// Held back: standard output and standard error of the attempt under way.
    Last(File, File),
    /// To our own streams.
    Stream,
}

/// As it stands on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Show {
    /// Only the last attempt's output is shown, at the end: first standard output, then standard error.
    Last,
    /// Output is shown as it comes, that of every attempt.
    Stream,
}

impl Output {
    pub(super) fn of(show: Show) -> io::Result<Output> {
        Ok(match show {
            Show::Last => Output::Last(tempfile::tempfile()?, tempfile::tempfile()?),
            Show::Stream => Output::Stream,
        })
    }

    /// The streams of one attempt; what was held back of the one before is gone.
    pub(super) fn streams(&self) -> io::Result<(Stdio, Stdio)> {
        match self {
            Output::Stream => Ok((Stdio::inherit(), Stdio::inherit())),
            Output::Last(out, err) => Ok((emptied(out)?.into(), emptied(err)?.into())),
        }
    }

    /// Shows what was held back.
    pub(super) fn show(&self) -> io::Result<()> {
        if let Output::Last(out, err) = self {
            copy(out, &mut io::stdout().lock())?;
            copy(err, &mut io::stderr().lock())?;
        }
        Ok(())
    }
}

fn emptied(mut file: &File) -> io::Result<File> {
    file.set_len(0)?;
    file.rewind()?;
    file.try_clone()
}

fn copy(mut file: &File, to: &mut impl io::Write) -> io::Result<()> {
    file.rewind()?;
    io::copy(&mut file, to)?;
    to.flush()
}
