//! Law 15 for recoveries: one text, one recovery; what is refused is refused at the place.

use proptest::prelude::*;
use undaunted_core::{Expected, Field, Invalid, Micros, ParseError, Policy, Problem, Recovery, Rule};
use undaunted_tests::recovery::{RecoveryTwin, SaidRecovery};
use undaunted_tests::spell::text_setter;

use crate::generate::{config, sound};
use crate::law10_recovery::recovery;
use crate::law15_texts::{PIECES, sayable};

/// Reads a text with room for eight delays.
fn parsed(text: &str) -> Result<Recovery, ParseError> {
    Recovery::parse_in(text, Vec::leak(vec![Micros::ZERO; 8]))
}

fn said() -> impl Strategy<Value = SaidRecovery> {
    recovery(sound()).prop_map(|said| SaidRecovery { policy: sayable(said.policy), ..said })
}

proptest! {
    #![proptest_config(config())]

    /// Every recovery; its canonical text is the twin's.
    #[test]
    fn what_is_displayed_reads_back(said in said()) {
        let recovery = said.draft().unwrap();
        let text = recovery.to_string();
        prop_assert_eq!(&text, &RecoveryTwin::new(said).display());
        let again = parsed(&text).map_err(|error| TestCaseError::fail(error.caret(&text).to_string()))?;
        prop_assert_eq!(again, recovery);
        prop_assert_eq!(again.settings(), recovery.settings());
        prop_assert_eq!(again.to_string(), text.as_str());
        prop_assert!(Policy::parse_in(&text, Vec::leak(vec![Micros::ZERO; 8])).is_err(), "{text}");
    }

    /// The words come in any order, the two of a recovery among those of its policy.
    #[test]
    fn a_text_says_what_the_setters_say(
        (said, order) in said().prop_flat_map(|said| {
            let policy = said.policy.setters().into_iter().map(text_setter);
            (Just(said), Just(policy.chain(said.words()).collect::<Vec<_>>()).prop_shuffle())
        }),
        space in prop::sample::select(&[" ", "  ", "\t", " \r\n "][..]),
    ) {
        let text: Vec<String> = std::iter::once(said.policy.text_shape()).chain(order).collect();
        let text = text.join(" ").replace(' ', space);
        prop_assert_eq!(parsed(&text), Ok(said.draft().unwrap()), "{}", text);
    }

    /// A policy's text is a recovery's, with the defaults; and refused as the policy's, at the same place.
    #[test]
    fn a_policys_text_is_read_as_the_policy(
        shape in prop::sample::select(&["", "constant 1s ", "linear 1s +1s ", "exponential 1s "][..]),
        words in prop::collection::vec(prop::sample::select(PIECES), 0..7),
    ) {
        let text = format!("{shape}{}", words.join(" "));
        let problem = |error: ParseError| match error.problem {
            Problem::Expected(Expected::RecoveryWord) => (error.at, Problem::Expected(Expected::Word)),
            problem => (error.at, problem),
        };
        let policy = Policy::parse(&text).map(Recovery::new).map_err(problem);
        prop_assert_eq!(Recovery::parse(&text).map_err(problem), policy, "{}", text);
    }

    #[test]
    fn no_text_panics(text in any::<String>()) {
        assert_position(&text);
    }

    /// Texts made of the language's own pieces, after a shape more often than not.
    #[test]
    fn no_heap_of_words_panics(
        words in prop::collection::vec(prop_oneof![
            prop::sample::select(PIECES),
            prop::sample::select(&["reset_after", "intensity", "5/1m", "0/1m", "5/0s", "/", "5/", "10m"][..]),
        ], 0..12),
        shape in prop::sample::select(&["", "constant 1s ", "linear 1s +1s ", "immediate "][..]),
    ) {
        assert_position(&words.concat());
        assert_position(&format!("{shape}{}", words.join(" ")));
    }

    /// A valid text with bytes removed, repeated or replaced.
    #[test]
    fn no_mutation_panics(
        said in said(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..3_u8, any::<char>()), 1..4),
    ) {
        let mut text: Vec<char> = said.draft().unwrap().to_string().chars().collect();
        for (place, kind, other) in edits {
            let at = place.index(text.len());
            match kind {
                0 => { text.remove(at); }
                1 => text.insert(at, other),
                _ => text[at] = char::from(other as u8 & 0x7f),
            }
        }
        assert_position(&text.into_iter().collect::<String>());
    }
}

/// An error lies inside the text and between characters; what is accepted reads back.
fn assert_position(text: &str) {
    match parsed(text) {
        Ok(recovery) => assert_eq!(parsed(&recovery.to_string()), Ok(recovery), "{text:?}"),
        Err(error) => {
            assert!(error.at <= text.len() && text.is_char_boundary(error.at), "{error} in {text:?}");
            assert!(error.caret(text).to_string().ends_with(&error.problem.to_string()));
        }
    }
}

/// The place of a caret; these texts are ASCII but for one character, which comes last.
fn refused(text: &str, caret: &str, problem: Problem) {
    let error = Recovery::parse(text).expect_err(text);
    assert_eq!(error, ParseError { at: caret.len() - 1, problem }, "{text:?}\n{error}");
}

