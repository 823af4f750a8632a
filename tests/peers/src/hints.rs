//! What is done with a server's hint.

use crate::Question;
use crate::tools::{Calls, paused};
use backon::{ExponentialBuilder, Retryable};
use reqwest::{Request, Response};
use reqwest_middleware::{ClientBuilder, Middleware, Next};
use reqwest_retry::{Jitter, RetryTransientMiddleware, policies::ExponentialBackoff};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

pub(crate) const ALL: &[Question] = &[
    Question {
        id: "the_hint_is_ignored",
        peer: "reqwest-retry",
        ask: || {
            let answers = [(429, "60"), (503, "5")].map(|(status, hint)| {
                paused(async move {
                    let server = Server { calls: Calls::start(), status, hint };
                    let policy =
                        ExponentialBackoff::builder().retry_bounds(SECOND, SECOND).jitter(Jitter::None);
                    let retries = RetryTransientMiddleware::new_with_policy(policy.build_with_max_retries(4));
                    let client =
                        ClientBuilder::new(reqwest::Client::new()).with(retries).with(server.clone()).build();
                    let _ = client.get("http://localhost/").send().await;
                    server.calls.spoken()
                })
            });
            answers.join(" | ")
        },
    },
    Question {
        id: "the_hint_does_not_override_the_strategy",
        peer: "tokio-retry2",
        ask: || {
            paused(async {
                let (calls, told) = (Calls::start(), Arc::new(Mutex::new(Vec::new())));
                let (operation, heard) = (calls.clone(), told.clone());
                let operation = move || {
                    let good = operation.call() > 1;
                    async move {
                        if good {
                            Ok(())
                        } else {
                            tokio_retry2::RetryError::to_retry_after("busy", 60 * SECOND)
                        }
                    }
                };
                let notify = move |_: &&str, wait: Duration| heard.lock().expect("no panic").push(wait);
                let strategy = tokio_retry2::strategy::FixedInterval::from_millis(100).take(2);
                let _ = tokio_retry2::Retry::spawn_notify(strategy, operation, notify).await;
                let told = crate::tools::list(told.lock().expect("no panic").clone());
                format!("told {told}, slept {:?}", crate::tools::rounded(calls.gaps()[0]))
            })
        },
    },
    Question {
        id: "failures_with_a_hint_do_not_count",
        peer: "backon",
        ask: || {
            paused(async {
                let calls = Calls::start();
                let operation = || async { if calls.call() > 1_000 { Ok(()) } else { Err("busy") } };
                let builder = ExponentialBuilder::new().with_max_times(3);
                let _ = operation.retry(builder).adjust(|_, _| Some(SECOND)).await;
                format!("{} calls", calls.count())
            })
        },
    },
    Question {
        id: "a_hint_of_zero_escapes_the_limits",
        peer: "backoff",
        ask: || {
            paused(async {
                let calls = Calls::start();
                let operation = || async {
                    if calls.call() > 500 {
                        return Ok(());
                    }
                    Err(backoff::Error::retry_after("busy", Duration::ZERO))
                };
                let policy = backoff::ExponentialBackoff {
                    max_elapsed_time: Some(Duration::ZERO),
                    ..Default::default()
                };
                let _ = backoff::future::retry(policy, operation).await;
                format!("{} calls", calls.count())
            })
        },
    },
    Question {
        id: "a_hint_sleeps_past_the_limit",
        peer: "backon",
        ask: || {
            paused(async {
                let calls = Calls::start();
                let operation = || async {
                    calls.call();
                    Err::<(), _>("busy")
                };
                let builder = ExponentialBuilder::new().with_factor(1.0).with_total_delay(Some(5 * SECOND));
                let _ = operation.retry(builder).adjust(|_, delay| delay.map(|_| 3_600 * SECOND)).await;
                calls.spoken()
            })
        },
    },
];

/// Answers every request itself, so that nothing goes out.
#[derive(Clone)]
struct Server {
    calls: Calls,
    status: u16,
    hint: &'static str,
}

#[async_trait::async_trait]
impl Middleware for Server {
    async fn handle(
        &self,
        _: Request,
        _: &mut http::Extensions,
        _: Next<'_>,
    ) -> reqwest_middleware::Result<Response> {
        self.calls.call();
        let response =
            http::Response::builder().status(self.status).header("Retry-After", self.hint).body("");
        Ok(response.expect("a response").into())
    }
}
