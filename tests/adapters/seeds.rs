//! Who is given no seed is in step with nobody: each retry of a host begins with one of its own.

use std::future::ready;
use std::time::Duration;
use undaunted::thread::Thread;
use undaunted::tokio::Tokio;
use undaunted::{Fed, Micros, Policy, Runtime, Stop, Verdict, thread};

/// Each of 2^32 waits is drawn as often.
const WIDE: Policy = Policy::constant(Duration::from_secs(1 << 33)).full_jitter().attempts(2);

#[test]
fn a_runtime_gives_another_seed_each_time() {
    let fed = Fed::new(Thread, Duration::from_secs(1), || ());
    let mut seeds = [Thread.seed(), Thread.seed(), Tokio.seed(), Tokio.seed(), fed.seed(), fed.seed()];
    seeds.sort_unstable();
    assert!(seeds.is_sorted_by(|one, next| one < next), "{seeds:?}");
}

/// Stopped as soon as it is told how long to wait.
fn drawn_on_a_thread() -> Micros {
    let (stop, mut drawn) = (Stop::new(), None);
    let retry = thread::retry(&WIDE, || Err::<(), _>("busy")).cancel(&stop);
    let result = retry.on_event(|event| {
        if let Verdict::RetryAfter(wait) = event.verdict {
            drawn = Some(wait);
        }
        stop.stop();
    });
    assert!(result.run().is_err());
    drawn.unwrap()
}

#[test]
fn two_retries_on_threads_do_not_wait_alike() {
    assert_ne!(drawn_on_a_thread(), drawn_on_a_thread());
}

async fn drawn_on_tokio() -> Micros {
    let mut drawn = None;
    let retry = undaunted::tokio::retry(&WIDE, || ready(Err::<(), _>("busy"))).on_event(|event| {
        if let Verdict::RetryAfter(wait) = event.verdict {
            drawn = Some(wait);
        }
    });
    assert!(retry.await.is_err());
    drawn.unwrap()
}

#[tokio::test(start_paused = true)]
async fn two_retries_on_tokio_do_not_wait_alike() {
    assert_ne!(drawn_on_tokio().await, drawn_on_tokio().await);
}