#[test]
fn unreadable_texts_are_refused_at_the_place() {
    for (text, caret, expected) in [
        ("", "^", Expected::Shape),
        ("reset_after 5m", "^", Expected::Shape),
        ("constant reset_after 5m", "         ^", Expected::Length),
        ("constant 1s reset_after", "                       ^", Expected::Length),
        ("constant 1s reset_after ten", "                        ^", Expected::Length),
        ("constant 1s reset_after 10", "                          ^", Expected::Unit),
        ("constant 1s reset_after 1m30s", "                         ^", Expected::OneUnit),
        ("constant 1s reset_after 0.5us", "                        ^", Expected::WholeMicros),
        ("constant 1s reset_after 213503983d", "                        ^", Expected::Smaller),
        ("constant 1s reset_after 5m reset_after 5m", "                           ^", Expected::Once),
        ("constant 1s intensity", "                     ^", Expected::Intensity),
        ("constant 1s intensity 5", "                      ^", Expected::Intensity),
        ("constant 1s intensity /1m", "                      ^", Expected::Intensity),
        ("constant 1s intensity -5/1m", "                      ^", Expected::Intensity),
        ("constant 1s intensity 5.5/1m", "                      ^", Expected::Intensity),
        ("constant 1s intensity 5 /1m", "                      ^", Expected::Intensity),
        ("constant 1s intensity 4294967296/1m", "                      ^", Expected::Intensity),
        ("constant 1s intensity 99999999999999999999/1m", "                      ^", Expected::Intensity),
        ("constant 1s intensity unlimited", "                      ^", Expected::Intensity),
        ("constant 1s intensity 5/", "                        ^", Expected::Length),
        ("constant 1s intensity 5/ 1m", "                        ^", Expected::Length),
        ("constant 1s intensity 5/m", "                        ^", Expected::Length),
        ("constant 1s intensity 5/1", "                         ^", Expected::Unit),
        ("constant 1s intensity 5/1m/2", "                         ^", Expected::Unit),
        ("constant 1s intensity 5/1m intensity 5/1m", "                           ^", Expected::Once),
        ("constant 1s reset 5m", "            ^", Expected::RecoveryWord),
        ("constant 1s Intensity 5/1m", "            ^", Expected::RecoveryWord),
        ("constant 1s +5ms", "            ^", Expected::RecoveryWord),
        ("constant 1s reset_after 5m é", "                           ^", Expected::RecoveryWord),
        ("constant 1s intensity 5/1m cap 5s cap 5s", "                                  ^", Expected::Once),
        ("linear 1s reset_after 5m", "                        ^", Expected::Step),
        ("schedule 1s reset_after 5m", "^", Expected::Home),
    ] {
        refused(text, caret, Problem::Expected(expected));
    }
}

#[test]
fn broken_rules_are_refused_where_the_field_was_said() {
    for (text, caret, field, value, rule) in [
        ("constant 1s reset_after 0s", "            ^", Field::ResetAfter, 0, Rule::ResetAfterZero),
        ("constant 1s intensity 0/1m", "            ^", Field::Intensity, 0, Rule::RestartsRange),
        ("constant 1s cap 5s intensity 1/0s", "                   ^", Field::Intensity, 0, Rule::WindowZero),
        (
            "constant 1s intensity 0/1m reset_after 0s",
            "                           ^",
            Field::ResetAfter,
            0,
            Rule::ResetAfterZero,
        ),
        // The policy's rules come first, and its words are found behind the others.
        (
            "constant 1s reset_after 0s intensity 0/0s attempts 0",
            "                                          ^",
            Field::Attempts,
            0,
            Rule::AttemptsZero,
        ),
        (
            "linear 1s intensity 5/1m reset_after 1m +0s",
            "                                        ^",
            Field::Step,
            0,
            Rule::StepZero,
        ),
        (
            "exponential 2s reset_after 1m cap 1s",
            "            ^",
            Field::First,
            2_000_000,
            Rule::FirstAboveCap,
        ),
    ] {
        refused(text, caret, Problem::Invalid(Invalid { field, value, rule }));
    }
}

/// A policy has no such words, and says so.
#[test]
fn a_policy_refuses_the_words_of_a_recovery() {
    for text in ["constant 1s reset_after 5m", "constant 1s intensity 5/1m"] {
        let error = ParseError { at: 12, problem: Problem::Expected(Expected::Word) };
        assert_eq!(Policy::parse(text), Err(error));
    }
}

#[test]
fn the_texts_of_the_page() {
    for (text, canonical) in [
        (
            "exponential 1s cap 5m attempts unlimited reset_after 10m intensity 5/1m",
            "exponential 1s x2 cap 5m jitter full attempts unlimited reset_after 10m intensity 5/1m",
        ),
        ("constant 1s", "constant 1s cap 30s jitter full attempts 5 reset_after 1m"),
        // The default is twice the cap, also where that is the longest a curve can be: 2^56.
        (
            "constant 1s cap 36028797018963968us",
            "constant 1s cap 36028797018963968us jitter full attempts 5 reset_after 72057594037927936us",
        ),
        (
            "intensity_free",
            "at byte 0: expected a shape (constant, decorrelated, exponential, fibonacci, immediate, linear or schedule)",
        ),
        ("constant 1s reset_after 0s", "at byte 12: reset_after must be at least 1 us; got 0s"),
        (
            "constant 1s intensity 65536/1m",
            "at byte 12: intensity must allow from 1 to 65535 restarts; got 65536",
        ),
        ("constant 1s intensity 0/1m", "at byte 12: intensity must allow from 1 to 65535 restarts; got 0"),
        (
            "constant 1s intensity 65535/18446744073709551615us reset_after 18446744073709551615us",
            "constant 1s cap 30s jitter full attempts 5 reset_after 18446744073709551615us \
             intensity 65535/18446744073709551615us",
        ),
    ] {
        let shown = text.parse::<Recovery>().map_or_else(|error| error.to_string(), |r| r.to_string());
        assert_eq!(shown, canonical);
    }
}

/// The parser is `const`.
#[test]
fn constants_are_read_by_the_compiler() {
    const UPLINK: Recovery = Recovery::parse_const("constant 1s intensity 5/1m");
    assert_eq!(Ok(UPLINK), parsed("constant 1s intensity 5/1m"));
}
