//! What happened, when, in a form that the host checks: one line for each beginning and each verdict.

use undaunted::{Event, GaveUp, Settled, Verdict};
use undaunted_board::println;

/// An attempt begins.
pub fn begins(task: &str, attempt: u32) {
    println!("{task} {attempt} begins {}", now());
}

/// A hook for `.on_event(..)`: an attempt ended, and this was decided.
pub fn tell<E>(task: &'static str) -> impl FnMut(&Event<'_, E>) {
    move |event| decided(task, event.attempt, event.verdict, "waits")
}

/// The same of a session, whose wait is over by then.
pub fn settled(task: &str, step: Settled) {
    decided(task, step.attempts, step.verdict, "waited");
}

fn decided(task: &str, attempt: u32, verdict: Verdict, waits: &str) {
    match verdict {
        Verdict::Done => println!("{task} {attempt} done {}", now()),
        Verdict::GiveUp(reason) => println!("{task} {attempt} gives-up {} {}", now(), reason.word()),
        Verdict::RetryAfter(wait) => println!("{task} {attempt} {waits} {} {}", now(), wait.as_micros()),
    }
}

/// It is over, and this is the answer.
pub fn over<T, E>(task: &str, answer: Result<T, GaveUp<T, E>>) {
    match answer {
        Ok(_) => println!("{task} over {} ok", now()),
        Err(gave_up) => {
            println!("{task} over {} {} after {}", now(), gave_up.reason.word(), gave_up.attempts)
        }
    }
}

/// embassy's clock, in microseconds.
fn now() -> u64 {
    embassy_time::Instant::now().as_micros()
}
