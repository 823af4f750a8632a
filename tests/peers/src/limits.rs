//! Limits of attempts and of time.

use crate::Question;
use crate::tools::{Calls, list, paused, rounded};
use backon::{BackoffBuilder, ExponentialBuilder, Retryable};
use retry_policies::{Jitter, RetryDecision, RetryPolicy, policies::ExponentialBackoff};
use std::time::{Duration, Instant, SystemTime};

const SECOND: Duration = Duration::from_secs(1);

pub(crate) const ALL: &[Question] = &[
    Question {
        id: "three_attempts_make_four_calls",
        peer: "backon",
        ask: || {
            let calls = [0, 1, 2, 3].map(|limit| {
                paused(async move {
                    let calls = Calls::start();
                    let operation = || async {
                        calls.call();
                        Err::<(), _>("busy")
                    };
                    let builder = ExponentialBuilder::new().with_factor(1.0).with_max_times(limit);
                    let _ = operation.retry(builder).await;
                    format!("max_times {limit}: {} calls", calls.count())
                })
            });
            calls.join("; ")
        },
    },
    Question {
        id: "attempts_begin_after_the_longest_time",
        peer: "backoff",
        ask: || {
            let lives = [0, 1].map(|work| {
                paused(async move {
                    let calls = Calls::start();
                    let operation = || async {
                        calls.call();
                        tokio::time::sleep(work * SECOND).await;
                        Err::<(), _>(backoff::Error::transient("busy"))
                    };
                    let policy = backoff::exponential::ExponentialBackoff {
                        current_interval: 5 * SECOND,
                        initial_interval: 5 * SECOND,
                        randomization_factor: 0.0,
                        multiplier: 1.0,
                        max_interval: 5 * SECOND,
                        start_time: Instant::now(),
                        max_elapsed_time: Some(15 * SECOND),
                        clock: Paused,
                    };
                    let _ = backoff::future::retry(policy, operation).await;
                    calls.spoken()
                })
            });
            lives.join(" | ")
        },
    },
    Question {
        id: "work_does_not_count",
        peer: "backon",
        ask: || {
            paused(async {
                let calls = Calls::start();
                let operation = || async {
                    calls.call();
                    tokio::time::sleep(100 * SECOND).await;
                    Err::<(), _>("busy")
                };
                let builder = ExponentialBuilder::new().with_factor(1.0).with_max_times(3);
                let _ = operation.retry(builder.with_total_delay(Some(5 * SECOND))).await;
                calls.spoken()
            })
        },
    },
    Question {
        id: "delays_come_back_after_the_end",
        peer: "backon",
        ask: || {
            let goes_on = (0..100).filter(|&seed| {
                let builder = ExponentialBuilder::new().with_factor(1.0).with_jitter().with_jitter_seed(seed);
                let builder = builder.with_max_times(20).with_total_delay(Some(Duration::from_millis(1_500)));
                let mut delays = builder.build();
                let answers: Vec<_> = (0..20).map(|_| delays.next()).collect();
                let end = answers.iter().position(Option::is_none).expect("it ends");
                answers[end..].iter().any(Option::is_some)
            });
            format!("{} of 100 go on after the end", goes_on.count())
        },
    },
    Question {
        id: "the_wait_is_longer_than_the_time_left",
        peer: "retry-policies",
        ask: || {
            let half_hour = 1_800 * SECOND;
            let policy =
                ExponentialBackoff::builder().retry_bounds(half_hour, half_hour).jitter(Jitter::None);
            let policy = policy.build_with_total_retry_duration(10 * SECOND);
            let now = SystemTime::now();
            match policy.should_retry(now - 9 * SECOND, 0) {
                RetryDecision::DoNotRetry => "gives up".into(),
                RetryDecision::Retry { execute_after } => {
                    let wait = execute_after.duration_since(now).expect("later");
                    format!("retries in {}", list([Duration::from_secs(rounded(wait).as_secs())]))
                }
            }
        },
    },
    Question {
        id: "a_minimum_of_zero_never_returns",
        peer: "retry-policies",
        ask: || {
            let policy = ExponentialBackoff::builder().retry_bounds(Duration::ZERO, SECOND);
            let policy = policy.build_with_total_retry_duration_and_limit_retries(10 * SECOND);
            format!("{:?} retries", policy.max_retries())
        },
    },
];

/// A clock for `backoff` that follows tokio's.
struct Paused;

impl backoff::Clock for Paused {
    fn now(&self) -> Instant {
        tokio::time::Instant::now().into_std()
    }
}
