//! Jitter that is not there, one-sided, or in the way.

use crate::ask::{HIGH, LOW, MIDDLE, even, length, policy, range, refusal, wait};
use undaunted::Rng;

faults! {
    /// After a change the jitter is silently not applied.
    #[seen("yoshuawuyts/exponential-backoff#36")]
    #[law("3")]
    #[input("1 s with +-30 %, 1000 draws of the generator of seed 1")]
    #[right("1000 different waits within 700ms to 1300ms; chi-square over ten parts 6.56")]
    fn jitter_is_silently_not_applied() -> String {
        let (policy, mut rng) = (policy("constant 1s jitter +-30%"), Rng::seeded(1));
        let mut waits: Vec<u64> = (0..1_000).map(|_| wait(&policy, 1, rng.draw())).collect();
        waits.sort_unstable();
        assert!(700_000 <= waits[0] && waits[999] <= 1_300_000);
        let part = |k: u64| waits.iter().filter(|&&wait| (wait - 700_000) * 10 / 600_001 == k).count();
        // Each of ten parts expects 100; above 27.9 fewer than one good generator in 1 000 would be.
        let chi_square: usize = (0..10).map(|k| part(k).abs_diff(100).pow(2)).sum();
        waits.dedup();
        format!(
            "{} different waits within {}; chi-square over ten parts {}.{:02}",
            waits.len(),
            range("constant 1s jitter +-30%", 1),
            chi_square / 100,
            chi_square % 100,
        )
    }

    /// A jitter of zero is an empty range, and panics. No jitter has a name of its own here.
    #[seen("NLnetLabs/krill#859")]
    #[law("3")]
    #[input("1 s with +-0 %, with +0 %, with no jitter")]
    #[no_peer("a loop inside an application or a client, not to be called alone")]
    #[right("refused: proportional jitter must be above 0 and at most 1 times the delay; refused: additive jitter must be above 0 and at most 255 times the delay; 1s to 1s")]
    fn a_jitter_of_zero_panics() -> String {
        // A share that rounds to none is none.
        assert_eq!(refusal("constant 1s jitter +0.000001%"), refusal("constant 1s jitter +0%"));
        let [proportional, additive] = ["+-0%", "+0%"].map(|p| refusal(&format!("constant 1s jitter {p}")));
        let none = range("constant 1s jitter none", 1);
        format!("refused: {proportional}; refused: {additive}; {none}")
    }

    /// A range that reads as 0 to 100 % is 0 ns for ever: a hot loop that nobody wrote. Full jitter may
    /// draw a zero (law 4 allows it), but its mean is half of the delay.
    #[seen("tokio-retry2 0.9 (run)")]
    #[law("4")]
    #[input("100 ms with jitter from 0 to 100 %; lowest, middle and highest draw; mean of 1000 even draws")]
    #[right("0s, 50ms, 100ms; 49950us")]
    fn a_range_of_jitter_is_a_silent_hot_loop() -> String {
        let policy = policy("constant 100ms jitter full");
        let draws = [LOW, MIDDLE, HIGH].map(|random| length(wait(&policy, 1, random))).join(", ");
        // The draws are 100.001 us apart: 0, 100, 200, ... 99900.
        format!("{draws}; {}", length(even(&policy, 1_000).iter().sum::<u64>() / 1_000))
    }

    /// Half of the delays are the minimum and none lies just above the base: draws are clamped, and the
    /// upper side is halved.
    #[seen("exponential-backoff 2.1 (run)")]
    #[law("3")]
    #[input("2 s with +-30 %, 1000 even draws, counted in tenths of 1.4 s to 2.6 s")]
    #[right("100 100 100 100 100 100 100 100 100 100")]
    fn jitter_is_one_sided() -> String {
        let waits = even(&policy("constant 2s jitter +-30%"), 1_000);
        let tenth = |k: u64| waits.iter().filter(|&&wait| (wait - 1_400_000) / 120_000 == k).count();
        (0..10).map(|k| tenth(k).to_string()).collect::<Vec<_>>().join(" ")
    }

    /// A jitter below one percent panics at the first delay.
    #[seen("exponential-backoff 2.1 (run)")]
    #[law("3")]
    #[input("1 s with +-0.5 %")]
    #[right("995001us to 1004999us")]
    fn a_small_jitter_panics() -> String {
        // The smallest share there is, 2^-24, is less than a microsecond of a second.
        assert_eq!(range("constant 1s jitter +-0.000006%", 1), "1s to 1s");
        assert_eq!(range("constant 1m jitter +-0.000006%", 1), "59999997us to 60000003us");
        // 0.5 % is 83886 / 2^24, so px = 4999.99 us rounded down.
        range("constant 1s jitter +-0.5%", 1)
    }

    /// 97 % of the clients wait exactly the longest delay: the draw is clamped to it.
    #[seen("aws-c-mqtt MQTT5 (run)")]
    #[law("3")]
    #[input("full jitter, 1 s x2 under a cap of 120 s, 13th reconnect, without and with a floor of 1 s; how many of 10 000 even draws are the cap")]
    #[no_peer("not a crate")]
    #[right("0s to 2m, 1s to 2m; 0")]
    fn clients_wait_exactly_the_cap() -> String {
        let text = "exponential 1s x2 cap 2m jitter full attempts unlimited";
        let floored = format!("{text} floor 1s");
        for text in [text, &floored] {
            let policy = policy(text);
            let quarters = [0, 1 << 30, 1 << 31, 3 << 30].map(|random| wait(&policy, 13, random));
            let step = quarters[1] - quarters[0];
            assert!(quarters.windows(2).all(|pair| (pair[1] - pair[0]).abs_diff(step) <= 1), "{text}");
        }
        let at_cap = even(&policy("constant 2m jitter full"), 10_000)
            .iter()
            .filter(|&&wait| wait == 120_000_000)
            .count();
        format!("{}, {}; {at_cap}", range(text, 13), range(&floored, 13))
    }
}
