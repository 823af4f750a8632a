//! Law 15. One text, one policy: what is displayed reads back, whatever it is, and no text panics.

use proptest::prelude::*;
use undaunted_core::{Micros, ParseError, Policy, Ratio};
use undaunted_tests::said::{Said, Shape, Spread, leaked};
use undaunted_tests::spell::{duration, length as spelled, shortest_decimal, text_setter};
use undaunted_tests::twin::{LONGEST, curve_length};

use crate::generate::{EDGES, both, config, length, sound};

/// Reads a text with room for eight delays.
fn parsed(text: &str) -> Result<Policy, ParseError> {
    Policy::parse_in(text, Vec::leak(vec![Micros::ZERO; 8]))
}

/// The same with all lengths of the curve at most 2^55 us, as a text must say them.
pub(crate) fn sayable(said: Said) -> Said {
    let shape = match said.shape {
        Shape::Constant { delay } => Shape::Constant { delay: curve_length(delay) },
        Shape::Decorrelated { first } => Shape::Decorrelated { first: curve_length(first) },
        Shape::Exponential { first } => Shape::Exponential { first: curve_length(first) },
        Shape::Fibonacci { first } => Shape::Fibonacci { first: curve_length(first) },
        Shape::Immediate => Shape::Immediate,
        Shape::Linear { first, step } => {
            Shape::Linear { first: curve_length(first), step: curve_length(step) }
        }
        Shape::Schedule { steps } => {
            let steps: Vec<u64> = steps.iter().map(|step| curve_length(step.as_micros())).collect();
            Shape::Schedule { steps: leaked(&steps) }
        }
    };
    Said {
        shape,
        cap: said.cap.map(curve_length),
        floor: said.floor.map(curve_length),
        first_delay: said.first_delay.map(curve_length),
        ..said
    }
}

