//! A limit per call or per phase? Both: each call keeps to its own policy, and none goes on beyond the end of the
//! phase that several share. Nested, time is never multiplied. Blocking calls are not cut.

use Happened::Called;
use std::cell::Cell;
use std::future::{pending, ready};
use std::time::Duration;
use tokio::time::{Instant as TokioInstant, sleep, timeout};
use undaunted::{
    Attempt, Deadline, GaveUp, Instant, Last, Micros, Outcome, Policy, Reason, Runtime, Until, Verdict,
    asynch, blocking, thread,
};
use undaunted_tests::simulated::{Happened, World, block_on};

const SECOND: u64 = 1_000_000;
/// Every second, for ten.
const CALL: Policy =
    Policy::constant(Duration::from_secs(1)).no_jitter().unlimited_attempts().within(Duration::from_secs(10));
/// Every second, for ever.
const ENDLESS: Policy = Policy::constant(Duration::from_secs(1)).no_jitter().unlimited_attempts();

fn phase(world: &World, seconds: u64) -> Deadline<World> {
    Deadline::after_on(world.clone(), Duration::from_secs(seconds))
}

fn called(world: &World) -> Vec<u64> {
    let at = |happened| if let Called(at) = happened { Some(at / SECOND) } else { None };
    world.journal().into_iter().filter_map(at).collect()
}

/// kubeadm's question: 10 s a call, 25 s for the phase.
#[test]
fn calls_share_a_phase_and_keep_to_their_own_limits() {
    let runs = [false, true].map(|asynchronous| {
        let world = World::default();
        let phase = phase(&world, 25);
        let call = || {
            world.call();
            Err::<(), _>("down")
        };
        let run = || {
            let gave_up = if asynchronous {
                block_on(asynch::retry(world.clone(), &CALL, || ready(call())).deadline(phase.clone()))
            } else {
                blocking::retry(world.clone(), &CALL, call).deadline(&phase).run()
            };
            gave_up.unwrap_err()
        };
        let ends = |gave_up: &GaveUp<_, _>| (gave_up.reason, gave_up.attempts, gave_up.elapsed);
        // At 0 to 9 s, since the next would be at 10 s; at 9 to 18 s; what is left of the phase, at 18 to 24 s.
        assert_eq!(ends(&run()), (Reason::Deadline, 10, Micros::from_secs(9)));
        assert_eq!(ends(&run()), (Reason::Deadline, 10, Micros::from_secs(9)));
        assert_eq!(ends(&run()), (Reason::Deadline, 7, Micros::from_secs(6)));
        assert_eq!((phase.is_over(), phase.time_left()), (false, Micros::from_secs(1)));
        // A second is left: one call, and no wait.
        assert_eq!(ends(&run()), (Reason::Deadline, 1, Micros::ZERO));
        world.pass(SECOND);
        assert_eq!((phase.is_over(), phase.time_left()), (true, Micros::ZERO));
        let gave_up = run();
        assert_eq!((gave_up.last, gave_up.reason, gave_up.attempts), (Last::Nothing, Reason::Deadline, 0));
        called(&world)
    });
    let expected: Vec<u64> = (0..=9).chain(9..=18).chain(18..=24).chain([24]).collect();
    assert_eq!(runs, [expected.clone(), expected]);
}

/// The limit of one call is no limit of the next: nothing is carried over.
#[test]
fn a_phase_gives_each_call_its_own_time() {
    let world = World::default();
    let phase = phase(&world, 3600);
    for n in 0..5 {
        let start = world.now();
        let gave_up = blocking::retry(world.clone(), &CALL, || Err::<(), _>(n)).deadline(&phase).run();
        assert_eq!(gave_up.unwrap_err().attempts, 10);
        assert_eq!(world.now() - start, 9 * SECOND);
    }
}

/// Whatever calls take: none begins after the end of the phase, and no wait is begun that would reach it.
#[test]
fn no_call_begins_after_the_end_of_the_phase() {
    for works in [0, 1, 400_000, 999_999, 1_000_001, 3_700_000, 24_999_999] {
        let world = World::default();
        let phase = phase(&world, 25);
        for _ in 0..30 {
            let call = || {
                world.call();
                world.pass(works);
                Err::<(), _>("down")
            };
            let before = world.now();
            let gave_up = blocking::retry(world.clone(), &CALL, call).deadline(&phase).run().unwrap_err();
            assert_eq!(gave_up.reason, Reason::Deadline);
            assert_eq!(gave_up.attempts == 0, before >= 25 * SECOND, "{works}");
            if works == 0 && gave_up.attempts <= 1 {
                world.pass(100_000); // so that the phase ends
            }
        }
        for happened in world.journal() {
            match happened {
                Called(at) => assert!(at < 25 * SECOND, "{works}: {at}"),
                Happened::Slept(length, at) => assert!(at + length < 25 * SECOND, "{works}: {at}"),
                Happened::Told(..) => {}
            }
        }
    }
}

