//! What runs when, and what the caller learns.

use crate::Question;
use crate::tools::{Calls, paused};
use backon::{ExponentialBuilder, Retryable};
use failsafe::{
    CircuitBreaker, Config, StateMachine, backoff::constant, failure_policy::consecutive_failures,
};
use std::time::Duration;

pub(crate) const ALL: &[Question] = &[
    Question {
        id: "the_operation_runs_before_its_delay",
        peer: "backoff",
        ask: || {
            paused(async {
                let calls = Calls::start();
                // The call is counted where the closure runs, not where its future does.
                let operation = || {
                    let good = calls.call() > 2;
                    async move { if good { Ok(()) } else { Err(backoff::Error::transient("busy")) } }
                };
                let policy = backoff::backoff::Constant::new(Duration::from_secs(10));
                let _ = backoff::future::retry(policy, operation).await;
                calls.spoken()
            })
        },
    },
    Question {
        id: "a_success_hides_its_retries",
        peer: "backon",
        ask: || {
            paused(async {
                let calls = Calls::start();
                let operation = || async { if calls.call() > 2 { Ok('c') } else { Err("busy") } };
                format!("{:?}, and nothing beside it", operation.retry(ExponentialBuilder::new()).await)
            })
        },
    },
    Question {
        id: "an_ok_cannot_count_as_a_failure",
        peer: "failsafe",
        ask: || {
            let policy = consecutive_failures(3, constant(Duration::from_secs(60)));
            let breaker: StateMachine<_, ()> = Config::new().failure_policy(policy).build();
            for _ in 0..3 {
                let _ = breaker.call(|| Ok::<u16, ()>(503));
            }
            let open = !breaker.is_call_permitted();
            format!("after Ok(503) three times: {}", if open { "open" } else { "closed, all were successes" })
        },
    },
];
