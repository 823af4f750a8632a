//! What the command writes: as it comes, or only that of the last attempt.
//!
//! Files and not pipes take what is held back, so that an attempt ends when its command ends, and not when the last of
//! its descendants closes its end of a pipe.

use std::env;
use std::fs::File;
use std::io::{self, Seek};
use std::os::unix::fs::FileExt;
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
            Show::Last => Output::Last(held()?, held()?),
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
        let Output::Last(out, err) = self else { return Ok(()) };
        let shown = copy(out, &mut io::stdout().lock());
        copy(err, &mut io::stderr().lock()).and(shown)
    }
}

fn emptied(mut file: &File) -> io::Result<File> {
    file.set_len(0)?;
    file.rewind()?;
    file.try_clone()
}

/// What stands there now. A descendant may still write at the place that it shares with us, so that place stays as it is.
fn copy(file: &File, to: &mut impl io::Write) -> io::Result<()> {
    let (mut at, end) = (0, file.metadata()?.len());
    let mut buffer = vec![0; 1 << 16];
    while at < end {
        let room = buffer.len().min(usize::try_from(end - at).unwrap_or(usize::MAX));
        match file.read_at(&mut buffer[..room], at)? {
            0 => break,
            length => {
                to.write_all(&buffer[..length])?;
                at += length as u64;
            }
        }
    }
    to.flush()
}

fn held() -> io::Result<File> {
    tempfile::tempfile().map_err(|error| {
        let folder = env::temp_dir();
        io::Error::other(format!("cannot hold back output in {}: {error}", folder.display()))
    })
}
