//! A driver for embassy's time whose clock each thread has to itself, so that tests can run side by side. Its time
//! is real and finer than a tick: embassy is told whole ticks of it, rounded down, as by a counter in hardware.

use embassy_time_driver::{Driver, TICK_HZ};
use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};
use undaunted::Micros;

thread_local! {
    /// Billionths of a second.
    static NOW: Cell<u128> = const { Cell::new(0) };
    /// What was asked for since the last wake-up, in ticks.
    static ALARMS: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

struct Threads;

embassy_time_driver::time_driver_impl!(static DRIVER: Threads = Threads);

impl Driver for Threads {
    fn now(&self) -> u64 {
        u64::try_from(NOW.get() * u128::from(TICK_HZ) / 1_000_000_000).unwrap_or(u64::MAX)
    }

    fn schedule_wake(&self, at: u64, _: &Waker) {
        ALARMS.with_borrow_mut(|alarms| alarms.push(at));
    }
}

/// The real time of this thread, in nanoseconds.
pub fn now() -> u128 {
    NOW.get()
}

/// Time passes: an attempt works.
pub fn pass(length: Micros) {
    pass_nanos(u128::from(length.as_micros()) * 1_000);
}

/// Time passes, to a billionth of a second.
pub fn pass_nanos(nanos: u128) {
    NOW.set(NOW.get() + nanos);
}

/// Polls; lets the time pass until the earliest alarm, just as far as its tick begins; polls again.
///
/// # Panics
/// If nothing has set an alarm.
pub fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = poll(future.as_mut()) {
            return output;
        }
        wake();
    }
}

/// Polls once.
pub fn poll<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// Lets the time pass until the earliest alarm, and answers how many there were.
///
/// # Panics
/// If there is none.
pub fn wake() -> usize {
    let alarms = ALARMS.take();
    let earliest = *alarms.iter().min().expect("everything here waits for an alarm");
    let due = (u128::from(earliest) * 1_000_000_000).div_ceil(u128::from(TICK_HZ));
    NOW.set(NOW.get().max(due));
    alarms.len()
}
