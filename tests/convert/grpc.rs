//! gRPC's retry policy, by gRFC A6.

use super::*;
use undaunted::convert::grpc::{RetryPolicy, StatusCode, StatusCodes};

/// The example of A6.
const A6: RetryPolicy = RetryPolicy {
    max_attempts: 4,
    initial_backoff: Duration::from_millis(100),
    max_backoff: Duration::from_secs(1),
    backoff_multiplier: 2.0,
    retryable_status_codes: StatusCodes::of(&[StatusCode::Unavailable]),
};

const A6_JSON: &str = r#"{"maxAttempts": 4, "initialBackoff": ".1s", "maxBackoff": "1s",
    "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]}"#;

fn read(json: &str) -> Result<RetryPolicy, String> {
    serde_json::from_str(json).map_err(|error| error.to_string())
}

/// The example with one part of its JSON replaced.
#[track_caller]
fn with(part: &str, other: &str) -> Result<RetryPolicy, String> {
    assert!(A6_JSON.contains(part));
    read(&A6_JSON.replace(part, other))
}

#[test]
fn the_example_of_a6() {
    assert_eq!(read(A6_JSON), Ok(A6));
    says(A6.policy(), "exponential 100ms x2 cap 1200ms jitter +-20% attempts 4");
    let five = RetryPolicy { max_attempts: 5, ..A6 }.policy().unwrap();
    // The share rounds down to a multiple of 2^-24, so the ends are up to 1 us further in.
    let ms = |end: Micros| (end.as_micros() + 1) / 1_000;
    let ranges = five.plan().map(|step| (ms(step.min), ms(step.max)));
    assert_eq!(ranges.collect::<Vec<_>>(), [(80, 120), (160, 240), (320, 480), (640, 960)]);
}

/// The jitter after their maximum is the jitter under our cap.
#[test]
fn at_the_maximum() {
    let low = RetryPolicy { max_attempts: 5, max_backoff: 300 * MS, ..A6 }.policy().unwrap();
    let last = low.plan().last().unwrap();
    assert!(
        last.min.as_micros().abs_diff(240_000) <= 1 && last.max.as_micros().abs_diff(360_000) <= 1,
        "{last:?}"
    );
    let flat = RetryPolicy { backoff_multiplier: 1.0, initial_backoff: S, ..A6 };
    says(flat.policy(), "constant 1s cap 1200ms jitter +-20% attempts 4");
}

#[test]
fn attempts() {
    for max_attempts in [5, 6, 9, u32::MAX] {
        let policy = RetryPolicy { max_attempts, ..A6 }.policy();
        says(policy, "exponential 100ms x2 cap 1200ms jitter +-20% attempts 5");
    }
    says(
        RetryPolicy { max_attempts: 2, ..A6 }.policy(),
        "exponential 100ms x2 cap 1200ms jitter +-20% attempts 2",
    );
    for max_attempts in [0, 1] {
        let words =
            format!("max_attempts is {max_attempts}: must be at least 2 (the first attempt is counted)");
        refuses(RetryPolicy { max_attempts, ..A6 }.policy(), &words);
    }
    // Nothing said is lost.
    assert_eq!(with("4", "9").unwrap().max_attempts, 9);
    for no in ["-1", "4.0", "4.5", "\"4\"", "null", "4294967296", "1e300"] {
        assert!(with("4", no).is_err(), "{no}");
    }
}

#[test]
fn multipliers() {
    for backoff_multiplier in NO_FACTORS.into_iter().chain([0.0, -0.0]) {
        let words = format!(
            "backoff_multiplier is {backoff_multiplier:?}: factor must be exactly 1 or from 1.01 to 255"
        );
        refuses(RetryPolicy { backoff_multiplier, ..A6 }.policy(), &words);
    }
    for (json, factor) in
        [(": 1.6", "1.6"), (": 2.0", "2"), (": 255", "255"), (": 1.01", "1.01"), (": 1.5e1", "15")]
    {
        let policy = with(": 2", json).unwrap().policy();
        says(policy, &format!("exponential 100ms x{factor} cap 1200ms jitter +-20% attempts 4"));
    }
    for no in [": \"2\"", ": null", ": NaN", ": 1e400"] {
        assert!(with(": 2", no).is_err(), "{no}");
    }
}

#[test]
fn lengths() {
    refuses(
        RetryPolicy { initial_backoff: Duration::ZERO, ..A6 }.policy(),
        "initial_backoff is 0ns: must not be zero",
    );
    refuses(
        RetryPolicy { max_backoff: Duration::ZERO, ..A6 }.policy(),
        "max_backoff is 0ns: must not be zero",
    );
    let words = "initial_backoff is 2s: must not be longer than max_backoff, which is 1s";
    refuses(RetryPolicy { initial_backoff: 2 * S, ..A6 }.policy(), words);
    let words = "initial_backoff is 1ns: must be a whole number of microseconds";
    refuses(RetryPolicy { initial_backoff: Duration::from_nanos(1), ..A6 }.policy(), words);
    for (max_backoff, seconds) in [(LONGER, "36028797018.963969s"), (LONGEST, "36028797018.963968s")] {
        let words = format!("max_backoff is {seconds}: must not be longer than 2^55 us (1142 years)");
        refuses(RetryPolicy { max_backoff, ..A6 }.policy(), &words);
    }
    let words = "max_backoff is 1µs: cap must leave at least 1 us below the jitter";
    refuses(RetryPolicy { initial_backoff: US, max_backoff: US, ..A6 }.policy(), words);
}

