//! A cap that is passed, or a curve without one.

use crate::ask::{HIGH, LOW, MIDDLE, length, policy, range, refusal, wait, waits};

faults! {
    /// The minimum may be above the maximum, and the jitter ignores the maximum.
    #[seen("Xuanwo/backon#240")]
    #[law("2")]
    #[input("10 s under a cap of 1 s; then 1 s under a cap of 1 s with +100 %")]
    #[right("refused: the first delay must not be longer than the cap; 500ms to 1s")]
    fn the_minimum_is_above_the_maximum() -> String {
        for shape in ["constant 10s", "linear 10s +1s", "fibonacci 10s", "decorrelated 10s x3"] {
            assert_eq!(refusal(&format!("{shape} cap 1s")), refusal("exponential 10s cap 1s"), "{shape}");
        }
        assert_eq!(refusal("exponential 1s cap 10s floor 11s"), "floor must not be longer than the cap");
        let refused = refusal("exponential 10s cap 1s");
        format!("refused: {refused}; {}", range("exponential 1s x2 cap 1s jitter +100%", 1))
    }

    /// A Fibonacci curve passes the cap: it is compared one step too late. Ours is 1, 2, 3, 5, 8 times
    /// the first delay.
    #[seen("Xuanwo/backon#231", "backon 1.6 (run)")]
    #[law("2")]
    #[input("Fibonacci from 2 s under a cap of 30 s, 8 failures")]
    #[right("2s, 4s, 6s, 10s, 16s, 26s, 30s 2 times")]
    fn fibonacci_passes_the_cap() -> String {
        // Caps just below, at and above a number of the sequence.
        for (cap, sixth) in [(25, 25), (26, 26), (27, 26), (41, 26)] {
            let policy = policy(&format!("fibonacci 2s cap {cap}s jitter none attempts 9"));
            assert_eq!(wait(&policy, 6, LOW), sixth * 1_000_000, "cap {cap} s");
            assert_eq!(wait(&policy, 7, LOW), cap * 1_000_000, "cap {cap} s");
        }
        waits("fibonacci 2s cap 30s jitter none attempts unlimited", 8, LOW)
    }

    /// The randomization is applied after the maximum interval, and exceeds it.
    #[seen("cenkalti/backoff#117", "cenkalti/backoff#139")]
    #[law("2")]
    #[input("800 ms x1.5 under a cap of 1200 ms with +-50 %; failures 1, 2, 10")]
    #[no_peer("not a crate")]
    #[right("400ms to 1200ms each time")]
    fn the_randomization_exceeds_the_maximum() -> String {
        let text = "exponential 800ms x1.5 cap 1200ms jitter +-50% attempts unlimited";
        assert_eq!([2, 10].map(|n| range(text, n)), [range(text, 1), range(text, 1)]);
        format!("{} each time", range(text, 1))
    }

    /// Jitter is added on top of the maximum: almost twice as long.
    #[seen("backon 1.6 (run)")]
    #[law("2, 3")]
    #[input("1 s x2 under a cap of 10 s with jitter up to +100 %; failures 5 to 1000")]
    #[right("5s to 10s")]
    fn jitter_doubles_the_cap() -> String {
        let text = "exponential 1s x2 cap 10s jitter +100% attempts unlimited";
        for jitter in ["full", "equal", "none", "+-100%", "+50%", "+300%", "+25500%"] {
            let text = format!("exponential 1s x2 cap 10s jitter {jitter} attempts unlimited");
            let policy = policy(&text);
            let highest = (1..100).map(|n| wait(&policy, n, HIGH)).max();
            // The top of the range is the cap, less rounding: under 2 + p us.
            assert!(highest <= Some(10_000_000) && highest > Some(10_000_000 - 257), "{text}");
        }
        assert_eq!(range(text, 1_000), range(text, 5));
        range(text, 5)
    }

    /// Without a cap the 25th retry is months away.
    #[seen("EmbarkStudios/quilkin#731")]
    #[law("2")]
    #[input("500 ms x2, no cap said, without a limit; failure 25")]
    #[right("0s to 30s")]
    fn no_cap_reaches_months() -> String {
        for shape in ["linear 500ms +1h", "fibonacci 500ms", "decorrelated 500ms x255"] {
            let policy = policy(&format!("{shape} attempts unlimited"));
            assert!(wait(&policy, 25, HIGH) <= 30_000_000, "{shape}");
        }
        // The default never changes a number that was said.
        assert_eq!(range("constant 1m attempts unlimited", 25), "0s to 1m");
        range("exponential 500ms x2 attempts unlimited", 25)
    }

    /// With a base above the maximum the first window is not clamped.
    #[seen("FreeRTOS backoffAlgorithm 1.4 (run)")]
    #[law("2")]
    #[input("6 s under a cap of 5 s; then 5 s under a cap of 5 s, full jitter")]
    #[no_peer("not a crate")]
    #[right("refused: the first delay must not be longer than the cap; 0s to 5s")]
    fn the_first_window_is_not_clamped() -> String {
        let text = "exponential 5s x2 cap 5s jitter full attempts unlimited";
        assert_eq!(range(text, 2), range(text, 1));
        format!("refused: {}; {}", refusal("exponential 6s x2 cap 5s"), range(text, 1))
    }

    /// A thousand clients at the cap wait exactly the cap: jitter is clamped after it was drawn.
    #[seen("ferd/backoff#8", "TrueLayer/retry-policies#10")]
    #[law("3")]
    #[input("decorrelated from 1 s, x3, under a cap of 10 s, failure 20; lowest, middle and highest draw")]
    #[right("1s, 5500ms, 10s")]
    fn jitter_vanishes_at_the_cap() -> String {
        for jitter in ["full", "equal", "+-20%", "+20%"] {
            let policy = policy(&format!("exponential 1s x2 cap 10s jitter {jitter} attempts unlimited"));
            let [low, middle, high] = [LOW, MIDDLE, HIGH].map(|random| wait(&policy, 20, random));
            assert!(high > 9_999_997 && high - low > 1_600_000, "{policy}");
            assert!((low + high).abs_diff(2 * middle) <= 2, "{policy}: {low} {middle} {high}");
        }
        let policy = policy("decorrelated 1s x3 cap 10s attempts unlimited");
        [LOW, MIDDLE, HIGH].map(|random| length(wait(&policy, 20, random))).join(", ")
    }
}
