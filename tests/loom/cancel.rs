//! What is cancelled by the handle: retries on a thread and on an executor. There is no time in a model: a wait ends by
//! the handle or not at all.

use core::future::{Pending, pending};
use core::time::Duration;
use loom::future::block_on;
use loom::{model, thread};
use undaunted::asynch::{self, Timer};
use undaunted::{Instant, Last, Micros, Policy, Reason, Runtime, Stop};

const HOURLY: Policy = Policy::constant(Duration::from_secs(3600)).no_jitter().attempts(2);

/// A runtime whose clock stands still.
#[derive(Clone, Copy)]
struct Still;

impl Runtime for Still {
    fn now(&self) -> Instant {
        Instant::from_micros(0)
    }

    fn seed(&self) -> u64 {
        0
    }
}

impl Timer for Still {
    type Sleep = Pending<()>;

    fn sleep(&self, _: Micros) -> Pending<()> {
        pending()
    }
}

/// What it gave up with, when it was stopped in its wait or before its first call.
fn expect<T: core::fmt::Debug>(reason: Reason, attempts: u32, last: &Last<T, &str>) {
    assert_eq!(reason, Reason::Cancelled);
    match attempts {
        0 => assert!(matches!(last, Last::Nothing), "{last:?}"),
        1 => assert!(matches!(last, Last::Error("busy")), "{last:?}"),
        _ => panic!("an attempt after an hour that did not pass"),
    }
}

#[test]
fn a_thread_in_its_wait() {
    model(|| {
        let stop = Stop::new();
        let retrying = thread::spawn({
            let stop = stop.clone();
            move || undaunted::thread::retry(&HOURLY, || Err::<(), _>("busy")).cancel(&stop).run()
        });
        stop.stop();
        let gave_up = retrying.join().unwrap().unwrap_err();
        expect(gave_up.reason, gave_up.attempts, &gave_up.last);
    });
}

#[test]
fn a_task_in_its_wait() {
    model(|| {
        let stop = Stop::new();
        let stopping = thread::spawn({
            let stop = stop.clone();
            move || stop.stop()
        });
        let retrying = asynch::retry(Still, &HOURLY, || async { Err::<(), _>("busy") }).cancel(&stop);
        let gave_up = block_on(retrying.into_future()).unwrap_err();
        expect(gave_up.reason, gave_up.attempts, &gave_up.last);
        stopping.join().unwrap();
    });
}

/// Stopped while the operation runs: where it can be cut it is, and has been counted.
#[test]
fn a_task_in_its_attempt() {
    model(|| {
        let stop = Stop::new();
        let stopping = thread::spawn({
            let stop = stop.clone();
            move || stop.stop()
        });
        let retrying = asynch::retry(Still, &HOURLY, pending::<Result<(), &str>>).cancel(&stop);
        let gave_up = block_on(retrying.into_future()).unwrap_err();
        assert_eq!(gave_up.reason, Reason::Cancelled);
        assert!(gave_up.attempts <= 1, "{gave_up:?}");
        stopping.join().unwrap();
    });
}
