//! Law 4. No hot loop by accident, and no other nonsense: refused by the draft with the field, its
//! value and the rule; by the setters for constants with a panic; by the text with the place.

use std::panic::catch_unwind;

use proptest::prelude::*;
use undaunted_core::{Field, Invalid, Policy, Problem, Rule};
use undaunted_tests::said::{Calls, Said, Shape, Spread, leaked};
use undaunted_tests::spell::duration;
use undaunted_tests::twin::{LONGEST, Twin};

use crate::generate::{Pair, both, config, fail, said, sound, wait_of};

const FIRST: Shape = Shape::Exponential { first: 100 };

proptest! {
    #![proptest_config(config())]

    /// Refused by both or by neither, and for a rule that the twin finds broken too.
    #[test]
    fn the_draft_refuses_what_the_twin_refuses(said in said()) {
        match (said.draft(), Twin::new(said)) {
            (Ok(_), Ok(_)) => {}
            (Err(invalid), Err(broken)) => prop_assert!(broken.contains(&invalid), "{invalid:?}, not {broken:?}"),
            (core, twin) => prop_assert!(false, "{core:?}, but {:?}", twin.err()),
        }
    }

    #[test]
    fn what_is_sound_is_accepted_and_resolved(said in sound()) {
        let (policy, twin) = both(said);
        let settings = policy.settings();
        prop_assert_eq!(settings.cap.as_micros(), twin.cap);
        prop_assert_eq!(settings.floor.as_micros(), twin.floor);
        prop_assert_eq!(settings.attempts, twin.attempts);
        prop_assert_eq!(settings.within.map(|length| length.as_micros()), twin.within);
        prop_assert_eq!(settings.attempt_timeout.map(|length| length.as_micros()), twin.attempt_timeout);
        prop_assert_eq!(settings.hint_ceiling.as_micros(), twin.hint_ceiling);
        prop_assert_eq!(settings.first_delay.as_micros(), twin.first_delay);
    }

    /// Not every wait is zero when attempts are unlimited.
    #[test]
    fn unlimited_attempts_wait_now_and_then(said in sound()) {
        let said = Said { attempts: Some(Calls::Unlimited), within: None, ..said };
        let (policy, twin) = match said.draft() {
            Ok(_) => both(said),
            Err(_) => return Ok(()),
        };
        let mut pair = Pair::start(&policy, &twin, 0, u64::MAX);
        prop_assert!(wait_of(pair.next(fail(u32::MAX))) > Some(0), "{}", policy);
    }

    /// The setters for constants panic exactly where the draft answers an error.
    #[test]
    fn setters_panic_where_the_draft_refuses(said in said()) {
        // The floor of `immediate` is said before the attempts, as the setter asks.
        let panicked = catch_unwind(|| said.policy());
        prop_assert_eq!(panicked.ok(), said.draft().ok());
    }
}

