// compiles
//! The control: what the others do, done right.
#![deny(unused_must_use)]
use std::time::Duration;
use undaunted::{Instant, Outcome, Policy, Retry, Rng, Verdict};

pub const WRITE: Policy =
    Policy::exponential(Duration::from_millis(500)).floor(Duration::from_millis(100)).attempts(1);
pub static LINK: Policy = Policy::parse_const("exponential 100ms x2 cap 40s jitter full attempts 8 within 2m");

pub fn next(retry: &mut Retry, rng: &mut Rng, now: Instant) -> bool {
    matches!(retry.next(&WRITE, Outcome::Fail, now, rng.draw()), Verdict::RetryAfter(_))
}
