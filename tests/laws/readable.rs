//! A length as people say it: the nearest that three digits, or two units, can say. The twin rounds digits of text.

use proptest::prelude::*;
use undaunted_core::Micros;

use crate::generate::{EDGES, config, length};

const SECOND: u64 = 1_000_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// Below a minute three digits of the number as it is written, rounded by the fourth; above, whole seconds, minutes
/// or hours. In 128 bits, where the longest length rounds up as any other.
fn nearest(us: u64) -> u128 {
    let to = |unit: u64| (u128::from(us) * 2 + u128::from(unit)) / u128::from(2 * unit) * u128::from(unit);
    match us {
        0..MINUTE => nearest_of_three_digits(&us.to_string()),
        MINUTE..HOUR => to(SECOND),
        HOUR..DAY => to(MINUTE),
        _ => to(HOUR),
    }
}

fn nearest_of_three_digits(written: &str) -> u128 {
    let (kept, dropped) = written.split_at(written.len().min(3));
    let up = dropped.starts_with(['5', '6', '7', '8', '9']);
    let kept = kept.parse::<u128>().unwrap() + u128::from(up);
    format!("{kept}{}", "0".repeat(dropped.len())).parse().unwrap()
}

/// What is rounded, in the largest unit that it fills and, from a minute on, what is left in the next.
pub(crate) fn said(us: u64) -> String {
    let nearest = nearest(us);
    let [second, minute, hour, day] = [SECOND, MINUTE, HOUR, DAY].map(u128::from);
    match nearest {
        n if n < 1_000 => format!("{n} us"),
        n if n < second => format!("{} ms", decimal(n, 1_000)),
        n if n < minute => format!("{} s", decimal(n, second)),
        n if n < hour => both(n / minute, "min", n % minute / second, "s"),
        n if n < day => both(n / hour, "h", n % hour / minute, "min"),
        n => both(n / day, "d", n % day / hour, "h"),
    }
}

fn decimal(n: u128, unit: u128) -> String {
    let places = unit.ilog10() as usize;
    let written = format!("{}.{:0places$}", n / unit, n % unit);
    written.trim_end_matches('0').trim_end_matches('.').into()
}

fn both(many: u128, of: &str, rest: u128, small: &str) -> String {
    if rest == 0 { format!("{many} {of}") } else { format!("{many} {of} {rest} {small}") }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn what_people_read_is_the_twins(us in length(), near in 0..7_u64) {
        for us in [us, us / 1_000 * 1_000, us % (100 * MINUTE), us % (3 * DAY)] {
            let us = us.saturating_add(near).saturating_sub(3);
            prop_assert_eq!(Micros::new(us).readable().to_string(), said(us), "{} us", us);
        }
    }
}

/// Where a place or a unit ends, and where its half is.
#[test]
fn boundaries_multiplied() {
    let ends = [1, 10, 100, 1_000, 10_000, 100_000, SECOND, 10 * SECOND, MINUTE, HOUR, DAY, 10 * DAY];
    let halves = ends
        .iter()
        .flat_map(|end| [5, 50, 500, SECOND / 2, MINUTE / 2, HOUR / 2].map(|half| end - end.min(&half)));
    for middle in ends.into_iter().chain(halves).chain(EDGES) {
        for us in middle.saturating_sub(2)..=middle.saturating_add(2) {
            assert_eq!(Micros::new(us).readable().to_string(), said(us), "{us} us");
        }
    }
}

/// Worked out by hand, each way to write one.
#[test]
fn lengths_by_hand() {
    for (us, text) in [
        (0, "0 us"),
        (999, "999 us"),
        (1_004, "1 ms"),
        (1_005, "1.01 ms"),
        (1_204, "1.2 ms"),
        (20_449, "20.4 ms"),
        (20_450, "20.5 ms"),
        (99_950, "100 ms"),
        (740_499, "740 ms"),
        (999_499, "999 ms"),
        (999_500, "1 s"),
        (3_070_000, "3.07 s"),
        (30_000_000, "30 s"),
        (59_949_999, "59.9 s"),
        (59_950_000, "1 min"),
        (61_499_999, "1 min 1 s"),
        (3_599_500_000, "1 h"),
        (5_430_000_000, "1 h 31 min"),
        (86_369_999_999, "23 h 59 min"),
        (86_370_000_000, "1 d"),
        (88_200_000_000, "1 d 1 h"),
        // 2^64 us are 213 503 982 d 8.03 h.
        (u64::MAX, "213503982 d 8 h"),
    ] {
        assert_eq!(Micros::new(us).readable().to_string(), text, "{us} us");
        assert_eq!(said(us), text, "the twin of {us} us");
    }
}
