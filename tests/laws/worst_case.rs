//! `worst_case`: the closed form against the sum, wait by wait.

use proptest::prelude::*;
use undaunted_core::{Micros, Policy};
use undaunted_tests::said::{Calls, Said, Shape, Spread, leaked};
use undaunted_tests::spell::duration;
use undaunted_tests::twin::LONGEST;

use crate::generate::{both, config, length, sound};

/// Mostly few attempts, sometimes thousands.
fn calls() -> impl Strategy<Value = Calls> {
    prop_oneof![
        8 => (1..200_u32).prop_map(Calls::Limited),
        1 => (1..6_000_u32).prop_map(Calls::Limited),
        1 => Just(Calls::Unlimited),
    ]
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_closed_form_is_the_sum(said in sound(), calls in calls(), work in length()) {
        let floor = said.floor.map(|floor| floor.max(1)).or((calls == Calls::Unlimited).then_some(1));
        let (policy, twin) = both(Said { attempts: Some(calls), floor, ..said });
        prop_assert_eq!(policy.worst_case().as_micros(), twin.worst_case(), "{}", policy);
        let with_work = policy.worst_case_with(duration(work)).as_micros();
        prop_assert_eq!(with_work, twin.worst_case_with(work), "{} with {}", policy, work);
    }

    /// Small numbers: where rounding, the floor and the limit meet within a few steps.
    #[test]
    fn linear_in_closed_form(
        first in 1..60_u64, step in 1..40_u64, cap in 0..900_u64, floor in 0..300_u64,
        (n, d) in (1..40_u32, 1..40_u32), jitter in 0..5_usize, calls in 1..400_u32,
    ) {
        let spreads = [Spread::None, Spread::Full, Spread::Equal, Spread::Additive(n, d), Spread::Proportional(n.min(d), d)];
        let said = Said {
            jitter: Some(spreads[jitter]),
            cap: Some(cap),
            floor: Some(floor),
            attempts: Some(Calls::Limited(calls)),
            ..Said::only(Shape::Linear { first, step })
        };
        let (policy, twin) = both(crate::generate::mended(said));
        prop_assert_eq!(policy.worst_case().as_micros(), twin.worst_case(), "{}", policy);
    }
}

/// The slowest growth there is, by 1.01 from 1 us, needs thousands of steps before it stands still.
#[test]
fn the_slowest_curves() {
    let shapes = [
        (Shape::Exponential { first: 1 }, Some((101, 100))),
        (Shape::Decorrelated { first: 1 }, Some((101, 100))),
        (Shape::Fibonacci { first: 1 }, None),
        (Shape::Linear { first: 1, step: 1 }, None),
        (Shape::Schedule { steps: leaked(&(1..=4096).collect::<Vec<_>>()) }, None),
    ];
    for (shape, factor) in shapes {
        for calls in [1, 2, 99, 3_000, 3_499, 3_500, 4_095, 4_096, 4_097, 4_098, 20_000, 300_000] {
            for floor in [None, Some(1_000), Some(LONGEST / 3)] {
                let cap = Some(LONGEST);
                let attempts = Some(Calls::Limited(calls));
                let (policy, twin) = both(Said { factor, cap, floor, attempts, ..Said::only(shape) });
                assert_eq!(policy.worst_case().as_micros(), twin.worst_case(), "{policy}");
            }
        }
    }
}

/// Where no loop goes: sums by hand, evaluated by the compiler.
#[test]
fn all_the_attempts_there_are() {
    const MOST: u32 = u32::MAX;
    const CONSTANT: Micros = Policy::constant(SECOND).no_jitter().attempts(MOST).worst_case();
    const LINEAR: Micros = Policy::linear(SECOND, SECOND).cap(HOUR).no_jitter().attempts(MOST).worst_case();
    const DOUBLING: Micros = Policy::exponential(SECOND).cap(HOUR).attempts(MOST).worst_case();
    const FIBONACCI: Micros = Policy::fibonacci(SECOND).cap(HOUR).attempts(MOST).worst_case();
    const TRIPLING: Micros = Policy::decorrelated(SECOND).cap(HOUR).attempts(MOST).worst_case();
    const SCHEDULE: Micros = Policy::schedule(&[Micros::new(7), Micros::new(5)]).attempts(MOST).worst_case();
    const FASTEST: Micros =
        Policy::exponential(duration_of(1 << 55)).factor(255, 1).attempts(MOST).worst_case();
    const SECOND: core::time::Duration = core::time::Duration::from_secs(1);
    const HOUR: core::time::Duration = core::time::Duration::from_secs(3_600);
    let waits = u64::from(MOST) - 1;
    let secs = Micros::from_secs;
    assert_eq!(CONSTANT, secs(waits));
    // 1 + 2 + ... + 3600 s, then 3600 s.
    assert_eq!(LINEAR, secs(3_600 * 3_601 / 2 + 3_600 * (waits - 3_600)));
    // 1 + 2 + ... + 2048 s are twelve waits.
    assert_eq!(DOUBLING, secs(4_095 + 3_600 * (waits - 12)));
    // 1, 2, 3, 5, ... 2584 s are seventeen waits: F(20) - 2 = 6763 in the usual numbering.
    assert_eq!(FIBONACCI, secs(6_763 + 3_600 * (waits - 17)));
    // The top triples: 3, 9, ... 2187 s are seven waits.
    assert_eq!(TRIPLING, secs(3_279 + 3_600 * (waits - 7)));
    assert_eq!(SCHEDULE, Micros::new(7 + 5 * (waits - 1)));
    assert_eq!(FASTEST, Micros::MAX);
}

const fn duration_of(micros: u64) -> core::time::Duration {
    core::time::Duration::from_micros(micros)
}

/// A linear curve of 1 us steps that never reaches its cap of 2^55 us, with every jitter.
#[test]
fn a_linear_curve_of_four_thousand_million_steps() {
    let waits = u128::from(u32::MAX) - 1;
    let policy = Policy::linear(duration(1), duration(1)).cap(duration(LONGEST)).attempts(u32::MAX);
    let sum = waits * (waits + 1) / 2;
    assert_eq!(u128::from(policy.no_jitter().worst_case().as_micros()), sum);
    assert_eq!(u128::from(policy.full_jitter().worst_case().as_micros()), sum);
    // A half of each, rounded down: (0 + 1 + 1 + 2 + 2 + ...) = floor(n^2 / 4) for n waits.
    let halves = waits * waits / 4;
    let policy = policy.proportional_jitter(1, 2);
    assert_eq!(u128::from(policy.worst_case().as_micros()), sum + halves);
}
