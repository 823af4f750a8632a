//! Law 2. The cap is a cap: for the first delay, after jitter, for every shape.

use proptest::prelude::*;
use undaunted_tests::said::{Said, Shape, Spread, leaked};
use undaunted_tests::twin::{LONGEST, Twin};

use crate::generate::{Pair, RANDOMS, both, config, fail, random, timeless, wait_of};

proptest! {
    #![proptest_config(config())]

    #[test]
    fn no_computed_delay_exceeds_the_cap(said in timeless(), randoms in prop::collection::vec(random(), 1..40)) {
        let (policy, twin) = both(said);
        prop_assert_eq!(policy.settings().cap.as_micros(), twin.cap);
        let mut pair = Pair::start(&policy, &twin, 0, u64::MAX);
        for &random in &randoms {
            let Some(wait) = wait_of(pair.next(fail(random))) else { break };
            prop_assert!(wait <= twin.cap, "{wait} us under {policy}");
            prop_assert!(wait >= twin.floor, "{wait} us under {policy}");
        }
    }
}

/// Every pair of boundary lengths as first delay and cap, with floors, jitters and factors.
#[test]
fn boundaries_multiplied() {
    let mut combinations = 0;
    for said in boundary_policies() {
        let Ok(twin) = Twin::new(said) else { continue };
        let policy = said.draft().expect("the twin accepts it");
        combinations += 1;
        for random in RANDOMS {
            let mut pair = Pair::start(&policy, &twin, 0, u64::MAX);
            for _ in 0..4 {
                let wait = wait_of(pair.next(fail(random))).expect("five attempts, no deadline");
                assert!(wait <= twin.cap && wait >= twin.floor, "{wait} us under {policy}");
            }
        }
    }
    assert!(combinations > 7_000, "only {combinations} combinations were accepted");
}

fn boundary_policies() -> Vec<Said> {
    const LENGTHS: [u64; 9] =
        [1, 2, 3, (1 << 32) - 1, 1 << 32, (1 << 32) + 1, LONGEST - 1, LONGEST, LONGEST + 1];
    const FLOORS: [Option<u64>; 5] = [None, Some(1), Some((1 << 32) - 1), Some(LONGEST), Some(u64::MAX)];
    let mut all = Vec::new();
    for first in LENGTHS {
        for cap in LENGTHS {
            for floor in FLOORS {
                for (shape, factor) in shapes(first) {
                    for jitter in jitters() {
                        all.push(Said { factor, jitter, cap: Some(cap), floor, ..Said::only(shape) });
                    }
                }
            }
        }
    }
    all
}

fn shapes(first: u64) -> Vec<(Shape, Option<(u32, u32)>)> {
    let factors = [(1, 1), (101, 100), (3, 2), (2, 1), (255, 1)].map(Some);
    let grown = factors.map(|factor| (Shape::Exponential { first }, factor));
    let drawn = factors.map(|factor| (Shape::Decorrelated { first }, factor));
    let plain = [
        (Shape::Constant { delay: first }, None),
        (Shape::Fibonacci { first }, None),
        (Shape::Linear { first, step: 1 }, None),
        (Shape::Linear { first, step: u64::MAX }, None),
        (Shape::Schedule { steps: leaked(&[first, u64::MAX, 1]) }, None),
    ];
    [&grown[..], &drawn[..], &plain[..]].concat()
}

fn jitters() -> [Option<Spread>; 10] {
    [
        Some(Spread::None),
        Some(Spread::Full),
        Some(Spread::Equal),
        Some(Spread::Proportional(1, 1 << 24)),
        Some(Spread::Proportional(1, 5)),
        Some(Spread::Proportional(1, 1)),
        Some(Spread::Additive(1, 1 << 24)),
        Some(Spread::Additive(1, 2)),
        Some(Spread::Additive(1, 1)),
        Some(Spread::Additive(255, 1)),
    ]
}
