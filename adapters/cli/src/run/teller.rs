//! What is said about attempts: lines for people, or lines of JSON for programs; on a terminal a countdown.

use crate::failure::Failure;
use crate::say;
use serde_json::{Value, json};
use std::cell::Cell;
use std::io::{self, IsTerminal, Write};
use std::time::Duration;
use undaunted::{Event, Last, Micros, Reason, Verdict};

/// As it stands on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Lines {
    /// One JSON object a line.
    Json,
    /// Lines for people; on a terminal the waits are counted down.
    Text,
}

/// Who says it, and how.
#[derive(Debug)]
pub(super) struct Teller {
    lines: Lines,
    quiet: bool,
    counts: bool,
    /// Whether a countdown stands on the line.
    counting: Cell<bool>,
}

impl Teller {
    pub(super) fn new(lines: Lines, quiet: bool) -> Teller {
        let counts = lines == Lines::Text && !quiet && io::stderr().is_terminal();
        Teller { lines, quiet, counts, counting: Cell::new(false) }
    }

    /// One attempt has ended; `of` is what it was an attempt of, if not of the command.
    pub(super) fn event(&self, of: Option<&str>, event: &Event<'_, Failure>) {
        let gave_up = matches!(event.verdict, Verdict::GiveUp(_));
        match (event.verdict, event.error()) {
            // A command that is there and succeeds has nothing to say.
            (Verdict::Done, _) if event.attempt == 1 && self.lines == Lines::Text => {}
            _ if self.quiet && !gave_up => {}
            _ if self.lines == Lines::Json => self.line(&object(of, event)),
            // No attempt was made, so there is none to count.
            (Verdict::GiveUp(Reason::Permanent), Some(failure @ Failure::Start { .. })) => {
                say(format_args!("{failure}"));
            }
            _ => match of {
                Some(of) => say(format_args!("{of}: {event}")),
                None => say(format_args!("{event}")),
            },
        }
    }

    /// Something else that must be known.
    pub(super) fn remark(&self, text: &str) {
        match self.lines {
            Lines::Json => self.line(&json!({ "event": "remark", "text": text })),
            Lines::Text => say(format_args!("{text}")),
        }
    }

    fn line(&self, object: &Value) {
        // When nobody can read it, the work goes on.
        let _ = writeln!(io::stderr().lock(), "{object}");
    }

    /// So long until the next attempt.
    pub(super) fn count(&self, left: Duration) {
        if self.counts && (self.counting.get() || left > Duration::from_secs(1)) {
            let seconds = (left.as_secs_f64().round() as u64).max(1);
            let left = Micros::from_secs(seconds).readable();
            let _ = write!(io::stderr().lock(), "\r\x1b[Kundaunted: next attempt in {left}");
            self.counting.set(true);
        }
    }

    /// The wait is over.
    pub(super) fn counted(&self) {
        if self.counting.replace(false) {
            let _ = write!(io::stderr().lock(), "\r\x1b[K");
        }
    }
}

/// Lengths are whole microseconds and say so; what does not apply is not there.
fn object(of: Option<&str>, event: &Event<'_, Failure>) -> Value {
    let (verdict, wait, reason) = match event.verdict {
        Verdict::Done => ("done", None, None),
        Verdict::GiveUp(reason) => ("give_up", None, Some(reason.word())),
        Verdict::RetryAfter(wait) => ("retry", Some(wait.as_micros()), None),
    };
    let last = match event.last {
        Last::Cut => "cut",
        Last::Error(_) => "failed",
        Last::Finished(()) => "succeeded",
        Last::Nothing | Last::NotYet(()) => "nothing",
    };
    let mut object = json!({
        "event": of.unwrap_or("attempt"),
        "attempt": event.attempt,
        "last": last,
        "verdict": verdict,
        "elapsed_us": event.elapsed.as_micros(),
    });
    let status = event.error().map(Failure::code);
    for (key, value) in [
        ("limit", event.limit.map(Value::from)),
        ("error", event.error().map(|failure| failure.to_string().into())),
        ("status", status.map(Value::from)),
        ("wait_us", wait.map(Value::from)),
        ("reason", reason.map(Value::from)),
    ] {
        if let Some(value) = value {
            object[key] = value;
        }
    }
    object
}
