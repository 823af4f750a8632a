//! Lengths and points: sums, differences and products of 128 bits, cut to what 64 can hold. And the outcomes that a
//! caller's answer is made into.

use core::time::Duration;

use proptest::prelude::*;
use undaunted_core::{Instant, Micros, Outcome};

use crate::generate::{config, length};

/// The nearest that there is.
fn held(exact: i128) -> u64 {
    u64::try_from(exact.clamp(0, u64::MAX.into())).expect("within 64 bits")
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn lengths_and_points_saturate((a, b) in (length(), length())) {
        let ([wide_a, wide_b], [x, y]) = ([a, b].map(i128::from), [a, b].map(Micros::new));
        prop_assert_eq!(x.as_micros(), a);
        prop_assert_eq!(x.saturating_add(y).as_micros(), held(wide_a + wide_b));
        prop_assert_eq!(x.saturating_sub(y).as_micros(), held(wide_a - wide_b));
        prop_assert_eq!(u128::from(x.saturating_mul(b).as_micros()), (u128::from(a) * u128::from(b)).min(u64::MAX.into()));
        prop_assert_eq!(Micros::from_millis(a).as_micros(), held(wide_a * 1_000));
        prop_assert_eq!(Micros::from_secs(a).as_micros(), held(wide_a * 1_000_000));
        prop_assert_eq!((x < y, x == y), (a < b, a == b));
        let (here, there) = (Instant::from_micros(a), Instant::from_micros(b));
        prop_assert_eq!(here.after(y).as_micros(), held(wide_a + wide_b));
        prop_assert_eq!(here + y, here.after(y));
        prop_assert_eq!(here.since(there).as_micros(), held(wide_a - wide_b));
    }

    /// Up to the next microsecond, so that only zero becomes zero; and back exactly.
    #[test]
    fn a_duration_rounds_up(seconds in length(), nanos in 0..1_000_000_000_u32) {
        let exact = i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
        let duration = Duration::new(seconds, nanos);
        prop_assert_eq!(Micros::from_duration(duration).as_micros(), held((exact + 999) / 1_000));
        prop_assert_eq!(Micros::from(duration), Micros::from_duration(duration));
        prop_assert_eq!(Micros::new(seconds).as_duration().as_nanos(), u128::from(seconds) * 1_000);
        prop_assert_eq!(Duration::from(Micros::new(seconds)), Micros::new(seconds).as_duration());
    }

    /// A pause that was asked for is a hint; none is a hint of no length.
    #[test]
    fn an_answer_is_an_outcome(pause in length()) {
        let retry_after = Micros::new(pause);
        prop_assert_eq!(Outcome::throttle(Some(retry_after)), Outcome::Throttle { retry_after });
        prop_assert_eq!(Outcome::throttle(None), Outcome::Throttle { retry_after: Micros::new(0) });
        prop_assert_eq!([true, false].map(Outcome::retry_if), [Outcome::Fail, Outcome::Abort]);
    }
}

/// The ends, by name.
#[test]
fn the_ends() {
    assert_eq!((Micros::ZERO.as_micros(), Micros::MAX.as_micros()), (0, u64::MAX));
    assert_eq!(Instant::MAX.as_micros(), u64::MAX);
    assert_eq!(Micros::from(Duration::MAX), Micros::MAX);
    assert_eq!(Micros::default(), Micros::ZERO);
    assert_eq!(Instant::default(), Instant::from_micros(0));
}
