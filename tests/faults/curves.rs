//! Numbers that do not mean what they say.

use crate::ask::{LOW, policy, range, refusal, wait, waits};
use std::time::Duration;
use undaunted::{Policy, Rule};

faults! {
    /// The first retry waits twice the base, and the jitter passes the cap.
    #[seen("apache/iggy#4084")]
    #[law("2")]
    #[input("100 ms x2, first wait; under a cap of 1 s with +-20 %, failure 1 and far along")]
    #[no_peer("a loop inside an application or a client, not to be called alone")]
    #[right("100ms; 80001us to 119999us; 666667us to 999999us")]
    fn the_first_wait_is_twice_the_base() -> String {
        for shape in ["constant 100ms", "exponential 100ms x255", "fibonacci 100ms", "linear 100ms +9s"] {
            assert_eq!(wait(&policy(&format!("{shape} jitter none")), 1, LOW), 100_000, "{shape}");
        }
        // 20 % is 3355443 / 2^24 and rounds down: 19 999 us of 100 ms, 166 666 us of the highest curve.
        let text = "exponential 100ms x2 cap 1s jitter +-20% attempts unlimited";
        let first = waits("exponential 100ms x2 jitter none", 1, LOW);
        format!("{first}; {}; {}", range(text, 1), range(text, 40))
    }

    /// A factor of 100 is taken for the length, the base is ignored. Lengths are `Duration`s here and
    /// factors are not, so that they cannot be swapped; see `ui/cases/swapped_units.rs`.
    #[seen("redis-rs/redis-rs#1830")]
    #[law("15")]
    #[input("base 2 ms, factor 100, as said and swapped")]
    #[no_peer("not run here: the delays are private to a connection, which needs a server")]
    #[right("2ms, 200ms, 20s; refused at byte 12")]
    fn factor_and_base_are_swapped() -> String {
        let waits = waits("exponential 2ms x100 cap 1h jitter none", 3, LOW);
        let swapped = Policy::parse("exponential x100 2ms").expect_err("a length comes first");
        format!("{waits}; refused at byte {}", swapped.at)
    }

    /// A factor that is no number, negative, infinite or zero gives the longest delay, or none for ever.
    #[seen("backon 1.6 (run)")]
    #[law("4")]
    #[input("factors NaN, -1, inf, 0 as text; 0/1, 1/0, 1/2 as numbers")]
    #[right("refused: NaN, -1, inf, 0, 0/1, 1/0, 1/2")]
    fn the_factor_is_not_a_number() -> String {
        let said = ["NaN", "-1", "inf", "0"];
        let mut refused: Vec<String> = said
            .into_iter()
            .filter(|factor| Policy::parse(&format!("exponential 1s x{factor}")).is_err())
            .map(String::from)
            .collect();
        for (numerator, denominator) in [(0, 1), (1, 0), (1, 2)] {
            let draft = Policy::draft().exponential(Duration::from_secs(1)).factor(numerator, denominator);
            assert_eq!(draft.build().unwrap_err().rule, Rule::FactorRange);
            refused.push(format!("{numerator}/{denominator}"));
        }
        format!("refused: {}", refused.join(", "))
    }

    /// The base is also the factor: one second, a thousand seconds, eleven days.
    #[seen("tokio-retry 0.3 (run)")]
    #[law("2")]
    #[input("exponential from 1000 ms, three waits")]
    #[right("1s, 2s, 4s")]
    fn the_base_is_the_factor() -> String {
        waits("exponential 1000ms cap 1d jitter none", 3, LOW)
    }

    /// A base below a millisecond is rounded to zero: no delay for ever.
    #[seen("retry 2.2 (run)")]
    #[law("4")]
    #[input("exponential from 500 us, three waits; constant 1 ns, one wait")]
    #[right("500us, 1ms, 2ms; 1us")]
    fn a_base_below_a_millisecond_is_zero() -> String {
        // Setters round up, so that only zero becomes zero.
        let least = Policy::constant(Duration::from_nanos(1)).no_jitter();
        assert_eq!(wait(&least, 1, LOW), 1);
        let waits = waits("exponential 500us jitter none", 3, LOW);
        format!("{waits}; {}us", wait(&least, 1, LOW))
    }

    /// With a minimum of zero the constructor adds up zeros and never returns.
    #[seen("retry-policies 0.5 (run)")]
    #[law("4")]
    #[input("a first delay of 0")]
    #[right("refused: the first delay must be at least 1 us (only `immediate` has none)")]
    fn a_minimum_of_zero_never_returns() -> String {
        for shape in ["constant 0s", "decorrelated 0s", "fibonacci 0s", "linear 0s +1s"] {
            assert_eq!(refusal(shape), refusal("exponential 0s"), "{shape}");
        }
        assert_eq!(refusal("linear 1s +0s"), "the step of linear must be at least 1 us");
        assert_eq!(refusal("immediate attempts unlimited"), Rule::HotLoop.text());
        format!("refused: {}", refusal("exponential 0s"))
    }

    /// When the steps run out the delay is zero.
    #[seen("reliakit-retry 1.1 (run)")]
    #[law("4")]
    #[input("8 attempts, two steps: 100 ms, 200 ms")]
    #[right("100ms, 200ms 6 times, no attempts left")]
    fn steps_run_out_to_zero() -> String {
        const STEPS: [undaunted::Micros; 2] =
            [undaunted::Micros::from_millis(100), undaunted::Micros::from_millis(200)];
        const POLICY: Policy = Policy::schedule(&STEPS).no_jitter().attempts(8);
        crate::ask::spoken(&crate::ask::verdicts(&POLICY, crate::ask::failures(8), LOW))
    }
}
