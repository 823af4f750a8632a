//! Two policies are equal when they say the same, however it was said: just when their canonical texts are the same.

use proptest::prelude::*;
use undaunted_tests::said::{Said, Shape, leaked};
use undaunted_tests::twin::Twin;

use crate::generate::{both, config, mended, sound};
use crate::law15_texts::sayable;

/// One thing of the other's, and the rest as it was.
fn crossed(said: Said, other: Said, which: usize) -> Said {
    mended(match which {
        0 => Said { shape: other.shape, ..said },
        1 => Said { factor: other.factor, ..said },
        2 => Said { jitter: other.jitter, ..said },
        3 => Said { cap: other.cap, ..said },
        4 => Said { floor: other.floor, ..said },
        5 => Said { attempts: other.attempts, ..said },
        6 => Said { within: other.within, ..said },
        7 => Said { attempt_timeout: other.attempt_timeout, ..said },
        8 => Said { hint_ceiling: other.hint_ceiling, ..said },
        _ => Said { first_delay: other.first_delay, ..said },
    })
}

/// The curve alone, as a text begins; `immediate` is a constant of no length.
fn curve(twin: &Twin) -> String {
    let text = twin.display();
    let (curve, _) = text.split_once(" cap ").expect("a cap is always written");
    if curve == "immediate" { "constant 0s".into() } else { curve.into() }
}

fn assert_as_equal_as_their_texts(one: Said, two: Said) {
    let ((one, twin_one), (two, twin_two)) = (both(sayable(one)), both(sayable(two)));
    let same = twin_one.display() == twin_two.display();
    assert_eq!(one == two, same, "{one:?} {two:?}");
    assert_eq!(two == one, same, "{two:?} {one:?}");
    let same = curve(&twin_one) == curve(&twin_two);
    assert_eq!(one.settings().backoff == two.settings().backoff, same, "{one:?} {two:?}");
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn policies_are_equal_when_their_texts_are((said, other) in (sound(), sound()), which in 0..10_usize) {
        assert_as_equal_as_their_texts(said, said);
        assert_as_equal_as_their_texts(said, other);
        assert_as_equal_as_their_texts(said, crossed(said, other, which));
    }
}

/// Every shape with the same number, and each with another, by pairs.
#[test]
fn shapes_of_one_number_are_not_equal() {
    let shapes = |n: u64| {
        [
            Shape::Constant { delay: n },
            Shape::Decorrelated { first: n },
            Shape::Exponential { first: n },
            Shape::Fibonacci { first: n },
            Shape::Immediate,
            Shape::Linear { first: n, step: n },
            Shape::Linear { first: n, step: n + 1 },
            Shape::Schedule { steps: leaked(&[n]) },
            Shape::Schedule { steps: leaked(&[n, n]) },
        ]
    };
    let all: Vec<Said> = shapes(1).into_iter().chain(shapes(2)).map(Said::only).collect();
    for &one in &all {
        all.iter().for_each(|&two| assert_as_equal_as_their_texts(one, two));
    }
}
