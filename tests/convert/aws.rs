//! AWS SDKs, standard mode.

use super::*;
use undaunted::convert::aws::RetryConfig;

const STANDARD: RetryConfig = RetryConfig::standard();

#[test]
fn standard() {
    says(STANDARD.policy(), "exponential 1s x2 cap 20s jitter full attempts 3");
    // botocore, TestExponentialBackoff: the tops of nine delays, in seconds.
    let nine = RetryConfig { max_attempts: 10, ..STANDARD }.policy().unwrap();
    assert_eq!(longest(&nine), [1, 2, 4, 8, 16, 20, 20, 20, 20].map(|s| s * 1_000_000));
    assert!(nine.plan().all(|step| step.min == Micros::ZERO));
    // smithy-rs, calculate_exponential_backoff.
    for (initial, tops) in [(3 * S, [3_000, 6_000, 12_000]), (30 * MS, [30, 60, 120])] {
        let config = RetryConfig { initial_backoff: initial, max_attempts: 4, ..STANDARD };
        assert_eq!(longest(&config.policy().unwrap()), tops.map(|ms| ms * 1_000));
    }
}

#[test]
fn attempts() {
    let words = "max_attempts is 0: attempts must be at least 1 (an attempt is a call, the first included)";
    refuses(RetryConfig { max_attempts: 0, ..STANDARD }.policy(), words);
    refuses(RetryConfig { max_attempts: 0, max_backoff: Duration::ZERO, ..STANDARD }.policy(), words);
    let one = RetryConfig { max_attempts: 1, ..STANDARD };
    says(one.policy(), "exponential 1s x2 cap 20s jitter full attempts 1");
    let most = RetryConfig { max_attempts: u32::MAX, ..STANDARD };
    says(most.policy(), "exponential 1s x2 cap 20s jitter full attempts 4294967295");
}

#[test]
fn lengths() {
    // Their cap cuts the first delay too.
    let low = RetryConfig { max_backoff: 500 * MS, ..STANDARD };
    says(low.policy(), "exponential 500ms x2 cap 500ms jitter full attempts 3");
    says(
        RetryConfig { max_backoff: Duration::ZERO, ..STANDARD }.policy(),
        "immediate cap 30s jitter none attempts 3",
    );
    says(
        RetryConfig { initial_backoff: Duration::ZERO, ..STANDARD }.policy(),
        "immediate cap 30s jitter none attempts 3",
    );
    says(
        RetryConfig { initial_backoff: US, max_backoff: LONGEST, ..STANDARD }.policy(),
        "exponential 1us x2 cap 36028797018963968us jitter full attempts 3",
    );
    let words = "max_backoff is 36028797018.963969s: must not be longer than 2^55 us (1142 years)";
    refuses(RetryConfig { max_backoff: LONGER, ..STANDARD }.policy(), words);
    let words = "initial_backoff is 1ns: must be a whole number of microseconds";
    refuses(RetryConfig { initial_backoff: Duration::from_nanos(1), ..STANDARD }.policy(), words);
}