#[test]
fn a_phase_inside_a_phase_is_never_longer() {
    let world = World::default();
    world.pass(7 * SECOND);
    let outer = phase(&world, 10);
    assert_eq!(outer.at(), Instant::from_micros(17 * SECOND));
    let (short, long) = (outer.phase(Duration::from_secs(3)), outer.phase(Duration::from_secs(20)));
    assert_eq!((short.at(), long.at()), (Instant::from_micros(10 * SECOND), outer.at()));
    world.pass(4 * SECOND);
    assert_eq!([&outer, &short, &long].map(|phase| phase.is_over()), [false, true, false]);
    // From now, and inside what is over it is over.
    assert_eq!(outer.phase(Duration::from_secs(3)).time_left(), Micros::from_secs(3));
    assert!(short.phase(Duration::from_secs(3)).is_over());
    assert!(outer.phase(Duration::ZERO).is_over());
    // Three deep, and saturating.
    let deep = outer.phase(Duration::MAX).phase(Duration::MAX);
    assert_eq!(deep.at(), outer.at());
    let gave_up = blocking::retry(world.clone(), &ENDLESS, || Err::<(), _>(())).deadline(&deep).run();
    assert_eq!((gave_up.unwrap_err().attempts, world.now()), (6, 16 * SECOND));
}

/// [`Duration::MAX`] is no limit, on every runtime.
#[test]
fn a_phase_without_an_end() {
    let world = World::default();
    let endless = Deadline::after_on(world.clone(), Duration::MAX);
    assert_eq!((endless.at(), endless.is_over()), (Instant::MAX, false));
    let call = |attempt: Attempt| {
        assert_eq!((attempt.deadline(), attempt.time_left()), (None, None));
        Ok::<_, ()>(())
    };
    assert_eq!(blocking::retry(world, &ENDLESS, call).deadline(endless).run(), Ok(()));
    assert!(!thread::Deadline::after(Duration::MAX).is_over());
    assert!(thread::Deadline::after(Duration::ZERO).is_over());
    assert_eq!(thread::retry(&ENDLESS, call).deadline(thread::Deadline::after(Duration::MAX)).run(), Ok(()));
}

/// What can be inherited, and the nearest one holds in whichever order it is said.
#[test]
fn all_that_can_be_inherited() {
    let world = World::default();
    let point = Instant::from_micros(5 * SECOND);
    let far = phase(&world, 60);
    let seen = Cell::new(None);
    let look = |attempt: Attempt| {
        seen.set(attempt.deadline());
        Ok::<_, ()>(())
    };
    let retry = || blocking::retry(world.clone(), &ENDLESS, look);
    retry().deadline(None::<Instant>).run().unwrap();
    assert_eq!(seen.take(), None, "none is none");
    retry().deadline(Instant::MAX).run().unwrap();
    assert_eq!(seen.take(), None);
    for (n, retry) in [
        retry().deadline(point),
        retry().deadline(Some(point)),
        retry().deadline(phase(&world, 5)),
        retry().deadline(&far).deadline(point),
        retry().deadline(point).deadline(&far),
        retry().deadline(far.phase(Duration::from_secs(5))).deadline(None::<Instant>),
    ]
    .into_iter()
    .enumerate()
    {
        retry.run().unwrap();
        assert_eq!(seen.take(), Some(point), "{n}");
    }
    // The attempt itself, and what it says.
    let outer = |attempt: Attempt| {
        for inner in [
            retry().deadline(attempt),
            retry().deadline(attempt.deadline()),
            retry().deadline(attempt.deadline().unwrap()),
        ] {
            inner.run().unwrap();
            assert_eq!(seen.take(), Some(point));
        }
        assert_eq!(attempt.until(), point);
        Ok::<_, ()>(())
    };
    blocking::retry(world.clone(), &ENDLESS, outer).deadline(point).run().unwrap();
    // An attempt that nothing limits limits nothing.
    let outer = |attempt: Attempt| {
        retry().deadline(attempt).run().unwrap();
        assert_eq!((seen.take(), attempt.until()), (None, Instant::MAX));
        Ok::<_, ()>(())
    };
    blocking::retry(world.clone(), &ENDLESS, outer).run().unwrap();
    // The nearer of an attempt's own timeout and the time left.
    let limited = ENDLESS.attempt_timeout(Duration::from_secs(2));
    let outer = |attempt: Attempt| {
        retry().deadline(attempt).run().unwrap();
        assert_eq!(seen.take(), Some(Instant::from_micros(2 * SECOND)));
        Ok::<_, ()>(())
    };
    blocking::retry(world.clone(), &limited, outer).deadline(point).run().unwrap();
}

