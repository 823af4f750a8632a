//! A server's Retry-After that is ignored, clamped, or obeyed too well. Reading the header's text is
//! for the HTTP bridge; here a hint is a length, so that it cannot be negative or no number.

use crate::ask::{HIGH, LOW, START, life, policy, refusal, spoken, verdicts};
use std::iter::repeat_n;
use std::time::Duration;
use undaunted::{Event, Instant, Micros, Outcome, Retry, Verdict, asynch, blocking};
use undaunted_tests::simulated::Happened::Slept;
use undaunted_tests::simulated::{World, block_on};

faults! {
    /// The hint is clamped down to the cap, and the client is back too early. A hint may exceed the cap;
    /// it has a ceiling of its own.
    #[seen("macanderson/stella#399")]
    #[law("5")]
    #[input("1 s under a cap of 8 s, hint 30 s; the same under a hint ceiling of 30 s and of 29 s")]
    #[no_peer("a loop inside an application or a client, not to be called alone")]
    #[right("30s; 30s; asked to wait longer than the hint ceiling")]
    fn the_hint_is_clamped_to_the_cap() -> String {
        // With jitter the range keeps its width above the hint: 30 to 31 s.
        let jittered = policy("constant 1s cap 8s jitter full");
        assert_eq!(spoken(&verdicts(&jittered, hint(Micros::from_secs(30), 1), HIGH)), "31s");
        let plain = "constant 1s cap 8s jitter none";
        let ceilings =
            ["", " hint_ceiling 30s", " hint_ceiling 29s"].map(|ceiling| format!("{plain}{ceiling}"));
        ceilings.map(|text| spoken(&verdicts(&policy(&text), hint(Micros::from_secs(30), 1), LOW))).join("; ")
    }

    /// A hint of zero, or of a date that has passed, is obeyed at once: 25 216 requests in 2 s.
    #[seen("kubescape/kubevuln#754")]
    #[law("4, 5")]
    #[input("100 ms x2, without a limit, a hint of 0 on every failure, during 2 s")]
    #[no_peer("a loop inside an application or a client, not to be called alone")]
    #[right("5 calls; 100ms, 200ms, 400ms, 800ms, 1600ms")]
    fn a_hint_of_zero_is_a_hot_loop() -> String {
        let policy = policy("exponential 100ms x2 jitter none attempts unlimited");
        let (mut retry, mut now, mut waits) = (Retry::start(&policy, START), START, Vec::new());
        while now.since(START) < Micros::from_secs(2) {
            let verdict = retry.next(&policy, Outcome::Throttle { retry_after: Micros::ZERO }, now, LOW);
            if let Verdict::RetryAfter(wait) = verdict {
                now = now + wait;
            }
            waits.push(verdict);
            assert!(waits.len() < 1_001, "it does not end");
        }
        format!("{} calls; {}", waits.len(), spoken(&waits))
    }

    /// A hint that is past or unreadable neither waits nor counts: the budget never ends.
    #[seen("superglue-ai/superglue#699")]
    #[law("1, 5")]
    #[input("100 ms x2, 5 attempts; hints unreadable, 0, none, 50 ms, unreadable")]
    #[no_peer("not a crate")]
    #[right("100ms, 200ms, 400ms, 800ms, no attempts left")]
    fn a_garbage_hint_never_counts() -> String {
        let hints = [None, Some(Micros::ZERO), None, Some(Micros::from_millis(50)), None];
        let outcomes = hints.into_iter().enumerate().map(|(i, hint)| match i {
            2 => Outcome::Fail,
            _ => Outcome::throttle(hint),
        });
        let policy = policy("exponential 100ms x2 jitter none attempts 5");
        spoken(&verdicts(&policy, outcomes, LOW))
    }

    /// A huge hint panics in the conversion.
    #[seen("tobert/kaibo#171")]
    #[law("5, 7")]
    #[input("hints of 2^64 - 1 s and of the longest `Duration`; the same without a ceiling; without a ceiling and within 1 h")]
    #[no_peer("a loop inside an application or a client, not to be called alone")]
    #[right("asked to wait longer than the hint ceiling; 18446744073709551615us; no time left")]
    fn a_huge_hint_panics() -> String {
        let huge = [Micros::from_secs(u64::MAX), Micros::from_duration(Duration::MAX)];
        let answers =
            ["", " hint_ceiling 18446744073709551615us", " hint_ceiling 18446744073709551615us within 1h"]
                .map(|limit| {
                    let policy = policy(&format!("constant 1s jitter full{limit}"));
                    let [secs, longest] = huge.map(|huge| spoken(&verdicts(&policy, hint(huge, 1), HIGH)));
                    assert_eq!(secs, longest);
                    secs
                });
        answers.join("; ")
    }

    /// The hint is ignored, and all attempts are burnt within seconds.
    #[seen("brightwave-inc/tidebreak#1086", "TrueLayer/reqwest-middleware#146", "reqwest-retry 0.9 (run)")]
    #[law("5")]
    #[input("1 s, 5 attempts, every answer 429 with a hint of 60 s; every answer 503 with a hint of 5 s")]
    #[right("calls at 0s, 1m, 2m, 3m, 4m; gave up at 4m: no attempts left | calls at 0s, 5s, 10s, 15s, 20s; gave up at 20s: no attempts left")]
    fn the_hint_is_ignored() -> String {
        let policy = policy("constant 1s jitter none attempts 5");
        let under =
            |seconds| life(&policy, Micros::ZERO, &[Outcome::throttle(Some(Micros::from_secs(seconds)))]);
        format!("{} | {}", under(60), under(5))
    }

    /// The hint does not override the strategy, though the hook is told that it does.
    #[seen("naomijub/tokio-retry#9", "tokio-retry2 0.9 (run)")]
    #[law("5, 9")]
    #[input("strategy 100 ms, one failure with a hint of 60 s")]
    #[right("told 1m, slept 1m, elapsed 1m")]
    fn the_hint_does_not_override_the_strategy() -> String {
        let policy = policy("constant 100ms jitter none attempts 3");
        let classify = |result: &Result<(), u64>| match result {
            Ok(()) => Outcome::Succeed,
            Err(seconds) => Outcome::throttle(Some(Micros::from_secs(*seconds))),
        };
        let answer = |world: World, told: Vec<Verdict>| {
            let slept = world.journal().into_iter().find_map(|happened| match happened {
                Slept(length, _) => Some(Micros::new(length)),
                _ => None,
            });
            let [Verdict::RetryAfter(told), Verdict::Done] = told[..] else { panic!("{told:?}") };
            format!("told {told}, slept {}, elapsed {}", slept.unwrap(), Micros::new(world.now()))
        };
        let (world, mut told, mut results) = (World::default(), Vec::new(), [Err(60), Ok(())].into_iter());
        let retry = blocking::retry(world.clone(), &policy, || results.next().unwrap());
        retry.classify(classify).on_event(|event: &Event<'_, u64>| told.push(event.verdict)).run().unwrap();
        let blocking = answer(world, told);

        let (world, mut told, mut results) = (World::default(), Vec::new(), [Err(60), Ok(())].into_iter());
        let retry = asynch::retry(world.clone(), &policy, || std::future::ready(results.next().unwrap()));
        let retry = retry.classify(classify).on_event(|event: &Event<'_, u64>| told.push(event.verdict));
        block_on(retry).unwrap();
        assert_eq!(answer(world, told), blocking);
        blocking
    }

    /// Failures with a hint do not count: 1001 calls under a limit of 3 retries.
    #[seen("backon 1.6 (run)")]
    #[law("1, 5")]
    #[input("3 retries, a hint of 1 s on every failure; at most 1001 calls")]
    #[right("calls at 0s, 1s, 2s, 3s; gave up at 3s: no attempts left")]
    fn failures_with_a_hint_do_not_count() -> String {
        let policy = undaunted::Policy::constant(Duration::from_millis(1)).no_jitter().retries(3);
        life(&policy, Micros::ZERO, &[Outcome::throttle(Some(Micros::from_secs(1)))])
    }

    /// A hint of zero escapes the limit in time: 501 calls within no time at all. Nothing at all is no
    /// limit here, so it is refused; the least there is allows one call.
    #[seen("backoff 0.4 (run)")]
    #[law("5, 6")]
    #[input("within 0, and within 1 us; a hint of 0 on every failure; at most 501 calls")]
    #[right("refused: within must be at least 1 us; calls at 0s; gave up at 0s: no time left")]
    fn a_hint_of_zero_escapes_the_limits() -> String {
        let policy = policy("constant 500ms jitter none attempts unlimited within 1us");
        let life = life(&policy, Micros::ZERO, &[Outcome::Throttle { retry_after: Micros::ZERO }]);
        // Not even at the end of the clock, where the deadline saturates.
        let mut retry = Retry::start(&policy, Instant::MAX);
        let late = retry.next(&policy, Outcome::throttle(None), Instant::MAX, LOW);
        assert_eq!(spoken(&[late]), "no time left");
        format!("refused: {}; {life}", refusal("constant 500ms within 0s"))
    }
}

fn hint(retry_after: Micros, n: usize) -> impl Iterator<Item = Outcome> {
    repeat_n(Outcome::Throttle { retry_after }, n)
}
