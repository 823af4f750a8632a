//! Contenders for one lock, without processes and clocks: what a policy makes of them, exactly.

use undaunted::{Instant, Micros, Outcome, Policy, Retry, Rng, Verdict};

/// What became of contenders that all began at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contention {
    /// How often the lock was held by somebody else.
    pub collisions: u64,
    /// Who never got it.
    pub gave_up: u32,
    /// When the last one ended.
    pub took: Micros,
}

struct Contender {
    retry: Retry,
    rng: Rng,
    at: Instant,
}

/// So many contenders ask for a lock at once, keep it for `hold`, and come again under `policy` when it was held. Each has
/// its own generator, seeded with its number and this seed. Of those who come at the same moment the first gets it.
pub fn contend(policy: &Policy, contenders: u32, hold: Micros, seed: u64) -> Contention {
    let start = Instant::default();
    let of = |number| Contender {
        retry: Retry::start(policy, start),
        rng: Rng::seeded(seed.wrapping_mul(1_000).wrapping_add(number)),
        at: start,
    };
    let mut waiting: Vec<Contender> = (0..u64::from(contenders)).map(of).collect();
    let (mut free_at, mut came) = (start, Contention::default());
    while let Some(index) = (0..waiting.len()).min_by_key(|&index| waiting[index].at) {
        let Contender { retry, rng, at } = &mut waiting[index];
        let now = *at;
        came.took = now.since(start);
        if now >= free_at {
            free_at = now + hold;
            waiting.remove(index);
            continue;
        }
        came.collisions += 1;
        match retry.next(policy, Outcome::Fail, now, rng.draw()) {
            Verdict::RetryAfter(wait) => *at = now + wait,
            Verdict::Done | Verdict::GiveUp(_) => {
                came.gave_up += 1;
                waiting.remove(index);
            }
        }
    }
    came
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use undaunted::presets::snap;

    const HOLD: Micros = Micros::from_millis(1_250);

    /// One gets it in each slot of 5 s: of n contenders n - 1 collide, then n - 2, and so on.
    #[test]
    fn without_jitter_they_come_in_step() {
        let policy = snap::START.unlimited_attempts();
        for (contenders, collisions, took) in [(1, 0, 0), (2, 1, 5), (8, 28, 35), (32, 496, 155)] {
            let expected = Contention { collisions, gave_up: 0, took: Micros::from_secs(took) };
            assert_eq!(contend(&policy, contenders, HOLD, 7), expected);
        }
        // With five attempts there are five slots: 7 + 6 + 5 + 4 + 3 collisions, and three never get it.
        let expected = Contention { collisions: 25, gave_up: 3, took: Micros::from_secs(20) };
        assert_eq!(contend(&snap::START, 8, HOLD, 7), expected);
    }

    /// One after another, each in the moment in which the one before is done.
    #[test]
    fn a_lock_that_is_free_again_at_once_is_no_collision() {
        let policy = snap::START.unlimited_attempts();
        let expected = Contention { collisions: 28, gave_up: 0, took: Micros::from_secs(35) };
        assert_eq!(contend(&policy, 8, Micros::from_secs(5), 7), expected);
        assert_eq!(contend(&policy, 8, Micros::ZERO, 7), Contention::default());
    }

    /// What the README says of eight contenders with jitter: 14 collisions, and one in ten times somebody gives up.
    #[test]
    fn five_attempts_with_jitter_are_nearly_enough_for_eight() {
        let spread = snap::START.cap(Duration::from_millis(7_500)).proportional_jitter(1, 2);
        let all: Vec<_> = (0..100).map(|seed| contend(&spread, 8, HOLD, seed)).collect();
        let collisions: u64 = all.iter().map(|one| one.collisions).sum();
        let lost = all.iter().filter(|one| one.gave_up > 0).count();
        assert!((1_350..1_450).contains(&collisions), "{collisions}");
        assert!((5..15).contains(&lost), "{lost}");
    }

    /// Over a hundred seeds: two collide as often as without, many at most two thirds as often.
    #[test]
    fn with_jitter_they_collide_less() {
        let none = snap::START.unlimited_attempts();
        // 2.5 to 7.5 s, so that the mean is the same.
        let some = none.cap(Duration::from_millis(7_500)).proportional_jitter(1, 2);
        let sum = |policy: &Policy, contenders| -> u64 {
            (0..100).map(|seed| contend(policy, contenders, HOLD, seed).collisions).sum()
        };
        assert_eq!((sum(&none, 2), sum(&some, 2)), (100, 100));
        for contenders in [8, 32] {
            let (none, some) = (sum(&none, contenders), sum(&some, contenders));
            assert!(3 * some < 2 * none, "{contenders} contenders: {some} with jitter, {none} without");
        }
    }
}
