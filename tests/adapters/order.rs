//! Law 12: nothing runs early. Each case is shown blocking and asynchronous, by the whole journal.

use Happened::{Called, Slept, Told};
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use undaunted::{GaveUp, Last, Micros, Outcome, Policy, Reason, Verdict, asynch, blocking};
use undaunted_tests::simulated::{Happened, World, block_on};

const FIXED: Policy = Policy::constant(Duration::from_secs(10)).no_jitter().attempts(3);

/// Fails until the `good`-th call; every call works for a second.
fn attempt(world: &World, calls: &mut u32, good: u32) -> Result<u32, &'static str> {
    world.call();
    world.pass(1_000_000);
    *calls += 1;
    if *calls < good { Err("busy") } else { Ok(*calls) }
}

/// ihrwein/backoff#58 and backoff 0.4: the closure ran at 0, 0, 10 s.
#[test]
fn an_attempt_begins_after_its_wait_and_its_event_before() {
    let expected = vec![
        Called(0),
        Told("attempt 1/3 failed: busy; next in 10 s".into(), 1_000_000),
        Slept(10_000_000, 1_000_000),
        Called(11_000_000),
        Told("attempt 2/3 failed: busy; next in 10 s".into(), 12_000_000),
        Slept(10_000_000, 12_000_000),
        Called(22_000_000),
        Told("attempt 3/3 succeeded after 23 s".into(), 23_000_000),
    ];

    let (world, mut calls) = (World::default(), 0);
    let value = blocking::retry(world.clone(), &FIXED, || attempt(&world, &mut calls, 3))
        .on_event(|event| world.tell(event))
        .run();
    assert_eq!(value, Ok(3));
    assert_eq!(world.journal(), expected);

    let (world, mut calls) = (World::default(), 0);
    let value = block_on(
        asynch::retry(world.clone(), &FIXED, || std::future::ready(attempt(&world, &mut calls, 3)))
            .on_event(|event| world.tell(event)),
    );
    assert_eq!(value, Ok(3));
    assert_eq!(world.journal(), expected);
}

/// enviodev/hypersync-client-rust#74: slept after the last failure too.
#[test]
fn there_is_no_wait_after_the_last_attempt() {
    let expected = vec![
        Called(0),
        Slept(10_000_000, 1_000_000),
        Called(11_000_000),
        Slept(10_000_000, 12_000_000),
        Called(22_000_000),
    ];
    let gave_up = GaveUp {
        last: Last::Error("busy"),
        reason: Reason::Attempts,
        attempts: 3,
        elapsed: Micros::from_secs(23),
    };

    let (world, mut calls) = (World::default(), 0);
    let result = blocking::retry(world.clone(), &FIXED, || attempt(&world, &mut calls, 9)).run();
    assert_eq!((result, world.journal()), (Err(gave_up), expected.clone()));

    let (world, mut calls) = (World::default(), 0);
    let result =
        block_on(asynch::retry(world.clone(), &FIXED, || std::future::ready(attempt(&world, &mut calls, 9))));
    assert_eq!((result, world.journal()), (Err(gave_up), expected));
}

#[test]
fn building_does_nothing() {
    let world = World::default();
    let operation = || std::future::ready(attempt(&world, &mut 0, 1));
    let future = asynch::retry(world.clone(), &FIXED, operation).on_event(|event| world.tell(event));
    drop(future);
    let mut session = asynch::Session::start_on(world.clone(), &FIXED);
    drop(session.settle(Outcome::Fail));
    assert_eq!(world.journal(), []);
    assert_eq!(world.seeds(), 0);
    // Dropped before its first poll, nothing has been counted: the next report is the first.
    assert_eq!(block_on(session.settle(Outcome::Fail)).attempts, 1);
}

