//! Jitter and its seeds.

use crate::Question;
use crate::tools::paused;
use retry_policies::{Jitter, RetryDecision, RetryPolicy, policies::ExponentialBackoff};
use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};
use tower::retry::backoff::{Backoff, ExponentialBackoffMaker, MakeBackoff};
use tower::util::rng::HasherRng;

pub(crate) const ALL: &[Question] = &[
    Question {
        id: "jitter_vanishes_at_the_cap",
        peer: "retry-policies",
        ask: || {
            let bounds = (Duration::from_secs(1), Duration::from_secs(10));
            let policy = ExponentialBackoff::builder().retry_bounds(bounds.0, bounds.1).jitter(Jitter::Full);
            let policy = policy.build_with_max_retries(100);
            let at_cap = (0..1_000).filter(|_| {
                let before = SystemTime::now();
                let RetryDecision::Retry { execute_after } = policy.should_retry(before, 20) else {
                    return false;
                };
                execute_after.duration_since(before).is_ok_and(|wait| wait >= bounds.1)
            });
            format!("{} of 1000 draws of full jitter are the cap", at_cap.count())
        },
    },
    Question {
        id: "jitter_is_silently_not_applied",
        peer: "exponential-backoff",
        ask: || {
            let delays = first_delays(Duration::from_secs(1), 0.3);
            let different = delays.iter().collect::<BTreeSet<_>>().len();
            let (least, most) = (delays.iter().min().expect("many"), delays.iter().max().expect("many"));
            format!("{different} different waits within {least:?} to {most:?}")
        },
    },
    Question {
        id: "a_range_of_jitter_is_a_silent_hot_loop",
        peer: "tokio-retry2",
        ask: || {
            let jitter = tokio_retry2::strategy::jitter_range(0..1);
            crate::tools::list((0..1_000).map(|_| jitter(Duration::from_millis(100))))
        },
    },
    Question {
        id: "jitter_is_one_sided",
        peer: "exponential-backoff",
        ask: || {
            let delays = first_delays(Duration::from_secs(2), 0.3);
            let tenth = |k: u128| {
                let here = |delay: &&Duration| delay.as_millis().saturating_sub(1_400) / 120 == k;
                delays.iter().filter(here).count().to_string()
            };
            let least = delays.iter().filter(|&&delay| delay == Duration::from_secs(2)).count();
            let tenths = (0..10).map(tenth).collect::<Vec<_>>().join(" ");
            format!("{tenths}; {least} are exactly 2s")
        },
    },
    Question {
        id: "a_small_jitter_panics",
        peer: "exponential-backoff",
        ask: || {
            let delays = first_delays(Duration::from_secs(1), 0.005);
            format!("{:?} to {:?}", delays.iter().min().expect("many"), delays.iter().max().expect("many"))
        },
    },
    Question {
        id: "sessions_of_one_maker_jitter_alike",
        peer: "tower",
        ask: || {
            let hour = Duration::from_secs(3_600);
            paused(async {
                let maker = ExponentialBackoffMaker::new(hour, 10 * hour, 1.0, HasherRng::default());
                let mut maker = maker.expect("a valid maker");
                let first = |_| maker.make_backoff().next_backoff().deadline();
                format!("{} of 4 are different", (0..4).map(first).collect::<BTreeSet<_>>().len())
            })
        },
    },
];

/// The first delays of 1000 backoffs, from a generator that is seeded.
fn first_delays(base: Duration, jitter: f32) -> Vec<Duration> {
    fastrand::seed(1);
    let first = |_| {
        let mut backoff = exponential_backoff::Backoff::new(3, base, None);
        backoff.set_jitter(jitter);
        backoff.into_iter().next().flatten().expect("a delay")
    };
    (0..1_000).map(first).collect()
}
