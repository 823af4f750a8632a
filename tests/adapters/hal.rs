//! The delays of HALs, blocking and asynchronous, with a clock and without.

use std::collections::BTreeSet;
use std::future::pending;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::{Context, Waker};
use std::time::Duration;
use undaunted::asynch::Timer;
use undaunted::blocking::Sleep;
use undaunted::embedded_hal::{Clock, Hal, Session, poll, retry};
use undaunted::{Attempt, Deadline, Instant, Last, Micros, Outcome, Policy, Reason, Verdict};
use undaunted::{embedded_hal_async as asynchronous, embedded_hal_async::session};
use undaunted_tests::hal::Delay;
use undaunted_tests::simulated::block_on;

const SECOND: Policy = Policy::constant(Duration::from_secs(1)).no_jitter().unlimited_attempts();

fn device(delay: &Delay) -> Hal<Delay> {
    Hal::seeded(4711, delay.clone())
}

fn with_clock(delay: &Delay) -> Hal<Delay, impl Clock> {
    let clock = delay.clone();
    device(delay).clock(move || clock.now())
}

/// Law 14: what 32 bits of microseconds cannot hold is split, and nothing is lost.
#[test]
fn long_waits_are_split_and_add_up() {
    let lengths = [0, 1, 999, u64::from(u32::MAX), 1 << 32, 3 * (1 << 32) + 5, 40 * 86_400_000_000];
    for told in lengths {
        let blocking = Delay::default();
        (&device(&blocking)).sleep(Micros::new(told));
        let asynch = Delay::default();
        block_on(device(&asynch).timer().sleep(Micros::new(told)));
        for delay in [blocking, asynch] {
            let pieces = delay.pieces();
            assert_eq!(pieces.iter().copied().map(u64::from).sum::<u64>(), told, "{pieces:?}");
            assert_eq!(pieces.len() as u64, told.div_ceil(u32::MAX.into()), "{pieces:?}");
        }
    }
}

