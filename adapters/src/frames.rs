//! Feature `defmt`: the type whose frame is not its fields.

use crate::event::Event;
use crate::report::Last;
use defmt::{Format, Formatter, write};
use undaunted_core::{Reason, Verdict};

/// The log line, as `Display` has it, with lengths in microseconds and the reason by its name.
impl<E: Format> Format for Event<'_, E> {
    fn format(&self, f: Formatter<'_>) {
        match (self.last, self.attempt, self.limit) {
            (Last::Finished(()), ..) if self.verdict != Verdict::Done => {
                write!(f, "ended without an error");
            }
            (_, 0, _) => write!(f, "no attempt made"),
            (_, attempt, Some(limit)) => write!(f, "attempt {=u32}/{=u32}", attempt, limit),
            (_, attempt, None) => write!(f, "attempt {=u32}", attempt),
        }
        match self.last {
            Last::Cut if self.verdict == Verdict::GiveUp(Reason::Cancelled) => write!(f, " was cut"),
            Last::Cut => write!(f, " was cut at its limit"),
            Last::Error(error) => write!(f, " failed: {}", error),
            Last::Finished(()) | Last::Nothing => {}
            Last::NotYet(()) => write!(f, " not yet"),
        }
        match self.verdict {
            Verdict::Done => write!(f, " succeeded after {}", self.elapsed),
            Verdict::RetryAfter(wait) => write!(f, "; next in {}", wait),
            Verdict::GiveUp(reason) => write!(f, "; giving up after {}: {}", self.elapsed, reason),
        }
    }
}
