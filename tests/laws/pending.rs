//! `Pending`: the verdicts of `Retry`, and when the next attempt is due.

use proptest::prelude::*;
use undaunted_core::{Instant, Outcome, Pending, Reason, Verdict};
use undaunted_tests::script::{TwinRetry, first_wait};

use crate::generate::{EDGES, both, config, length, outcome, random, report, sound};

proptest! {
    #![proptest_config(config())]

    #[test]
    fn pending_decides_as_retry_and_is_due_after_the_wait(
        said in sound(), start in length(),
        reports in prop::collection::vec(report(outcome()), 1..20), probe in length(),
    ) {
        let (policy, twin) = both(said);
        let mut pending = Pending::start(&policy, Instant::from_micros(start));
        let mut retry = TwinRetry::start(&twin, start, u64::MAX);
        let mut due = start;
        for &report in &reports {
            prop_assert_eq!(pending.is_due(Instant::from_micros(probe)), retry.stopped.is_none() && probe >= due);
            let verdict = pending.settle(&policy, report.outcome, Instant::from_micros(report.now), report.random);
            prop_assert_eq!(verdict, retry.next(report));
            prop_assert_eq!(pending.retry().attempts(), retry.attempts);
            prop_assert_eq!(pending.retry().stopped(), retry.stopped);
            if let Verdict::RetryAfter(wait) = verdict {
                due = report.now.saturating_add(wait.as_micros());
                prop_assert_eq!(pending.due().as_micros(), due);
            }
            for now in EDGES.into_iter().chain([due.saturating_sub(1), due, due.saturating_add(1)]) {
                prop_assert_eq!(pending.is_due(Instant::from_micros(now)), retry.stopped.is_none() && now >= due);
            }
        }
    }

    /// Stopped from outside it is stopped, unless it was before: nothing is due any more.
    #[test]
    fn a_cancelled_one_is_never_due_again(
        said in sound(), reports in prop::collection::vec(report(outcome()), 0..6), now in length(),
    ) {
        let (policy, twin) = both(said);
        let mut pending = Pending::start(&policy, Instant::from_micros(0));
        let mut retry = TwinRetry::start(&twin, 0, u64::MAX);
        for &report in &reports {
            let _ = pending.settle(&policy, report.outcome, Instant::from_micros(report.now), report.random);
            let _ = retry.next(report);
        }
        let end = retry.stopped.unwrap_or(Verdict::GiveUp(Reason::Cancelled));
        prop_assert_eq!(pending.give_up(Reason::Cancelled), end);
        prop_assert!(!pending.is_due(Instant::from_micros(now)) && !pending.is_due(Instant::MAX));
        prop_assert_eq!(pending.settle(&policy, Outcome::Succeed, Instant::from_micros(now), 0), end);
    }

    /// After a first delay `within` counts from the end of the delay.
    #[test]
    fn a_first_delay_comes_before_the_start(
        said in sound(), now in length(), random in random(),
        reports in prop::collection::vec(report(outcome()), 1..6),
    ) {
        let (policy, twin) = both(said);
        let mut pending = Pending::start_delayed(&policy, Instant::from_micros(now), random);
        let Verdict::RetryAfter(wait) = first_wait(&twin, u64::MAX, now, random) else { panic!("no deadline") };
        let start = now.saturating_add(wait.as_micros());
        prop_assert_eq!(pending.due().as_micros(), start);
        prop_assert!(pending.is_due(Instant::from_micros(start)));
        prop_assert!(start == 0 || !pending.is_due(Instant::from_micros(start - 1)));
        let mut retry = TwinRetry::start(&twin, start, u64::MAX);
        prop_assert_eq!(pending.retry().deadline().map(Instant::as_micros), retry.deadline());
        for &report in &reports {
            let verdict = pending.settle(&policy, report.outcome, Instant::from_micros(report.now), report.random);
            prop_assert_eq!(verdict, retry.next(report));
        }
    }
}
