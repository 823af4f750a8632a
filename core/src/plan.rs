//! What a policy will do: the range of each wait, and what they add up to.

use crate::backoff::{Growth, Shape};
use crate::policy::{Policy, UNLIMITED};
use crate::ratio::Ratio;
use crate::time::Micros;

impl Policy {
    /// The waits of this policy one by one, hints and work apart.
    ///
    /// It ends with the attempts, or where `within` lets not even the shortest wait begin. With
    /// unlimited attempts it may therefore be endless, under `within` too if the shortest waits are zero.
    ///
    /// ```
    /// use core::time::Duration;
    /// use undaunted_core::{Micros, Policy};
    ///
    /// const POLICY: Policy = Policy::exponential(Duration::from_millis(100)).attempts(4);
    ///
    /// let highest: Vec<Micros> = POLICY.plan().map(|step| step.max).collect();
    /// assert_eq!(highest, [100, 200, 400].map(Micros::from_millis));
    /// assert_eq!(POLICY.plan().last().unwrap().total_mean, Micros::from_millis(350));
    /// ```
    pub const fn plan(&self) -> Plan<'_> {
        Plan {
            policy: self,
            climb: Climb::start(self),
            mean_drawn: 0,
            total_min: Micros::ZERO,
            total_mean: 0,
            total_max: Micros::ZERO,
        }
    }
}

/// One wait of a plan: after which failed attempt, how long, and the sums so far.
///
/// Means round down to a microsecond. Sums never exceed the policy's `within`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Step {
    /// The attempt (from 1) after whose failure this wait comes.
    pub attempt: u32,
    /// The shortest wait that can be drawn.
    pub min: Micros,
    /// The mean of all draws.
    pub mean: Micros,
    /// The longest wait that can be drawn.
    pub max: Micros,
    /// The sum of the shortest waits so far.
    pub total_min: Micros,
    /// The sum of the means so far.
    pub total_mean: Micros,
    /// The sum of the longest waits so far.
    pub total_max: Micros,
    /// Whether the means are upper bounds only: Decorrelated, once its range has met the cap.
    pub mean_is_bound: bool,
}

/// The waits of a policy; see [`Policy::plan`].
#[derive(Clone, Debug)]
pub struct Plan<'a> {
    policy: &'a Policy,
    climb: Climb,
    /// Decorrelated: the mean of the last draw, in 2^-24 us.
    mean_drawn: u128,
    total_min: Micros,
    /// In 2^-24 us.
    total_mean: u128,
    total_max: Micros,
}

impl Iterator for Plan<'_> {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        let policy = self.policy;
        let attempt = self.climb.attempt;
        if policy.waits != UNLIMITED && attempt > policy.waits {
            return None;
        }
        let (min, max) = self.climb.range(policy);
        let total_min = self.total_min.saturating_add(min);
        if policy.within != u64::MAX && total_min.0 >= policy.within {
            return None;
        }
        let (mean, mean_is_bound) = self.mean(min, max);
        self.total_min = total_min;
        self.total_mean = self.total_mean.saturating_add(mean);
        self.total_max = self.total_max.saturating_add(max);
        self.climb.advance(policy);
        let within = Micros(policy.within);
        Some(Step {
            attempt,
            min,
            mean: whole(mean),
            max,
            total_min,
            total_mean: whole(self.total_mean).min(within),
            total_max: self.total_max.min(within),
            mean_is_bound,
        })
    }
}

impl Plan<'_> {
    /// The mean of one wait in 2^-24 us, and whether it is only a bound.
    ///
    /// Decorrelated: the mean of the top is `factor` times the mean of the draw before, exactly, as
    /// long as no draw before can reach the limit; beyond, min(limit, .) is concave, so it is a bound.
    fn mean(&mut self, min: Micros, max: Micros) -> (u128, bool) {
        let policy = self.policy;
        let (low, high) = (u128::from(min.0) << 24, u128::from(max.0) << 24);
        if policy.shape != Shape::Decorrelated {
            return ((low + high) / 2, false);
        }
        let factor = u128::from(Ratio::ONE.0 + policy.excess.0);
        let top = match self.climb.attempt {
            1 => high,
            _ => (self.mean_drawn * factor) >> 24,
        };
        self.mean_drawn = (low + top.min(high).max(low)) / 2;
        (self.mean_drawn, self.climb.cut(policy))
    }
}

fn whole(mean: u128) -> Micros {
    Micros(u64::try_from(mean >> 24).unwrap_or(u64::MAX))
}

/// Walks a curve along its highest values: attempt by attempt, without draws.
#[derive(Clone, Debug)]
pub(crate) struct Climb {
    /// The attempt after which the wait comes, from 1.
    pub(crate) attempt: u32,
    /// The curve before this step; for Decorrelated the highest draw before.
    x: u64,
}

impl Climb {
    pub(crate) const fn start(policy: &Policy) -> Climb {
        Climb { attempt: 1, x: policy.curve().start() }
    }

    /// The shortest and the longest wait here.
    pub(crate) const fn range(&self, policy: &Policy) -> (Micros, Micros) {
        let x = policy.at(self.x, self.attempt);
        let (low, width) = policy.range(x, policy.curve().grown(x));
        (Micros(low), Micros(low + width))
    }

    /// One attempt further.
    pub(crate) const fn advance(&mut self, policy: &Policy) {
        self.x = match policy.shape {
            Shape::Decorrelated => self.range(policy).1.0,
            _ => policy.curve().grown(self.x),
        };
        self.attempt = self.attempt.saturating_add(1);
    }

    /// Whether every later range is the same as this one.
    pub(crate) const fn stands_still(&self, policy: &Policy) -> bool {
        match (policy.shape, policy.growth) {
            (_, Growth::Steps(steps)) => self.attempt as usize >= steps.len(),
            (Shape::Fibonacci, _) => policy.curve().numbered(self.attempt) == policy.limit,
            _ => policy.curve().grown(self.x) == self.x,
        }
    }

    /// Decorrelated: whether the limit cuts the range here.
    const fn cut(&self, policy: &Policy) -> bool {
        self.attempt > 1 && self.x + policy.excess.nearest_of(self.x) > policy.limit
    }
}
