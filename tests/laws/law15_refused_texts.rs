//! Law 15. What the parser does not understand it refuses, with the place and what belongs there.

use undaunted_core::{Expected, Field, Invalid, Micros, ParseError, Policy, Problem, Rule};

/// A text, a caret below the place, and what was expected there.
const UNREADABLE: &[(&str, &str, Expected)] = &[
    ("", "^", Expected::Shape),
    ("   ", "   ^", Expected::Shape),
    ("expo 1s", "^", Expected::Shape),
    ("Constant 1s", "^", Expected::Shape),
    ("é", "^", Expected::Shape),
    ("constant", "        ^", Expected::Length),
    ("constant 1s cap", "               ^", Expected::Length),
    // Units: none, a wrong one, two, and one in capitals.
    ("constant 1", "          ^", Expected::Unit),
    ("constant 1 s", "          ^", Expected::Unit),
    ("constant 1S", "          ^", Expected::Unit),
    ("constant 1µs", "          ^", Expected::Unit),
    ("exponential 100ms cap 5x", "                       ^", Expected::Unit),
    ("constant 1m30s", "          ^", Expected::OneUnit),
    ("constant 1s,5s", "          ^", Expected::Unit),
    ("exponential 1s x1.5 cap 1m30s", "                         ^", Expected::OneUnit),
    // Digits: signs, points without digits, too many decimals, parts of a microsecond.
    ("constant -1s", "         ^", Expected::Length),
    ("constant .5s", "         ^", Expected::Length),
    ("exponential x100 2ms", "            ^", Expected::Length),
    ("exponential cap 1s", "            ^", Expected::Length),
    ("constant 1.s", "           ^", Expected::Digit),
    ("constant 1.0000001s", "                 ^", Expected::FewerDecimals),
    ("constant 1.0000000s", "                 ^", Expected::FewerDecimals),
    ("constant 0.5us", "         ^", Expected::WholeMicros),
    ("constant 1.0001ms", "         ^", Expected::WholeMicros),
    // The ends: 2^55 us for a curve, 2^64 - 1 us for the rest.
    ("constant 36028797018963969us", "         ^", Expected::ShorterCurve),
    ("constant 1s cap 36028797018963969us", "                ^", Expected::ShorterCurve),
    ("constant 1s floor 417000d", "                  ^", Expected::ShorterCurve),
    ("constant 1s first_delay 417000d", "                        ^", Expected::ShorterCurve),
    ("linear 1s +36028797018963969us", "           ^", Expected::ShorterCurve),
    ("constant 1s within 18446744073709551616us", "                   ^", Expected::Smaller),
    ("constant 1s within 18446744073709552ms", "                   ^", Expected::Smaller),
    ("constant 1s within 213503983d", "                   ^", Expected::Smaller),
    ("constant 1s within 99999999999999999999999s", "                   ^", Expected::Smaller),
    // Words: unknown, twice, and in the wrong place.
    ("constant 1s retries 3", "            ^", Expected::Word),
    ("constant 1s é", "            ^", Expected::Word),
    ("constant 1s +5ms", "            ^", Expected::Word),
    ("immediate 1s", "          ^", Expected::Word),
    ("linear 1s 500ms", "          ^", Expected::Word),
    ("constant 1s cap 5s cap 6s", "                   ^", Expected::Once),
    ("constant 1s cap 5s cap 5s", "                   ^", Expected::Once),
    ("constant 1s jitter full jitter full", "                        ^", Expected::Once),
    ("constant 1s attempts 5 attempts unlimited", "                       ^", Expected::Once),
    ("exponential 1s x2 x3", "                  ^", Expected::Once),
    ("linear 1s +1s +1s", "              ^", Expected::Once),
    ("linear 1s", "         ^", Expected::Step),
    ("linear 1s cap 9s", "                ^", Expected::Step),
    // Counts.
    ("constant 1s attempts", "                    ^", Expected::Count),
    ("constant 1s attempts 4294967296", "                     ^", Expected::Count),
    ("constant 1s attempts 99999999999999999999999", "                     ^", Expected::Count),
    ("constant 1s attempts -1", "                     ^", Expected::Count),
    ("constant 1s attempts 1.5", "                     ^", Expected::Count),
    ("constant 1s attempts five", "                     ^", Expected::Count),
    // Factors and jitters.
    ("exponential 1s x", "                ^", Expected::Factor),
    // A sign and its value are one word.
    ("exponential 1s x 2", "                ^", Expected::Factor),
    ("linear 1s + 2s", "           ^", Expected::Length),
    ("exponential 1s xfast", "                ^", Expected::Factor),
    ("exponential 1s x1.123456789", "                ^", Expected::Factor),
    ("exponential 1s x1.5y", "                ^", Expected::Factor),
    ("exponential 1s x.5", "                ^", Expected::Factor),
    ("constant 1s jitter", "                  ^", Expected::Jitter),
    ("constant 1s jitter both", "                   ^", Expected::Jitter),
    ("constant 1s jitter 20%", "                   ^", Expected::Jitter),
    ("constant 1s jitter +20", "                   ^", Expected::Jitter),
    ("constant 1s jitter ±20%", "                   ^", Expected::Jitter),
    ("constant 1s jitter +-%", "                     ^", Expected::Digit),
    ("constant 1s jitter +.5%", "                    ^", Expected::Digit),
    ("constant 1s jitter +1.0000001%", "                            ^", Expected::FewerDecimals),
    ("constant 1s jitter +12.12345678%", "                             ^", Expected::FewerDecimals),
    // Schedules: no home, too small a home (of two), and holes.
    ("schedule 1s,5s,30s", "               ^", Expected::Room),
    ("schedule", "        ^", Expected::Length),
    ("schedule 1s,,5s", "            ^", Expected::Length),
    ("schedule ,1s", "         ^", Expected::Length),
    ("schedule 1s,", "            ^", Expected::Length),
    ("schedule 1s, 5s", "            ^", Expected::Length),
    ("schedule 1s 5s", "            ^", Expected::Word),
];

