//! Law 9, as far as it is the core's: every stop has a reason, also before the first call.

use proptest::prelude::*;
use undaunted_core::{Instant, Outcome, Policy, Reason, Retry, Verdict};
use undaunted_tests::spell::duration;

use crate::generate::{EDGES, both, config, length, outcome, random, sound};

const REASONS: [Reason; 8] = [
    Reason::Attempts,
    Reason::Breaker,
    Reason::Budget,
    Reason::Cancelled,
    Reason::Deadline,
    Reason::Hint,
    Reason::Intensity,
    Reason::Permanent,
];

proptest! {
    #![proptest_config(config())]

    /// A deadline that is there before the first call: no call, no attempt, and the reason.
    #[test]
    fn a_deadline_before_the_first_call_makes_no_call(
        said in sound(), start in length(), late in length(), outcome in outcome(), random in random(),
    ) {
        let (policy, _) = both(said);
        let deadline = start.saturating_sub(late);
        prop_assume!(deadline != u64::MAX);
        let mut retry = Retry::start_before(&policy, Instant::from_micros(start), Instant::from_micros(deadline));
        let over = Verdict::GiveUp(Reason::Deadline);
        prop_assert_eq!((retry.stopped(), retry.attempts()), (Some(over), 0));
        prop_assert_eq!(retry.next(&policy, outcome, Instant::from_micros(0), random), over);
        prop_assert_eq!(retry.attempts(), 0);
    }

    /// One microsecond of time is enough to begin.
    #[test]
    fn a_deadline_ahead_stops_nothing(said in sound(), start in length(), ahead in length()) {
        prop_assume!(start < u64::MAX);
        let (policy, _) = both(said);
        let deadline = start.saturating_add(ahead.max(1));
        let retry = Retry::start_before(&policy, Instant::from_micros(start), Instant::from_micros(deadline));
        prop_assert_eq!(retry.stopped(), None);
    }

    /// A policy alone never stops before the first call, wherever the clock stands.
    #[test]
    fn a_policy_alone_begins(said in sound(), start in length()) {
        let (policy, _) = both(said);
        prop_assert_eq!(Retry::start(&policy, Instant::from_micros(start)).stopped(), None);
    }

    /// Stopped from outside after some attempts: that reason stays, and nothing is counted any more.
    #[test]
    fn a_stop_from_outside_keeps_its_reason(
        said in sound(), reason in prop::sample::select(&REASONS[..]), outcome in outcome(), random in random(),
    ) {
        let (policy, _) = both(said);
        let mut retry = Retry::start(&policy, Instant::from_micros(0));
        let first = retry.next(&policy, outcome, Instant::from_micros(0), random);
        let stopped = match first {
            Verdict::RetryAfter(_) => Verdict::GiveUp(reason),
            end => end,
        };
        prop_assert_eq!(retry.give_up(reason), stopped);
        prop_assert_eq!(retry.next(&policy, Outcome::Succeed, Instant::from_micros(0), random), stopped);
        prop_assert_eq!((retry.stopped(), retry.attempts()), (Some(stopped), 1));
    }
}

#[test]
fn boundary_starts_and_deadlines() {
    let policy = Policy::constant(duration(1));
    for start in EDGES {
        for deadline in EDGES {
            let retry =
                Retry::start_before(&policy, Instant::from_micros(start), Instant::from_micros(deadline));
            let is_over = deadline <= start && deadline != u64::MAX;
            assert_eq!(
                retry.stopped(),
                is_over.then_some(Verdict::GiveUp(Reason::Deadline)),
                "{start} {deadline}"
            );
        }
    }
}

#[test]
fn each_reason_from_outside_before_the_first_call() {
    for reason in REASONS {
        let policy = Policy::constant(duration(1));
        let mut retry = Retry::start(&policy, Instant::from_micros(0));
        assert_eq!(retry.give_up(reason), Verdict::GiveUp(reason));
        assert_eq!((retry.stopped(), retry.attempts()), (Some(Verdict::GiveUp(reason)), 0));
    }
}
