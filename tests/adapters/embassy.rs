//! embassy, at 32 768 Hz, on a clock that is finer than its ticks.

use std::cell::Cell;
use std::future::{Future, pending};
use std::pin::pin;
use std::time::Duration;
use undaunted::asynch::Timer;
use undaunted::embassy::{Deadline, Embassy, Session, Sleep, poll, retry};
use undaunted::{GaveUp, Instant, Last, Micros, Outcome, Policy, Reason, Runtime, Verdict};
use undaunted_tests::embassy::{self as clock, block_on};

const EMBASSY: Embassy = Embassy::seeded(4711);
const OPEN: Policy =
    Policy::constant(Duration::from_micros(1)).no_jitter().unlimited_attempts().hint_ceiling(Duration::MAX);

/// Law 14, wherever in a tick it begins: at least as long, and less than two ticks longer.
#[test]
fn embassy_sleeps_as_long_as_told_from_every_part_of_a_tick() {
    const TICK: u128 = 1_000_000_000_u128.div_ceil(32_768);
    let lengths = [1, 29, 30, 31, 61, 999, 1_000, 15_625, 1_000_000, 3_600_000_001, 86_400_000_000 * 40];
    for told in lengths {
        for phase in (0..TICK).step_by(997) {
            clock::pass_nanos(phase);
            let before = clock::now();
            block_on(EMBASSY.sleep(Micros::new(told)));
            let slept = clock::now() - before;
            assert!(slept >= u128::from(told) * 1_000, "told {told} us, slept {slept} ns");
            assert!(slept < u128::from(told) * 1_000 + 2 * TICK, "told {told} us, slept {slept} ns");
        }
    }
}

#[test]
fn no_wait_is_none() {
    let before = clock::now();
    block_on(EMBASSY.sleep(Micros::ZERO));
    assert_eq!(clock::now(), before);
}

/// The clock in microseconds is exact, rounded down to the tick.
#[test]
fn the_clock_is_embassys() {
    assert_eq!(EMBASSY.now(), Instant::from_micros(0));
    clock::pass(Micros::from_secs(1));
    assert_eq!(EMBASSY.now(), Instant::from_micros(1_000_000));
    clock::pass(Micros::new(31)); // a tick is 30.5 us
    assert_eq!(EMBASSY.now(), Instant::from_micros(1_000_030));
    clock::pass(Micros::from_secs(300 * 365 * 86_400));
    assert_eq!(EMBASSY.now(), Instant::from_micros(9_460_800_001_000_030));
}

/// A month is waited for in alarms of a day, and what embassy cannot hold for ever.
#[test]
fn alarms_are_a_day_away_at_most() {
    for length in [30 * 86_400 * 1_000_000, 1 << 55, u64::MAX - 1, u64::MAX] {
        let mut sleep = pin!(EMBASSY.sleep(Micros::new(length)));
        for day in 1..=30 {
            assert!(clock::poll(sleep.as_mut()).is_pending(), "{length} us, day {day}");
            let before = clock::now();
            clock::wake();
            let slept = clock::now() - before;
            assert!(slept <= 86_400_100_000_000, "{length} us, day {day}: {slept} ns");
        }
    }
}

#[test]
fn an_attempt_is_cut_at_the_nearer_limit() {
    const CUT: Policy = Policy::constant(Duration::from_secs(1))
        .no_jitter()
        .attempts(9)
        .attempt_timeout(Duration::from_secs(4))
        .within(Duration::from_secs(7));
    let operation = || pending::<Result<(), &str>>();
    let gave_up = block_on(retry(EMBASSY, &CUT, operation)).unwrap_err();
    // Cut at 4 s, again after 1 s, and cut at 7 s.
    assert_eq!((gave_up.last, gave_up.reason, gave_up.attempts), (Last::Cut, Reason::Deadline, 2));
    let late = gave_up.elapsed.as_micros() - 7_000_000;
    assert!(late < 62, "{late} us");
}

