//! Law 9: every stop has a reason and carries what came last; a success says what it took.

use std::error::Error;
use std::time::Duration;
use undaunted::{
    Attempt, Crash, GaveUp, Instant, Last, Micros, Outcome, Policy, Reason, Verdict, asynch, blocking,
};
use undaunted_tests::simulated::{World, block_on};

const FIXED: Policy = Policy::constant(Duration::from_secs(10)).no_jitter().attempts(3);

#[test]
fn what_is_not_worth_it_ends_at_once() {
    let world = World::default();
    let mut calls = 0;
    let result: Result<(), _> = blocking::retry(world.clone(), &FIXED, || {
        calls += 1;
        world.pass(5);
        Err("no such host")
    })
    .when(|error| *error == "busy")
    .run();
    let gave_up = GaveUp {
        last: Last::Error("no such host"),
        reason: Reason::Permanent,
        attempts: 1,
        elapsed: Micros::new(5),
    };
    assert_eq!((calls, result), (1, Err(gave_up)));
}

/// A classifier that calls an error a success has no value to give: it is no success.
#[test]
fn nothing_reports_success_without_a_success() {
    let result: Result<(), _> =
        blocking::retry(World::default(), &FIXED, || Err("failed")).classify(|_| Outcome::Succeed).run();
    let gave_up = result.unwrap_err();
    assert_eq!((gave_up.reason, gave_up.last), (Reason::Permanent, Last::Error("failed")));
}

#[test]
fn a_deadline_that_is_here_already_makes_no_call() {
    for (deadline, now) in [(0, 0), (5, 5), (5, 9)] {
        let expected =
            Err(GaveUp { last: Last::Nothing, reason: Reason::Deadline, attempts: 0, elapsed: Micros::ZERO });
        let (world, mut lines) = (World::default(), Vec::new());
        world.pass(now);
        let result = blocking::retry(world.clone(), &FIXED, || -> Result<(), &str> { panic!("no call") })
            .deadline(Instant::from_micros(deadline))
            .on_event(|event| lines.push(event.to_string()))
            .run();
        assert_eq!(result, expected);
        assert_eq!(lines, ["no attempt made; giving up after 0 us: no time left"]);

        let operation = || -> std::future::Ready<Result<(), &str>> { panic!("no call") };
        let retry = asynch::retry(world, &FIXED, operation).deadline(Instant::from_micros(deadline));
        assert_eq!(block_on(retry), expected);
    }
}

/// Law 6: an attempt can learn its deadline and the time it has left; a nested retry inherits it.
#[test]
fn an_attempt_knows_its_limits() {
    const LIMITED: Policy = Policy::constant(Duration::from_secs(1))
        .no_jitter()
        .attempts(3)
        .within(Duration::from_secs(10))
        .attempt_timeout(Duration::from_secs(7));
    let (world, mut seen) = (World::default(), Vec::new());
    let result: Result<(), _> = blocking::retry(world.clone(), &LIMITED, |attempt: Attempt| {
        world.pass(4_000_000);
        seen.push((attempt.number(), attempt.limit(), attempt.time_left(), attempt.deadline()));
        Err("slow")
    })
    .run();
    let seconds = |n| Some(Micros::from_secs(n));
    let point = |n: u64| Some(Instant::from_micros(n * 1_000_000));
    // Begun at 0 and 5 s: 7 s each, but no more than is left of 10 s. At 9 s the wait would end at 10 s.
    assert_eq!(seen, [(1, Some(3), seconds(7), point(7)), (2, Some(3), seconds(5), point(10))]);
    assert_eq!(result.unwrap_err().reason, Reason::Deadline);

    let free: Result<(), _> = blocking::retry(World::default(), &FIXED, |attempt: Attempt| {
        assert_eq!((attempt.time_left(), attempt.deadline()), (None, None));
        Err(())
    })
    .run();
    assert_eq!(free.unwrap_err().attempts, 3);
}

