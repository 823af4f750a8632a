//! Curves, caps and overflows.

use crate::Question;
use crate::tools::{Calls, list, paused};
use backon::{BackoffBuilder, ExponentialBuilder, FibonacciBuilder};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

pub(crate) const ALL: &[Question] = &[
    Question {
        id: "the_accumulator_overflows_behind_the_cap",
        peer: "tryhard",
        ask: || {
            paused(async {
                let mut answers = Vec::new();
                for first in [SECOND, Duration::from_millis(10)] {
                    let calls = Calls::start();
                    let operation = || {
                        calls.call();
                        async { Err::<(), ()>(()) }
                    };
                    let retry = tryhard::retry_fn(operation).retries(100).exponential_backoff(first);
                    let _ = retry.max_delay(Duration::from_millis(10)).await;
                    answers.push(list(calls.gaps().into_iter().map(crate::tools::rounded)));
                }
                answers.join("; ")
            })
        },
    },
    Question {
        id: "a_multiplication_overflows_without_a_limit",
        peer: "tokio-retry",
        ask: || {
            let delays = tokio_retry::strategy::ExponentialBackoff::from_millis(10);
            list(delays.max_delay(Duration::from_secs(3_600)).take(10_000))
        },
    },
    Question {
        id: "the_power_of_two_overflows_with_a_base_of_zero_or_the_longest",
        peer: "exponential-backoff",
        ask: || {
            let delays = [Duration::ZERO, Duration::MAX].map(|base| {
                let mut backoff = exponential_backoff::Backoff::new(33, base, None);
                backoff.set_jitter(0.0);
                list(backoff.into_iter().flatten())
            });
            delays.join("; ")
        },
    },
    Question {
        id: "a_release_build_wraps_to_zero",
        peer: "mulligan",
        ask: || {
            paused(async {
                let calls = Calls::start();
                let operation = async || {
                    calls.call();
                    Err::<(), ()>(())
                };
                let retry = mulligan::until_ok().stop_after(65).max_delay(Duration::from_secs(60));
                let _ = retry.exponential(SECOND).execute(operation).await;
                list(calls.gaps().into_iter().map(crate::tools::rounded))
            })
        },
    },
    Question {
        id: "the_minimum_is_above_the_maximum",
        peer: "backon",
        ask: || {
            let plain = ExponentialBuilder::new().with_max_delay(SECOND);
            let above = plain.with_min_delay(10 * SECOND).with_max_times(3).build();
            let jittered =
                plain.with_min_delay(SECOND).with_jitter().with_jitter_seed(1).with_max_times(1_000);
            format!("{}; up to {:?}", list(above), jittered.build().max().expect("a thousand"))
        },
    },
    Question {
        id: "fibonacci_passes_the_cap",
        peer: "backon",
        ask: || {
            let fibonacci = FibonacciBuilder::new().with_min_delay(2 * SECOND).with_max_delay(30 * SECOND);
            list(fibonacci.with_max_times(8).build())
        },
    },
    Question {
        id: "jitter_doubles_the_cap",
        peer: "backon",
        ask: || {
            let delays =
                ExponentialBuilder::new().with_max_delay(10 * SECOND).with_jitter().with_jitter_seed(1);
            let late: Vec<_> = delays.with_max_times(1_000).build().skip(4).collect();
            format!("{:?} to {:?}", late.iter().min().expect("many"), late.iter().max().expect("many"))
        },
    },
    Question {
        id: "no_cap_reaches_months",
        peer: "tryhard",
        ask: || {
            paused(async {
                let calls = Calls::start();
                let operation = || {
                    calls.call();
                    async { Err::<(), ()>(()) }
                };
                let retry = tryhard::retry_fn(operation).retries(25);
                let _ = retry.exponential_backoff(Duration::from_millis(500)).await;
                format!("{} days", calls.gaps()[24].as_secs() / 86_400)
            })
        },
    },
    Question {
        id: "the_factor_is_not_a_number",
        peer: "backon",
        ask: || {
            let delays = [f32::NAN, -1.0, f32::INFINITY, 0.0].map(|factor| {
                let delays =
                    ExponentialBuilder::new().with_factor(factor).without_max_delay().with_max_times(4);
                format!("{factor}: {}", list(delays.build()))
            });
            delays.join("; ")
        },
    },
    Question {
        id: "the_base_is_the_factor",
        peer: "tokio-retry",
        ask: || list(tokio_retry::strategy::ExponentialBackoff::from_millis(1_000).take(3)),
    },
    Question {
        id: "a_base_below_a_millisecond_is_zero",
        peer: "retry",
        ask: || {
            let exponential = |from| list(retry::delay::Exponential::from(from).take(3));
            let [base, least] = [Duration::from_micros(500), Duration::from_nanos(1)].map(exponential);
            format!("{base}; {least}")
        },
    },
    Question {
        id: "steps_run_out_to_zero",
        peer: "reliakit-retry",
        ask: || {
            let backoff =
                reliakit_backoff::Backoff::exponential(Duration::from_millis(100), 2).with_max_retries(2);
            let policy = reliakit_retry::RetryPolicy::new(8, backoff).expect("8 attempts");
            list((1..=7).map(|completed| policy.delay_before_retry(completed)))
        },
    },
];