#[test]
fn lengths_in_json() {
    for (json, nanos) in [
        ("1s", 1_000_000_000),
        ("0s", 0),
        ("0.1s", 100_000_000),
        (".1s", 100_000_000),
        ("1.000340012s", 1_000_340_012),
        ("1.50s", 1_500_000_000),
        ("315576000000s", 315_576_000_000_000_000_000),
    ] {
        let read = with(".1s", json).unwrap().initial_backoff;
        assert_eq!(read.as_nanos(), nanos, "{json}");
    }
    for no in [
        "",
        "s",
        ".s",
        "1",
        "1.s",
        "-1s",
        "+1s",
        "1.+5s",
        "1.5",
        "1 s",
        " 1s",
        "1s ",
        "1ms",
        "1.0000000001s",
        "0x1s",
        "1e3s",
        "1.2.3s",
        "99999999999999999999s",
    ] {
        let error = with(".1s", no).unwrap_err();
        let words = format!(
            "invalid value: string \"{no}\", expected seconds such as \"0.1s\", with at most nine decimals"
        );
        assert!(error.starts_with(&words), "{error}");
    }
    for no in ["0.1", "null", "{\"seconds\": 1}"] {
        assert!(with("\".1s\"", no).is_err(), "{no}");
    }
}

#[test]
fn codes() {
    let codes =
        |json: &str| with("[\"UNAVAILABLE\"]", json).map(|policy| policy.retryable_status_codes.to_string());
    assert_eq!(
        codes("[\"unavailable\", 14, 10, \"Internal\"]").as_deref(),
        Ok("ABORTED, INTERNAL, UNAVAILABLE")
    );
    for no in [
        "[\"OK\"]",
        "[0]",
        "[17]",
        "[-1]",
        "[14.0]",
        "[\"UNAVAIL\"]",
        "[\"\"]",
        "[\"14\"]",
        "[null]",
        "[18446744073709551615]",
    ] {
        let error = codes(no).unwrap_err();
        assert!(
            error.contains("expected a status code of a failure, such as \"UNAVAILABLE\" or 14"),
            "{error}"
        );
    }
    for no in ["\"UNAVAILABLE\"", "14", "null", "{}"] {
        assert!(codes(no).unwrap_err().contains("expected an array of status codes"), "{no}");
    }
    let empty = with("[\"UNAVAILABLE\"]", "[]").unwrap();
    refuses(empty.policy(), "retryable_status_codes is empty: must name at least one code");
}

#[test]
fn every_code_has_its_name_and_number() {
    let all: Vec<_> = (1..=16).map(|number| StatusCode::numbered(number).unwrap()).collect();
    for (code, number) in all.iter().zip(1..) {
        assert_eq!(code.number(), number);
        assert_eq!(StatusCode::named(&code.to_string()), Some(*code));
        assert!(StatusCodes::of(&all).contains_number(number));
        assert_eq!(StatusCodes::of(&[*code]).iter().collect::<Vec<_>>(), [*code]);
    }
    assert_eq!(StatusCodes::of(&all).iter().collect::<Vec<_>>(), all);
    for number in [0, 17, -1, 33, 46, i32::MIN, i32::MAX] {
        assert_eq!(StatusCode::numbered(number), None);
        assert!(!StatusCodes::of(&all).contains_number(number));
    }
}

/// By the numbers in gRPC's list: what is in neither set will fail again, or was done.
#[test]
fn what_is_worth_another_attempt() {
    let numbers = |codes: StatusCodes| codes.iter().map(StatusCode::number).collect::<Vec<_>>();
    assert_eq!(numbers(StatusCodes::TRANSIENT), [8, 10, 14]);
    assert_eq!(numbers(StatusCodes::LOST), [1, 2, 4, 13]);
    let both = StatusCodes::TRANSIENT.or(StatusCodes::LOST);
    assert_eq!(numbers(both), [1, 2, 4, 8, 10, 13, 14]);
    assert_eq!((both, both), (StatusCodes::LOST.or(StatusCodes::TRANSIENT), both.or(StatusCodes::default())));
}

#[test]
fn fields() {
    let fields = "expected one of `maxAttempts`, `initialBackoff`, `maxBackoff`, `backoffMultiplier`, \
                  `retryableStatusCodes`";
    for unknown in ["perAttemptRecvTimeout", "MaxAttempts", "max_attempts"] {
        let error = with("\"maxAttempts\"", &format!("\"{unknown}\": 4, \"maxAttempts\"")).unwrap_err();
        assert!(error.starts_with(&format!("unknown field `{unknown}`, {fields} at line 1")), "{error}");
    }
    for field in ["maxAttempts", "initialBackoff", "maxBackoff", "backoffMultiplier", "retryableStatusCodes"]
    {
        let mut object: serde_json::Map<String, serde_json::Value> = serde_json::from_str(A6_JSON).unwrap();
        let value = object.remove(field).unwrap();
        let error = read(&serde_json::Value::Object(object).to_string()).unwrap_err();
        assert!(error.starts_with(&format!("missing field `{field}`")), "{error}");
        let error = read(&A6_JSON.replacen('{', &format!("{{\"{field}\": {value},"), 1)).unwrap_err();
        assert!(error.starts_with(&format!("duplicate field `{field}`")), "{error}");
    }
    for no in ["[4, \"1s\", \"1s\", 2, [14]]", "null", "4", ""] {
        assert!(read(no).is_err(), "{no}");
    }
    // An escape in a name and in a value: the reader lends no slice of the document.
    assert_eq!(with("maxAttempts", "max\\u0041ttempts"), Ok(A6));
    assert_eq!(with("UNAVAILABLE", "UNAVAIL\\u0041BLE"), Ok(A6));
    assert_eq!(with(".1s", "\\u002e1s"), Ok(A6));
}
