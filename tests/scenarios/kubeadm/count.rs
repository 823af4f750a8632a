//! What a run has seen: counted here by hand, beside the product's own counters.

use crate::write::{Failed, Written};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use undaunted::{Event, GaveUp, Micros, Reason, Report, Verdict};

/// Of all that was written under one policy.
#[derive(Default)]
pub(crate) struct Count {
    /// Calls of the operation.
    pub(crate) calls: u64,
    /// What was acknowledged, by its record, and when it was found to have been done.
    pub(crate) done: BTreeMap<String, Written>,
    /// Of these, the ones that took more than one call.
    pub(crate) retried: u64,
    /// What was given up: it may have been done all the same.
    pub(crate) in_doubt: BTreeSet<String>,
    pub(crate) gave_up: BTreeMap<Word, u64>,
    /// What failed attempts were, and how many.
    pub(crate) failures: BTreeMap<String, u64>,
    pub(crate) waits: u64,
    /// The sum of the waits as they were decided.
    pub(crate) waited: Micros,
    /// The longest write from its first call to its end.
    pub(crate) longest: Duration,
}

/// A reason by its word, which has an order.
pub(crate) type Word = &'static str;

impl Count {
    /// An attempt has ended.
    pub(crate) fn hear(&mut self, event: &Event<'_, Failed>) {
        if let Verdict::RetryAfter(wait) = event.verdict {
            self.waits += 1;
            self.waited = self.waited.saturating_add(wait);
            let kind = event.error().map_or("cut at its limit".into(), Failed::kind);
            *self.failures.entry(kind).or_default() += 1;
        }
    }

    /// A write has ended.
    pub(crate) fn end(
        &mut self,
        record: String,
        ended: &Result<Report<Written>, GaveUp<Written, Failed>>,
        took: Duration,
    ) {
        self.longest = self.longest.max(took);
        match ended {
            Ok(report) => {
                self.retried += u64::from(report.attempts > 1);
                self.done.insert(record, report.value);
            }
            Err(gave_up) => {
                *self.gave_up.entry(word(gave_up.reason)).or_default() += 1;
                self.in_doubt.insert(record);
            }
        }
    }

    /// Writes that were recognised by a later attempt, whose own answer had been lost.
    pub(crate) fn recognised(&self) -> usize {
        self.done.values().filter(|written| **written == Written::Before).count()
    }
}

/// Written out, so that the product's own words are checked.
fn word(reason: Reason) -> Word {
    match reason {
        Reason::Attempts => "attempts",
        Reason::Deadline => "deadline",
        Reason::Permanent => "permanent",
        other => panic!("nothing here ends so: {other}"),
    }
}

/// One line for each policy, and the sums.
pub(crate) fn table(counts: &BTreeMap<&'static str, Count>) {
    println!("   {:30} writes  attempts/write  conflicts  recognised  gave up  longest", "");
    let mut all = Count::default();
    let mut done = 0;
    let mut recognised = 0;
    for (name, count) in counts {
        row(name, count, count.done.len(), count.recognised());
        all.calls += count.calls;
        done += count.done.len();
        recognised += count.recognised();
        all.longest = all.longest.max(count.longest);
        for (kind, n) in &count.failures {
            *all.failures.entry(kind.clone()).or_default() += n;
        }
        for (reason, n) in &count.gave_up {
            *all.gave_up.entry(reason).or_default() += n;
        }
    }
    row("all", &all, done, recognised);
    let kinds: Vec<_> = all.failures.iter().map(|(kind, n)| format!("{n} {kind}")).collect();
    println!("   what was tried again: {}", kinds.join(", "));
    println!("   the longest stall of a write: {:.2} s", all.longest.as_secs_f64());
}

fn row(name: &str, count: &Count, done: usize, recognised: usize) {
    let conflicts = count.failures.get("conflict").unwrap_or(&0);
    let gave_up: u64 = count.gave_up.values().sum();
    let rate = count.calls as f64 / (done as f64 + gave_up as f64);
    let longest = count.longest.as_secs_f64();
    println!("   {name:30} {done:6} {rate:15.3} {conflicts:10} {recognised:11} {gave_up:8} {longest:7.2}s");
}