/// Nesting never multiplies time: the inner retry ends at the outer's deadline.
#[test]
fn a_nested_retry_inherits_the_deadline() {
    const OUTER: Policy =
        Policy::constant(Duration::from_secs(1)).no_jitter().attempts(9).within(Duration::from_secs(30));
    const INNER: Policy = Policy::constant(Duration::from_secs(4)).no_jitter().unlimited_attempts();
    let world = World::default();
    let inner = |attempt: Attempt| -> Result<(), GaveUp<(), &str>> {
        blocking::retry(world.clone(), &INNER, || {
            world.pass(1_000_000);
            Err("down")
        })
        .deadline(attempt.deadline().unwrap())
        .run()
    };
    let gave_up = blocking::retry(world.clone(), &OUTER, inner).run().unwrap_err();
    // The first inner retry calls at 0, 5, ... 25 s and stops at 26 s, since its wait would end at 30 s.
    // The outer's second attempt begins at 27 s and stops at 28 s, its third begins at 29 s and ends at 30 s.
    assert_eq!((gave_up.reason, gave_up.attempts), (Reason::Deadline, 3));
    assert_eq!(world.now(), 30_000_000);
}

#[test]
fn giving_up_is_an_error_with_a_source() {
    let io = || Err::<(), _>(std::io::Error::other("disk on fire"));
    let gave_up = blocking::retry(World::default(), &FIXED, io).run().unwrap_err();
    let error: Box<dyn Error> = Box::new(gave_up);
    assert_eq!(error.to_string(), "gave up after 3 attempts in 20 s: no attempts left; last: disk on fire");
    assert_eq!(error.source().unwrap().to_string(), "disk on fire");
}

#[test]
fn a_session_ends_a_loop_of_your_own() {
    let mut session = blocking::Session::start_on(World::default(), &FIXED);
    let wait = Verdict::RetryAfter(Micros::from_secs(10));
    let settled = session.settle(Outcome::Fail);
    assert_eq!((settled.verdict, settled.attempts, settled.elapsed), (wait, 1, Micros::ZERO));
    assert_eq!(settled.or_give_up("first"), Ok(()));
    assert_eq!(session.settle(Outcome::Fail).verdict, wait);
    let gave_up = session.settle(Outcome::Fail).or_give_up("third").unwrap_err().widen::<u8>();
    let elapsed = Micros::from_secs(20);
    assert_eq!(
        gave_up,
        GaveUp { last: Last::Error("third"), reason: Reason::Attempts, attempts: 3, elapsed }
    );
    // Fused: whatever is reported, it stays so.
    assert_eq!(session.settle(Outcome::Succeed).verdict, Verdict::GiveUp(Reason::Attempts));
    let settled = session.first_wait();
    assert_eq!((settled.verdict, settled.attempts), (Verdict::GiveUp(Reason::Attempts), 3));
}

/// A loop of your own inherits a deadline too, and hears of one that is here already before its first call.
#[test]
fn a_session_inherits_a_deadline() {
    const DELAYED: Policy = FIXED.first_delay(Duration::from_secs(2));
    const SHORT: Policy =
        Policy::constant(Duration::from_millis(1)).no_jitter().first_delay(Duration::from_secs(2));
    let at = |seconds| Instant::from_micros(seconds * 1_000_000);
    let start = |world: &World, seconds: u64| {
        blocking::Session::start_on(world.clone(), &DELAYED).deadline(at(seconds))
    };
    let world = World::default();
    let mut session = start(&world, 13);
    assert_eq!(session.first_wait().verdict, Verdict::RetryAfter(Micros::from_secs(2)));
    assert_eq!(session.attempt().time_left(), Some(Micros::from_secs(11)));
    assert_eq!(session.settle(Outcome::Fail).verdict, Verdict::RetryAfter(Micros::from_secs(10)));
    assert_eq!(session.settle(Outcome::Fail).verdict, Verdict::GiveUp(Reason::Deadline));

    for seconds in [0, 1, 2] {
        let world = World::default();
        let mut session = start(&world, seconds);
        let settled = session.first_wait();
        assert_eq!((settled.verdict, settled.attempts), (Verdict::GiveUp(Reason::Deadline), 0));
        let world = World::default();
        let mut session = asynch::Session::start_on(world, &SHORT).deadline(at(seconds));
        assert_eq!(block_on(session.first_wait()).verdict, Verdict::GiveUp(Reason::Deadline));
        // Whoever calls all the same hears it again.
        assert_eq!(block_on(session.settle(Outcome::Fail)).verdict, Verdict::GiveUp(Reason::Deadline));
    }
}

