//! Law 8. Fused: after a stop the answer stays, whatever is reported.

use proptest::prelude::*;
use undaunted_core::{Instant, Outcome, Policy, Reason, Retry, Verdict};
use undaunted_tests::spell::duration;

use crate::generate::{EDGES, Pair, RANDOMS, both, config, length, outcome, report, sound};

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_stop_is_for_ever(
        said in sound(), start in length(), inherited in length(),
        reports in prop::collection::vec(report(outcome()), 1..40),
    ) {
        let (policy, twin) = both(said);
        let mut pair = Pair::start(&policy, &twin, start, inherited);
        let mut stopped = pair.retry.stopped().map(|verdict| (verdict, 0));
        for &report in &reports {
            let verdict = pair.next(report);
            if let Some((end, attempts)) = stopped {
                prop_assert_eq!(verdict, end);
                prop_assert_eq!(pair.retry.attempts(), attempts);
            } else if !matches!(verdict, Verdict::RetryAfter(_)) {
                stopped = Some((verdict, pair.retry.attempts()));
            }
        }
    }
}

/// Each end that there is, and then everything that can be reported.
#[test]
fn every_end_outlives_every_report() {
    let policy = Policy::constant(duration(10)).attempts(2).within(duration(1_000)).hint_ceiling(duration(5));
    let throttle = |hint| Outcome::Throttle { retry_after: undaunted_core::Micros::new(hint) };
    let ends = [
        (vec![Outcome::Succeed], 0, Verdict::Done),
        (vec![Outcome::Abort], 0, Verdict::GiveUp(Reason::Permanent)),
        (vec![Outcome::Fail, Outcome::Fail], 0, Verdict::GiveUp(Reason::Attempts)),
        (vec![throttle(6)], 0, Verdict::GiveUp(Reason::Hint)),
        (vec![Outcome::Fail], 1_000, Verdict::GiveUp(Reason::Deadline)),
    ];
    for (outcomes, now, end) in ends {
        let mut retry = Retry::start(&policy, Instant::from_micros(0));
        let last =
            outcomes.iter().map(|&outcome| retry.next(&policy, outcome, Instant::from_micros(now), 0)).last();
        assert_eq!(last, Some(end));
        for outcome in [Outcome::Succeed, Outcome::Abort, Outcome::Fail, throttle(0), throttle(u64::MAX)] {
            for (now, random) in EDGES.into_iter().flat_map(|now| RANDOMS.map(|random| (now, random))) {
                assert_eq!(retry.next(&policy, outcome, Instant::from_micros(now), random), end);
            }
        }
        assert_eq!(retry.give_up(Reason::Cancelled), end);
        assert_eq!((retry.stopped(), retry.attempts()), (Some(end), outcomes.len() as u32));
    }
}

/// When several reasons apply, the first in the order decides.
#[test]
fn the_first_that_applies_decides() {
    let policy = Policy::constant(duration(10)).attempts(1).within(duration(1)).hint_ceiling(duration(5));
    let told = Outcome::Throttle { retry_after: undaunted_core::Micros::new(6) };
    let first = |policy: &Policy, outcome| {
        Retry::start(policy, Instant::from_micros(0)).next(policy, outcome, Instant::from_micros(9), 0)
    };
    assert_eq!(first(&policy, Outcome::Succeed), Verdict::Done);
    assert_eq!(first(&policy, Outcome::Abort), Verdict::GiveUp(Reason::Permanent));
    assert_eq!(first(&policy, told), Verdict::GiveUp(Reason::Attempts));
    assert_eq!(first(&policy.attempts(2), told), Verdict::GiveUp(Reason::Hint));
    assert_eq!(first(&policy.attempts(2), Outcome::Fail), Verdict::GiveUp(Reason::Deadline));
}
