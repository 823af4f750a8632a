//! What runs when, what may be retried, and what the caller learns.

use crate::ask::{life, policy};
use std::convert::Infallible;
use std::future::ready;
use std::time::Duration;
use undaunted::{Event, GaveUp, Last, Micros, Outcome, Policy, Reason, Report, Verdict, asynch, blocking};
use undaunted_tests::simulated::{World, block_on};

const FIXED: Policy = Policy::constant(Duration::from_secs(10)).no_jitter().attempts(3);

faults! {
    /// The operation is called before its delay, and awaited after it.
    #[seen("ihrwein/backoff#58", "backoff 0.4 (run)")]
    #[law("12")]
    #[input("fixed 10 s, two failures, then a success")]
    #[right("calls at 0s, 10s, 20s; success at 20s")]
    fn the_operation_runs_before_its_delay() -> String {
        life(&FIXED, Micros::ZERO, &[Outcome::Fail, Outcome::Fail, Outcome::Succeed])
    }

    /// It cannot be seen that a success needed retries.
    #[seen("Xuanwo/backon#242")]
    #[law("9")]
    #[input("fixed 10 s; fail, fail, succeed")]
    #[right("attempts 3, elapsed 20s")]
    fn a_success_hides_its_retries() -> String {
        let results = || [Err("a"), Err("b"), Ok('c')].into_iter();
        let mut now = results();
        let report = blocking::retry(World::default(), &FIXED, || now.next().unwrap()).report().unwrap();
        let mut later = results();
        let retry = asynch::retry(World::default(), &FIXED, || ready(later.next().unwrap())).report();
        assert_eq!(block_on(retry), Ok(report));
        let Report { value, attempts, elapsed } = report;
        assert_eq!(value, 'c');
        format!("attempts {attempts}, elapsed {elapsed}")
    }

    /// An operation that borrows `&mut self` does not compile. In a loop of one's own it does, spawned
    /// too.
    #[seen("Xuanwo/backon#49")]
    #[law("12")]
    #[input("a connection that is lent mutably to each attempt, inside `spawn`; its third try succeeds")]
    #[no_peer("not run here: whether it compiles is not an answer of a run")]
    #[right("3 tries of one connection")]
    fn the_operation_cannot_borrow_mutably() -> String {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        let tries = runtime.unwrap().block_on(async {
            let task = tokio::spawn(async {
                let mut connection = Connection { tries: 0 };
                send(&mut connection).await
            });
            task.await.unwrap()
        });
        format!("{} tries of one connection", tries.unwrap())
    }

    /// An `Ok` cannot count as a failure. Here the whole result is classified, and what came last is
    /// handed back.
    #[seen("dmexe/failsafe-rs#40")]
    #[law("9")]
    #[input("Ok(503) three times; Ok(503), then Ok(200)")]
    #[right("NotYet(503) after 3 attempts; 200")]
    fn an_ok_cannot_count_as_a_failure() -> String {
        let ask = |result: &Result<u16, ()>| match result {
            Ok(200) => Outcome::Succeed,
            Ok(_) => Outcome::Fail,
            Err(()) => Outcome::Abort,
        };
        let mut told = Vec::new();
        let gave_up = blocking::retry(World::default(), &FIXED, || Ok::<_, ()>(503))
            .classify(ask)
            .on_event(|event: &Event<'_, ()>| {
                told.push((event.attempt, event.error().is_some(), event.verdict))
            })
            .run()
            .unwrap_err();
        let wait = Verdict::RetryAfter(Micros::from_secs(10));
        assert_eq!(told, [(1, false, wait), (2, false, wait), (3, false, Verdict::GiveUp(Reason::Attempts))]);
        let retry = asynch::retry(World::default(), &FIXED, || ready(Ok::<_, ()>(503))).classify(ask);
        assert_eq!(block_on(retry), Err(gave_up));

        let mut codes = [503, 200].into_iter();
        let retry = asynch::retry(World::default(), &FIXED, || ready(Ok(codes.next().unwrap())));
        let good = block_on(retry.classify(ask)).unwrap();
        let Last::NotYet(code) = gave_up.last else { panic!("{gave_up:?}") };
        format!("NotYet({code}) after {} attempts; {good}", gave_up.attempts)
    }

    /// A request that is not idempotent is sent again. Whether one is, only the caller knows: the
    /// classifier says so for each operation.
    #[seen("KittyCAD/kittycad.rs#1042")]
    #[law("9")]
    #[input("a POST and a GET that are answered 502, three attempts")]
    #[no_peer("a loop inside an application or a client, not to be called alone")]
    #[right("POST: 1 call, not worth retrying; GET: 3 calls, no attempts left")]
    fn a_post_is_sent_again() -> String {
        let policy = policy("constant 1s jitter none attempts 3");
        let answers = [("POST", false), ("GET", true)].map(|(method, idempotent)| {
            let mut calls = 0;
            let send = || {
                calls += 1;
                Err::<(), u16>(502)
            };
            let retry =
                blocking::retry(World::default(), &policy, send).when(|code| idempotent && *code >= 500);
            let gave_up = retry.run().unwrap_err();
            assert_eq!((gave_up.last, gave_up.attempts), (Last::Error(502), calls));
            let plural = if calls == 1 { "" } else { "s" };
            format!("{method}: {calls} call{plural}, {}", gave_up.reason)
        });
        answers.join("; ")
    }
}

struct Connection {
    tries: u32,
}

impl Connection {
    async fn send(&mut self) -> Result<u32, &'static str> {
        self.tries += 1;
        tokio::task::yield_now().await;
        if self.tries < 3 { Err("reset") } else { Ok(self.tries) }
    }
}

async fn send(connection: &mut Connection) -> Result<u32, GaveUp<Infallible, &'static str>> {
    let mut session = undaunted::tokio::Session::start(&FIXED);
    loop {
        match connection.send().await {
            Ok(reply) => return Ok(reply),
            Err(error) => session.settle(Outcome::retry_if(error == "reset")).await.or_give_up(error)?,
        }
    }
}