/// Each rule by its smallest example, with the answer worked out by hand.
fn table() -> Vec<(Said, Invalid)> {
    let only = Said::only;
    let one = 1 << 24;
    let exponential = only(FIRST);
    let mut all = vec![
        (Said { attempts: Some(Calls::Limited(0)), ..exponential }, (Field::Attempts, 0, Rule::AttemptsZero)),
        (Said { within: Some(0), ..exponential }, (Field::Within, 0, Rule::WithinZero)),
        (Said { attempt_timeout: Some(0), ..exponential }, (Field::AttemptTimeout, 0, Rule::TimeoutZero)),
        (Said { cap: Some(99), ..exponential }, (Field::First, 100, Rule::FirstAboveCap)),
        (Said { cap: Some(100), floor: Some(101), ..exponential }, (Field::Floor, 101, Rule::FloorAboveCap)),
        (Said { cap: Some(0), ..only(Shape::Immediate) }, (Field::Cap, 0, Rule::CapTooSmall)),
        (
            Said { attempts: Some(Calls::Unlimited), ..only(Shape::Immediate) },
            (Field::Attempts, 0, Rule::HotLoop),
        ),
        (only(Shape::Linear { first: 1, step: 0 }), (Field::Step, 0, Rule::StepZero)),
        (only(Shape::Schedule { steps: &[] }), (Field::Schedule, 0, Rule::ScheduleLength)),
        (only(Shape::Schedule { steps: leaked(&[1; 4097]) }), (Field::Schedule, 4097, Rule::ScheduleLength)),
        (only(Shape::Schedule { steps: leaked(&[1, 0, 1]) }), (Field::Schedule, 0, Rule::ScheduleZero)),
        (
            Said { jitter: Some(Spread::Full), ..only(Shape::Decorrelated { first: 1 }) },
            (Field::Jitter, 0, Rule::JitterTwice),
        ),
        (
            Said { factor: Some((2, 1)), ..only(Shape::Fibonacci { first: 1 }) },
            (Field::Factor, 2 * one, Rule::FactorElsewhere),
        ),
    ];
    for shape in [
        Shape::Constant { delay: 0 },
        Shape::Decorrelated { first: 0 },
        Shape::Exponential { first: 0 },
        Shape::Fibonacci { first: 0 },
        Shape::Linear { first: 0, step: 1 },
    ] {
        all.push((only(shape), (Field::First, 0, Rule::FirstZero)));
    }
    // 1.01 is 16 944 988.16 / 2^24, so 16 944 987 is below; 255 + 2^-24 is above.
    let factors =
        [((0, 1), 0), ((16_944_987, 1 << 24), 16_944_987), ((1, 2), one / 2), ((1, 0), 0xffff_ffff)];
    for (factor, bits) in factors {
        all.push((Said { factor: Some(factor), ..exponential }, (Field::Factor, bits, Rule::FactorRange)));
    }
    let above = (4_278_190_081, 1 << 24);
    all.push((
        Said { factor: Some(above), ..exponential },
        (Field::Factor, 255 * one + 1, Rule::FactorRange),
    ));
    for (jitter, bits, rule) in [
        (Spread::Additive(0, 1), 0, Rule::AdditiveRange),
        (Spread::Additive(1, u32::MAX), 0, Rule::AdditiveRange),
        (Spread::Additive(above.0, above.1), 255 * one + 1, Rule::AdditiveRange),
        (Spread::Proportional(0, 1), 0, Rule::ProportionalRange),
        (Spread::Proportional((1 << 24) + 1, 1 << 24), one + 1, Rule::ProportionalRange),
    ] {
        all.push((Said { jitter: Some(jitter), ..exponential }, (Field::Jitter, bits, rule)));
    }
    let twice = Spread::Additive(1, 1);
    let tight = Said { jitter: Some(twice), cap: Some(1), ..only(Shape::Constant { delay: 1 }) };
    all.push((tight, (Field::Cap, 1, Rule::CapTooSmall)));
    all.into_iter().map(|(said, (field, value, rule))| (said, Invalid { field, value, rule })).collect()
}

#[test]
fn each_rule_is_refused_by_the_draft_with_field_value_and_rule() {
    for (said, invalid) in table() {
        assert_eq!(said.draft(), Err(invalid), "{said:?}");
        assert_eq!(Twin::new(said).err(), Some(vec![invalid]), "the twin for {said:?}");
    }
}

#[test]
fn each_rule_is_refused_by_the_setters_with_its_words() {
    for (said, invalid) in table() {
        let panic = catch_unwind(|| said.policy()).expect_err("a panic");
        let words = panic.downcast_ref::<String>().cloned();
        let words = words.or(panic.downcast_ref::<&str>().map(|&words| words.to_string()));
        let words = words.expect("a panic with words");
        assert!(words.contains(invalid.rule.text()), "{words:?} for {said:?}");
    }
}