/// The place of a caret, which counts characters, in bytes.
fn byte_of(text: &str, caret: &str) -> usize {
    text.char_indices().nth(caret.len() - 1).map_or(text.len(), |(at, _)| at)
}

fn refused(text: &str) -> ParseError {
    let home = Vec::leak(vec![Micros::ZERO; 2]);
    match Policy::parse_in(text, home) {
        Ok(policy) => panic!("{text:?} was read as {policy}"),
        Err(error) => error,
    }
}

#[test]
fn unreadable_texts_are_refused_at_the_place() {
    for &(text, caret, expected) in UNREADABLE {
        let error = ParseError { at: byte_of(text, caret), problem: Problem::Expected(expected) };
        assert_eq!(refused(text), error, "{text:?}");
        let shown = format!("{text}\n{caret} expected {}", expected.text());
        assert_eq!(error.caret(text).to_string(), shown);
    }
}

/// Without a home a schedule is refused, whatever follows.
#[test]
fn a_schedule_without_a_home_is_refused() {
    for text in ["schedule 1s", "schedule 1s,5s cap 9s", "schedule", "schedule nonsense"] {
        let error = ParseError { at: 0, problem: Problem::Expected(Expected::Home) };
        assert_eq!(Policy::parse(text), Err(error), "{text:?}");
    }
}

/// What reads well and breaks a rule: the place is where the field was said, its word if it has one.
#[test]
fn broken_rules_are_refused_where_the_field_was_said() {
    let one = 1 << 24;
    let table = [
        ("constant 0s", "         ^", Field::First, 0, Rule::FirstZero),
        ("schedule 0s", "         ^", Field::Schedule, 0, Rule::ScheduleZero),
        ("linear 1s +0s", "          ^", Field::Step, 0, Rule::StepZero),
        ("linear 1s jitter +20% +0s", "                      ^", Field::Step, 0, Rule::StepZero),
        ("constant 1s x2", "            ^", Field::Factor, 2 * one, Rule::FactorElsewhere),
        // 1.001 * 2^24 = 16 793 993.2; 256 saturates just under itself.
        ("exponential 1s x1.001", "               ^", Field::Factor, 16_793_993, Rule::FactorRange),
        ("exponential 1s x0", "               ^", Field::Factor, 0, Rule::FactorRange),
        ("exponential 1s x256", "               ^", Field::Factor, 0xffff_ffff, Rule::FactorRange),
        ("exponential 1s x99999999999", "               ^", Field::Factor, 0xffff_ffff, Rule::FactorRange),
        ("decorrelated 1s jitter full", "                ^", Field::Jitter, 0, Rule::JitterTwice),
        ("decorrelated 1s jitter +20%", "                ^", Field::Jitter, 0, Rule::JitterTwice),
        ("constant 1s jitter +0%", "            ^", Field::Jitter, 0, Rule::AdditiveRange),
        ("constant 1s jitter +25600%", "            ^", Field::Jitter, 0xffff_ffff, Rule::AdditiveRange),
        // 1.01 * 2^24 = 16 944 988.16.
        ("constant 1s jitter +-101%", "            ^", Field::Jitter, 16_944_988, Rule::ProportionalRange),
        ("constant 1s attempts 0", "            ^", Field::Attempts, 0, Rule::AttemptsZero),
        ("constant 1s within 0s", "            ^", Field::Within, 0, Rule::WithinZero),
        ("constant 1s attempt_timeout 0s", "            ^", Field::AttemptTimeout, 0, Rule::TimeoutZero),
        ("exponential 2s cap 1s", "            ^", Field::First, 2_000_000, Rule::FirstAboveCap),
        ("constant 1s floor 3s cap 2s", "            ^", Field::Floor, 3_000_000, Rule::FloorAboveCap),
        ("immediate cap 0s", "          ^", Field::Cap, 0, Rule::CapTooSmall),
        ("constant 1us cap 1us jitter +100%", "             ^", Field::Cap, 1, Rule::CapTooSmall),
        ("immediate attempts unlimited", "          ^", Field::Attempts, 0, Rule::HotLoop),
    ];
    for (text, caret, field, value, rule) in table {
        let problem = Problem::Invalid(Invalid { field, value, rule });
        assert_eq!(refused(text), ParseError { at: byte_of(text, caret), problem }, "{text:?}");
    }
}

/// The last texts before the refusals above.
#[test]
fn the_nearest_readable_texts_are_read() {
    for text in [
        "constant 36028797018963968us",
        "constant 1s within 18446744073709551614us",
        "constant 1s within 213503982d",
        "constant 1.000001s",
        "constant 0.001ms",
        "constant 1s attempts 4294967295",
        "exponential 1s x1.12345678",
        "exponential 1s x1.01",
        "exponential 1s x255",
        "constant 1s jitter +25500%",
        "constant 1s jitter +-100%",
        "constant 1s jitter +1.000001%",
        "schedule 1s,5s",
        "decorrelated 1s jitter none",
        "immediate attempts unlimited floor 1us",
        "  constant\t1s\r\ncap 2s ",
    ] {
        let home = Vec::leak(vec![Micros::ZERO; 2]);
        let read = Policy::parse_in(text, home);
        assert!(read.is_ok(), "{text:?}: {read:?}");
    }
}
