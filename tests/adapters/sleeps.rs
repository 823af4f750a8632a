//! Law 14: an adapter sleeps at least as long as it was told.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Waker};
use std::time::Duration;
use undaunted::{Attempt, Instant, Micros, Outcome, Policy, Runtime, Stop, Verdict, thread, tokio::Session};

/// As long as anything may be told to wait.
const OPEN: Policy =
    Policy::constant(Duration::from_micros(1)).no_jitter().unlimited_attempts().hint_ceiling(Duration::MAX);

/// Under tokio's paused clock each sleep lasts at least the verdict and at most 2 ms longer.
#[tokio::test(start_paused = true)]
async fn tokio_sleeps_as_long_as_told_and_at_most_2_ms_longer() {
    let around = [1u64, 999, 1_000, 1_001, 1_999, 63_999, 64_000, 4_096_000, 999_999_999, 3_600_000_000];
    let far = [86_400_000_000, 70_000_000_000_000, 315_360_000_000_000];
    let mut session = Session::start(&OPEN).seed(1);
    for told in around.into_iter().chain(far).chain((0..200).map(|i| i * 7_919 + 1)) {
        let before = ::tokio::time::Instant::now();
        let settled = session.settle(Outcome::throttle(Some(Micros::new(told)))).await;
        let slept = before.elapsed();
        assert_eq!(settled.verdict, Verdict::RetryAfter(Micros::new(told)));
        assert!(slept >= Duration::from_micros(told), "told {told} us, slept {slept:?}");
        assert!(slept <= Duration::from_micros(told + 2_000), "told {told} us, slept {slept:?}");
    }
}

/// embassy-rs/embassy#3204, #5857, #6141: a huge sleep hung or panicked. Ours only waits.
#[tokio::test(start_paused = true)]
async fn tokio_takes_the_longest_wait_without_a_panic() {
    for told in [1 << 55, u64::MAX - 1, u64::MAX] {
        let mut session = Session::start(&OPEN).seed(1);
        let mut settle = pin!(session.settle(Outcome::throttle(Some(Micros::new(told)))));
        let poll = settle.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert!(poll.is_pending(), "{told} us");
    }
}

/// The one real sleep of these tests: 2 ms.
#[test]
fn a_thread_sleeps_at_least_as_long_as_told() {
    let mut session = thread::Session::start(&OPEN);
    let before = std::time::Instant::now();
    let settled = session.settle(Outcome::throttle(Some(Micros::from_millis(2))));
    assert!(before.elapsed() >= Duration::from_millis(2));
    assert_eq!(settled.verdict, Verdict::RetryAfter(Micros::from_millis(2)));
}

/// The clocks of both adapters are on one epoch, and a paused clock that lags is not stuck at zero.
#[tokio::test(start_paused = true)]
async fn a_paused_clock_moves_when_it_is_advanced() {
    let tokio = undaunted::tokio::Tokio;
    let before = tokio.now();
    ::tokio::time::advance(Duration::from_micros(1_500)).await;
    assert_eq!(tokio.now().since(before), Micros::new(1_500));
    let apart = thread::Thread.now().since(before).max(before.since(thread::Thread.now()));
    assert!(apart < Micros::from_secs(3_600), "one epoch: {apart}");
}

/// A thread that can be stopped is on the clock of all others: a deadline of one holds for the other.
#[test]
fn deadlines_of_what_can_be_stopped_are_on_the_threads_clock() {
    let hour = Micros::from_secs(3_600);
    let mut deadline = Instant::MAX;
    let call = |attempt: Attempt| {
        deadline = attempt.deadline().unwrap();
        Ok::<_, ()>(())
    };
    let before = thread::Thread.now();
    assert_eq!(thread::retry(OPEN.within(hour.as_duration()), call).cancel(&Stop::new()).run(), Ok(()));
    assert!(before + hour <= deadline && deadline <= thread::Thread.now() + hour, "{deadline:?}");
}
