//! What a look at a target came to.

use std::fmt;
use std::io::{self, ErrorKind};
use std::time::Duration;
use undaunted::{Micros, Probe};

/// What one look came to: it is there, not yet, or never.
pub(crate) type Sight = Probe<(), Seen>;

/// What was seen instead of a target that is ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    /// In short. Only when this changes there is news.
    what: String,
    /// More of it, which may differ from look to look.
    more: String,
    /// Whether the target was seen to be absent. Silence, say, is no evidence of that.
    absent: bool,
}

impl Seen {
    pub(crate) fn new(what: impl Into<String>) -> Seen {
        Seen { what: what.into(), more: String::new(), absent: false }
    }

    /// The target was seen to be absent: good enough for who waits for that.
    pub(crate) fn absent(what: impl Into<String>) -> Seen {
        Seen { absent: true, ..Seen::new(what) }
    }

    /// Nothing came for so long.
    pub(crate) fn silence(what: &str, length: Duration) -> Seen {
        Seen::new(what).more(format!(" within {}", Micros::from_duration(length).readable()))
    }

    pub(crate) fn more(self, more: impl Into<String>) -> Seen {
        Seen { more: more.into(), ..self }
    }

    pub(crate) fn is_absent(&self) -> bool {
        self.absent
    }

    /// Whether there is nothing new to say after this.
    pub(crate) fn is_like(&self, other: &Seen) -> bool {
        self.what == other.what
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.what, self.more)
    }
}

/// What an error says: what may pass is not yet; what lies in the request or in who asks is never.
pub(crate) fn of_error(error: &io::Error) -> Sight {
    let text = text(error);
    match error.kind() {
        ErrorKind::InvalidFilename | ErrorKind::InvalidInput | ErrorKind::PermissionDenied => {
            Probe::Never(Seen::new(text))
        }
        ErrorKind::TimedOut | ErrorKind::WouldBlock => Probe::NotYet(Seen::new("no answer")),
        ErrorKind::ConnectionRefused
        | ErrorKind::ConnectionReset
        | ErrorKind::HostUnreachable
        | ErrorKind::NetworkDown
        | ErrorKind::NetworkUnreachable
        | ErrorKind::NotADirectory
        | ErrorKind::NotFound => Probe::NotYet(Seen::absent(text)),
        _ => Probe::NotYet(Seen::new(text)),
    }
}

/// An error in the middle of a line: `connection refused`, and no number.
fn text(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut rest = text.chars();
    rest.next().map_or_else(String::new, |first| first.to_lowercase().chain(rest).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_whether_it_may_pass() {
        for (number, what, absent) in [
            (111, "connection refused", true),
            (113, "no route to host", true),
            (24, "too many open files", false),
        ] {
            let Probe::NotYet(seen) = of_error(&io::Error::from_raw_os_error(number)) else {
                panic!("{what}")
            };
            assert_eq!((&*seen.what, seen.absent), (what, absent));
        }
        let denied = of_error(&io::Error::from_raw_os_error(13));
        assert_eq!(denied, Probe::Never(Seen::new("permission denied")));
        assert_eq!(of_error(&ErrorKind::WouldBlock.into()), Probe::NotYet(Seen::new("no answer")));
    }
}