/// The delay here stops by a panic after 10 000 pieces of 71 minutes.
#[test]
fn the_longest_wait_neither_panics_nor_returns() {
    let delay = Delay::default();
    let hal = device(&delay);
    let ended = catch_unwind(AssertUnwindSafe(|| (&hal).sleep(Micros::from(Duration::MAX)))).unwrap_err();
    assert_eq!(ended.downcast_ref(), Some(&"enough"));
    assert_eq!(delay.pieces().len(), 10_000);

    let delay = Delay::default();
    let mut hal = device(&delay);
    let mut sleep = pin!(hal.timer().sleep(Micros::from(Duration::MAX)));
    for _ in 0..9_999 {
        assert!(sleep.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }
}

/// As the documentation says: `within` limits the waits alone then.
#[test]
fn without_a_clock_time_is_what_was_waited() {
    const WITHIN: Policy = SECOND.within(Duration::from_secs(3));
    let delay = Delay::default();
    let operation = || {
        delay.pass(Micros::from_secs(60));
        Err::<(), _>("busy")
    };
    let gave_up = retry(&device(&delay), &WITHIN, operation).run().unwrap_err();
    assert_eq!(
        (gave_up.reason, gave_up.attempts, gave_up.elapsed),
        (Reason::Deadline, 3, Micros::from_secs(2))
    );
    let mut hal = device(&delay);
    let gave_up = block_on(asynchronous::retry(&mut hal, &WITHIN, async || operation())).unwrap_err();
    assert_eq!(
        (gave_up.reason, gave_up.attempts, gave_up.elapsed),
        (Reason::Deadline, 3, Micros::from_secs(2))
    );
}

#[test]
fn with_a_clock_the_deadline_includes_the_work() {
    const WITHIN: Policy = SECOND.within(Duration::from_secs(130));
    let delay = Delay::default();
    let operation = || {
        delay.pass(Micros::from_secs(60));
        Err::<(), _>("busy")
    };
    let gave_up = retry(&with_clock(&delay), &WITHIN, operation).run().unwrap_err();
    assert_eq!(
        (gave_up.reason, gave_up.attempts, gave_up.elapsed),
        (Reason::Deadline, 3, Micros::from_secs(182))
    );
    let mut hal = with_clock(&delay);
    let gave_up = block_on(asynchronous::retry(&mut hal, &WITHIN, async || operation()).uncut()).unwrap_err();
    assert_eq!(
        (gave_up.reason, gave_up.attempts, gave_up.elapsed),
        (Reason::Deadline, 3, Micros::from_secs(182))
    );
}

/// With or without a clock: what limits an attempt is a wait too.
#[test]
fn an_asynchronous_attempt_is_cut_at_the_nearer_limit() {
    const CUT: Policy = SECOND.attempt_timeout(Duration::from_secs(4)).within(Duration::from_secs(7));
    let delay = Delay::default();
    let operation = || pending::<Result<(), &str>>();
    let without = block_on(asynchronous::retry(&mut device(&delay), &CUT, operation)).unwrap_err();
    assert_eq!(delay.pieces(), [4_000_000, 1_000_000, 2_000_000]);
    let with = block_on(asynchronous::retry(&mut with_clock(&delay), &CUT, operation)).unwrap_err();
    for gave_up in [without, with] {
        assert_eq!((gave_up.last, gave_up.reason, gave_up.attempts), (Last::Cut, Reason::Deadline, 2));
        assert_eq!(gave_up.elapsed, Micros::from_secs(7));
    }
}

#[test]
fn a_blocking_retry_nests_on_one_device_and_inherits_its_deadline() {
    let delay = Delay::default();
    let hal = with_clock(&delay);
    const OUTER: Policy = SECOND.within(Duration::from_secs(10));
    let mut inner_calls = 0;
    let gave_up = retry(&hal, &OUTER, |attempt: Attempt| {
        retry(&hal, &SECOND, || {
            inner_calls += 1;
            Err::<(), _>("busy")
        })
        .deadline(attempt)
        .run()
    })
    .run()
    .unwrap_err();
    // The inner one waits nine times a second, and the outer one cannot any more.
    assert_eq!((inner_calls, gave_up.attempts, gave_up.elapsed), (10, 1, Micros::from_secs(9)));
}

#[test]
fn polls_and_phases_on_a_delay() {
    let delay = Delay::default();
    let hal = with_clock(&delay);
    let phase = Deadline::after_on(&hal, Duration::from_secs(10));
    let mut asked = 0;
    let probe = || {
        asked += 1;
        delay.pass(Micros::from_millis(300));
        asked == 4
    };
    let report = poll(&hal, &SECOND, probe).fixed_rate().deadline(phase).report().unwrap();
    assert_eq!((report.attempts, report.elapsed), (4, Micros::from_millis(3_300)));

    let mut hal = with_clock(&delay);
    let phase = Deadline::after_on(&hal, Duration::from_millis(2_500)).at();
    let never = asynchronous::poll(&mut hal, &SECOND, async || false).deadline(phase);
    let gave_up = block_on(never).unwrap_err();
    assert_eq!((gave_up.reason, gave_up.attempts), (Reason::Deadline, 3));
}

/// A driver may make its `Hal` for each call, from a delay that it borrows.
#[test]
fn sessions_of_one_serial_number_jitter_differently() {
    const HOURLY: Policy = Policy::constant(Duration::from_secs(3_600));
    let mut delay = Delay::default();
    let mut waits = BTreeSet::new();
    for _ in 0..50 {
        let hal = Hal::seeded(4711, &mut delay);
        waits.insert(wait(Session::start_on(&hal, &HOURLY).settle(Outcome::Fail).verdict));
        let mut hal = Hal::seeded(4711, &mut delay);
        waits.insert(wait(block_on(session(&mut hal, &HOURLY).settle(Outcome::Fail)).verdict));
    }
    assert_eq!(waits.len(), 100);
}

fn wait(verdict: Verdict) -> Micros {
    match verdict {
        Verdict::RetryAfter(wait) => wait,
        verdict => panic!("{verdict:?}"),
    }
}

/// A delay waits for one thing at a time, so one comes after the other, and none is early.
#[test]
fn two_waits_at_once_come_one_after_the_other() {
    let delay = Delay::default();
    let mut hal = device(&delay);
    let timer = hal.timer();
    let (mut one, mut two) =
        (pin!(timer.sleep(Micros::from_secs(1))), pin!(timer.clone().sleep(Micros::from_secs(2))));
    let (mut ends, mut context) = ([None; 2], Context::from_waker(Waker::noop()));
    while ends.contains(&None) {
        if ends[0].is_none() && one.as_mut().poll(&mut context).is_ready() {
            ends[0] = Some(delay.now());
        }
        if ends[1].is_none() && two.as_mut().poll(&mut context).is_ready() {
            ends[1] = Some(delay.now());
        }
    }
    assert_eq!(ends.map(|end| end.unwrap() >= Instant::from_micros(1_000_000)), [true; 2]);
    assert_eq!(ends[1], Some(Instant::from_micros(3_000_000)));
}

#[test]
fn the_delay_comes_back_and_nothing_allocates() {
    let delay = Delay::default();
    device(&delay).release().pass(Micros::new(7));
    assert_eq!(delay.now(), Instant::from_micros(7));

    #[derive(Clone)]
    struct Null;
    impl embedded_hal::delay::DelayNs for Null {
        fn delay_ns(&mut self, _: u32) {}
    }
    impl embedded_hal_async::delay::DelayNs for Null {
        async fn delay_ns(&mut self, _: u32) {}
    }
    const FOUR: Policy = Policy::exponential(Duration::from_millis(1)).attempts(4);
    let used = allocation_counter::measure(|| {
        let mut hal = Hal::seeded(1, Null);
        assert_eq!(retry(&hal, &FOUR, || Err::<(), _>(1)).run().unwrap_err().attempts, 4);
        assert_eq!(
            block_on(asynchronous::retry(&mut hal, &FOUR, async || Err::<(), _>(1))).unwrap_err().attempts,
            4
        );
    });
    assert_eq!(used.count_total, 0, "{used:?}");
    assert_eq!(size_of::<Hal<Null>>(), 24);
}
