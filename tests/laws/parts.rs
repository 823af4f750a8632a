//! Law 15 for the parts of a text that are read alone: a length and an intensity, as in the text of a policy.

use proptest::prelude::*;
use undaunted_core::{Expected, Intensity, Micros, ParseError, Policy, Problem, Recovery};
use undaunted_tests::spell::length as spelled;

use crate::generate::{config, length};
use crate::law15_texts::PIECES;

/// Digits, a point and decimals, and a unit; worked out in 128 bits. `None` is refused.
fn twin(digits: &str, decimals: &str, unit: &str) -> Option<Micros> {
    let places = decimals.trim_end_matches('0').len();
    let unit = match unit {
        "us" => 1,
        "ms" => 1_000,
        "s" => 1_000_000,
        "m" => 60_000_000,
        "h" => 3_600_000_000,
        "d" => 86_400_000_000_u128,
        _ => return None,
    };
    let number: u128 = format!("{digits}{}", &decimals[..places]).parse().ok()?;
    let (scaled, scale) = (number * unit, 10_u128.pow(places as u32));
    let whole = scaled.is_multiple_of(scale) && decimals.len() <= 6;
    u64::try_from(scaled / scale).ok().filter(|_| whole).map(Micros::new)
}

/// The same error, as far along as the text around it.
fn behind(lead: &str, error: ParseError) -> ParseError {
    ParseError { at: lead.len() + error.at, ..error }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_length_is_its_digits_times_its_unit(
        digits in "[0-9]{1,20}", decimals in prop::option::of("[0-9]{1,7}"),
        unit in prop::sample::select(&["us", "ms", "s", "m", "h", "d", "", "min", "S", "us1"][..]),
        (before, after) in (" {0,2}", "[ \t\n]{0,2}"),
    ) {
        let point = decimals.as_ref().map_or(String::new(), |decimals| format!(".{decimals}"));
        let text = format!("{before}{digits}{point}{unit}{after}");
        let twin = twin(&digits, decimals.as_deref().unwrap_or(""), unit);
        prop_assert_eq!(Micros::parse(&text).ok(), twin, "{:?}", text);
        prop_assert_eq!(text.parse::<Micros>().ok(), twin, "{:?}", text);
    }

    #[test]
    fn what_is_displayed_reads_back(micros in length(), restarts in any::<u32>()) {
        prop_assert_eq!(Micros::parse(&spelled(micros)), Ok(Micros::new(micros)));
        let intensity = Intensity { restarts, window: Micros::new(micros) };
        let text = format!("{restarts}/{}", spelled(micros));
        prop_assert_eq!(intensity.to_string(), text.as_str());
        prop_assert_eq!(Intensity::parse(&text), Ok(intensity));
        prop_assert_eq!(format!("\t{text} ").parse(), Ok(intensity));
    }

    /// One word is read, or refused at its place, as it is in a whole text.
    #[test]
    fn a_word_alone_is_the_word_in_a_text(pieces in prop::collection::vec(prop::sample::select(PIECES), 1..4)) {
        let word: String = pieces.concat().chars().filter(|character| !character.is_whitespace()).collect();
        let lead = "constant 1us hint_ceiling ";
        let whole = Policy::parse(&format!("{lead}{word}")).map(|policy| policy.settings().hint_ceiling);
        prop_assert_eq!(Micros::parse(&word).map_err(|error| behind(lead, error)), whole, "{}", word);
        let (lead, slash) = ("constant 1us intensity ", format!("{}/{word}", pieces.len()));
        for word in [word, slash] {
            let whole = Recovery::parse(&format!("{lead}{word}")).map(|r| r.settings().intensity);
            let alone = Intensity::parse(&word);
            match (alone, whole) {
                // Whether it is one that a recovery may have is not asked of it alone.
                (Ok(_), Err(error)) => prop_assert!(matches!(error.problem, Problem::Invalid(_)), "{}", word),
                (alone, whole) => prop_assert_eq!(alone.map(Some).map_err(|e| behind(lead, e)), whole, "{}", word),
            }
        }
    }
}

/// By hand: the place, and what belongs there; nothing may follow.
#[test]
fn what_is_refused() {
    for (text, at, expected) in [
        ("", 0, Expected::Length),
        ("\t ", 2, Expected::Length),
        ("ms", 0, Expected::Length),
        ("5", 1, Expected::Unit),
        ("5 s", 1, Expected::Unit),
        ("5s.", 1, Expected::Unit),
        ("1h30m", 1, Expected::OneUnit),
        ("5s 5s", 3, Expected::Length),
        ("0.0000001s", 8, Expected::FewerDecimals),
        ("0.0001ms", 0, Expected::WholeMicros),
        (" 213503983d", 1, Expected::Smaller),
    ] {
        let problem = Problem::Expected(expected);
        assert_eq!(Micros::parse(text), Err(ParseError { at, problem }), "{text:?}");
        assert_eq!(text.parse::<Micros>(), Err(ParseError { at, problem }), "{text:?}");
    }
    for (text, at, expected) in [
        ("", 0, Expected::Intensity),
        (" 5", 1, Expected::Intensity),
        ("5:1m", 0, Expected::Intensity),
        ("4294967296/1m", 0, Expected::Intensity),
        ("5/", 2, Expected::Length),
        ("5/1", 3, Expected::Unit),
        ("5/1m 5/1m", 5, Expected::Intensity),
    ] {
        let problem = Problem::Expected(expected);
        assert_eq!(Intensity::parse(text), Err(ParseError { at, problem }), "{text:?}");
        assert_eq!(text.parse::<Intensity>(), Err(ParseError { at, problem }), "{text:?}");
    }
    // Of 32 bits the largest is a number yet: whether a recovery may have so many is another question.
    let most = Intensity { restarts: u32::MAX, window: Micros::from_secs(60) };
    assert_eq!(Intensity::parse("4294967295/1m"), Ok(most));
}