#[test]
fn dropping_in_the_wait_stops_everything_and_has_counted_the_attempt() {
    let world = World::default();
    let mut session = asynch::Session::start_on(world.clone(), &FIXED);
    {
        let mut settle = pin!(session.settle(Outcome::Fail));
        let poll = settle.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert_eq!(poll, Poll::Pending);
    }
    let settled = block_on(session.settle(Outcome::Fail));
    assert_eq!(settled.attempts, 2);
    assert_eq!(settled.verdict, Verdict::RetryAfter(Micros::from_secs(10)));

    let world = World::default();
    let mut calls = 0;
    {
        let mut retry =
            pin!(asynch::retry(world.clone(), &FIXED, || std::future::ready(attempt(&world, &mut calls, 9))));
        assert!(retry.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }
    assert_eq!(world.journal(), [Called(0), Slept(10_000_000, 1_000_000)]);
    assert_eq!(calls, 1);
}

/// `within` starts after the first delay: 5 s of delay, 3 s within, two attempts 1 s apart.
#[test]
fn the_first_delay_comes_before_the_clock_starts() {
    const DELAYED: Policy = Policy::constant(Duration::from_secs(1))
        .no_jitter()
        .attempts(2)
        .within(Duration::from_secs(3))
        .first_delay(Duration::from_secs(5));
    let expected =
        vec![Slept(5_000_000, 0), Called(5_000_000), Slept(1_000_000, 6_000_000), Called(7_000_000)];

    let (world, mut calls) = (World::default(), 0);
    let report =
        blocking::retry(world.clone(), &DELAYED, || attempt(&world, &mut calls, 2)).report().unwrap();
    assert_eq!((report.attempts, report.elapsed), (2, Micros::from_secs(3)));
    assert_eq!(world.journal(), expected);

    let (world, mut calls) = (World::default(), 0);
    let retry = asynch::retry(world.clone(), &DELAYED, || std::future::ready(attempt(&world, &mut calls, 2)))
        .report();
    let report = block_on(retry).unwrap();
    assert_eq!((report.attempts, report.elapsed), (2, Micros::from_secs(3)));
    assert_eq!(world.journal(), expected);
}

/// Law 11: one draw for each failure and none otherwise, so a success asks for no seed.
#[test]
fn a_seed_is_asked_for_once_and_only_after_a_failure() {
    const JITTERED: Policy = Policy::constant(Duration::from_secs(1)).attempts(4);
    let (world, mut calls) = (World::default(), 0);
    assert_eq!(blocking::retry(world.clone(), &JITTERED, || attempt(&world, &mut calls, 1)).run(), Ok(1));
    assert_eq!(world.seeds(), 0);

    let (world, mut calls) = (World::default(), 0);
    assert_eq!(blocking::retry(world.clone(), &JITTERED, || attempt(&world, &mut calls, 4)).run(), Ok(4));
    assert_eq!(world.seeds(), 1);
}

/// A success at the first attempt reads the clock once, at its start.
#[test]
fn a_success_reads_the_clock_once() {
    let (world, mut calls) = (World::default(), 0);
    assert_eq!(blocking::retry(world.clone(), &FIXED, || attempt(&world, &mut calls, 1)).run(), Ok(1));
    assert_eq!(world.clock_reads(), 1);
}

/// After a first delay that would reach the deadline it has ended like any other future: for good.
#[test]
#[should_panic(expected = "`retry` polled after it was ready")]
fn a_retry_that_ended_before_its_first_attempt_has_ended() {
    const DELAYED: Policy = FIXED.first_delay(Duration::from_secs(5));
    let operation = || -> std::future::Ready<Result<(), &str>> { panic!("no call") };
    let deadline = undaunted::Instant::from_micros(5_000_000);
    let mut retry = pin!(asynch::retry(World::default(), &DELAYED, operation).deadline(deadline));
    let mut poll = || retry.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    let gave_up =
        GaveUp { last: Last::Nothing, reason: Reason::Deadline, attempts: 0, elapsed: Micros::ZERO };
    assert_eq!(poll(), Poll::Ready(Err(gave_up)));
    let _ = poll();
}
