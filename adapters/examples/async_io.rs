//! On `async-io`, the reactor of smol and async-std: a runtime of one's own is one small trait.
//!
//! ```sh
//! cargo run -p undaunted --features asynch --example async_io
//! ```

use async_io::Timer;
use std::hash::{BuildHasher, RandomState};
use std::pin::Pin;
use std::sync::OnceLock;
use std::task::{Context, Poll};
use std::time::Duration;
use undaunted::{Instant, Micros, Policy, Runtime, asynch};

/// `async-io`: its timers, the standard library's clock, seeds of the operating system.
#[derive(Clone, Copy, Default)]
struct AsyncIo;

impl Runtime for AsyncIo {
    /// One epoch for the whole process, so that a nested retry can take over a deadline.
    fn now(&self) -> Instant {
        static START: OnceLock<std::time::Instant> = OnceLock::new();
        Instant::from_micros(START.get_or_init(std::time::Instant::now).elapsed().as_micros() as u64)
    }

    fn seed(&self) -> u64 {
        RandomState::new().hash_one(0)
    }
}

impl asynch::Timer for AsyncIo {
    type Sleep = Sleep;

    /// Never early; what the clock cannot hold is for ever.
    fn sleep(&self, length: Micros) -> Sleep {
        Sleep(Timer::after(length.as_duration()))
    }
}

/// The timer, without the instant that it answers.
struct Sleep(Timer);

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        Pin::new(&mut self.0).poll(context).map(|_| ())
    }
}

const CONNECT: Policy =
    Policy::exponential(Duration::from_millis(5)).attempts(5).attempt_timeout(Duration::from_millis(20));

fn main() {
    let mut calls = 0;
    let connect = || {
        calls += 1;
        let call = calls;
        async move {
            match call {
                1 => Err("connection refused"),
                2 => std::future::pending().await, // hangs, and is cut after 20 ms
                _ => Ok("connected"),
            }
        }
    };
    let retry = asynch::retry(AsyncIo, &CONNECT, connect).on_event(|event| println!("{event}"));
    let report = async_io::block_on(retry.report()).expect("the third attempt connects");
    assert_eq!((report.value, report.attempts), ("connected", 3));
}
