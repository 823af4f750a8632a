//! Law 6, as far as it is the core's: a deadline includes the work, and no wait reaches it.

use proptest::prelude::*;
use undaunted_core::{Instant, Outcome, Policy, Reason, Retry, Verdict};
use undaunted_tests::said::{Calls, Said, Shape, Spread};
use undaunted_tests::script::{Report, first_wait};
use undaunted_tests::spell::duration;

use crate::generate::{
    EDGES, Pair, RANDOMS, both, config, daily, failure, length, random, report, sound, timeless, wait_of,
};

proptest! {
    #![proptest_config(config())]

    /// A clock that moves on: no wait that is begun ends at or after the deadline.
    #[test]
    fn no_wait_reaches_the_deadline(
        said in timeless(), within in daily(), start in daily(),
        steps in prop::collection::vec((failure(), daily(), random()), 1..20),
    ) {
        let within = within.max(1);
        let (policy, twin) = both(Said { within: Some(within), ..said });
        let mut pair = Pair::start(&policy, &twin, start, u64::MAX);
        let mut now = start;
        for &(outcome, work, random) in &steps {
            now += work / 64;
            match pair.next(Report { outcome, now, random }) {
                Verdict::RetryAfter(wait) => {
                    now += wait.as_micros();
                    prop_assert!(now < start + within);
                }
                _ => return Ok(()),
            }
        }
    }

    /// An inherited deadline: the nearer one holds, so nesting never multiplies time.
    #[test]
    fn the_nearer_deadline_holds(
        said in sound(), start in length(), inherited in length(),
        reports in prop::collection::vec(report(failure()), 1..12),
    ) {
        let (policy, twin) = both(said);
        let mut pair = Pair::start(&policy, &twin, start, inherited);
        for &report in &reports {
            let verdict = pair.next(report);
            if let (Some(wait), true) = (wait_of(verdict), inherited != u64::MAX) {
                prop_assert!(report.now.saturating_add(wait) < inherited, "{policy}");
            }
        }
    }

    #[test]
    fn the_wait_before_the_first_attempt_is_the_twins(
        said in sound(), deadline in length(), now in length(), random in random(),
    ) {
        let (policy, twin) = both(said);
        let verdict = Retry::first_wait(&policy, Instant::from_micros(deadline), Instant::from_micros(now), random);
        prop_assert_eq!(verdict, first_wait(&twin, deadline, now, random), "{}", policy);
    }
}

/// Boundary starts, limits and clocks: every combination, one verdict each.
#[test]
fn boundaries_multiplied() {
    for within in EDGES.into_iter().map(|within| within.max(1)).chain([50]) {
        for delay in [1, 50, 1 << 32] {
            let said = Said {
                within: Some(within),
                jitter: Some(Spread::None),
                attempts: Some(Calls::Unlimited),
                ..Said::only(Shape::Constant { delay })
            };
            let (policy, twin) = both(said);
            for start in EDGES {
                for inherited in EDGES {
                    for now in EDGES {
                        let mut pair = Pair::start(&policy, &twin, start, inherited);
                        let report = Report { outcome: Outcome::Fail, now, random: 0 };
                        let _ = pair.next(report);
                    }
                }
            }
        }
    }
}

/// First waits at every boundary, in every jitter; neither cap nor floor applies to them.
#[test]
fn boundaries_of_the_wait_before_the_first_attempt() {
    let jitters =
        [Spread::None, Spread::Full, Spread::Equal, Spread::Proportional(1, 3), Spread::Additive(255, 1)];
    for first_delay in EDGES {
        for jitter in jitters {
            let said = Said {
                first_delay: Some(first_delay),
                jitter: Some(jitter),
                cap: Some(600),
                floor: Some(500),
                ..Said::only(Shape::Constant { delay: 1 })
            };
            let (policy, twin) = both(said);
            for (deadline, now) in EDGES.into_iter().flat_map(|deadline| EDGES.map(|now| (deadline, now))) {
                for random in RANDOMS {
                    let (at, by) = (Instant::from_micros(now), Instant::from_micros(deadline));
                    let verdict = Retry::first_wait(&policy, by, at, random);
                    assert_eq!(verdict, first_wait(&twin, deadline, now, random), "{policy}");
                }
            }
        }
    }
}

/// 10 s in all, 3 s of work an attempt, waits of 1 s: the ends are at 3, 7 and 11 s, so the third
/// attempt begins at 8 s, inside, and nothing is begun after it.
#[test]
fn work_counts() {
    let policy = Policy::constant(duration(1_000_000)).no_jitter().attempts(9).within(duration(10_000_000));
    let mut retry = Retry::start(&policy, Instant::from_micros(0));
    let mut next = |secs: u64| retry.next(&policy, Outcome::Fail, Instant::from_micros(secs * 1_000_000), 0);
    assert_eq!(wait_of(next(3)), Some(1_000_000));
    assert_eq!(wait_of(next(7)), Some(1_000_000));
    assert_eq!(next(11), Verdict::GiveUp(Reason::Deadline));
}

/// At the deadline is too late; one microsecond before is not.
#[test]
fn a_wait_that_ends_at_the_deadline_is_not_begun() {
    let policy = Policy::constant(duration(100)).no_jitter().within(duration(150));
    let at = |now| {
        Retry::start(&policy, Instant::from_micros(0)).next(
            &policy,
            Outcome::Fail,
            Instant::from_micros(now),
            0,
        )
    };
    assert_eq!(wait_of(at(49)), Some(100));
    assert_eq!(at(50), Verdict::GiveUp(Reason::Deadline));
}

/// A success that arrives late is a success; a late abort is permanent.
#[test]
fn late_is_not_never() {
    let policy = Policy::constant(duration(100)).within(duration(150));
    let late =
        |outcome| Retry::start(&policy, Instant::from_micros(0)).next(&policy, outcome, Instant::MAX, 0);
    assert_eq!(late(Outcome::Succeed), Verdict::Done);
    assert_eq!(late(Outcome::Abort), Verdict::GiveUp(Reason::Permanent));
    assert_eq!(late(Outcome::Fail), Verdict::GiveUp(Reason::Deadline));
}
