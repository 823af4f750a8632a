//! Counters and a histogram of the crate `metrics`; feature `metrics`.
//!
//! ```
//! use std::time::Duration;
//! use undaunted::{Policy, metrics, thread::retry};
//!
//! const WRITE: Policy = Policy::exponential(Duration::from_millis(1)).attempts(5);
//!
//! metrics::describe(); // once, after the recorder was installed
//!
//! # let mut calls = 0;
//! # let mut write = || { calls += 1; if calls < 3 { Err("busy") } else { Ok(()) } };
//! let written = retry(&WRITE, || write()).on_event(metrics::named("kubeadm.write")).run();
//! assert!(written.is_ok());
//! ```
//!
//! Names are by Prometheus' conventions:
//!
//! | metric | kind | labels | what |
//! | --- | --- | --- | --- |
//! | `undaunted_attempts_total` | counter | `policy` | attempts that ended, the first ones included; of what is supervised, runs |
//! | `undaunted_retried_successes_total` | counter | `policy` | successes after retries |
//! | `undaunted_give_ups_total` | counter | `policy`, `reason` | operations that gave up |
//! | `undaunted_wait_seconds` | histogram | `policy` | the waits before retries, as they were decided |
//!
//! `policy` is the name given: of a policy, or of the operation that is retried under it. `reason` is the
//! [word](crate::Reason::word) of the reason, one of eight. The text of an error is in no label, and names are
//! constants, so that no label grows with what happens. `undaunted_wait_seconds_count` is the number of retries;
//! attempts less retries are operations.
//!
//! Any recorder of the crate `metrics` will do. That of `metrics-exporter-prometheus` serves them to Prometheus, the
//! histogram as quantiles, `_sum` and `_count`; it is to be installed before [`describe`].

use crate::event::Event;
use crate::report::Last;
use ::metrics::{Unit, counter, describe_counter, describe_histogram, histogram};
use undaunted_core::{Reason, Verdict};

const ATTEMPTS: &str = "undaunted_attempts_total";
const GIVE_UPS: &str = "undaunted_give_ups_total";
const RETRIED_SUCCESSES: &str = "undaunted_retried_successes_total";
const WAIT: &str = "undaunted_wait_seconds";

/// Tells the recorder units and help texts. To be called once, after the recorder was installed.
pub fn describe() {
    describe_counter!(ATTEMPTS, Unit::Count, "Attempts that ended, the first ones included.");
    describe_counter!(GIVE_UPS, Unit::Count, "Operations that gave up, by reason.");
    describe_counter!(RETRIED_SUCCESSES, Unit::Count, "Successes after retries.");
    describe_histogram!(WAIT, Unit::Seconds, "Waits before retries.");
}

/// Counts the events of one retry under this name: `.on_event(undaunted::metrics::named("kubeadm.write"))`.
///
/// An attempt that is dropped before it ends is not counted.
pub fn named<E>(policy: &'static str) -> impl FnMut(&Event<'_, E>) {
    let mut waiting_after = None;
    move |event| {
        if is_attempt(event, waiting_after) {
            counter!(ATTEMPTS, "policy" => policy).increment(1);
        }
        waiting_after = matches!(event.verdict, Verdict::RetryAfter(_)).then_some(event.attempt);
        match event.verdict {
            Verdict::Done if event.attempt > 1 => {
                counter!(RETRIED_SUCCESSES, "policy" => policy).increment(1);
            }
            Verdict::Done => {}
            Verdict::GiveUp(reason) => {
                counter!(GIVE_UPS, "policy" => policy, "reason" => reason.word()).increment(1);
            }
            Verdict::RetryAfter(wait) => {
                histogram!(WAIT, "policy" => policy).record(wait.as_duration().as_secs_f64());
            }
        }
    }
}

/// Whether an attempt ended. None did when none was made, and when who gives up in a wait tells of the one before
/// it once more. The number alone does not say so: with each new streak of a supervisor it begins anew.
fn is_attempt<E>(event: &Event<'_, E>, waiting_after: Option<u32>) -> bool {
    match (event.last, event.verdict) {
        (Last::Nothing, _) => false,
        (_, Verdict::GiveUp(Reason::Cancelled | Reason::Deadline)) => waiting_after != Some(event.attempt),
        _ => true,
    }
}
