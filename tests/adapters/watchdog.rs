//! A watchdog is fed in every wait, on every kind of runtime, and no wait becomes shorter by it.

use std::cell::{Cell, RefCell};
use std::time::Duration;
use undaunted::embassy::Embassy;
use undaunted::embedded_hal::Hal;
use undaunted::{Fed, GaveUp, Instant, Micros, Policy, Reason, Runtime, asynch, blocking};
use undaunted_tests::hal::Delay;
use undaunted_tests::{embassy, simulated};

const PATIENCE: Duration = Duration::from_secs(8);
const JOIN: Policy = Policy::schedule(&[
    Micros::from_secs(20),
    Micros::from_secs(1),
    Micros::from_secs(8),
    Micros::new(8_000_001),
])
.no_jitter()
.attempts(5);

/// What a runtime's waits do to a watchdog: the longest time without food, how often it was fed, and the end.
fn watch(now: impl Fn() -> Instant, run: impl FnOnce(&dyn Fn()) -> Result<(), GaveUp<(), &'static str>>) {
    let start = now();
    let meals = RefCell::new(vec![start]);
    let gave_up = run(&|| meals.borrow_mut().push(now())).unwrap_err();
    let meals = meals.into_inner();
    let hungry = meals.windows(2).map(|pair| pair[1].since(pair[0])).max().unwrap();
    let patience = Micros::from(PATIENCE);
    assert!(hungry <= patience.saturating_add(Micros::new(62)), "{hungry}");
    assert_eq!(gave_up.attempts, 5);
    assert!(gave_up.elapsed >= Micros::new(37_000_001), "{}", gave_up.elapsed);
    assert!(gave_up.elapsed <= Micros::new(37_001_000), "{}", gave_up.elapsed);
    // Each wait: at once, and after each piece: 3, 1, 1 and 2.
    assert_eq!(meals.len() - 1, 4 + 7);
}

#[test]
fn it_is_fed_in_blocking_waits() {
    let delay = Delay::default();
    let hal = Hal::seeded(1, delay.clone());
    watch(
        || delay.now(),
        |feed| blocking::retry(Fed::new(&hal, PATIENCE, feed), &JOIN, || Err("no network")).run(),
    );
}

#[test]
fn it_is_fed_in_asynchronous_waits() {
    let delay = Delay::default();
    let mut hal = Hal::seeded(1, delay.clone());
    watch(
        || delay.now(),
        |feed| {
            let fed = Fed::new(hal.timer(), PATIENCE, feed);
            simulated::block_on(asynch::retry(fed, &JOIN, async || Err("no network")))
        },
    );
}

#[test]
fn it_is_fed_on_embassy() {
    let runtime = Embassy::seeded(1);
    watch(
        || runtime.now(),
        |feed| {
            let fed = Fed::new(runtime, PATIENCE, feed);
            embassy::block_on(asynch::retry(fed, &JOIN, async || Err("no network")))
        },
    );
}

#[test]
fn a_period_of_zero_still_ends() {
    let delay = Delay::default();
    let hal = Hal::seeded(1, delay.clone());
    blocking::Sleep::sleep(&Fed::new(&hal, Duration::ZERO, || ()), Micros::new(50));
    assert_eq!(delay.pieces(), [1; 50]);
}

/// A runtime that is cancelled in its second sleep.
#[derive(Default)]
struct Twice(Cell<u32>);

impl Runtime for &Twice {
    fn now(&self) -> Instant {
        Instant::from_micros(0)
    }

    fn seed(&self) -> u64 {
        1
    }
}

impl blocking::Sleep for &Twice {
    const CANCELS: bool = true;

    fn sleep(&self, _: Micros) {
        self.0.set(self.0.get() + 1);
    }

    fn is_cancelled(&self) -> bool {
        self.0.get() >= 2
    }
}

#[test]
fn what_is_cancelled_in_a_piece_of_a_wait_is_over() {
    let (twice, meals) = (Twice::default(), Cell::new(0));
    let fed = Fed::new(&twice, PATIENCE, || meals.set(meals.get() + 1));
    let gave_up = blocking::retry(fed, &JOIN, || Err::<(), _>("no network")).run().unwrap_err();
    assert_eq!((gave_up.reason, gave_up.attempts), (Reason::Cancelled, 1));
    // Of the three pieces of 20 s two were slept.
    assert_eq!((twice.0.get(), meals.get()), (2, 3));
}
