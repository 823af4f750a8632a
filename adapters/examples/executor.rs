//! On an executor written by hand: one thread, one queue of timers, two retries at once.
//!
//! ```sh
//! cargo run -p undaunted --features asynch --example executor
//! ```

use std::cell::RefCell;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use undaunted::{Instant, Micros, Policy, Runtime, asynch};

thread_local! {
    /// When somebody wants to be woken, on this executor's thread.
    static TIMERS: RefCell<Vec<std::time::Instant>> = const { RefCell::new(Vec::new()) };
}

/// Polls; sleeps until the earliest timer; polls again.
fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return output;
        }
        let mut timers = TIMERS.take();
        timers.sort();
        let earliest = timers.first().copied().expect("everything here waits for a timer");
        std::thread::sleep(earliest.saturating_duration_since(std::time::Instant::now()));
    }
}

/// What the library asks of a runtime: a clock, seeds, and a future that is ready after a length of time.
#[derive(Clone, Copy, Default)]
struct Own;

impl Runtime for Own {
    fn now(&self) -> Instant {
        static START: OnceLock<std::time::Instant> = OnceLock::new();
        Instant::from_micros(START.get_or_init(std::time::Instant::now).elapsed().as_micros() as u64)
    }

    /// A device would take its serial number; it must differ from session to session.
    fn seed(&self) -> u64 {
        static SESSIONS: AtomicU64 = AtomicU64::new(0);
        u64::from(std::process::id()) << 32 | SESSIONS.fetch_add(1, Ordering::Relaxed)
    }
}

impl asynch::Timer for Own {
    type Sleep = Sleep;

    fn sleep(&self, length: Micros) -> Sleep {
        Sleep { until: std::time::Instant::now().checked_add(length.as_duration()) }
    }
}

/// What the clock cannot hold is never.
struct Sleep {
    until: Option<std::time::Instant>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        match self.until {
            Some(until) if std::time::Instant::now() >= until => Poll::Ready(()),
            Some(until) => {
                TIMERS.with_borrow_mut(|timers| timers.push(until));
                Poll::Pending
            }
            None => Poll::Pending,
        }
    }
}

const QUICK: Policy = Policy::exponential(Duration::from_millis(5)).attempts(4);

/// Fails twice, then answers its name.
async fn third(name: &'static str) -> &'static str {
    let mut calls = 0;
    let operation = || {
        calls += 1;
        let call = calls;
        async move { if call < 3 { Err("busy") } else { Ok(name) } }
    };
    let retry = asynch::retry(Own, &QUICK, operation).on_event(|event| println!("{name}: {event}"));
    retry.await.expect("the third attempt succeeds")
}

fn main() {
    let (mut first, mut second) = (pin!(third("first")), pin!(third("second")));
    let (mut one, mut two) = (None, None);
    let both = poll_fn(|context| {
        one = one.or_else(|| ready(first.as_mut().poll(context)));
        two = two.or_else(|| ready(second.as_mut().poll(context)));
        one.zip(two).map_or(Poll::Pending, Poll::Ready)
    });
    assert_eq!(block_on(both), ("first", "second"));
}

fn ready<T>(poll: Poll<T>) -> Option<T> {
    match poll {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}
