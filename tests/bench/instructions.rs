//! One row a run, for counting instructions: `instructions ROW TIMES` does the row's work TIMES times.
//!
//! `tests/bench/instructions.py` runs each row under callgrind twice and takes the difference, so that
//! starting the process costs nothing, and subtracts the row that does the same without the library.

use core::future::{Future, Ready, ready};
use core::pin::pin;
use core::task::{Context, Poll, Waker};
use core::time::Duration;
use std::hint::black_box;
use undaunted::{Instant, Micros, Outcome, Policy, Retry, Rng, Runtime, Verdict, asynch, blocking, thread};

/// The policy of the peers' table: 16 delays a state.
const POLICY: Policy =
    Policy::exponential(Duration::from_millis(100)).cap(Duration::from_secs(40)).attempts(17);

/// A runtime without a clock and without a wait: what is left is the library's own work.
#[derive(Clone, Copy, Default)]
struct Still;

impl Runtime for Still {
    #[inline]
    fn now(&self) -> Instant {
        Instant::default()
    }

    #[inline]
    fn seed(&self) -> u64 {
        1
    }
}

impl blocking::Sleep for Still {
    #[inline]
    fn sleep(&self, length: Micros) {
        black_box(length);
    }
}

impl asynch::Timer for Still {
    type Sleep = Ready<()>;

    #[inline]
    fn sleep(&self, length: Micros) -> Ready<()> {
        black_box(length);
        ready(())
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, row, times] = arguments.as_slice() else { panic!("usage: instructions ROW TIMES") };
    let times: u32 = times.parse().expect("a number of times");
    match row.as_str() {
        "loop-16" => bare_loop(&POLICY, times),
        "next-constant" => next_of(&POLICY, times),
        "next-runtime" => next_of(black_box(&POLICY), times),
        "success-blocking-bare" => repeat(times, succeed),
        "success-blocking" => {
            repeat(times, || blocking::retry(Still, &POLICY, succeed).run().map_err(|_| 0));
        }
        "success-blocking-value" => {
            repeat(times, || blocking::retry(Still, POLICY, succeed).run().map_err(|_| 0));
        }
        "success-thread" => {
            repeat(times, || thread::retry(&POLICY, succeed).run().map_err(|_| 0));
        }
        "success-async-bare" => repeat(times, || poll_once(async_succeed())),
        "success-async" => {
            repeat(times, || poll_once(asynch::retry(Still, &POLICY, async_succeed).uncut()).map_err(|_| 0));
        }
        "success-async-cut" => {
            repeat(times, || poll_once(asynch::retry(Still, &POLICY, async_succeed)).map_err(|_| 0));
        }
        "three-failures-blocking-bare" => repeat(times, || {
            let mut fourth = Fourth(0);
            loop {
                if let Ok(value) = fourth.call() {
                    break Ok(value);
                }
            }
        }),
        "three-failures-blocking" => repeat(times, || {
            let mut fourth = Fourth(0);
            blocking::retry(Still, &POLICY, || fourth.call()).seed(black_box(7)).run().map_err(|_| 0)
        }),
        "three-failures-async" => repeat(times, || {
            let mut fourth = Fourth(0);
            poll_once(asynch::retry(Still, &POLICY, || ready(fourth.call())).seed(black_box(7)))
                .map_err(|_| 0)
        }),
        "three-failures-async-cut" => repeat(times, || {
            let mut fourth = Fourth(0);
            poll_once(asynch::retry(Still, &POLICY, || ready(fourth.call())).seed(black_box(7)))
                .map_err(|_| 0)
        }),
        other => panic!("no row {other}"),
    }
}

/// 16 delays a state: everything around `next` in [`next_of`], with one draw each.
fn bare_loop(policy: &Policy, times: u32) {
    let mut rng = Rng::seeded(black_box(1));
    for _ in 0..times {
        let mut retry = Retry::start(policy, Instant::default());
        for _ in 0..16 {
            black_box(&mut retry);
            black_box(rng.draw());
        }
    }
}

#[inline(always)]
fn next_of(policy: &Policy, times: u32) {
    let mut rng = Rng::seeded(black_box(1));
    for _ in 0..times {
        let mut retry = Retry::start(policy, Instant::default());
        for _ in 0..16 {
            // The state is real memory: without this the whole walk of a constant policy is unrolled and folded.
            match black_box(&mut retry).next(policy, Outcome::Fail, Instant::default(), rng.draw()) {
                Verdict::RetryAfter(wait) => _ = black_box(wait),
                Verdict::Done | Verdict::GiveUp(_) => unreachable!("16 of 17 attempts"),
            }
        }
    }
}

#[inline(always)]
fn repeat(times: u32, mut work: impl FnMut() -> Result<u32, u32>) {
    for _ in 0..times {
        let _ = black_box(work());
    }
}

#[inline(never)]
fn succeed() -> Result<u32, u32> {
    black_box(Ok(1))
}

fn async_succeed() -> Ready<Result<u32, u32>> {
    ready(black_box(Ok(1)))
}

/// Fails three times, then succeeds.
struct Fourth(u32);

impl Fourth {
    #[inline(never)]
    fn call(&mut self) -> Result<u32, u32> {
        self.0 += 1;
        if black_box(self.0) < 4 { Err(self.0) } else { Ok(self.0) }
    }
}

#[inline(always)]
fn poll_once<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => unreachable!("no row waits"),
    }
}