/// Once an attempt has been reported, the first wait is over: nobody waits again, and the clock that `within`
/// counts from is not wound up anew.
#[test]
fn a_session_waits_before_its_first_attempt_alone() {
    const DELAYED: Policy =
        FIXED.attempts(9).first_delay(Duration::from_secs(2)).within(Duration::from_secs(15));
    let [none, two, ten] = [0, 2, 10].map(|seconds| Verdict::RetryAfter(Micros::from_secs(seconds)));
    let world = World::default();
    let mut session = blocking::Session::start_on(world.clone(), &DELAYED);
    assert_eq!(session.first_wait().verdict, two);
    assert_eq!(session.settle(Outcome::Fail).verdict, ten);
    assert_eq!((session.first_wait().verdict, world.now()), (none, 12_000_000));
    // Begun at 2 s: 10 s have gone, and 10 more are too many.
    assert_eq!(session.settle(Outcome::Fail).verdict, Verdict::GiveUp(Reason::Deadline));

    let world = World::default();
    let mut session = asynch::Session::start_on(world.clone(), &DELAYED);
    assert_eq!(block_on(session.first_wait()).verdict, two);
    assert_eq!(block_on(session.settle(Outcome::Fail)).verdict, ten);
    assert_eq!((block_on(session.first_wait()).verdict, world.now()), (none, 12_000_000));
    assert_eq!(block_on(session.settle(Outcome::Fail)).verdict, Verdict::GiveUp(Reason::Deadline));

    // Without a first delay it asks for no sleep, not even for none.
    let world = World::default();
    assert_eq!(blocking::Session::start_on(world.clone(), &FIXED).first_wait().verdict, none);
    assert_eq!(block_on(asynch::Session::start_on(world.clone(), &FIXED).first_wait()).verdict, none);
    assert_eq!(world.journal(), []);
}

/// What one reads in a log, and by `{:?}`: also of a value that cannot be printed.
#[test]
fn what_came_last_is_said_in_words() {
    #[derive(PartialEq)]
    struct Opaque;
    let rows: [(Last<Opaque, &str>, _, _, _); 6] = [
        (Last::Cut, Reason::Cancelled, "cancelled; last: cut", "Cut"),
        (Last::Cut, Reason::Deadline, "no time left; last: cut at its limit", "Cut"),
        (Last::Error("busy"), Reason::Attempts, "no attempts left; last: busy", "Error(\"busy\")"),
        (
            Last::Finished(Opaque),
            Reason::Intensity,
            "too many restarts; last: ended without an error",
            "Finished(..)",
        ),
        (Last::Nothing, Reason::Deadline, "no time left", "Nothing"),
        (Last::NotYet(Opaque), Reason::Attempts, "no attempts left; last: not yet", "NotYet(..)"),
    ];
    for (last, reason, words, debug) in rows {
        let error = (last == Last::Error("busy")).then_some("busy");
        let gave_up = GaveUp { last, reason, attempts: 2, elapsed: Micros::from_secs(3) };
        assert_eq!(gave_up.to_string(), format!("gave up after 2 attempts in 3 s: {words}"));
        assert_eq!(
            format!("{gave_up:?}"),
            format!("GaveUp {{ last: {debug}, reason: {reason:?}, attempts: 2, elapsed: Micros(3000000) }}")
        );
        assert_eq!((gave_up.error().copied(), gave_up.into_error()), (error, error));
    }
}

/// Whoever walks down the sources of an error comes to what was wrong at first.
#[test]
fn a_chain_of_errors_leads_to_the_first() {
    let last = Last::Error(Crash::Failed(std::fmt::Error));
    let gave_up = GaveUp::<(), _> { last, reason: Reason::Attempts, attempts: 1, elapsed: Micros::ZERO };
    let crash = gave_up.source().unwrap();
    assert!(crash.is::<Crash<std::fmt::Error>>() && crash.source().unwrap().is::<std::fmt::Error>());
    for (crash, words) in [
        (Crash::Aborted, "aborted"),
        (Crash::Panicked("no bounds".into()), "panicked: no bounds"),
        (Crash::Shut("no link".into()), "the gate stayed shut: no link"),
    ] {
        let crash: Crash<std::fmt::Error> = crash;
        assert_eq!((crash.to_string().as_str(), crash.source().is_none()), (words, true));
    }
}

/// A value that the classifier does not take for the end is told as such.
#[test]
fn what_is_not_yet_is_told_as_such() {
    let mut lines = Vec::new();
    let retry = blocking::retry(World::default(), FIXED.attempts(2), || Ok::<_, &str>("half"));
    let told = retry.classify(|_| Outcome::Fail).on_event(|event| lines.push(event.to_string()));
    assert_eq!(told.run().unwrap_err().last, Last::NotYet("half"));
    assert_eq!(
        lines,
        ["attempt 1/2 not yet; next in 10 s", "attempt 2/2 not yet; giving up after 10 s: no attempts left"]
    );
}
