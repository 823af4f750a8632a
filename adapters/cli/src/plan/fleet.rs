//! Many devices that begin together, as after an outage, and always fail: when they come back.

use super::Shown;
use super::draw::Drawn;
use undaunted::{Micros, Policy};

/// No device is followed further.
const FOLLOWED: usize = 1_000;

/// When each device of a fleet comes back, under each of several policies.
#[derive(Debug)]
pub(super) struct Fleet {
    pub(super) devices: u32,
    /// What is later is left out, under every policy: some device is not followed further.
    pub(super) until: Micros,
    /// For each policy and each device its attempts, those at the beginning left out.
    pub(super) attempts: Vec<Vec<Vec<Micros>>>,
}

impl Fleet {
    /// Draws for each device with its serial number, from 0, as the seed.
    pub(super) fn of(shown: &[Shown<'_>], devices: u32) -> Fleet {
        let draw = |policy: &Policy| (0..devices).map(|seed| attempts(policy, seed.into())).collect();
        let mut attempts: Vec<Vec<Vec<Micros>>> = shown.iter().map(|one| draw(one.survey.policy)).collect();
        let until = until(shown, &attempts);
        for device in attempts.iter_mut().flatten() {
            device.retain(|at| *at <= until);
        }
        Fleet { devices, until, attempts }
    }

    /// How many attempts of a policy fall into each part of so long, from 0 on.
    pub(super) fn counts(&self, policy: usize, part: Micros) -> Vec<u64> {
        let part = part.as_micros().max(1);
        let mut counts = vec![0; (self.until.as_micros() / part) as usize + 1];
        for at in self.attempts.get(policy).into_iter().flatten().flatten() {
            if let Some(count) = counts.get_mut((at.as_micros() / part) as usize) {
                *count += 1;
            }
        }
        counts
    }

    /// The shortest part of which at most so many make up the whole time.
    pub(super) fn part(&self, most: usize) -> Micros {
        Micros::new(self.until.as_micros() / (most.max(1) as u64) + 1)
    }
}

/// When one device calls, but for a first attempt at the beginning.
fn attempts(policy: &Policy, seed: u64) -> Vec<Micros> {
    let drawn = Drawn::of(policy, seed, FOLLOWED);
    let mut at = drawn.first;
    let mut attempts = Vec::new();
    if policy.settings().first_delay > Micros::ZERO {
        attempts.push(at);
    }
    for wait in drawn.waits {
        at = at.saturating_add(wait);
        attempts.push(at);
    }
    attempts
}

/// To the end of the plans that have one; of the others, to where nothing new comes in the mean.
fn until(shown: &[Shown<'_>], attempts: &[Vec<Vec<Micros>>]) -> Micros {
    let (mut wanted, mut followed) = (Micros::ZERO, Micros::MAX);
    for (one, devices) in shown.iter().zip(attempts) {
        let ends = || devices.iter().map(|device| device.last().copied().unwrap_or(Micros::ZERO));
        if devices.iter().all(|device| device.len() < FOLLOWED) {
            wanted = wanted.max(ends().max().unwrap_or(Micros::ZERO));
        } else {
            let mean = one.survey.rows.last().map_or(Micros::ZERO, |step| step.total_mean);
            wanted = wanted.max(mean.saturating_add(one.survey.policy.settings().first_delay));
            followed = followed.min(ends().min().unwrap_or(Micros::ZERO));
        }
    }
    wanted.min(followed)
}
