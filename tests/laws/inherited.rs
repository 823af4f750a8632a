//! Law 6. A deadline that is inherited on the way: the nearer one holds, and one that is here stops at once.

use proptest::prelude::*;
use undaunted_core::{Instant, Reason, Verdict};
use undaunted_tests::script::TwinRetry;

use crate::generate::{EDGES, Pair, both, config, length, outcome, random, report, sound};

proptest! {
    #![proptest_config(config())]

    /// Inherited before the first report it is what `start_before` is given.
    #[test]
    fn at_the_start_it_is_a_start_under_it(
        said in sound(), start in length(), deadline in length(),
        reports in prop::collection::vec(report(outcome()), 1..12),
    ) {
        let (policy, twin) = both(said);
        let mut pair = Pair::start(&policy, &twin, start, u64::MAX);
        pair.retry.inherit(Instant::from_micros(deadline), Instant::from_micros(start));
        pair.twin = TwinRetry::start(&twin, start, deadline);
        prop_assert_eq!(pair.retry.stopped(), pair.twin.stopped);
        for &report in &reports {
            let _ = pair.next(report);
        }
    }

    /// One that is here already stops it, as any stop from outside: what stopped before stays.
    #[test]
    fn one_that_is_here_stops(
        said in sound(), reports in prop::collection::vec(report(outcome()), 0..6),
        now in length(), late in length(), random in random(), outcome in outcome(),
    ) {
        let deadline = now.saturating_sub(late);
        prop_assume!(deadline != u64::MAX);
        let (policy, twin) = both(said);
        let mut pair = Pair::start(&policy, &twin, 0, u64::MAX);
        for &report in &reports {
            let _ = pair.next(report);
        }
        let end = pair.twin.stopped.unwrap_or(Verdict::GiveUp(Reason::Deadline));
        let attempts = pair.retry.attempts();
        pair.retry.inherit(Instant::from_micros(deadline), Instant::from_micros(now));
        prop_assert_eq!(pair.retry.stopped(), Some(end));
        prop_assert_eq!(pair.retry.next(&policy, outcome, Instant::from_micros(now), random), end);
        prop_assert_eq!(pair.retry.attempts(), attempts);
    }

    /// Of several the nearest holds, in whichever order; the last point of the clock is none.
    #[test]
    fn the_nearest_holds(said in sound(), start in length(), ahead in prop::collection::vec(length(), 1..4)) {
        let (policy, twin) = both(said);
        let own = twin.within.map_or(u64::MAX, |within| start.saturating_add(within));
        let now = Instant::from_micros(start);
        let points: Vec<u64> = ahead.iter().map(|ahead| start.saturating_add((*ahead).max(1))).collect();
        prop_assume!(start < u64::MAX);
        let mut pair = Pair::start(&policy, &twin, start, u64::MAX);
        for &point in &points {
            pair.retry.inherit(Instant::from_micros(point), now);
        }
        let nearest = points.iter().fold(own, |nearest, &point| nearest.min(point));
        prop_assert_eq!(pair.retry.stopped(), None);
        prop_assert_eq!(pair.retry.deadline().map_or(u64::MAX, Instant::as_micros), nearest);
        let limited = twin.within.is_some() || nearest != u64::MAX;
        let left = if limited { twin.within.unwrap_or(u64::MAX).min(nearest - start) } else { u64::MAX };
        prop_assert_eq!(pair.retry.time_left(&policy, now).as_micros(), left);
    }
}

/// By hand at the ends of the clock: equal is here, one ahead is not, the last point is none.
#[test]
fn boundary_deadlines() {
    let policy = undaunted_core::Policy::constant(core::time::Duration::from_micros(1));
    for now in EDGES {
        for deadline in EDGES {
            let mut retry = undaunted_core::Retry::start(&policy, Instant::from_micros(0));
            retry.inherit(Instant::from_micros(deadline), Instant::from_micros(now));
            let is_here = deadline != u64::MAX && deadline <= now;
            let stopped = is_here.then_some(Verdict::GiveUp(Reason::Deadline));
            assert_eq!(retry.stopped(), stopped, "{deadline} at {now}");
            let limit = (deadline != u64::MAX).then_some(Instant::from_micros(deadline));
            assert_eq!(retry.deadline(), limit, "{deadline} at {now}");
        }
    }
}