/// Sessions share a phase too.
#[test]
fn sessions_share_a_phase() {
    let world = World::default();
    let phase = phase(&world, 5);
    let mut session = blocking::Session::start_on(world.clone(), &ENDLESS).deadline(&phase);
    for n in 1..=4 {
        assert_eq!(session.settle(Outcome::Fail).verdict, Verdict::RetryAfter(Micros::from_secs(1)), "{n}");
    }
    // At 4 s the wait would end at 5 s.
    assert_eq!(session.settle(Outcome::Fail).verdict, Verdict::GiveUp(Reason::Deadline));
    let mut session = asynch::Session::start_on(world.clone(), &ENDLESS).deadline(&phase);
    assert_eq!(block_on(session.settle(Outcome::Fail)).verdict, Verdict::GiveUp(Reason::Deadline));
    world.pass(SECOND);
    let mut session = blocking::Session::start_on(world, &ENDLESS).deadline(phase);
    assert_eq!(session.first_wait().verdict, Verdict::GiveUp(Reason::Deadline));
}

/// Law 6 where nothing can cut, as documented: what works past the deadline ends, counts, and nothing follows.
#[test]
fn a_blocking_call_that_works_past_the_deadline_is_not_cut() {
    let run = |result: Result<u8, &'static str>| {
        let (world, mut left) = (World::default(), Vec::new());
        let call = |attempt: Attempt| {
            world.call();
            left.push(attempt.time_left());
            world.pass(60 * SECOND);
            result
        };
        let phase = phase(&world, 5);
        let report = blocking::retry(world.clone(), &CALL, call).deadline(phase).report();
        // It was told its limit, and slept was not at all.
        assert_eq!((left, world.journal()), (vec![Some(Micros::from_secs(5))], vec![Called(0)]));
        report
    };
    let elapsed = Micros::from_secs(60);
    let gave_up = GaveUp { last: Last::Error("slow"), reason: Reason::Deadline, attempts: 1, elapsed };
    assert_eq!(run(Err("slow")), Err(gave_up));
    // A success that arrives late is a success.
    let report = run(Ok(7)).unwrap();
    assert_eq!((report.value, report.attempts, report.elapsed), (7, 1, elapsed));
}

/// The same of an attempt's timeout: told, and not kept by anybody but the operation.
#[test]
fn a_blocking_call_is_told_its_timeout_and_not_cut_at_it() {
    let policy = ENDLESS.attempts(3).attempt_timeout(Duration::from_secs(2));
    let world = World::default();
    let call = |attempt: Attempt| {
        world.call();
        assert_eq!(attempt.time_left(), Some(Micros::from_secs(2)));
        world.pass(7 * SECOND);
        Err::<(), _>("slow")
    };
    let gave_up = blocking::retry(world.clone(), &policy, call).run().unwrap_err();
    assert_eq!((gave_up.reason, gave_up.attempts), (Reason::Attempts, 3));
    assert_eq!(called(&world), [0, 8, 16]);
}

/// Nested three deep, blocking: the operation passes on what it is told, and the whole ends within the outermost.
#[test]
fn nested_three_deep_blocking_calls_end_in_time() {
    let world = World::default();
    let innermost = |limit: Attempt| {
        let call = |attempt: Attempt| {
            world.call();
            // A socket's timeout: 4 s, or what is left.
            let left = attempt.time_left().map_or(u64::MAX, |left| left.as_micros());
            world.pass(left.min(4 * SECOND));
            Err::<(), _>("down")
        };
        blocking::retry(world.clone(), &ENDLESS.attempts(2), call).deadline(limit).run()
    };
    let middle = |limit: Attempt| {
        blocking::retry(world.clone(), &ENDLESS.attempts(2), innermost).deadline(limit).run()
    };
    let outer = ENDLESS.within(Duration::from_secs(30));
    let gave_up = blocking::retry(world.clone(), &outer, middle).run().unwrap_err();
    // 4 s each and 1 s between. At 29 s a wait would end at 30 s, for the middle one and for the outer.
    assert_eq!(called(&world), [0, 5, 10, 15, 20, 25]);
    assert_eq!((gave_up.reason, gave_up.attempts), (Reason::Deadline, 2));
    assert_eq!(world.now(), 29 * SECOND);
}

// tokio.

/// What is not cut must fail here and not hang.
async fn ends<F: Future>(future: F) -> F::Output {
    timeout(Duration::from_secs(2 * 86_400), future).await.expect("it hangs: nothing cuts it")
}

