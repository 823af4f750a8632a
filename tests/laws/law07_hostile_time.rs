//! Law 7. Time may misbehave: clocks that jump, stand still and go back; nothing panics.

use proptest::prelude::*;
use undaunted_core::{Instant, Outcome, Policy, Retry};
use undaunted_tests::said::{Calls, Said, Shape, Spread};
use undaunted_tests::script::Report;
use undaunted_tests::spell::duration;

use crate::generate::{EDGES, Pair, both, config, length, outcome, report, sound, wait_of};

proptest! {
    #![proptest_config(config())]

    #[test]
    fn hostile_clocks_change_nothing_else(
        said in sound(), start in length(), inherited in length(),
        reports in prop::collection::vec(report(outcome()), 1..30),
    ) {
        let (policy, twin) = both(said);
        let mut pair = Pair::start(&policy, &twin, start, inherited);
        for &report in &reports {
            let _ = pair.next(report);
        }
    }

    /// With `within` alone, a `now` before the start counts as the start, and no highest is remembered.
    #[test]
    fn before_the_start_is_the_start(said in sound(), start in length(), back in length(), within in length()) {
        let said = Said { within: Some(within.max(1)), ..said };
        let (policy, _) = both(said);
        let retry = Retry::start(&policy, Instant::from_micros(start));
        let earlier = Instant::from_micros(start.saturating_sub(back));
        let at_start = retry.time_left(&policy, Instant::from_micros(start));
        if start.checked_add(within.max(1)).is_some() {
            prop_assert_eq!(retry.time_left(&policy, earlier), at_start);
        }
        prop_assert!(retry.time_left(&policy, earlier).as_micros() <= within.max(1));
    }
}

/// Every sequence of three boundary points, under a limit and an inherited deadline.
#[test]
fn three_boundary_points_in_every_order() {
    let said = Said {
        within: Some(1 << 33),
        attempts: Some(Calls::Unlimited),
        jitter: Some(Spread::Equal),
        ..Said::only(Shape::Exponential { first: 1 << 31 })
    };
    let (policy, twin) = both(said);
    for inherited in [1 << 34, u64::MAX - 1, u64::MAX] {
        for first in EDGES {
            for second in EDGES {
                for third in EDGES {
                    let mut pair = Pair::start(&policy, &twin, 1 << 32, inherited);
                    for now in [first, second, third] {
                        let _ = pair.next(Report { outcome: Outcome::Fail, now, random: 1 << 31 });
                    }
                }
            }
        }
    }
}

/// A clock that jumped ahead and came back: the wait is judged by `now` alone.
#[test]
fn no_highest_now_is_remembered() {
    let policy = Policy::constant(duration(10)).no_jitter().attempts(5).within(duration(100));
    let mut retry = Retry::start(&policy, Instant::from_micros(1_000));
    let mut next = |now| wait_of(retry.next(&policy, Outcome::Fail, Instant::from_micros(now), 0));
    assert_eq!(next(1_089), Some(10));
    assert_eq!(next(0), Some(10));
    assert_eq!(next(1_050), Some(10));
}