#[test]
fn a_retry_ends_with_its_value_or_its_error() {
    const TWICE: Policy = Policy::constant(Duration::from_millis(10)).no_jitter().attempts(2);
    let calls = Cell::new(0);
    let second = async || {
        calls.set(calls.get() + 1);
        if calls.get() < 2 { Err("busy") } else { Ok(calls.get()) }
    };
    let report = block_on(retry(EMBASSY, &TWICE, second).uncut().report()).unwrap();
    assert_eq!((report.value, report.attempts), (2, 2));
    assert!(report.elapsed >= Micros::from_millis(10), "{}", report.elapsed);
    let gave_up =
        block_on(retry(EMBASSY, &TWICE, async || Err::<(), _>("busy")).when(|_| false)).unwrap_err();
    let expected =
        GaveUp { last: Last::Error("busy"), reason: Reason::Permanent, attempts: 1, elapsed: Micros::ZERO };
    assert_eq!(gave_up, expected);
}

#[test]
fn a_poll_keeps_its_rate_within_a_phase() {
    const EACH: Policy = Policy::constant(Duration::from_secs(1)).no_jitter().unlimited_attempts();
    let phase = Deadline::after_on(EMBASSY, Duration::from_secs(10));
    let asked = Cell::new(0);
    let probe = async || {
        asked.set(asked.get() + 1);
        clock::pass(Micros::from_millis(300));
        asked.get() == 4
    };
    let report = block_on(poll(EMBASSY, &EACH, probe).fixed_rate().deadline(phase).report()).unwrap();
    // Each begins on the grid, a tick or two late; the last one works 300 ms.
    let late = report.elapsed.as_micros() - 3_300_000;
    assert!(report.attempts == 4 && late < 100, "{late} us late");
    assert!(phase.time_left() < Micros::from_millis(6_701));
}

/// One device's sessions, given no seed of their own, on copies of one value and on another of the same number.
#[test]
fn no_two_sessions_of_a_device_jitter_alike() {
    const HOURLY: Policy = Policy::constant(Duration::from_secs(3_600));
    let wait = |embassy| match block_on(Session::start_on(embassy, &HOURLY).settle(Outcome::Fail)).verdict {
        Verdict::RetryAfter(wait) => wait,
        verdict => panic!("{verdict:?}"),
    };
    let waits: std::collections::BTreeSet<Micros> =
        (0..100).map(|i| wait(if i % 2 == 0 { EMBASSY } else { Embassy::seeded(4711) })).collect();
    assert_eq!(waits.len(), 100);
    let seeded = || block_on(Session::start_on(EMBASSY, &HOURLY).seed(7).settle(Outcome::Fail)).verdict;
    assert_eq!(seeded(), seeded());
}

#[test]
fn sizes_are_small_and_nothing_allocates() {
    assert_eq!(size_of::<Embassy>(), 8);
    assert_eq!(size_of::<Sleep>(), 24);
    async fn small() -> Result<(), ()> {
        Err(())
    }
    let parts = size_of::<Sleep>() + size_of_val(&small());
    let (cut, uncut) = (retry(EMBASSY, &OPEN, small), retry(EMBASSY, &OPEN, small).uncut());
    let [cut, uncut] = [size_of_val(&cut), size_of_val(&uncut)];
    println!("an embassy future is {cut} B, uncut {uncut} B, of it its parts {parts} B");
    assert!(cut <= parts + 72 && uncut <= parts + 72, "{cut} {uncut} {parts}");

    let used = allocation_counter::measure(|| {
        let mut retry = pin!(retry(EMBASSY, &OPEN, small));
        // The driver's list of alarms is this test's own.
        assert!(
            retry.as_mut().poll(&mut std::task::Context::from_waker(std::task::Waker::noop())).is_pending()
        );
    });
    assert!(used.count_total <= 1, "{used:?}");
}

/// For interrupt executors, and for those of several cores.
#[test]
fn futures_may_be_sent() {
    fn sends(_: impl Send) {}
    sends(retry(EMBASSY, &OPEN, async || Err::<(), _>("busy")));
    sends(async {
        let mut session = Session::start_on(EMBASSY, &OPEN);
        session.settle(Outcome::Fail).await
    });
}
