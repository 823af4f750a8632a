//! The arithmetic exhaustively at reduced width: a random number of one byte takes all its values.

use undaunted_core::{Instant, Outcome, Policy, Retry};
use undaunted_tests::spell::duration;

use crate::generate::wait_of;

/// Counts how often each wait is drawn by the 256 values of the top byte.
fn counts(policy: &Policy, low: u64, values: u64) -> Vec<u64> {
    let mut counts = vec![0; values as usize];
    for byte in 0..256_u32 {
        let mut retry = Retry::start(policy, Instant::from_micros(0));
        let wait =
            wait_of(retry.next(policy, Outcome::Fail, Instant::from_micros(0), byte << 24)).expect("a wait");
        counts[(wait - low) as usize] += 1;
    }
    counts
}

/// Each of `values` waits from `low` on is drawn 256 / values times, rounded down or up, and the
/// draw is exactly the floor of values * byte / 256.
fn assert_even(policy: &Policy, low: u64, values: u64) {
    let counts = counts(policy, low, values);
    let (fewest, most) = (256 / values, 256_u64.div_ceil(values));
    assert!(counts.iter().all(|&n| n == fewest || n == most), "{policy}: {counts:?}");
    let mut expected = vec![0; values as usize];
    (0..256).for_each(|byte| expected[(values * byte / 256) as usize] += 1);
    assert_eq!(counts, expected, "{policy}");
}

#[test]
fn full_jitter_draws_every_value_evenly() {
    for values in 2..=256 {
        assert_even(&Policy::constant(duration(values - 1)), 0, values);
    }
}

#[test]
fn equal_jitter_draws_every_value_evenly() {
    for values in 1..=256 {
        // [x - x/2, x] has x/2 + 1 values, for even x and for odd.
        for x in [2 * (values - 1), 2 * (values - 1) + 1].into_iter().filter(|&x| x > 0) {
            assert_even(&Policy::constant(duration(x)).equal_jitter(), x - x / 2, values);
        }
    }
}

#[test]
fn additive_jitter_draws_every_value_evenly() {
    for values in 2..=256 {
        let x = values - 1;
        assert_even(&Policy::constant(duration(x)).additive_jitter(1, 1), x, values);
        assert_even(&Policy::constant(duration(4 * x)).additive_jitter(1, 4), 4 * x, values);
    }
}

#[test]
fn proportional_jitter_draws_every_value_evenly() {
    for px in 1..=127 {
        // [x - px, x + px] has an odd number of values; a floor makes the even ones.
        let policy = Policy::constant(duration(2 * px)).proportional_jitter(1, 2);
        assert_even(&policy, px, 2 * px + 1);
        assert_even(&policy.floor(duration(px + 1)), px + 1, 2 * px);
    }
}

#[test]
fn no_jitter_draws_one_value() {
    for x in 1..=256 {
        assert_even(&Policy::constant(duration(x)).no_jitter(), x, 1);
    }
}

#[test]
fn decorrelated_draws_every_value_evenly() {
    for first in [1, 2, 7, 300] {
        for values in 1..=256_u64 {
            let top = first + values - 1;
            // 255 times the first reaches the cap, unless that is 256 for a first of 1.
            if top <= 255 * first {
                let policy = Policy::decorrelated(duration(first)).factor(255, 1).cap(duration(top));
                assert_even(&policy, first, values);
            }
        }
    }
}

/// A floor inside the range: the same evenness above it.
#[test]
fn a_floor_leaves_an_even_range() {
    for floor in 0..=255 {
        let policy = Policy::constant(duration(255)).floor(duration(floor));
        assert_even(&policy, floor, 256 - floor);
    }
}

/// Above the byte's 256 values each draw is still exact: the widest ranges, by hand.
#[test]
fn wide_ranges_by_hand() {
    let cases: [(u64, u32, u64); 6] = [
        // (2^32) * r >> 32 is r: a range of 2^32 values draws the random number itself.
        ((1 << 32) - 1, 0xdead_beef, 0xdead_beef),
        ((1 << 32) - 1, u32::MAX, (1 << 32) - 1),
        // 2^32 + 1 values: r + (r >> 32), and the top value is out of reach.
        (1 << 32, u32::MAX, (1 << 32) - 1),
        // 2^55 + 1 values at the middle: 2^54 and a half, rounded down.
        (1 << 55, 1 << 31, 1 << 54),
        // 2^55 + 1 values at the top: 2^55 - 2^23 + (2^32 - 1) / 2^32, rounded down.
        (1 << 55, u32::MAX, (1 << 55) - (1 << 23)),
        ((1 << 55) - 1, 1, 1 << 23),
    ];
    for (delay, random, wait) in cases {
        let policy = Policy::constant(duration(delay));
        let mut retry = Retry::start(&policy, Instant::from_micros(0));
        let verdict = retry.next(&policy, Outcome::Fail, Instant::from_micros(0), random);
        assert_eq!(wait_of(verdict), Some(wait), "{policy}, {random:#x}");
    }
}
