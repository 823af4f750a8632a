//! How loud a line about an event is: one answer for `log` and `tracing`.

use crate::event::Event;
use undaunted_core::{Reason, Verdict};

/// What precedes the end is nobody's alarm: only giving up is an error, and not if somebody asked for it.
pub(crate) enum Level {
    Debug,
    Error,
    Info,
    Trace,
}

impl Level {
    pub(crate) fn of<E>(event: &Event<'_, E>) -> Level {
        match event.verdict {
            Verdict::Done if event.attempt > 1 => Level::Info,
            Verdict::Done => Level::Trace,
            Verdict::GiveUp(Reason::Cancelled) => Level::Info,
            Verdict::GiveUp(_) => Level::Error,
            Verdict::RetryAfter(_) => Level::Debug,
        }
    }

    /// For what is part of something larger: that it gave up is one more failure there.
    pub(crate) fn nested<E>(event: &Event<'_, E>) -> Level {
        match Level::of(event) {
            Level::Debug | Level::Error | Level::Info => Level::Debug,
            Level::Trace => Level::Trace,
        }
    }
}
