//! Events and a span of the crate `tracing`; feature `tracing`.
//!
//! One span for the operation, one event for each attempt. With tokio:
//!
#![cfg_attr(feature = "tokio", doc = "```")]
#![cfg_attr(not(feature = "tokio"), doc = "```ignore")]
//! use std::time::Duration;
//! use tracing::Instrument;
//! use undaunted::{Policy, tokio::retry, tracing::{events, span}};
//!
//! const WRITE: Policy = Policy::exponential(Duration::from_millis(500)).attempts(5);
//!
//! # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
//! # let calls = std::cell::Cell::new(0);
//! # let write = async || { calls.set(calls.get() + 1); if calls.get() < 3 { Err("busy") } else { Ok(()) } };
//! let written = retry(&WRITE, || write())
//!     .on_event(events)
//!     .instrument(span("kubeadm.write", &WRITE))
//!     .await;
//! assert!(written.is_ok());
//! # });
//! ```
//!
//! On a thread:
//!
#![cfg_attr(feature = "std", doc = "```")]
#![cfg_attr(not(feature = "std"), doc = "```ignore")]
//! use std::time::Duration;
//! use undaunted::{Policy, thread::retry, tracing::{events, span}};
//!
//! const WRITE: Policy = Policy::exponential(Duration::from_millis(1)).attempts(5);
//!
//! # let mut calls = 0;
//! # let mut write = || { calls += 1; if calls < 3 { Err("busy") } else { Ok(()) } };
//! let written = span("kubeadm.write", &WRITE).in_scope(|| retry(&WRITE, || write()).on_event(events).run());
//! assert!(written.is_ok());
//! ```
//!
//! # Events
//! Target `undaunted`, the line of the event as message, and these fields. Names are dotted, as OpenTelemetry has
//! them; lengths are whole microseconds, and say so.
//!
//! | field | type | what |
//! | --- | --- | --- |
//! | `retry.attempt` | u32 | which attempt ended, from 1; 0 when none was made, or a supervised run ended cleanly |
//! | `retry.limit` | u32 | how many there may be; absent when unlimited |
//! | `retry.last` | text | how it ended: `cut`, `error`, `finished`, `nothing` or `not_yet` |
//! | `error` | text | the error's `Display`; absent when there is none |
//! | `retry.wait_us` | u64 | the wait that begins now; absent at the end |
//! | `retry.reason` | text | why it gave up, the [word](crate::Reason::word) of the reason; absent otherwise |
//! | `retry.elapsed_us` | u64 | since the start of the first attempt |
//!
//! | what happened | level |
//! | --- | --- |
//! | it gave up | `ERROR` |
//! | it gave up because it was cancelled | `INFO` |
//! | a success after retries | `INFO` |
//! | a failure, and another attempt is to follow | `DEBUG` |
//! | a success at the first attempt | `TRACE` |
//!
//! So nothing is at `WARN` or above before it gives up; and of what is [`nested`] in something larger, nothing ever.
//!
//! # The span
//! Target `undaunted`, level `INFO`, name `retry`.
//!
//! | field | type | what |
//! | --- | --- | --- |
//! | `otel.name` | text | the name given; `tracing-opentelemetry` makes it the span's |
//! | `retry.policy` | text | the policy's one line |
//! | `retry.attempts` | u32 | at the end: the attempts made |
//! | `retry.reason` | text | at the end: why it gave up; absent after a success |
//! | `retry.elapsed_us` | u64 | at the end: since the start of the first attempt |
//!
//! [`events`] fills in the last three on the span that it is told in, if that has them. A span of your own needs
//! only to declare those that it wants, as `retry.attempts = tracing::field::Empty`.

use crate::event::Event;
use crate::level::Level;
use crate::report::Last;
use core::fmt::Display;
use undaunted_core::{Micros, Policy, Reason, Verdict};

const TARGET: &str = "undaunted";

/// A span for one operation under `policy`, to be entered by `.instrument(span)` or `span.in_scope(..)`; see the
/// [module](self).
pub fn span(name: &str, policy: &Policy) -> ::tracing::Span {
    ::tracing::info_span!(
        target: TARGET,
        "retry",
        otel.name = name,
        retry.policy = %policy,
        retry.attempts = ::tracing::field::Empty,
        retry.reason = ::tracing::field::Empty,
        retry.elapsed_us = ::tracing::field::Empty,
    )
}

/// Tells each event to `tracing`, and at the end its span: `.on_event(undaunted::tracing::events)`.
pub fn events<E: Display>(event: &Event<'_, E>) {
    tell(event, Level::of(event));
    if wait(event.verdict).is_none() {
        let span = ::tracing::Span::current();
        span.record("retry.attempts", event.attempt);
        if let Some(reason) = reason(event.verdict) {
            span.record("retry.reason", reason.word());
        }
        span.record("retry.elapsed_us", event.elapsed.as_micros());
    }
}

/// As [`events`], for a part of something larger: a retry in a retry, the gate of a supervisor. Nothing is above `DEBUG`,
/// since that it gave up is one more failure of what it is a part of, which has its own event; and nothing is filled in
/// on the span, which is that of the larger thing.
///
#[cfg_attr(feature = "std", doc = "```")]
#[cfg_attr(not(feature = "std"), doc = "```ignore")]
/// use std::time::Duration;
/// use undaunted::{GaveUp, Policy, thread::retry, tracing};
///
/// const JOIN: Policy = Policy::constant(Duration::from_millis(5)).attempts(2);
/// const WRITE: Policy = Policy::constant(Duration::from_millis(2)).attempts(3);
///
/// # let write = || Err::<(), _>("connection refused");
/// let joined = retry(&JOIN, || retry(&WRITE, write).on_event(tracing::nested).run())
///     .on_event(tracing::events) // has the one event that is an error
///     .run();
/// # assert_eq!(joined.unwrap_err().attempts, 2);
/// ```
pub fn nested<E: Display>(event: &Event<'_, E>) {
    tell(event, Level::nested(event));
}

fn tell<E: Display>(event: &Event<'_, E>, level: Level) {
    // The level of an event is part of its place in the source.
    macro_rules! tell {
        ($level:ident) => {
            ::tracing::event!(
                target: TARGET,
                ::tracing::Level::$level,
                retry.attempt = event.attempt,
                retry.limit = event.limit,
                retry.last = word(event.last),
                error = event.error().map(::tracing::field::display),
                retry.wait_us = wait(event.verdict).map(Micros::as_micros),
                retry.reason = reason(event.verdict).map(Reason::word),
                retry.elapsed_us = event.elapsed.as_micros(),
                "{event}"
            )
        };
    }
    match level {
        Level::Debug => tell!(DEBUG),
        Level::Error => tell!(ERROR),
        Level::Info => tell!(INFO),
        Level::Trace => tell!(TRACE),
    }
}

fn word<E>(last: Last<(), &E>) -> &'static str {
    match last {
        Last::Cut => "cut",
        Last::Error(_) => "error",
        Last::Finished(()) => "finished",
        Last::Nothing => "nothing",
        Last::NotYet(()) => "not_yet",
    }
}

fn wait(verdict: Verdict) -> Option<Micros> {
    match verdict {
        Verdict::RetryAfter(wait) => Some(wait),
        Verdict::Done | Verdict::GiveUp(_) => None,
    }
}

fn reason(verdict: Verdict) -> Option<Reason> {
    match verdict {
        Verdict::GiveUp(reason) => Some(reason),
        Verdict::Done | Verdict::RetryAfter(_) => None,
    }
}
