//! Budgets, breakers and recovery: what the product does not have yet.

use crate::Question;
use crate::tools::{list, paused, rounded};
use failsafe::{
    CircuitBreaker, Config, StateMachine, backoff::constant, failure_policy::consecutive_failures,
};
use futures::{StreamExt, stream};
use kube_runtime::utils::{Backoff, ResetTimerBackoff, StreamBackoff};
use std::pin::pin;
use std::time::Duration;
use tower::retry::budget::{Budget, TpsBudget};

pub(crate) const ALL: &[Question] = &[
    Question {
        id: "any_success_resets_the_stream",
        peer: "kube-runtime",
        ask: || {
            paused(async {
                let items = stream::iter((0..10).map(|i| if i % 2 == 0 { Ok(()) } else { Err(()) }));
                let mut stream = pin!(StreamBackoff::new(items, Doubling::from(1)));
                let (mut delays, mut last) = (Vec::new(), tokio::time::Instant::now());
                while let Some(item) = stream.next().await {
                    if item.is_ok() && last.elapsed() > Duration::ZERO {
                        delays.push(rounded(last.elapsed()));
                        last = tokio::time::Instant::now();
                    }
                }
                delays.push(rounded(last.elapsed()));
                list(delays)
            })
        },
    },
    Question {
        id: "its_own_sleep_counts_as_health",
        peer: "kube-runtime",
        ask: || {
            paused(async {
                let mut backoff = ResetTimerBackoff::new(Doubling::from(25), Duration::from_secs(60));
                let mut delays = Vec::new();
                for _ in 0..6 {
                    let delay = backoff.next().expect("without end");
                    delays.push(delay);
                    tokio::time::advance(delay).await;
                }
                list(delays)
            })
        },
    },
    Question {
        id: "the_percentage_is_an_integer_division",
        peer: "tower",
        ask: || {
            paused(async {
                let budget = TpsBudget::new(Duration::from_secs(10), 0, 0.6);
                (0..1_000).for_each(|_| budget.deposit());
                format!("{} retries", (0..1_000).filter(|_| budget.withdraw()).count())
            })
        },
    },
    Question {
        id: "half_open_admits_everybody",
        peer: "failsafe",
        ask: || {
            let policy = consecutive_failures(1, constant(Duration::ZERO));
            let breaker: StateMachine<_, ()> = Config::new().failure_policy(policy).build();
            let _ = breaker.call(|| Err::<(), ()>(()));
            // Its pause is over as soon as the clock has moved.
            while !breaker.is_call_permitted() {}
            format!("{} of 1000 admitted", 1 + (1..1_000).filter(|_| breaker.is_call_permitted()).count())
        },
    },
    Question {
        id: "half_open_admits_everybody",
        peer: "reliakit-circuit",
        ask: || {
            let mut breaker = reliakit_circuit::CircuitBreaker::new(1, 10);
            breaker.on_failure(0);
            format!("{} of 1000 admitted", (0..1_000).filter(|_| breaker.allow(10)).count())
        },
    },
];

/// Delays that double, without end.
struct Doubling {
    first: u64,
    next: u64,
}

impl From<u64> for Doubling {
    fn from(first: u64) -> Doubling {
        Doubling { first, next: first }
    }
}

impl Iterator for Doubling {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        let delay = self.next;
        self.next *= 2;
        Some(Duration::from_secs(delay))
    }
}

impl Backoff for Doubling {
    fn reset(&mut self) {
        self.next = self.first;
    }
}
