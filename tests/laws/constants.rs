//! What is said in a constant: the short names are the long ones, and a wrong constant says where and why. A compiler
//! runs the same code; here it runs as a program, so that its words can be read.

use std::panic::{UnwindSafe, catch_unwind};

use proptest::prelude::*;
use std::num::NonZeroU32;
use undaunted_core::{
    Counter, Expected, Instant, Jitter, Micros, Policy, Problem, Ratio, Recovery, RecoveryDraft, Rule,
    TickRate,
};
use undaunted_tests::spell::duration;

use crate::generate::{config, fraction, random};
use crate::law15_texts::PIECES;

/// What a panic says, or nothing where there was none.
fn panics<T>(run: impl FnOnce() -> T + UnwindSafe) -> Option<String> {
    let panic = catch_unwind(run).err()?;
    let words = panic.downcast_ref::<String>().cloned();
    Some(words.unwrap_or_else(|| panic.downcast_ref::<&str>().expect("a panic with words").to_string()))
}

/// The place and what is wrong there, as a constant says it: without the value, which takes formatting.
fn complaint(what: &str, at: usize, problem: Problem) -> String {
    match problem {
        Problem::Expected(expected) => format!("{what} text, at byte {at}: expected {}", expected.text()),
        Problem::Invalid(invalid) => format!("{what} text, at byte {at}: {}", invalid.rule.text()),
    }
}

proptest! {
    #![proptest_config(config())]

    /// A constant's text is read as any, and what is refused is said with the place.
    #[test]
    fn a_constant_says_what_the_parser_says(
        shape in prop::sample::select(&["", "constant 1s ", "linear 1s +1s ", "immediate "][..]),
        words in prop::collection::vec(prop::sample::select(PIECES), 0..5),
    ) {
        let text = format!("{shape}{}", words.join(" "));
        prop_assert_eq!(text.parse(), Policy::parse(&text), "{}", text);
        prop_assert_eq!(text.parse(), Recovery::parse(&text), "{}", text);
        match Policy::parse(&text) {
            Ok(policy) => prop_assert_eq!(Policy::parse_const(&text), policy),
            Err(error) => {
                let said = panics(|| Policy::parse_const(&text));
                prop_assert_eq!(said, Some(complaint("policy", error.at, error.problem)), "{}", text);
            }
        }
        match Recovery::parse(&text) {
            Ok(recovery) => prop_assert_eq!(Recovery::parse_const(&text), recovery),
            Err(error) => {
                let said = panics(|| Recovery::parse_const(&text));
                prop_assert_eq!(said, Some(complaint("recovery", error.at, error.problem)), "{}", text);
            }
        }
    }

    /// The short names of the jitters, of a draft and of a constant.
    #[test]
    fn a_short_name_is_the_long_one((n, d) in fraction()) {
        let (draft, policy) = (Policy::draft().exponential(duration(100)), Policy::exponential(duration(100)));
        let share = Ratio::new(n, d);
        for (short, jitter) in [
            (draft.full_jitter(), Jitter::Full),
            (draft.equal_jitter(), Jitter::Equal),
            (draft.no_jitter(), Jitter::None),
            (draft.additive_jitter(n, d), Jitter::Additive { share }),
            (draft.proportional_jitter(n, d), Jitter::Proportional { share }),
        ] {
            let built = short.build();
            prop_assert_eq!(built, draft.jitter(jitter).build());
            if let Ok(built) = built {
                prop_assert_eq!(built.settings().jitter, jitter);
                prop_assert_eq!(policy.jitter(jitter), built);
            }
        }
    }

    /// So many hertz are so many ticks in a million microseconds, from zero on.
    #[test]
    fn hertz_are_ticks_a_second(hertz in random(), reading in random(), step in 0..1_u32 << 31) {
        let hertz = hertz.max(1);
        let per_second = TickRate::new(NonZeroU32::new(hertz).unwrap(), NonZeroU32::new(1_000_000).unwrap());
        prop_assert_eq!(TickRate::hertz(hertz), per_second);
        let mut counter = Counter::start(TickRate::hertz(hertz), reading);
        prop_assert_eq!(counter.read(reading), Instant::from_micros(0));
        let passed = u128::from(step) * 1_000_000 / u128::from(hertz);
        prop_assert_eq!(u128::from(counter.read(reading.wrapping_add(step)).as_micros()), passed);
    }
}

