//! What is said to people and to machines, word by word: reasons, broken rules, and policies in a debug line.

use core::error::Error;

use proptest::prelude::*;
use undaunted_core::{Field, Invalid, Policy, Reason, Recovery, Rule};
use undaunted_tests::recovery::RecoveryTwin;
use undaunted_tests::refuse::broken_rules;
use undaunted_tests::spell::{draft_setter, draft_shape, length as spelled, shortest_decimal};

use crate::generate::{both, config, said, sound};
use crate::law10_recovery::recovery;
use crate::law15_texts::sayable;

/// The word is a promise: labels in other people's dashboards.
#[test]
fn each_reason_has_its_word_and_its_words() {
    for (reason, word, words) in [
        (Reason::Attempts, "attempts", "no attempts left"),
        (Reason::Breaker, "breaker", "the circuit breaker is open"),
        (Reason::Budget, "budget", "the retry budget is used up"),
        (Reason::Cancelled, "cancelled", "cancelled"),
        (Reason::Deadline, "deadline", "no time left"),
        (Reason::Hint, "hint", "asked to wait longer than the hint ceiling"),
        (Reason::Intensity, "intensity", "too many restarts"),
        (Reason::Permanent, "permanent", "not worth retrying"),
    ] {
        assert_eq!(reason.word(), word);
        assert_eq!(reason.to_string(), words);
        assert_eq!(format!("{reason:?}").to_lowercase(), word);
    }
}

/// Each rule in words, with the value as its field is written: a length, a count, a ratio, or nothing where it is the
/// kind that is wrong.
#[test]
fn each_broken_rule_says_which_and_what_it_got() {
    const HALF: u64 = 1 << 23;
    for (field, value, rule, words) in [
        (
            Field::Jitter,
            0,
            Rule::AdditiveRange,
            "additive jitter must be above 0 and at most 255 times the delay; got 0",
        ),
        (
            Field::Jitter,
            u32::MAX as u64,
            Rule::AdditiveRange,
            "additive jitter must be above 0 and at most 255 times the delay; got 256 or more",
        ),
        (
            Field::Attempts,
            0,
            Rule::AttemptsZero,
            "attempts must be at least 1 (an attempt is a call, the first included); got 0",
        ),
        (Field::Cap, 1, Rule::CapTooSmall, "cap must leave at least 1 us below the jitter; got 1us"),
        (
            Field::Factor,
            5 * HALF,
            Rule::FactorElsewhere,
            "factor belongs to exponential and decorrelated only; got 2.5",
        ),
        (Field::Factor, HALF, Rule::FactorRange, "factor must be exactly 1 or from 1.01 to 255; got 0.5"),
        (
            Field::Factor,
            u32::MAX as u64 - 1,
            Rule::FactorRange,
            "factor must be exactly 1 or from 1.01 to 255; got 255.9999999",
        ),
        (
            Field::Factor,
            u32::MAX as u64,
            Rule::FactorRange,
            "factor must be exactly 1 or from 1.01 to 255; got 256 or more",
        ),
        // Somebody may put together a number that no ratio has; it is not read as a small one.
        (
            Field::Factor,
            1 << 32,
            Rule::FactorRange,
            "factor must be exactly 1 or from 1.01 to 255; got 256 or more",
        ),
        (
            Field::Factor,
            u64::MAX,
            Rule::FactorRange,
            "factor must be exactly 1 or from 1.01 to 255; got 256 or more",
        ),
        (
            Field::First,
            90_000_000,
            Rule::FirstAboveCap,
            "the first delay must not be longer than the cap; got 90s",
        ),
        (
            Field::First,
            0,
            Rule::FirstZero,
            "the first delay must be at least 1 us (only `immediate` has none); got 0s",
        ),
        (Field::Floor, 120_000_000, Rule::FloorAboveCap, "floor must not be longer than the cap; got 2m"),
        (
            Field::Attempts,
            0,
            Rule::HotLoop,
            "immediate with unlimited attempts needs a floor (else it is a hot loop)",
        ),
        (Field::Jitter, 0, Rule::JitterTwice, "decorrelated has its own jitter and takes no other than none"),
        (
            Field::Intensity,
            3,
            Rule::MemoryTooShort,
            "the memory must have room for as many restarts as the intensity allows; got 3",
        ),
        (
            Field::Jitter,
            3 * HALF,
            Rule::ProportionalRange,
            "proportional jitter must be above 0 and at most 1 times the delay; got 1.5",
        ),
        (Field::ResetAfter, 0, Rule::ResetAfterZero, "reset_after must be at least 1 us; got 0s"),
        (
            Field::Intensity,
            65_536,
            Rule::RestartsRange,
            "intensity must allow from 1 to 65535 restarts; got 65536",
        ),
        (
            Field::Schedule,
            4_097,
            Rule::ScheduleLength,
            "a schedule must have from 1 to 4096 delays; got 4097",
        ),
        (Field::Schedule, 0, Rule::ScheduleZero, "each delay of a schedule must be at least 1 us"),
        (Field::Backoff, 0, Rule::ShapeMissing, "a policy must name a shape, such as exponential"),
        (Field::Step, 0, Rule::StepZero, "the step of linear must be at least 1 us; got 0s"),
        (Field::AttemptTimeout, 0, Rule::TimeoutZero, "attempt_timeout must be at least 1 us; got 0s"),
        (Field::Intensity, 0, Rule::WindowZero, "the window of intensity must be at least 1 us; got 0s"),
        (Field::Within, 0, Rule::WithinZero, "within must be at least 1 us; got 0s"),
    ] {
        let invalid = Invalid { field, value, rule };
        assert_eq!(invalid.to_string(), words, "{invalid:?}");
        assert!(words.starts_with(rule.text()), "{rule:?}");
        assert!((&invalid as &dyn Error).source().is_none());
    }
}

