//! The plan: every wait lies in its range, the sums are the sums, and the means are the means.

use proptest::prelude::*;
use undaunted_core::{Policy, Step};
use undaunted_tests::forecast::Forecast;
use undaunted_tests::said::{Calls, Said, Shape};
use undaunted_tests::spell::duration;
use undaunted_tests::twin::{Range, Twin, grown};

use crate::generate::{Pair, both, config, fail, random, sound, timeless, wait_of};

/// How far a plan without an end is followed.
const MOST: usize = 60;

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_plan_is_the_twins(said in sound()) {
        let (policy, twin) = both(said);
        let steps: Vec<Step> = policy.plan().take(MOST).collect();
        let expected = twin.plan(MOST);
        prop_assert_eq!(steps.len(), expected.len(), "{}", policy);
        for (step, expected) in steps.iter().zip(&expected) {
            prop_assert_eq!(step.attempt, expected.attempt);
            prop_assert_eq!((step.min.as_micros(), step.max.as_micros()), (expected.min, expected.max), "{}", policy);
            let totals = (step.total_min.as_micros(), step.total_max.as_micros());
            prop_assert_eq!(totals, (expected.total_min, expected.total_max), "{}", policy);
            prop_assert!(step.min <= step.mean && step.mean <= step.max, "{} {:?}", policy, step);
            prop_assert!(step.total_min <= step.total_mean && step.total_mean <= step.total_max, "{} {:?}", policy, step);
            if !twin.is_decorrelated() {
                assert_means(&twin, step, expected);
                prop_assert!(!step.mean_is_bound);
            }
        }
    }

    /// Every wait that `next` gives lies in the range that the plan gives.
    #[test]
    fn every_wait_lies_in_its_range(said in timeless(), randoms in prop::collection::vec(random(), 1..40)) {
        let (policy, twin) = both(said);
        let mut pair = Pair::start(&policy, &twin, 0, u64::MAX);
        let mut plan = policy.plan();
        for &random in &randoms {
            let step = plan.next();
            let Some(wait) = wait_of(pair.next(fail(random))) else {
                prop_assert_eq!(step, None);
                break;
            };
            let step = step.expect("a wait has a step");
            prop_assert!((step.min.as_micros()..=step.max.as_micros()).contains(&wait), "{wait} {step:?}");
        }
    }

    /// The last sum is the worst case.
    #[test]
    fn the_highest_sum_is_the_worst_case(said in timeless(), n in 1..50_u32) {
        let (policy, _) = both(Said { attempts: Some(Calls::Limited(n)), ..said });
        let sum = policy.plan().last().map_or(0, |step| step.total_max.as_micros());
        prop_assert_eq!(policy.worst_case().as_micros(), sum);
        prop_assert_eq!(policy.plan().count(), n as usize - 1);
    }
}

/// The mean of a range is its middle; means round down, and sums of means are exact before that.
fn assert_means(twin: &Twin, step: &Step, expected: &Forecast) {
    let down = |doubled: u128| u64::try_from(doubled / 2).unwrap_or(u64::MAX);
    assert_eq!(step.mean.as_micros(), down(expected.mean_doubled));
    let total = down(expected.total_mean_doubled).min(twin.within.unwrap_or(u64::MAX));
    assert_eq!(step.total_mean.as_micros(), total);
}

proptest! {
    #![proptest_config(config())]

    /// Decorrelated: until the range meets the cap the mean is exact but for rounding, after that it
    /// may be marked as a bound; the true mean comes from the distribution of all draws.
    #[test]
    fn means_of_decorrelated(first in 1..12_u64, factor in 101..350_u32, cap in 1..120_u64, floor in 0..30_u64) {
        let said = Said {
            factor: Some((factor, 100)),
            cap: Some(cap.max(first).max(floor)),
            floor: Some(floor),
            ..Said::only(Shape::Decorrelated { first })
        };
        let (policy, twin) = both(said);
        let mut before = vec![(first, WHOLE)];
        let (mut has_met, mut was_bound) = (false, false);
        for step in policy.plan().take(4) {
            let top = before.iter().map(|&(draw, _)| draw).max().expect("some draw");
            has_met |= grown(top.into(), twin.factor) >= u128::from(twin.c);
            before = spread_once(&twin, &before);
            let mean = mean_in_thousandths(&before);
            let told = step.mean.as_micros() * 1_000;
            // Rounded down, and the top itself was rounded: a microsecond each way.
            prop_assert!(told + 2_000 > mean, "{policy}: {told} < {mean}");
            prop_assert!(step.mean_is_bound || told <= mean + 1_000, "{policy}: {told} > {mean}");
            prop_assert!(has_met || !step.mean_is_bound, "{policy}: {step:?}");
            prop_assert!(step.mean_is_bound || !was_bound, "{policy}: {step:?}");
            was_bound = step.mean_is_bound;
        }
    }
}

/// The weight of certainty.
const WHOLE: u128 = 1 << 100;

/// The distribution of a draw from that of the draw before.
fn spread_once(twin: &Twin, before: &[(u64, u128)]) -> Vec<(u64, u128)> {
    let mut weights = std::collections::BTreeMap::new();
    for &(draw, weight) in before {
        let Range { lo, hi } = twin.range(draw);
        let share = weight / u128::from(hi - lo + 1);
        (lo..=hi).for_each(|value| *weights.entry(value).or_insert(0) += share);
    }
    weights.into_iter().collect()
}

fn mean_in_thousandths(weights: &[(u64, u128)]) -> u64 {
    let sum: u128 = weights.iter().map(|&(value, weight)| (weight >> 20) * u128::from(value)).sum();
    u64::try_from(((sum >> 40) * 1_000) >> 40).expect("small values")
}

/// Worked out by hand: 1 s tripling from 1 s has the means 2, 3.5, 5.75 and 9.125 s.
#[test]
fn means_of_decorrelated_by_hand() {
    let policy = Policy::decorrelated(duration(1_000_000)).cap(duration(1_000_000_000)).attempts(5);
    let means: Vec<u64> = policy.plan().map(|step| step.mean.as_micros()).collect();
    assert_eq!(means, [2_000_000, 3_500_000, 5_750_000, 9_125_000]);
    assert_eq!(policy.plan().last().map(|step| step.total_mean.as_micros()), Some(20_375_000));
}

/// `within` ends a plan where even the shortest waits have used it up, and no sum exceeds it.
#[test]
fn a_limit_in_time_ends_the_plan() {
    let policy = Policy::constant(duration(40)).no_jitter().unlimited_attempts().within(duration(100));
    let sums: Vec<u64> = policy.plan().map(|step| step.total_max.as_micros()).collect();
    assert_eq!(sums, [40, 80]);
    let policy = policy.within(duration(80));
    assert_eq!(policy.plan().count(), 1, "a wait that ends at the deadline is not begun");
}

/// By hand, from 1 s tripling: the first draw is even whatever the limit, a draw that just reaches it is still whole, and
/// the mean of one that is cut is a bound.
#[test]
fn a_mean_is_a_bound_from_the_first_draw_that_the_limit_cuts() {
    for (cap, bounds) in [(2, [false, true, true]), (9, [false, false, true]), (8, [false, true, true])] {
        let policy = Policy::decorrelated(duration(1_000_000)).cap(duration(cap * 1_000_000)).attempts(4);
        let told: Vec<bool> = policy.plan().map(|step| step.mean_is_bound).collect();
        assert_eq!(told, bounds, "cap {cap} s");
    }
}
