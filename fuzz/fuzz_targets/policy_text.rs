//! Any bytes as a policy text: law 15, and that what parses can be used.

#![no_main]

use libfuzzer_sys::fuzz_target;
use undaunted_core::{Expected, Micros, ParseError, Policy, Problem};

fuzz_target!(|text: &str| {
    match parse(text) {
        Ok(policy) => check(policy),
        Err(error) => {
            assert!(error.at <= text.len(), "{error} points outside {text:?}");
            assert!(error.caret(text).to_string().contains(&error.problem.to_string()));
        }
    }
});

/// A schedule gets a home; it is leaked, so it is small, and only made for a text that asks for one.
fn parse(text: &str) -> Result<Policy, ParseError> {
    match Policy::parse(text) {
        Err(ParseError { problem: Problem::Expected(Expected::Home), .. }) => {
            Policy::parse_in(text, Box::leak(Box::new([Micros::ZERO; 8])))
        }
        other => other,
    }
}

fn check(policy: Policy) {
    let text = policy.to_string();
    let again = parse(&text).unwrap_or_else(|error| panic!("{text:?} does not read back: {error}"));
    assert_eq!(again, policy, "{text:?} reads back as another policy");
    assert_eq!(again.to_string(), text, "the canonical text is not canonical");

    let settings = policy.settings();
    for step in policy.plan().take(100) {
        assert!(step.min <= step.mean && step.mean <= step.max, "{text:?}: {step:?}");
        assert!(step.max <= settings.cap, "{text:?} passes its cap: {step:?}");
        assert!(step.min >= settings.floor, "{text:?} falls below its floor: {step:?}");
        assert!(step.total_max <= policy.worst_case(), "{text:?} is worse than its worst case: {step:?}");
    }
}
