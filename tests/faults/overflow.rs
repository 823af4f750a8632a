//! Arithmetic that wraps, panics or turns into no sleep at all. The verb runs all of it twice, with
//! and without overflow checks.

use crate::ask::{
    HIGH, LOW, failures, length, micros, policy, range, refusal, spoken, verdicts, wait, waits,
};
use std::time::Duration;
use undaunted::{Micros, Policy, Verdict};

/// 2^55 us: where the lengths of a curve end.
const LONGEST: u64 = 36_028_797_018_963_968;

faults! {
    /// The exponential accumulator overflows behind the cap, where nobody sees it, and panics at the
    /// 64th try.
    #[seen("EmbarkStudios/tryhard#24")]
    #[law("2, 4")]
    #[input("1 s x2 under a cap of 10 ms; then 10 ms under a cap of 10 ms, 100 retries")]
    #[right("refused: the first delay must not be longer than the cap; 10ms 100 times, no attempts left")]
    fn the_accumulator_overflows_behind_the_cap() -> String {
        for factor in ["1.01", "1.5", "2", "255"] {
            let policy =
                policy(&format!("exponential 1us x{factor} cap 10ms jitter none attempts unlimited"));
            let waits: Vec<u64> = verdicts(&policy, failures(5_000), LOW).into_iter().map(micros).collect();
            // A factor of 1.01 grows by 1 us at first: the cap is reached within 1 000 steps, and kept.
            assert!(waits.is_sorted() && waits[1_000..].iter().all(|&wait| wait == 10_000), "x{factor}");
        }
        let refused = refusal("exponential 1s x2 cap 10ms");
        format!(
            "refused: {refused}; {}",
            waits("exponential 10ms x2 cap 10ms jitter none attempts 101", 101, LOW)
        )
    }

    /// A multiplication overflows and panics after many retries.
    #[seen("djc/tokio-retry#1")]
    #[law("2")]
    #[input("10 ms x10 under a cap of 1 h, without a limit, 10 000 failures")]
    #[right("10ms, 100ms, 1s, 10s, 100s, 1000s, 1h 9994 times")]
    fn a_multiplication_overflows_without_a_limit() -> String {
        // The kind: every shape that grows, under the longest cap there is.
        let shapes = [
            Policy::draft().exponential(Duration::from_micros(1)).factor(255, 1),
            Policy::draft().exponential(Duration::MAX),
            Policy::draft().fibonacci(Duration::from_secs(1)),
            Policy::draft().linear(Duration::from_secs(1), Duration::MAX),
        ];
        for shape in shapes {
            let policy = shape.cap(Duration::MAX).no_jitter().unlimited_attempts().build().unwrap();
            assert_eq!(wait(&policy, 10_000, LOW), LONGEST, "{policy}");
        }
        let decorrelated = Policy::draft().decorrelated(Duration::from_secs(1)).factor(255, 1);
        let policy = decorrelated.cap(Duration::MAX).unlimited_attempts().build().unwrap();
        assert!((LONGEST / 2..=LONGEST).contains(&wait(&policy, 10_000, HIGH)));
        waits("exponential 10ms x10 cap 1h jitter none attempts unlimited", 10_000, LOW)
    }

    /// 2^32 overflows, also with a base of zero and of the longest length.
    #[seen("yoshuawuyts/exponential-backoff#12")]
    #[law("2, 4")]
    #[input("33 attempts from a base of 0, of 0 said as `immediate`, of the longest length")]
    #[right("refused: the first delay must be at least 1 us (only `immediate` has none); 0s 32 times, no attempts left; 36028797018963968us 32 times, no attempts left")]
    fn the_power_of_two_overflows_with_a_base_of_zero_or_the_longest() -> String {
        let longest = Policy::draft().exponential(Duration::MAX).no_jitter().attempts(33).build().unwrap();
        let longest = spoken(&verdicts(&longest, failures(33), LOW));
        let zero = waits("immediate attempts 33 jitter none", 33, LOW);
        format!("refused: {}; {zero}; {longest}", refusal("exponential 0s attempts 33"))
    }

    /// The release build wraps to zero at the 32nd attempt, and the loop spins.
    #[seen("theelderbeever/mulligan#31")]
    #[law("2, 4")]
    #[input("1 s x2 under a cap of 1 min, without a limit, 65 failures")]
    #[right("1s, 2s, 4s, 8s, 16s, 32s, 1m 59 times")]
    fn a_release_build_wraps_to_zero() -> String {
        waits("exponential 1s x2 cap 1m jitter none attempts unlimited", 65, LOW)
    }

    /// A power or a shift overflows when the retries are unlimited.
    #[seen("GoPlasmatic/Orion#179", "infinitefield/hypersdk#65", "mofa-org/mofa#1188")]
    #[law("2")]
    #[input("1 us x2 under the longest cap; failures 55, 56, 57, 58, 64, 65")]
    #[no_peer("loops inside applications or clients, not to be called alone")]
    #[right("18014398509481984us, 36028797018963968us 5 times")]
    fn a_shift_overflows_with_unlimited_retries() -> String {
        let policy = Policy::draft().exponential(Duration::from_micros(1)).cap(Duration::MAX);
        let policy = policy.no_jitter().unlimited_attempts().build().unwrap();
        spoken(&[55, 56, 57, 58, 64, 65].map(|n| wait_of(wait(&policy, n, LOW))))
    }

    /// The delay overflows before the cap is applied, is negative, and nothing sleeps.
    #[seen("dragonflyoss/dragonfly#4852")]
    #[law("2, 4")]
    #[input("30 ms x2 under a cap of 1 min, 40 failures")]
    #[no_peer("not a crate")]
    #[right("30ms, 60ms, 120ms, 240ms, 480ms, 960ms, 1920ms, 3840ms, 7680ms, 15360ms, 30720ms, 1m 29 times")]
    fn an_overflow_before_the_cap_is_no_sleep() -> String {
        waits("exponential 30ms x2 cap 1m jitter none attempts unlimited", 40, LOW)
    }

    /// Delay and jitter are added in a signed integer, which overflows: no delay at the 29th attempt.
    /// The jitter is added after the cap there; here the cap holds, so the range ends at it.
    #[seen("Azure SDK for Embedded C (run)")]
    #[law("2, 3")]
    #[input("1 s x2 under a cap of 100 s, without jitter and with +5 %; failures 28 to 33")]
    #[no_peer("not a crate")]
    #[right("100s 6 times; 95238094us to 99999999us")]
    fn a_sum_overflows_to_no_delay() -> String {
        let plain = policy("exponential 1s x2 cap 100s jitter none attempts unlimited");
        let text = "exponential 1s x2 cap 100s jitter +5% attempts unlimited";
        for n in 28..=33 {
            assert_eq!(range(text, n), range(text, 28), "failure {n}");
        }
        let late: Vec<_> = (28..=33).map(|n| wait_of(wait(&plain, n, LOW))).collect();
        // c = 100 s / (1 + 838861 / 2^24), rounded down, and as much of it above.
        assert_eq!(length(95_238_094 + 4_761_905), "99999999us");
        format!("{}; {}", spoken(&late), range(text, 29))
    }
}

const fn wait_of(micros: u64) -> Verdict {
    Verdict::RetryAfter(Micros::new(micros))
}
