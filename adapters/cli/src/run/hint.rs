//! What a command says about how long to wait: it writes a length into the file that `UNDAUNTED_HINT_FILE` names.

use std::ffi::OsString;
use std::fs;
use tempfile::NamedTempFile;
use undaunted::{Micros, Outcome};

/// The longest text that may be a length.
const LONGEST: u64 = 64;

/// The file, where one can be made.
#[derive(Debug)]
pub(super) struct Hint {
    file: Option<NamedTempFile>,
}

impl Hint {
    pub(super) fn new() -> Hint {
        Hint { file: None }
    }

    /// The value of the variable, for an attempt that begins now: an empty file. Where no folder can be written to there
    /// is no file, no variable, and so no hint. It is another file each time: who runs for weeks must not trust that a
    /// name in a shared folder is still its own.
    pub(super) fn fresh(&mut self) -> Option<OsString> {
        self.file = NamedTempFile::with_prefix("undaunted-hint-").ok();
        self.file.as_ref().map(|file| file.path().into())
    }

    /// The outcome of an attempt that failed: with the wait that it asked for, if it did; else why not.
    pub(super) fn outcome(&self) -> Result<Outcome, String> {
        let Some(file) = &self.file else { return Ok(Outcome::Fail) };
        // What is no file would be waited for, or be somebody else's.
        let found = fs::symlink_metadata(file.path()).ok().filter(fs::Metadata::is_file);
        let Some(length) = found.map(|found| found.len()) else { return Ok(Outcome::Fail) };
        if length > LONGEST {
            return Err(format!("the hint is {length} bytes long, and was to be a length such as 30s"));
        }
        let text = fs::read(file.path()).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        match text.trim() {
            "" => Ok(Outcome::Fail),
            text => length_of(text).map(|retry_after| Outcome::Throttle { retry_after }),
        }
    }
}

/// Seconds, as in HTTP's Retry-After, or a length of a policy's text. Huge seconds saturate.
fn length_of(text: &str) -> Result<Micros, String> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(text.parse().map_or(Micros::MAX, Micros::from_secs));
    }
    Micros::parse(text).map_err(|error| format!("the hint {text:?} cannot be read: {error}, or seconds"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_is_seconds_or_a_length() {
        let mut hint = Hint::new();
        let path = hint.fresh().unwrap();
        let throttle = |retry_after| Ok(Outcome::Throttle { retry_after });
        for (text, outcome) in [
            ("", Ok(Outcome::Fail)),
            ("\n", Ok(Outcome::Fail)),
            ("30\n", throttle(Micros::from_secs(30))),
            ("1.5s", throttle(Micros::from_millis(1_500))),
            ("0", throttle(Micros::ZERO)),
            ("99999999999999999999", throttle(Micros::MAX)),
        ] {
            fs::write(&path, text).unwrap();
            assert_eq!(hint.outcome(), outcome, "{text:?}");
        }
        for text in ["soon", "-1", "1m30s", &"9".repeat(65)] {
            fs::write(&path, text).unwrap();
            assert!(hint.outcome().unwrap_err().starts_with("the hint "), "{text:?}");
        }
    }
}