#[test]
fn each_rule_is_refused_by_the_text() {
    for (said, invalid) in table() {
        let text = said.text();
        let home = Vec::leak(vec![undaunted_core::Micros::ZERO; 5000]);
        let error = Policy::parse_in(&text, home).expect_err(&text);
        // What a text cannot say at all is refused while it is read.
        match error.problem {
            Problem::Invalid(found) => assert_eq!(found, invalid, "{text}"),
            Problem::Expected(_) => assert!(text.trim_end() == "schedule", "{text}: {error}"),
        }
    }
}

#[test]
fn a_draft_without_a_shape_is_refused() {
    let invalid = Policy::draft().attempts(3).build().unwrap_err();
    assert_eq!((invalid.field, invalid.rule), (Field::Backoff, Rule::ShapeMissing));
}

/// The last values before the refusals above.
#[test]
fn the_nearest_sound_values_are_accepted() {
    let exponential = Said::only(FIRST);
    let constant = Said::only(Shape::Constant { delay: 1 });
    let longest = (4_278_190_080, 1 << 24);
    for said in [
        Said { attempts: Some(Calls::Limited(1)), within: Some(1), attempt_timeout: Some(1), ..exponential },
        Said { cap: Some(100), floor: Some(100), ..exponential },
        Said { factor: Some((16_944_988, 1 << 24)), ..exponential },
        Said { factor: Some((1, 1)), ..exponential },
        Said { factor: Some(longest), ..exponential },
        Said { jitter: Some(Spread::Additive(longest.0, longest.1)), ..exponential },
        Said { jitter: Some(Spread::Additive(1, 1 << 25)), ..exponential },
        Said { jitter: Some(Spread::Proportional(1, 1)), ..exponential },
        Said { jitter: Some(Spread::Additive(1, 1)), cap: Some(2), ..constant },
        Said { jitter: Some(Spread::None), ..Said::only(Shape::Decorrelated { first: 1 }) },
        Said::only(Shape::Schedule { steps: leaked(&[1; 4096]) }),
        Said { attempts: Some(Calls::Unlimited), floor: Some(1), ..Said::only(Shape::Immediate) },
        Said { hint_ceiling: Some(0), first_delay: Some(0), ..exponential },
    ] {
        let (policy, _) = both(said);
        assert_eq!(said.policy(), policy, "{said:?}");
    }
}

/// A floor narrows the range, moves no draw onto itself, and replaces a range wholly below it.
#[test]
fn the_floor_narrows_the_range() {
    let floored = |floor| Policy::constant(duration(10)).cap(duration(20)).floor(duration(floor)).attempts(2);
    let waits = |floor| -> Vec<u64> {
        let policy = floored(floor);
        let once = |byte: u32| {
            let mut retry = undaunted_core::Retry::start(&policy, undaunted_core::Instant::from_micros(0));
            wait_of(retry.next(&policy, fail(0).outcome, undaunted_core::Instant::from_micros(0), byte << 24))
        };
        (0..256).filter_map(once).collect()
    };
    // 256 draws over 7..=10 are 64 of each; 17 of 4..=10 would be on the floor if it were a clamp.
    for wait in 7..=10 {
        assert_eq!(waits(7).iter().filter(|&&drawn| drawn == wait).count(), 64);
    }
    assert!(waits(15).iter().all(|&wait| wait == 15));
}

/// Lengths of a curve saturate in setters; parts of a microsecond round up, so that only zero is zero.
#[test]
fn setters_saturate_and_round_up() {
    use core::time::Duration;
    let policy =
        Policy::constant(Duration::MAX).cap(Duration::MAX).floor(Duration::MAX).first_delay(Duration::MAX);
    let settings = policy.settings();
    for length in [settings.cap, settings.floor, settings.first_delay] {
        assert_eq!(length.as_micros(), LONGEST);
    }
    assert_eq!(Policy::constant(Duration::from_nanos(1)), Policy::constant(duration(1)));
    assert_eq!(Policy::constant(Duration::from_nanos(1_001)), Policy::constant(duration(2)));
    let unlimited = policy.within(Duration::MAX).attempt_timeout(Duration::MAX).settings();
    assert_eq!((unlimited.within, unlimited.attempt_timeout), (None, None));
}
