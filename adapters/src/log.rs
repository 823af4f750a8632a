//! Events as lines of the crate `log`; feature `log`.
//!
#![cfg_attr(feature = "std", doc = "```")]
#![cfg_attr(not(feature = "std"), doc = "```ignore")]
//! use std::time::Duration;
//! use undaunted::{Policy, thread::retry};
//!
//! const WRITE: Policy = Policy::exponential(Duration::from_millis(1)).attempts(5);
//!
//! # let mut calls = 0;
//! # let mut write = || { calls += 1; if calls < 3 { Err("connection refused") } else { Ok(()) } };
//! let written = retry(&WRITE, || write())
//!     .on_event(undaunted::log::named("kubeadm.write"))
//!     .run(); // kubeadm.write: attempt 2/5 failed: connection refused; next in 1.21 ms
//! assert!(written.is_ok());
//! ```
//!
//! | what happened | level |
//! | --- | --- |
//! | it gave up | `error` |
//! | it gave up because it was cancelled | `info` |
//! | a success after retries | `info` |
//! | a failure, and another attempt is to follow | `debug` |
//! | a success at the first attempt | `trace` |
//!
//! So nothing is at `warn` or above before it gives up; and of what is [`nested`] in something larger, nothing ever.
//! The target is `undaunted`, whichever module retries: a filter `undaunted=debug` shows each attempt. The error is
//! written by its `Display`; for errors that have none write the line yourself,
//! `.on_event(|event| log::debug!("{:?}", event.error()))`.

use crate::event::Event;
use crate::level::Level;
use core::fmt::{Arguments, Display};

/// Logs the line of each event: `.on_event(undaunted::log::events)`.
pub fn events<E: Display>(event: &Event<'_, E>) {
    write(Level::of(event), format_args!("{event}"));
}

/// As [`events`], with a name before each line: which of a program's operations it is.
///
/// ```
/// use undaunted::{Event, Last, Micros, Verdict};
///
/// let mut observer = undaunted::log::named("kubeadm.write");
/// observer(&Event {
///     attempt: 2,
///     limit: Some(5),
///     last: Last::Error(&"connection refused"),
///     verdict: Verdict::RetryAfter(Micros::from_millis(740)),
///     elapsed: Micros::from_millis(812),
/// }); // kubeadm.write: attempt 2/5 failed: connection refused; next in 740 ms
/// ```
pub fn named<E: Display>(name: impl Display) -> impl FnMut(&Event<'_, E>) {
    move |event| write(Level::of(event), format_args!("{name}: {event}"))
}

/// As [`named`], for a part of something larger: a retry in a retry, the gate of a supervisor. Nothing is above `debug`,
/// since that it gave up is one more failure of what it is a part of, which has its own line.
///
#[cfg_attr(feature = "std", doc = "```")]
#[cfg_attr(not(feature = "std"), doc = "```ignore")]
/// use std::time::Duration;
/// use undaunted::{Policy, Recovery, log, thread::{poll, supervise}};
///
/// const DAEMON: Recovery = Recovery::new(Policy::constant(Duration::from_millis(5)).attempts(5));
/// const LINK_UP: Policy = Policy::constant(Duration::from_millis(2)).attempts(3);
///
/// # let daemon = || Err::<(), _>("the link is down");
/// # let link_is_up = || false;
/// let ended = supervise(&DAEMON, daemon)
///     .gate(|stop| poll(&LINK_UP, link_is_up).on_event(log::nested("link")).cancel(stop).report())
///     .on_event(log::named("daemon")) // has the one line that is an error
///     .run();
/// # assert_eq!(ended.unwrap_err().attempts, 1);
/// ```
pub fn nested<E: Display>(name: impl Display) -> impl FnMut(&Event<'_, E>) {
    move |event| write(Level::nested(event), format_args!("{name}: {event}"))
}

fn write(level: Level, line: Arguments<'_>) {
    let level = match level {
        Level::Debug => ::log::Level::Debug,
        Level::Error => ::log::Level::Error,
        Level::Info => ::log::Level::Info,
        Level::Trace => ::log::Level::Trace,
    };
    ::log::log!(target: "undaunted", level, "{line}");
}
