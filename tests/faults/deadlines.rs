//! Limits in time that do not hold, and clocks that misbehave.

use crate::ask::{LOW, START, life, policy, spoken};
use undaunted::{Instant, Micros, Outcome, Policy, Reason, Retry, Rng, Verdict};

const HOUR: Micros = Micros::from_secs(3_600);

faults! {
    /// Attempts begin after the longest time is over. A wait that would end at the very deadline is not
    /// begun either: nothing would be left for its attempt.
    #[seen("ihrwein/backoff#42")]
    #[law("6")]
    #[input("every 5 s within 15 s, always failing at once; the same when every attempt works for 1 s")]
    #[right("calls at 0s, 5s, 10s; gave up at 10s: no time left | calls at 0s, 6s, 12s; gave up at 13s: no time left")]
    fn attempts_begin_after_the_longest_time() -> String {
        let policy = policy("constant 5s jitter none attempts unlimited within 15s");
        [0, 1].map(|work| life(&policy, Micros::from_secs(work), &[Outcome::Fail])).join(" | ")
    }

    /// It sleeps past the overall timeout. Nothing is truncated (law 6): a wait that is too long is not
    /// begun.
    #[seen("googleapis/google-cloud-rust#2307")]
    #[law("6")]
    #[input("10 s within 10 s, the attempt works for 9 s and fails: 1 s is left")]
    #[no_peer("not run here: its loop is private to a client, which needs a server")]
    #[right("calls at 0s; gave up at 9s: no time left")]
    fn it_sleeps_past_the_timeout() -> String {
        life(&policy("constant 10s jitter none within 10s"), Micros::from_secs(9), &[Outcome::Fail])
    }

    /// A hint sleeps past the limit in time.
    #[seen("backon 1.6 (run)")]
    #[law("5, 6")]
    #[input("within 5 s, hint 3600 s on every failure; the same under a hint ceiling of 1 h")]
    #[right("calls at 0s; gave up at 0s: asked to wait longer than the hint ceiling | calls at 0s; gave up at 0s: no time left")]
    fn a_hint_sleeps_past_the_limit() -> String {
        let lives = ["", " hint_ceiling 1h"].map(|ceiling| {
            let policy = policy(&format!("constant 1s jitter none attempts 4 within 5s{ceiling}"));
            life(&policy, Micros::ZERO, &[Outcome::throttle(Some(HOUR))])
        });
        lives.join(" | ")
    }

    /// The time that the operation takes does not count.
    #[seen("backon 1.6 (run)")]
    #[law("6")]
    #[input("3 retries 1 s apart within 5 s, the operation takes 100 s and fails")]
    #[right("calls at 0s; gave up at 100s: no time left")]
    fn work_does_not_count() -> String {
        let policy = policy("constant 1s jitter none attempts 4 within 5s");
        // A success that arrives late is a success.
        assert_eq!(
            life(&policy, Micros::from_secs(100), &[Outcome::Succeed]),
            "calls at 0s; success at 100s"
        );
        life(&policy, Micros::from_secs(100), &[Outcome::Fail])
    }

    /// After the end there are delays again: 51 of 100 seeds go on when asked once more.
    #[seen("backon 1.6 (run)")]
    #[law("8")]
    #[input("up to +100 % on 1 s within 1.5 s, for the seeds 0 to 99, twenty failures each")]
    #[right("0 of 100 go on after the end")]
    fn delays_come_back_after_the_end() -> String {
        let policy = policy("constant 1s jitter +100% cap 2s attempts unlimited within 1500ms");
        let goes_on = (0..100).filter(|&seed| {
            let (mut rng, mut retry, mut now) = (Rng::seeded(seed), Retry::start(&policy, START), START);
            let verdicts: Vec<_> = (0..20)
                .map(|_| {
                    let verdict = retry.next(&policy, Outcome::Fail, now, rng.draw());
                    if let Verdict::RetryAfter(wait) = verdict {
                        now = now + wait;
                    }
                    verdict
                })
                .collect();
            // Two waits are 2 s at least: the second or the first is the end.
            let end = verdicts.iter().position(|verdict| *verdict == Verdict::GiveUp(Reason::Deadline));
            assert!(end.is_some_and(|end| end <= 1), "seed {seed}: {verdicts:?}");
            verdicts[end.unwrap_or(0)..].iter().any(|verdict| *verdict != Verdict::GiveUp(Reason::Deadline))
        });
        format!("{} of 100 go on after the end", goes_on.count())
    }

    /// With 9 of 10 s gone the next retry is in half an hour.
    #[seen("retry-policies 0.5 (run)")]
    #[law("6")]
    #[input("30 min within 10 s, a failure after 9 s")]
    #[right("no time left")]
    fn the_wait_is_longer_than_the_time_left() -> String {
        let policy = policy("constant 30m jitter none within 10s");
        let mut retry = Retry::start(&policy, START);
        spoken(&[retry.next(&policy, Outcome::Fail, START + Micros::from_secs(9), LOW)])
    }

    /// A step of the wall clock breaks the budget, or resets the backoff. No step makes the time left
    /// longer than `within`, and the curve does not look at the clock.
    #[seen("CrossPaste/crosspaste-desktop#4547", "oxidezap/whatsapp-rust#1376")]
    #[law("7")]
    #[input("1 s x2, the clock at its start, 1 h before, 12 h after, at both its ends; the same within 10 s, 1 h before, then 12 h after")]
    #[no_peer("loops inside applications or clients, not to be called alone")]
    #[right("1s, 2s, 4s, 8s, 16s; 10s left, 1s, no time left")]
    fn clock_steps_break_the_budget() -> String {
        let before = Instant::from_micros(START.as_micros() - HOUR.as_micros());
        let after = START + HOUR.saturating_mul(12);
        let free = policy("exponential 1s x2 jitter none attempts unlimited");
        let mut retry = Retry::start(&free, START);
        let steps = [START, before, after, Instant::from_micros(0), Instant::MAX];
        let curve = steps.map(|now| retry.next(&free, Outcome::Fail, now, LOW));

        let limited = policy("exponential 1s x2 jitter none attempts unlimited within 10s");
        let mut retry = Retry::start(&limited, START);
        let left = retry.time_left(&limited, before);
        let verdicts = [before, after].map(|now| retry.next(&limited, Outcome::Fail, now, LOW));
        format!("{}; {left} left, {}", spoken(&curve), spoken(&verdicts))
    }

    /// The clock panics where there is none, as in a web worker. The core reads no clock: a whole life
    /// can be decided while compiling.
    #[seen("softprops/again#14", "softprops/again#12", "TrueLayer/retry-policies#29")]
    #[law("7")]
    #[input("1 s x2, three attempts, in a constant")]
    #[no_peer("not run here: needs a browser")]
    #[right("1s, 2s, no attempts left")]
    fn the_clock_panics_on_wasm() -> String {
        const VERDICTS: [Verdict; 3] = {
            let policy = Policy::parse_const("exponential 1s x2 jitter none attempts 3");
            let mut retry = Retry::start(&policy, START);
            [
                retry.next(&policy, Outcome::Fail, START, LOW),
                retry.next(&policy, Outcome::Fail, START, LOW),
                retry.next(&policy, Outcome::Fail, START, LOW),
            ]
        };
        spoken(&VERDICTS)
    }
}