proptest! {
    #![proptest_config(config())]

    /// Every policy, also one whose setters saturated.
    #[test]
    fn what_is_displayed_reads_back(said in sound()) {
        let (policy, _) = both(said);
        let text = policy.to_string();
        let again = parsed(&text).map_err(|error| TestCaseError::fail(error.caret(&text).to_string()))?;
        prop_assert_eq!(again, policy);
        prop_assert_eq!(again.settings(), policy.settings());
        prop_assert_eq!(again.to_string(), text);
    }

    /// The canonical text is the twin's.
    #[test]
    fn the_display_is_the_twins(said in sound()) {
        let (policy, twin) = both(sayable(said));
        prop_assert_eq!(policy.to_string(), twin.display());
    }

    /// A text in any order of words and with any white space says what the setters say.
    #[test]
    fn a_text_says_what_the_setters_say(
        (said, order) in sound().prop_map(sayable).prop_flat_map(|said| (Just(said), Just(said.setters()).prop_shuffle())),
        space in prop::sample::select(&[" ", "  ", "\t", "\n", " \r\n "][..]),
    ) {
        let (policy, _) = both(said);
        let words = order.into_iter().map(text_setter);
        let text: Vec<String> = std::iter::once(said.text_shape()).chain(words).collect();
        let text = text.join(" ").replace(' ', space);
        prop_assert_eq!(parsed(&text), Ok(policy), "{}", text);
    }

    /// Any text at all: an answer, and a position inside it.
    #[test]
    fn no_text_panics(text in any::<String>()) {
        assert_position(&text);
    }

    /// Texts made of the language's own pieces.
    #[test]
    fn no_heap_of_words_panics(words in prop::collection::vec(prop::sample::select(PIECES), 0..14)) {
        assert_position(&words.concat());
        assert_position(&words.join(" "));
    }

    /// A valid text with bytes removed, repeated or replaced; what is accepted still reads back.
    #[test]
    fn no_mutation_panics(
        said in sound(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..3_u8, any::<char>()), 1..4),
        ascii in any::<bool>(),
    ) {
        let mut text: Vec<char> = both(said).0.to_string().chars().collect();
        for (place, kind, other) in edits {
            let at = place.index(text.len().max(1));
            let other = if ascii { char::from(other as u8 & 0x7f) } else { other };
            match kind {
                0 if !text.is_empty() => { text.remove(at); }
                1 => text.insert(at, other),
                _ if !text.is_empty() => text[at] = other,
                _ => {}
            }
        }
        let text: String = text.into_iter().collect();
        assert_position(&text);
        if let Ok(policy) = parsed(&text) {
            prop_assert_eq!(parsed(&policy.to_string()), Ok(policy), "{}", text);
        }
    }

    /// A valid text cut off anywhere.
    #[test]
    fn no_prefix_panics(said in sound(), place in any::<prop::sample::Index>()) {
        let text = both(said).0.to_string();
        assert_position(&text[..place.index(text.len() + 1)]);
    }

    /// Every factor and share in range reads back from the shortest decimal that there is.
    #[test]
    fn ratios_read_back_from_the_shortest_decimal(bits in 16_944_988..=255_u32 << 24, share in 1..=1_u32 << 24) {
        let one = 1 << 24;
        let policy = Policy::exponential(duration(1)).factor(bits, one).proportional_jitter(share, one);
        let text = format!(
            "exponential 1us x{} cap 30s jitter +-{}% attempts 5",
            shortest_decimal(bits.into(), 0), shortest_decimal(share.into(), 2),
        );
        prop_assert_eq!(policy.to_string(), text.as_str());
        prop_assert_eq!(Policy::parse(&text), Ok(policy));
        prop_assert_eq!(Ratio::new(bits, one).to_bits(), bits);
    }

    /// Lengths too: the largest unit that divides, and it reads back.
    #[test]
    fn lengths_read_back(micros in length(), unit in prop::sample::select(&[1, 1_000, 1_000_000, 60_000_000][..])) {
        let micros = (micros / unit * unit).clamp(1, u64::MAX - 1);
        prop_assert_eq!(Micros::new(micros).to_string(), spelled(micros));
        let text = format!("constant 1us within {}", spelled(micros));
        prop_assert_eq!(parsed(&text).map(|policy| policy.settings().within), Ok(Some(Micros::new(micros))));
    }
}

pub(crate) const PIECES: &[&str] = &[
    "constant",
    "decorrelated",
    "exponential",
    "fibonacci",
    "immediate",
    "linear",
    "schedule",
    "cap",
    "floor",
    "jitter",
    "attempts",
    "within",
    "attempt_timeout",
    "hint_ceiling",
    "first_delay",
    "full",
    "none",
    "unlimited",
    "+-20%",
    "+20%",
    "x1.5",
    "x2",
    "1s",
    "100ms",
    "36028797018963968us",
    "18446744073709551615us",
    "1",
    "0",
    ".",
    ",",
    "%",
    "+",
    "-",
    "x",
    "us",
    "m",
    "d",
    "4294967295",
    "99999999999999999999",
    "é",
    "\u{2003}",
    "\0",
];

/// An error lies inside the text, at the end at most, and between characters; its caret prints.
fn assert_position(text: &str) {
    for answer in [Policy::parse(text), parsed(text)] {
        if let Err(error) = answer {
            assert!(error.at <= text.len(), "{error} in {text:?}");
            assert!(text.is_char_boundary(error.at), "{error} in {text:?}");
            // Two lines, and the caret counts characters, not bytes.
            let caret = error.caret(text).to_string();
            let below = caret.lines().nth(1).expect("two lines");
            assert_eq!(caret.lines().count(), 2, "{caret:?}");
            let before = text[..error.at].chars().count();
            assert_eq!(below.find('^'), Some(before), "{caret:?}");
        }
    }
}

