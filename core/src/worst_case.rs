//! How long a policy can wait at worst, in closed form, so that it evaluates at compile time.

use crate::backoff::{Growth, Shape, least};
use crate::plan::Climb;
use crate::policy::{Policy, UNLIMITED};
use crate::ratio::Ratio;
use crate::time::Micros;
use core::time::Duration;

impl Policy {
    /// The sum of the longest waits, without work and hints; [`Micros::MAX`] when unlimited, and
    /// never above `within` (a bound: the waits that fit into it may add up to less). The
    /// `first_delay` is not counted.
    ///
    /// A `const fn` that takes at most 4 096 steps, whatever the attempts: where the curve stands
    /// still it multiplies, and Linear is in closed form throughout.
    ///
    /// ```
    /// use core::time::Duration;
    /// use undaunted_core::{Micros, Policy};
    ///
    /// const POLICY: Policy = Policy::exponential(Duration::from_millis(100)).attempts(1_000_000);
    /// const WORST: Micros = POLICY.worst_case();
    /// const _: () = assert!(WORST.as_micros() < 350 * 86_400_000_000); // within 350 days
    ///
    /// // 100 ms, 200 ms, ... 25.6 s are nine waits; 30 s repeats for the other 999 990.
    /// assert_eq!(WORST, Micros::from_millis(100 * 511 + 30_000 * 999_990));
    /// ```
    pub const fn worst_case(&self) -> Micros {
        let sum = match (self.waits, self.shape, self.growth) {
            (UNLIMITED, _, _) => Micros::MAX,
            (waits, Shape::Linear, Growth::AtLeast(step)) => self.linear_sum(waits, step),
            (waits, _, _) => self.climbed_sum(waits),
        };
        sum.least(Micros(self.within))
    }

    /// As [`worst_case`](Policy::worst_case), with attempts that each take up to `work`.
    ///
    /// Under `within` it is at most `within` and one `work`: the last attempt begins before the time
    /// is up and may end after it, where nothing cuts it.
    ///
    /// ```
    /// use core::time::Duration;
    /// use undaunted_core::{Micros, Policy};
    ///
    /// const POLICY: Policy = Policy::constant(Duration::from_secs(1)).attempts(3);
    /// const WORST: Micros = POLICY.worst_case_with(Duration::from_millis(200));
    /// const WATCHDOG: Micros = Micros::from_secs(4);
    /// const _: () = assert!(WORST.as_micros() < WATCHDOG.as_micros());
    /// assert_eq!(WORST, Micros::from_millis(2_600));
    /// ```
    pub const fn worst_case_with(&self, work: Duration) -> Micros {
        let work = Micros::from_duration(work);
        let all = match self.waits {
            UNLIMITED => Micros::MAX,
            waits => self.worst_case().saturating_add(work.saturating_mul(waits as u64 + 1)),
        };
        all.least(Micros(self.within).saturating_add(work))
    }

    /// Adds up `waits` waits, one by one until the curve stands still: after 4 096 at most, since
    /// from 1 us by 1.01 (and at least 1 us a step) it takes some 3 500 steps to 2^55 us.
    const fn climbed_sum(&self, waits: u32) -> Micros {
        let mut climb = Climb::start(self);
        let mut sum = Micros::ZERO;
        while climb.attempt <= waits {
            let longest = climb.range(self).1;
            if climb.stands_still(self) {
                let rest = (waits - climb.attempt) as u64 + 1;
                return sum.saturating_add(longest.saturating_mul(rest));
            }
            sum = sum.saturating_add(longest);
            climb.advance(self);
        }
        sum
    }

    /// The same for Linear: below the floor, growing, and at the limit.
    const fn linear_sum(&self, waits: u32, step: u64) -> Micros {
        let room = self.limit.saturating_sub(self.first);
        let growing = least(room.div_ceil(step), waits as u64);
        let at_limit = self.linear_longest(self.limit) as u128 * (waits as u64 - growing) as u128;
        let floored = self.steps_below_floor(growing, step);
        let at_floor = self.floor as u128 * floored as u128;
        let n = (growing - floored) as u128;
        let x = self.first as u128 + floored as u128 * step as u128;
        let curve = n * x + step as u128 * (n * n.saturating_sub(1) / 2);
        let Ratio(share) = self.spread().above();
        let jitter = floor_sum(n, 1 << 24, share as u128 * step as u128, share as u128 * x);
        let sum = at_floor + curve + jitter + at_limit;
        Micros(if sum > u64::MAX as u128 { u64::MAX } else { sum as u64 })
    }

    const fn linear_longest(&self, x: u64) -> u64 {
        let top = self.top(x);
        if top < self.floor { self.floor } else { top }
    }

    /// The top of the jitter's range around `x`.
    const fn top(&self, x: u64) -> u64 {
        let (low, width) = self.spread().range(x);
        low + width
    }

    /// How many of the first `growing` steps have a range wholly below the floor; by bisection.
    const fn steps_below_floor(&self, growing: u64, step: u64) -> u64 {
        let (mut low, mut high) = (0, growing);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.top(self.first + middle * step) < self.floor {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// The sum of `(a * i + b) / m`, each rounded down, for i from 0 to n - 1: the Euclid-like algorithm
/// (as `floor_sum` of the AtCoder Library), a few dozen steps at most.
const fn floor_sum(mut n: u128, mut m: u128, mut a: u128, mut b: u128) -> u128 {
    let mut sum = 0;
    loop {
        sum += n * n.saturating_sub(1) / 2 * (a / m) + n * (b / m);
        (a, b) = (a % m, b % m);
        let last = a * n + b;
        if last < m {
            return sum;
        }
        (n, b) = (last / m, last % m);
        (m, a) = (a, m);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_floor_sum_is_the_sum_of_floors() {
        for (n, m, a, b) in
            [(0, 5, 3, 2), (1, 5, 3, 7), (10, 7, 3, 4), (100, 1 << 24, 12_345_678, 9), (33, 4, 9, 2)]
        {
            let plain = (0..n).map(|i| (a * i + b) / m).sum::<u128>();
            assert_eq!(floor_sum(n, m, a, b), plain, "{n} {m} {a} {b}");
        }
    }
}
