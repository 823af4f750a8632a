//! Law 3. Jitter survives at the cap: the range there ends at the cap and is drawn from end to end.

use proptest::prelude::*;
use undaunted_core::{Instant, Policy, Retry};
use undaunted_tests::said::{Calls, Said, Shape, Spread};
use undaunted_tests::spell::duration;
use undaunted_tests::twin::{ONE, Range, Twin, ratio};

use crate::generate::{both, config, fail, length, spread, timeless, wait_of};

/// The waits after `failures` failures, one for each of these randoms.
fn waits_after(policy: &Policy, failures: u32, randoms: impl Iterator<Item = u32>) -> Vec<u64> {
    let mut retry = Retry::start(policy, Instant::from_micros(0));
    let next = |retry: &mut Retry, random| {
        let report = fail(random);
        wait_of(retry.next(policy, report.outcome, Instant::from_micros(0), random)).expect("unlimited")
    };
    for _ in 1..failures {
        // The highest draws carry Decorrelated to its cap.
        next(&mut retry, u32::MAX);
    }
    randoms.map(|random| next(&mut retry.clone(), random)).collect()
}

/// 4 096 randoms, evenly over all of `u32`, both ends among them.
fn even() -> impl Iterator<Item = u32> {
    (0..4096_u32).map(|i| i * 0x10_0000 + i * 0xff).chain([u32::MAX])
}

fn unlimited(said: Said) -> Said {
    let floor = said.floor.map(|floor| floor.max(1)).or(Some(1));
    Said { attempts: Some(Calls::Unlimited), floor, ..said }
}

proptest! {
    #![proptest_config(config())]

    /// A constant at its cap stands where the curve stops, whatever the jitter.
    #[test]
    fn the_range_ends_at_the_cap(cap in length(), jitter in spread()) {
        let said = Said { jitter: Some(jitter), cap: Some(cap), ..Said::only(Shape::Constant { delay: cap }) };
        let Ok(twin) = Twin::new(said) else { return Ok(()) };
        let policy = said.draft().expect("the twin accepts it");
        let range = twin.range(twin.c);
        let missing = u128::from(twin.cap - range.hi);
        prop_assert!(missing * ONE < 2 * ONE + twin.share, "{missing} us of {policy}");
        let ends = waits_after(&policy, 1, [0, u32::MAX].into_iter());
        prop_assert_eq!(ends[0], range.lo);
        // Below 2^32 values the last one is drawn; above, less than 1 in 2^32 of the range is missing.
        prop_assert!(u128::from(range.hi - ends[1]) <= u128::from(range.hi - range.lo) >> 32);
    }

    /// Far along the curve both ends of the twin's range are reached.
    #[test]
    fn both_ends_are_drawn(said in timeless(), failures in 1..40_u32) {
        let (policy, twin) = both(unlimited(said));
        let range = twin.ranges().nth(failures as usize - 1).expect("unlimited");
        if twin.is_decorrelated() && range.hi - twin.first() >= u64::from(u32::MAX) {
            return Ok(()); // the highest draw is not the top of the range then
        }
        let ends = waits_after(&policy, failures, [0, u32::MAX].into_iter());
        prop_assert_eq!(ends[0], range.lo);
        prop_assert!(u128::from(range.hi - ends[1]) <= u128::from(range.hi - range.lo) >> 32);
    }
}

/// The field's case: 1 s to 120 s, the 13th reconnect, where 97 % of clients used to wait exactly
/// the cap. Sixteen equal cells of the range must be hit equally.
#[test]
fn the_thirteenth_reconnect_is_spread_over_the_whole_range() {
    let cap = 120_000_000;
    let cases = [
        (Spread::Full, None, 0),
        (Spread::Full, Some(1_000_000), 1_000_000),
        (Spread::Equal, None, 60_000_000),
        (Spread::Proportional(1, 5), None, 80_000_000),
        (Spread::Additive(1, 1), None, 60_000_000),
    ];
    for (jitter, floor, low) in cases {
        let shape = Shape::Exponential { first: 1_000_000 };
        let said = Said {
            jitter: Some(jitter),
            cap: Some(cap),
            floor,
            attempts: Some(Calls::Unlimited),
            ..Said::only(shape)
        };
        let (policy, twin) = both(said);
        let range = twin.range(twin.c);
        assert!(range.lo.abs_diff(low) <= 2 && cap - range.hi <= 2, "{range:?}, {policy}");
        assert_spread(&waits_after(&policy, 13, even()), range);
    }
}

/// Decorrelated has its own jitter, and keeps it at the cap too.
#[test]
fn decorrelated_is_spread_at_the_cap() {
    let said =
        unlimited(Said { cap: Some(120_000_000), ..Said::only(Shape::Decorrelated { first: 1_000_000 }) });
    let (policy, _) = both(said);
    let range = Range { lo: 1_000_000, hi: 120_000_000 };
    assert_spread(&waits_after(&policy, 13, even()), range);
}

/// Each sixteenth of the range gets a sixteenth of the draws, and both ends are among them.
fn assert_spread(waits: &[u64], range: Range) {
    let mut cells = [0; 16];
    for &wait in waits {
        assert!((range.lo..=range.hi).contains(&wait), "{wait} is outside {range:?}");
        cells[((wait - range.lo) * 16 / (range.hi - range.lo + 1)) as usize] += 1;
    }
    assert!(cells.iter().all(|&n| (255..=258).contains(&n)), "{cells:?}");
    assert_eq!(waits.iter().min(), Some(&range.lo));
    assert_eq!(waits.iter().max(), Some(&range.hi));
}

/// "Less rounding, under 2 + p us" is tight: these miss by nearly as much.
#[test]
fn rounding_misses_the_cap_by_the_hand_computed_microseconds() {
    // cap 3, p 1: c = 1, px = 1, top 2. cap 511, p 255: c = 1, px = 255, top 256, 255 < 2 + 255.
    for (cap, jitter, top) in [(3, (1, 1), 2), (511, (255, 1), 256), (10, (1, 3), 9)] {
        let policy = Policy::constant(duration(cap)).cap(duration(cap)).additive_jitter(jitter.0, jitter.1);
        assert_eq!(waits_after(&policy, 1, [u32::MAX].into_iter()), [top], "{policy}");
        let miss = u128::from(cap - top) * ONE;
        assert!(miss < 2 * ONE + ratio(jitter.0, jitter.1));
    }
}