/// By hand: the whole sentence, positions of one, two and three digits included.
#[test]
fn the_words_of_a_wrong_constant() {
    for (text, words) in [
        (
            "expo 1s",
            "policy text, at byte 0: expected a shape (constant, decorrelated, exponential, fibonacci, immediate, linear or schedule)",
        ),
        ("constant 1", "policy text, at byte 10: expected a unit (us, ms, s, m, h or d)"),
        (
            "constant 1s attempts 0",
            "policy text, at byte 12: attempts must be at least 1 (an attempt is a call, the first included)",
        ),
        (
            "schedule 1s",
            "policy text, at byte 0: expected another shape (a schedule needs a home for its delays: `parse_in`)",
        ),
    ] {
        assert_eq!(panics(|| Policy::parse_const(text)).as_deref(), Some(words));
    }
    let far = format!("constant 1s{} cap", " ".repeat(1_200));
    let words = "policy text, at byte 1215: expected a length, such as 100ms or 1.5s";
    assert_eq!(panics(|| Policy::parse_const(&far)).as_deref(), Some(words));
    let words = "recovery text, at byte 12: intensity must allow from 1 to 65535 restarts";
    assert_eq!(panics(|| Recovery::parse_const("constant 1s intensity 0/1m")).as_deref(), Some(words));
}

/// A line that a constant is refused with has room for 256 bytes: the longest words, at the last byte that there can be.
#[test]
fn the_longest_words_have_room() {
    let expected = [
        Expected::Count,
        Expected::Digit,
        Expected::Factor,
        Expected::FewerDecimals,
        Expected::Home,
        Expected::Intensity,
        Expected::Jitter,
        Expected::Length,
        Expected::Once,
        Expected::OneUnit,
        Expected::RecoveryWord,
        Expected::Room,
        Expected::Shape,
        Expected::ShorterCurve,
        Expected::Smaller,
        Expected::Step,
        Expected::Unit,
        Expected::WholeMicros,
        Expected::Word,
    ];
    let longest =
        expected.map(|expected| complaint("recovery", usize::MAX, Problem::Expected(expected)).len());
    assert!(longest.into_iter().max() <= Some(256), "{longest:?}");
    for text in expected.map(Expected::text) {
        assert!(text.is_ascii(), "{text}");
    }
}

/// A wrong number in a constant is refused with the words of its rule.
#[test]
fn a_setter_panics_with_its_rule() {
    let recovery = Recovery::new(Policy::constant(duration(1)));
    let words = |rule: Rule| Some(rule.text().to_string());
    assert_eq!(panics(|| recovery.reset_after(duration(0))), words(Rule::ResetAfterZero));
    assert_eq!(panics(|| recovery.intensity(0, duration(1))), words(Rule::RestartsRange));
    assert_eq!(panics(|| recovery.intensity(65_536, duration(1))), words(Rule::RestartsRange));
    assert_eq!(panics(|| recovery.intensity(1, duration(0))), words(Rule::WindowZero));
    assert_eq!(panics(|| recovery.intensity(65_535, duration(1)).reset_after(duration(1))), None);
    let words = "a counter must count at least one tick a second";
    assert_eq!(panics(|| TickRate::hertz(0)).as_deref(), Some(words));
    assert_eq!(panics(|| TickRate::hertz(1)), None);
}

/// What is said last holds, in a draft as in a constant.
#[test]
fn what_is_said_last_holds() {
    let policy = Policy::constant(duration(1));
    let draft: RecoveryDraft = Recovery::draft(policy).intensity(0, duration(0)).reset_after(duration(0));
    let built = draft.intensity(3, duration(7)).reset_after(duration(9)).build();
    assert_eq!(built, Ok(Recovery::new(policy).intensity(3, duration(7)).reset_after(duration(9))));
    assert_eq!(built.unwrap().settings().reset_after, Micros::new(9));
}