/// Every boundary length in every field that takes one.
#[test]
fn boundary_lengths_read_back_in_every_field() {
    for micros in EDGES.into_iter().chain([LONGEST / 1_000 * 1_000, 86_400_000_000, 999, 1_000, 1_001]) {
        let curve = curve_length(micros).max(1);
        let said = Said {
            jitter: Some(Spread::None),
            cap: Some(curve),
            floor: Some(curve),
            within: Some(micros.max(1)),
            attempt_timeout: Some(micros.max(1)),
            hint_ceiling: Some(micros),
            first_delay: Some(curve),
            ..Said::only(Shape::Linear { first: curve, step: curve })
        };
        let (policy, twin) = both(said);
        assert_eq!(policy.to_string(), twin.display());
        assert_eq!(parsed(&policy.to_string()), Ok(policy));
    }
}

/// A schedule whose delays are beyond a curve's lengths: its text must still read back.
#[test]
fn a_schedule_beyond_the_longest_length_reads_back() {
    let policy = Policy::schedule(leaked(&[1, LONGEST + 1, u64::MAX]));
    let text = policy.to_string();
    assert_eq!(parsed(&text).map_err(|error| error.caret(&text).to_string()), Ok(policy));
}

/// Steps are compared, not addresses.
#[test]
fn schedules_are_equal_when_their_steps_are() {
    assert_eq!(Policy::schedule(leaked(&[1, 2])), Policy::schedule(leaked(&[1, 2])));
    assert_ne!(Policy::schedule(leaked(&[1, 2])), Policy::schedule(leaked(&[1, 3])));
    assert_ne!(Policy::schedule(leaked(&[1, 2])), Policy::schedule(leaked(&[1, 2, 2])));
}

/// The texts of the design, letter by letter.
#[test]
fn the_texts_of_the_design() {
    let full = "exponential 100ms x1.5 cap 40s jitter full attempts 8 within 2m";
    assert_eq!(Policy::parse(full).map(|policy| policy.to_string()).as_deref(), Ok(full));
    for (text, canonical) in [
        ("constant 1s", "constant 1s cap 30s jitter full attempts 5"),
        ("linear 1s +500ms", "linear 1s +500ms cap 30s jitter full attempts 5"),
        ("exponential 1000ms", "exponential 1s x2 cap 30s jitter full attempts 5"),
        ("fibonacci 90s", "fibonacci 90s cap 90s jitter full attempts 5"),
        ("decorrelated 1s x3", "decorrelated 1s x3 cap 30s jitter none attempts 5"),
        ("schedule 1s,5s", "schedule 1s,5s cap 30s jitter full attempts 5"),
        ("immediate", "immediate cap 30s jitter full attempts 5"),
        (
            "constant 1.5s jitter +20% attempts unlimited",
            "constant 1500ms cap 30s jitter +20% attempts unlimited",
        ),
        ("constant 30s jitter +-20%", "constant 30s cap 36s jitter +-20% attempts 5"),
        ("constant 0.000001s", "constant 1us cap 30s jitter full attempts 5"),
        ("constant 1.000000s", "constant 1s cap 30s jitter full attempts 5"),
        ("linear 1s cap 9s +1ms", "linear 1s +1ms cap 9s jitter full attempts 5"),
    ] {
        let policy = parsed(text).unwrap_or_else(|error| panic!("{}", error.caret(text)));
        assert_eq!(policy.to_string(), canonical);
    }
}

/// The parser is `const`, with and without a home.
#[test]
fn constants_are_read_by_the_compiler() {
    const LINK: Policy = Policy::parse_const("exponential 100ms x2 cap 40s jitter full attempts 8 within 2m");
    const REFUSED: usize = match Policy::parse("exponential 100") {
        Ok(_) => panic!("it has no unit"),
        Err(error) => error.at,
    };
    assert_eq!(LINK, Policy::parse("exponential 100ms x2 cap 40s jitter full attempts 8 within 2m").unwrap());
    assert_eq!(REFUSED, 15);
}
