//! One call too many, one sleep too many, and limits that are no limits.

use crate::ask::{LOW, START, life, policy, refusal, spoken};
use std::time::Duration;
use undaunted::{Micros, Outcome, Policy, Reason, Retry};

faults! {
    /// A limit of 3 attempts makes 4 calls: it was given to a library that counts retries.
    #[seen("MikkoParkkola/mcp-gateway#394")]
    #[law("1")]
    #[input("limits 0, 1, 2, 3, always failing")]
    #[right("refused: attempts must be at least 1 (an attempt is a call, the first included); calls at 0s; calls at 0s, 1s; calls at 0s, 1s, 2s")]
    fn three_attempts_make_four_calls() -> String {
        let calls = [1, 2, 3].map(|n| {
            let policy = policy(&format!("constant 1s jitter none attempts {n}"));
            let life = life(&policy, Micros::ZERO, &[Outcome::Fail]);
            life.split_once(';').expect("calls; end").0.to_owned()
        });
        format!("refused: {}; {}", refusal("constant 1s attempts 0"), calls.join("; "))
    }

    /// A limit of 5 attempts makes 6 calls.
    #[seen("apache/pekko#3238")]
    #[law("1")]
    #[input("5 attempts, and 5 retries, always failing")]
    #[no_peer("not a crate")]
    #[right("5 calls, 6 calls")]
    fn attempts_are_counted_as_retries() -> String {
        let base = Policy::constant(Duration::from_secs(1)).no_jitter();
        assert_eq!(base.attempts(6), base.retries(5));
        let calls = [base.attempts(5), base.retries(5)].map(|policy| {
            let life = life(&policy, Micros::ZERO, &[Outcome::Fail]);
            let (calls, end) = life.split_once(';').expect("calls; end");
            assert!(end.ends_with("no attempts left"));
            format!("{} calls", calls.split(',').count())
        });
        calls.join(", ")
    }

    /// It sleeps after the last failure too, even without retries.
    #[seen("enviodev/hypersync-client-rust#74")]
    #[law("1")]
    #[input("0 retries and 1 retry of 10 s, always failing; every attempt works for 1 s")]
    #[no_peer("a loop inside an application or a client, not to be called alone")]
    #[right("calls at 0s; gave up at 1s: no attempts left | calls at 0s, 11s; gave up at 12s: no attempts left")]
    fn it_sleeps_after_the_last_failure() -> String {
        let base = Policy::constant(Duration::from_secs(10)).no_jitter();
        let lives = [base.retries(0), base.retries(1)]
            .map(|policy| life(&policy, Micros::from_secs(1), &[Outcome::Fail]));
        lives.join(" | ")
    }

    /// The cap ends the steps early, with a last sleep that no call follows.
    #[seen("Kubernetes wait.Backoff (run)")]
    #[law("1, 2")]
    #[input("8 attempts, 50 ms x2 under a cap of 1 s, always failing")]
    #[no_peer("not a crate")]
    #[right("calls at 0s, 50ms, 150ms, 350ms, 750ms, 1550ms, 2550ms, 3550ms; gave up at 3550ms: no attempts left")]
    fn the_cap_ends_the_steps() -> String {
        life(&policy("exponential 50ms x2 cap 1s jitter none attempts 8"), Micros::ZERO, &[Outcome::Fail])
    }

    /// Cancelled, or with no attempts at all, it reports a success that never was.
    #[seen("client-go OnError (run)", "VPC CNI WithBackoffCtx (run)", "k8s-snap RetryFor(0) (run)")]
    #[law("1, 8, 9")]
    #[input("0 attempts; a cancel after one failure, then a success that comes late")]
    #[no_peer("not crates")]
    #[right("refused: attempts must be at least 1 (an attempt is a call, the first included); 1s, cancelled 2 times")]
    fn cancelled_reads_as_success() -> String {
        let policy = policy("constant 1s jitter none");
        let mut retry = Retry::start(&policy, START);
        let verdicts = [
            retry.next(&policy, Outcome::Fail, START, LOW),
            retry.give_up(Reason::Cancelled),
            retry.next(&policy, Outcome::Succeed, START, LOW),
        ];
        assert_eq!((retry.attempts(), retry.stopped()), (1, Some(verdicts[1])));
        format!("refused: {}; {}", refusal("constant 1s attempts 0"), spoken(&verdicts))
    }
}
