//! What a policy will do, wait by wait, added up one by one.

use crate::twin::{Range, Twin};

/// One wait of a plan; sums so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields of `Step`")]
pub struct Forecast {
    pub attempt: u32,
    pub min: u64,
    pub max: u64,
    /// Twice the mean, exact; not for Decorrelated.
    pub mean_doubled: u128,
    pub total_min: u64,
    pub total_max: u64,
    /// Twice the sum of the means, exact; not for Decorrelated.
    pub total_mean_doubled: u128,
}

impl Twin {
    /// The ranges of all waits along the highest draws, without end.
    pub fn ranges(&self) -> Box<dyn Iterator<Item = Range> + '_> {
        if self.is_decorrelated() {
            let first = self.range(self.first());
            return Box::new(std::iter::successors(Some(first), |before| Some(self.range(before.hi))));
        }
        Box::new(self.curve().map(|x| self.range(x)))
    }

    /// How many waits there are, if that is limited: one fewer than calls.
    pub fn waits(&self) -> Option<u32> {
        self.attempts.map(|calls| calls - 1)
    }

    /// The sum of the longest waits, never above `within`; `u64::MAX` when neither limits it.
    pub fn worst_case(&self) -> u64 {
        let within = self.within.unwrap_or(u64::MAX);
        let Some(waits) = self.waits() else {
            return within;
        };
        let sum: u128 = self.ranges().take(waits as usize).map(|range| u128::from(range.hi)).sum();
        saturated(sum).min(within)
    }

    /// The same with `work` for each attempt; under `within` the last one may begin just before it.
    pub fn worst_case_with(&self, work: u64) -> u64 {
        let most = self.within.map_or(u64::MAX, |within| within.saturating_add(work));
        let Some(attempts) = self.attempts else {
            return most;
        };
        let waits: u128 = self.ranges().take(attempts as usize - 1).map(|range| u128::from(range.hi)).sum();
        saturated(waits + u128::from(attempts) * u128::from(work)).min(most)
    }

    /// The first `most` waits of the plan; it ends where no further wait can begin in time.
    pub fn plan(&self, most: usize) -> Vec<Forecast> {
        let waits = self.waits().map_or(most, |waits| most.min(waits as usize));
        let within = self.within.unwrap_or(u64::MAX);
        let (mut lowest, mut highest, mut mean) = (0_u128, 0_u128, 0_u128);
        let mut steps = Vec::new();
        for (range, attempt) in self.ranges().take(waits).zip(1..) {
            lowest += u128::from(range.lo);
            highest += u128::from(range.hi);
            mean += u128::from(range.lo) + u128::from(range.hi);
            if self.within.is_some() && lowest >= u128::from(within) {
                break;
            }
            steps.push(Forecast {
                attempt,
                min: range.lo,
                max: range.hi,
                mean_doubled: u128::from(range.lo) + u128::from(range.hi),
                total_min: saturated(lowest).min(within),
                total_max: saturated(highest).min(within),
                total_mean_doubled: mean,
            });
        }
        steps
    }
}

/// At most `u64::MAX`.
pub fn saturated(value: u128) -> u64 {
    u64::try_from(value).unwrap_or(u64::MAX)
}
