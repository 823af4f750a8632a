//! Any bytes as a recovery's text: law 15, and that it is a policy's text with two words more.

#![no_main]

use libfuzzer_sys::fuzz_target;
use undaunted_core::{Expected, Instant, Micros, ParseError, Policy, Problem, Recovery, Restarts};

fuzz_target!(|text: &str| {
    match parse(text) {
        Ok(recovery) => check(recovery),
        Err(error) => {
            assert!(error.at <= text.len(), "{error} points outside {text:?}");
            assert!(error.caret(text).to_string().contains(&error.problem.to_string()));
        }
    }
    if let Ok(policy) = Policy::parse(text) {
        assert_eq!(Recovery::parse(text), Ok(Recovery::new(policy)), "a policy's text is a recovery's");
    }
});

/// A schedule gets a home; it is leaked, so it is small, and only made for a text that asks for one.
fn parse(text: &str) -> Result<Recovery, ParseError> {
    match Recovery::parse(text) {
        Err(ParseError { problem: Problem::Expected(Expected::Home), .. }) => {
            Recovery::parse_in(text, Box::leak(Box::new([Micros::ZERO; 8])))
        }
        other => other,
    }
}

fn check(recovery: Recovery) {
    let text = recovery.to_string();
    let again = parse(&text).unwrap_or_else(|error| panic!("{text:?} does not read back: {error}"));
    assert_eq!(again, recovery, "{text:?} reads back as another recovery");
    assert_eq!(again.to_string(), text, "the canonical text is not canonical");

    let settings = recovery.settings();
    assert!(settings.reset_after > Micros::ZERO, "{text:?}");
    let room = [Instant::default(); 4];
    let fits = settings.intensity.is_none_or(|intensity| {
        assert!(intensity.restarts > 0 && intensity.window > Micros::ZERO, "{text:?}");
        intensity.restarts <= 4
    });
    assert_eq!(Restarts::start(&recovery, Instant::default(), room).is_ok(), fits, "{text:?}");
}
