//! Policies from the numbers of others: the policies written out by hand, what is refused and in which
//! words, and the sums that the originals' own figures give.

mod aws;
mod freertos;
mod grpc;
mod kubernetes;
mod retry_go;

use core::time::Duration;
use undaunted::convert::Unsayable;
use undaunted::{Micros, Policy};

const US: Duration = Duration::from_micros(1);
const MS: Duration = Duration::from_millis(1);
const S: Duration = Duration::from_secs(1);
/// 2^55 us, and 1 us more.
const LONGEST: Duration = Duration::from_micros(1 << 55);
const LONGER: Duration = Duration::from_micros((1 << 55) + 1);

/// Says that this is the policy, by its text; and that the text is all there is to it.
#[track_caller]
fn says(policy: Result<Policy, Unsayable>, text: &str) {
    let policy = policy.unwrap_or_else(|error| panic!("{text}\n{error}"));
    assert_eq!(policy.to_string(), text);
    assert_eq!(policy, Policy::parse(text).unwrap());
}

/// Says that this is refused, in these words.
#[track_caller]
fn refuses(policy: Result<Policy, Unsayable>, words: &str) {
    match policy {
        Ok(policy) => panic!("{policy}\nexpected: {words}"),
        Err(error) => assert_eq!(error.to_string(), words),
    }
}

/// The longest waits, one by one.
fn longest(policy: &Policy) -> Vec<u64> {
    policy.plan().map(|step| step.max.as_micros()).collect()
}

/// The least and the greatest sum of the waits.
fn totals(policy: &Policy) -> (Micros, Micros) {
    policy.plan().last().map_or((Micros::ZERO, Micros::ZERO), |step| (step.total_min, step.total_max))
}

/// Numbers that are no factor, whatever the original.
const NO_FACTORS: [f64; 12] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    -1.0,
    -1e300,
    f64::MIN_POSITIVE,
    0.5,
    0.999,
    1.000_001,
    1.009_999,
    255.000_1,
    1e300,
];

/// An error is an error, with a field to look at.
#[test]
fn errors_are_errors() {
    let error =
        undaunted::convert::freertos::BackoffAlgorithm { back_off_base: 2, max_back_off: 1, max_attempts: 0 }
            .policy()
            .unwrap_err();
    assert_eq!(error.field, "back_off_base");
    let error: Box<dyn core::error::Error + Send + Sync> = error.into();
    assert_eq!(error.to_string(), "back_off_base is 2ms: must not be longer than max_back_off, which is 1ms");
}
