//! FreeRTOS backoffAlgorithm.

use super::*;
use undaunted::convert::freertos::BackoffAlgorithm;

const DEMO: BackoffAlgorithm = BackoffAlgorithm { back_off_base: 500, max_back_off: 5_000, max_attempts: 5 };
const FOREVER: BackoffAlgorithm = BackoffAlgorithm { max_attempts: BackoffAlgorithm::RETRY_FOREVER, ..DEMO };

#[test]
fn the_demo_of_the_sdk() {
    says(DEMO.policy(), "exponential 500ms x2 cap 5s jitter full attempts 6");
    assert_eq!(DEMO.policy().unwrap(), undaunted::presets::aws::IOT_CSDK);
    assert_eq!(totals(&DEMO.policy().unwrap()), (Micros::ZERO, Micros::from_millis(12_500)));
}

#[test]
fn windows() {
    let windows = |base, max| {
        let policy = BackoffAlgorithm { back_off_base: base, max_back_off: max, ..FOREVER }.policy().unwrap();
        policy.plan().take(6).map(|step| step.max.as_micros() / 1_000).collect::<Vec<_>>()
    };
    assert_eq!(windows(500, 5_000), [500, 1_000, 2_000, 4_000, 5_000, 5_000]);
    assert_eq!(windows(4_999, 10_000), [4_999, 9_998, 10_000, 10_000, 10_000, 10_000]);
    // There 3, 7, 7: the difference that is written down.
    assert_eq!(windows(3, 7), [3, 6, 7, 7, 7, 7]);
    assert_eq!(windows(u16::MAX, u16::MAX), [65_535; 6]);
}

#[test]
fn retries_are_not_attempts() {
    let retries = |max_attempts| BackoffAlgorithm { max_attempts, ..DEMO }.policy();
    says(retries(0), "exponential 500ms x2 cap 5s jitter full attempts 1");
    says(retries(1), "exponential 500ms x2 cap 5s jitter full attempts 2");
    says(retries(u32::MAX - 1), "exponential 500ms x2 cap 5s jitter full attempts 4294967295");
    says(retries(u32::MAX), "exponential 500ms x2 cap 5s jitter full attempts unlimited");
}

#[test]
fn bases() {
    let words = "back_off_base is 65.535s: must not be longer than max_back_off, which is 1s";
    refuses(BackoffAlgorithm { back_off_base: u16::MAX, max_back_off: 1_000, ..FOREVER }.policy(), words);
    let words = "back_off_base is 1ms: must not be longer than max_back_off, which is 0ns";
    refuses(BackoffAlgorithm { back_off_base: 1, max_back_off: 0, ..DEMO }.policy(), words);
    for max_back_off in [0, 5_000] {
        let none = BackoffAlgorithm { back_off_base: 0, max_back_off, ..DEMO };
        says(none.policy(), "immediate cap 30s jitter none attempts 6");
        refuses(
            BackoffAlgorithm { max_attempts: u32::MAX, ..none }.policy(),
            "back_off_base is 0ns: immediate with unlimited attempts needs a floor (else it is a hot loop)",
        );
    }
    says(
        BackoffAlgorithm { back_off_base: 1, max_back_off: 1, ..DEMO }.policy(),
        "exponential 1ms x2 cap 1ms jitter full attempts 6",
    );
}