/// Nested three deep with an operation that hangs: each limit cuts what is inside, 10 s in all.
#[tokio::test(start_paused = true)]
async fn nested_three_deep_what_hangs_is_cut_in_time() {
    let (start, begun) = (TokioInstant::now(), Cell::new(0));
    let outer = ENDLESS.within(Duration::from_secs(10));
    let middle = ENDLESS.attempt_timeout(Duration::from_secs(4));
    let retry = undaunted::tokio::retry(&outer, |outer: Attempt| {
        let (middle, begun) = (&middle, &begun);
        async move {
            undaunted::tokio::retry(middle, |attempt: Attempt| async move {
                undaunted::tokio::retry(&ENDLESS, || {
                    begun.set(begun.get() + 1);
                    pending::<Result<(), &str>>()
                })
                .deadline(attempt)
                .await
            })
            .deadline(outer)
            .await
        }
    });
    let gave_up = ends(retry).await.unwrap_err();
    assert_eq!((gave_up.reason, gave_up.attempts), (Reason::Deadline, 1));
    // Begun at 0 and 5 s; the first was cut at 4 s, the second at 9 s, and a wait from 9 s would end at 10 s.
    assert_eq!(begun.get(), 2);
    assert_eq!(start.elapsed(), Duration::from_secs(9));
}

/// The same, where nothing inside has a limit: all of it ends at the point.
#[tokio::test(start_paused = true)]
async fn nested_three_deep_without_limits_of_their_own_ends_at_the_point() {
    let start = TokioInstant::now();
    let outer = ENDLESS.within(Duration::from_secs(10));
    let retry = undaunted::tokio::retry(&outer, |outer: Attempt| async move {
        undaunted::tokio::retry(&ENDLESS, |middle: Attempt| async move {
            undaunted::tokio::retry(&ENDLESS, pending::<Result<(), &str>>).deadline(middle).await
        })
        .deadline(outer)
        .await
    });
    let gave_up = ends(retry).await.unwrap_err();
    assert_eq!((gave_up.reason, gave_up.attempts), (Reason::Deadline, 1));
    assert_eq!((gave_up.elapsed, start.elapsed()), (Micros::from_secs(10), Duration::from_secs(10)));
}

/// At once, in one task: both end with the phase, one after a wait too many and one cut.
#[tokio::test(start_paused = true)]
async fn tasks_share_a_phase() {
    let start = TokioInstant::now();
    let phase = undaunted::tokio::Deadline::after(Duration::from_secs(5));
    let failing = undaunted::tokio::retry(&CALL, || ready(Err::<(), _>("down"))).deadline(phase);
    let hanging = undaunted::tokio::retry(&CALL, pending::<Result<(), &str>>).deadline(phase);
    let (failed, hung) = ends(async { tokio::join!(failing, hanging) }).await;
    let (failed, hung) = (failed.unwrap_err(), hung.unwrap_err());
    assert_eq!((failed.last, failed.reason, failed.attempts), (Last::Error("down"), Reason::Deadline, 5));
    assert_eq!((hung.last, hung.reason, hung.attempts), (Last::Cut, Reason::Deadline, 1));
    assert_eq!((failed.elapsed, hung.elapsed), (Micros::from_secs(4), Micros::from_secs(5)));
    assert!(phase.is_over() && start.elapsed() == Duration::from_secs(5));
    // What comes after it makes no call.
    let no_call = || -> std::future::Ready<Result<(), ()>> { panic!("no call") };
    let gave_up = undaunted::tokio::retry(&CALL, no_call).deadline(phase).await.unwrap_err();
    assert_eq!((gave_up.last, gave_up.attempts), (Last::Nothing, 0));
}

/// A phase is cancelled as well as limited; whichever comes first.
#[tokio::test(start_paused = true)]
async fn a_phase_that_is_cancelled() {
    for (cancelled_at, reason, seconds) in [(3, Reason::Cancelled, 3), (7, Reason::Deadline, 5)] {
        let phase = undaunted::tokio::Deadline::after(Duration::from_secs(5));
        let hanging = undaunted::tokio::retry(&CALL, pending::<Result<(), &str>>).deadline(phase);
        let gave_up = ends(hanging.cancel(sleep(Duration::from_secs(cancelled_at)))).await.unwrap_err();
        assert_eq!((gave_up.reason, gave_up.elapsed), (reason, Micros::from_secs(seconds)));
    }
}

/// Points of threads and of tokio are on one epoch: a deadline goes from one to the other.
#[tokio::test]
async fn a_deadline_of_a_thread_holds_for_a_task() {
    let phase = thread::Deadline::after(Duration::from_secs(3600));
    let left = phase.at().since(undaunted::tokio::Tokio.now());
    assert!(left > Micros::from_secs(3_000) && left <= Micros::from_secs(3_600), "{left}");
    let no_call = || -> std::future::Ready<Result<(), ()>> { panic!("no call") };
    let over = thread::Deadline::after(Duration::ZERO);
    assert_eq!(undaunted::tokio::retry(&CALL, no_call).deadline(over).await.unwrap_err().attempts, 0);
}
