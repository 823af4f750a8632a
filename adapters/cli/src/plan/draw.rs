//! One draw of a schedule: what `run` waits with the same seed, if its attempts take no time.

use undaunted::{Instant, Micros, Outcome, Policy, Retry, Rng, Verdict};

/// The waits that one seed draws.
#[derive(Debug)]
pub(super) struct Drawn {
    pub(super) seed: u64,
    /// After each attempt; shorter than asked for where the policy ends it.
    pub(super) waits: Vec<Micros>,
    /// The wait before the first attempt.
    pub(super) first: Micros,
}

impl Drawn {
    /// Draws as a session does: once for a `first_delay`, then once for each failure, at most `most` times.
    pub(super) fn of(policy: &Policy, seed: u64, most: usize) -> Drawn {
        let mut rng = Rng::seeded(seed);
        let mut now = Instant::from_micros(0);
        let mut first = Micros::ZERO;
        if policy.settings().first_delay > Micros::ZERO {
            if let Verdict::RetryAfter(wait) = Retry::first_wait(policy, Instant::MAX, now, rng.draw()) {
                first = wait;
            }
        }
        let mut retry = Retry::start(policy, now);
        let mut waits = Vec::new();
        while waits.len() < most {
            let Verdict::RetryAfter(wait) = retry.next(policy, Outcome::Fail, now, rng.draw()) else { break };
            waits.push(wait);
            now = now + wait;
        }
        Drawn { seed, waits, first }
    }
}