/// A value as its field is written, from the field alone.
fn got(invalid: &Invalid) -> String {
    let value = invalid.value;
    match (invalid.rule, invalid.field) {
        (Rule::HotLoop | Rule::JitterTwice | Rule::ScheduleZero, _) => String::new(),
        (_, Field::Attempts | Field::Schedule) => format!("; got {value}"),
        (_, Field::Factor | Field::Jitter) if value == u64::from(u32::MAX) => "; got 256 or more".into(),
        (_, Field::Factor | Field::Jitter) => format!("; got {}", shortest_decimal(value.into(), 0)),
        _ => format!("; got {}", spelled(value)),
    }
}

proptest! {
    #![proptest_config(config())]

    /// A refusal is the rule in words and the value; a draft's debug line is the policy that it would be, or that.
    #[test]
    fn a_draft_shows_what_it_would_be(said in said()) {
        let draft = said.setters().into_iter().fold(draft_shape(Policy::draft(), said.shape), draft_setter);
        let shown = format!("{draft:?}");
        match said.draft() {
            Ok(policy) => prop_assert_eq!(shown, format!("Draft({policy})")),
            Err(invalid) => {
                prop_assert!(broken_rules(&said).contains(&invalid));
                prop_assert_eq!(shown, format!("Draft({}{})", invalid.rule.text(), got(&invalid)));
            }
        }
    }

    /// A debug line is the type and the canonical text.
    #[test]
    fn a_debug_line_is_the_text(policy in sound(), recovery in recovery(sound())) {
        let (policy, twin) = both(sayable(policy));
        prop_assert_eq!(format!("{policy:?}"), format!("Policy({})", twin.display()));
        let recovery = undaunted_tests::recovery::SaidRecovery { policy: sayable(recovery.policy), ..recovery };
        let shown = format!("{:?}", recovery.draft().unwrap());
        prop_assert_eq!(shown, format!("Recovery({})", RecoveryTwin::new(recovery).display()));
    }
}

/// What a text is refused with is an error of its own kind, with nothing behind it.
#[test]
fn refusals_are_errors() {
    let error = Policy::parse("constant 1s attempts 0").unwrap_err();
    let shown = (&error as &dyn Error).to_string();
    assert_eq!(
        shown,
        "at byte 12: attempts must be at least 1 (an attempt is a call, the first included); got 0"
    );
    assert!((&error as &dyn Error).source().is_none());
    let error = Recovery::parse("constant 1s +1s").unwrap_err();
    assert!(error.to_string().starts_with("at byte 12: expected one of x1.5, cap, "));
}
