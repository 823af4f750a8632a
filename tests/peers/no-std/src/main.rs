//! What backon answers where there is no standard library and the timer is embassy's.

use backon::{BackoffBuilder, EmbassySleeper, ExponentialBuilder, Sleeper};
use critical_section as _;
use std::pin::pin;
use std::task::{Context, Waker};
use std::time::Duration;

type Ask = fn() -> String;

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let questions: [(&str, Ask); 3] = [
        ("every_device_has_the_same_seed", devices),
        ("short_sleeps_are_rounded_down", short_sleeps),
        ("the_longest_sleep_panics_or_returns", longest_sleep),
    ];
    for (id, ask) in questions {
        let answer = std::panic::catch_unwind(ask).unwrap_or_else(|_| "panics".into());
        println!(
            "{}",
            serde_json::json!({ "id": id, "peer": "backon", "version": VERSION, "answer": answer })
        );
    }
}

/// Pinned in the manifest.
const VERSION: &str = "1.6.0 without std";

/// Two builders, which know no more of their device than they are told.
fn devices() -> String {
    let device = || {
        let delays = ExponentialBuilder::new().with_jitter().build();
        delays.map(|delay| format!("{delay:?}")).collect::<Vec<_>>().join(", ")
    };
    format!("{}; {}", device(), device())
}

/// On a clock that stands still.
fn short_sleeps() -> String {
    let over = (0..1_000).filter(|_| is_over(Duration::from_micros(999)));
    format!("{} of 1000 are over at once", over.count())
}

fn longest_sleep() -> String {
    format!("over at once: {}", is_over(Duration::MAX))
}

/// Whether a sleep is over without any time passing. A timer is pending at its first poll.
fn is_over(length: Duration) -> bool {
    let mut sleep = pin!(EmbassySleeper.sleep(length));
    let mut context = Context::from_waker(Waker::noop());
    sleep.as_mut().poll(&mut context).is_ready() || sleep.as_mut().poll(&mut context).is_ready()
}
