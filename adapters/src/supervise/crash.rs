//! How a run failed.

use core::any::Any;
use core::fmt;
use std::boxed::Box;
use std::string::{String, ToString};

/// How a run of a supervised task failed, or what kept it from being run again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Crash<E> {
    /// It was aborted from outside, as when its runtime shuts down.
    Aborted,
    /// It ended with this error.
    Failed(E),
    /// It panicked, with this message.
    Panicked(String),
    /// The gate before its next run stayed shut, with these words.
    Shut(String),
}

impl<E> Crash<E> {
    /// The message of a panic, from what it threw.
    pub(crate) fn panicked(thrown: Box<dyn Any + Send>) -> Crash<E> {
        let text = match thrown.downcast::<String>() {
            Ok(text) => *text,
            Err(thrown) => match thrown.downcast_ref::<&str>() {
                Some(text) => text.to_string(),
                None => {
                    // Dropping it could panic once more, and who panics on purpose can bear a leak.
                    core::mem::forget(thrown);
                    return Crash::Panicked("something that is no text".to_string());
                }
            },
        };
        Crash::Panicked(text)
    }
}

impl<E: fmt::Display> fmt::Display for Crash<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Crash::Aborted => f.write_str("aborted"),
            Crash::Failed(error) => error.fmt(f),
            Crash::Panicked(message) => write!(f, "panicked: {message}"),
            Crash::Shut(text) => write!(f, "the gate stayed shut: {text}"),
        }
    }
}

impl<E: core::error::Error + 'static> core::error::Error for Crash<E> {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Crash::Failed(error) => Some(error),
            Crash::Aborted | Crash::Panicked(_) | Crash::Shut(_) => None,
        }
    }
}
