//! The curve before jitter: six shapes, and how one step of each is compiled.

use crate::ratio::Ratio;
use crate::time::Micros;
use core::mem::discriminant;

/// The shape of the delays before jitter, with its numbers. What a policy holds and
/// [`Settings`](crate::Settings) shows.
///
/// Every value is clamped to the cap (less the room for jitter) at every step, so growth cannot
/// overflow. Lengths end at 2^55 us.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Backoff {
    /// The same delay each time; zero only for `immediate`.
    Constant {
        /// The delay.
        delay: Micros,
    },
    /// Each delay is drawn between `first` and `factor` times the one before (AWS, "Exponential
    /// Backoff And Jitter", 2015). Its jitter is part of the shape.
    Decorrelated {
        /// The shortest delay, and what the first range grows from.
        first: Micros,
        /// How far the range reaches beyond the delay before.
        factor: Ratio,
    },
    /// Each delay is `factor` times the one before, rounded to nearest, and at least 1 us more.
    Exponential {
        /// The first delay.
        first: Micros,
        /// The growth; exactly 1, or 1.01 to 255.
        factor: Ratio,
    },
    /// 1, 2, 3, 5, 8, ... times the first delay.
    Fibonacci {
        /// The first delay.
        first: Micros,
    },
    /// Each delay is `step` longer than the one before.
    Linear {
        /// The first delay.
        first: Micros,
        /// The growth.
        step: Micros,
    },
    /// These delays in order; the last one repeats.
    Schedule {
        /// The delays, one to 4 096 of them, none zero.
        steps: &'static [Micros],
    },
}

impl Backoff {
    /// Its numbers, whichever the shape: a length, and a step or a factor.
    const fn numbers(&self) -> (u64, u64) {
        match *self {
            Backoff::Constant { delay } => (delay.0, 0),
            Backoff::Decorrelated { first, factor } | Backoff::Exponential { first, factor } => {
                (first.0, factor.0 as u64)
            }
            Backoff::Fibonacci { first } => (first.0, 0),
            Backoff::Linear { first, step } => (first.0, step.0),
            Backoff::Schedule { .. } => (0, 0),
        }
    }
}

/// Schedules compare their delays, as long as a curve can be: what is longer is the same.
impl PartialEq for Backoff {
    fn eq(&self, other: &Backoff) -> bool {
        let steps = |backoff: &Backoff| match *backoff {
            Backoff::Schedule { steps } => steps,
            _ => &[],
        };
        discriminant(self) == discriminant(other)
            && self.numbers() == other.numbers()
            && steps(self)
                .iter()
                .map(|step| step.of_a_curve())
                .eq(steps(other).iter().map(|s| s.of_a_curve()))
    }
}

impl Eq for Backoff {}

/// A shape without its numbers: what a decision branches on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    // Each value follows from the one before.
    Constant,
    Decorrelated,
    Exponential,
    Immediate,
    Linear,
    // By number; last, so that one comparison tells them.
    Fibonacci,
    Schedule,
}

impl Shape {
    /// Whether a value follows from its number and not from the one before.
    #[inline(always)]
    pub(crate) const fn is_numbered(self) -> bool {
        self as u8 >= Shape::Fibonacci as u8
    }
}

/// How the curve grows, compiled: all shapes but two are one multiplication and one addition.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Growth {
    /// The entries of a schedule.
    Steps(&'static [Micros]),
    /// The least growth of a step in microseconds: the step of Linear, 1 where a factor grows so little
    /// that rounding might stop it, else 0.
    AtLeast(u64),
}

/// The curve of a compiled policy, as [`Retry`](crate::Retry) walks it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Curve {
    /// The first delay; for a schedule its first entry.
    pub(crate) first: u64,
    /// Where the curve stops: the cap less the room for jitter.
    pub(crate) limit: u64,
    pub(crate) growth: Growth,
    /// The factor less 1; zero for shapes without one.
    pub(crate) excess: Ratio,
}

impl Curve {
    /// Where the curve stands before the first failure.
    #[inline(always)]
    pub(crate) const fn start(&self) -> u64 {
        least(self.first, self.limit)
    }

    /// One step further, at most the limit.
    #[inline(always)]
    pub(crate) const fn grown(&self, x: u64) -> u64 {
        least(self.grown_freely(x), self.limit)
    }

    /// One step further from an `x` within the limit: `x + max(least growth, x * (factor - 1))`.
    ///
    /// `x * factor` rounded to nearest is `x` plus `x * (factor - 1)` rounded to nearest, so one
    /// form serves Constant, Linear, Exponential and the upper edge of Decorrelated. It cannot
    /// overflow: 2^55 + 254 * 2^55 < 2^64.
    #[inline(always)]
    pub(crate) const fn grown_freely(&self, x: u64) -> u64 {
        let Growth::AtLeast(least_growth) = self.growth else { return x };
        let growth = self.excess.nearest_of(x);
        x + if growth > least_growth { growth } else { least_growth }
    }

    /// The value for the `attempt`-th failure (from 1) of the shapes that go by number.
    ///
    /// Fibonacci is walked from its start: at most 80 additions, since the 80th number passes 2^55;
    /// state for two numbers would cost every policy eight bytes.
    pub(crate) const fn numbered(&self, attempt: u32) -> u64 {
        match self.growth {
            Growth::Steps(steps) => least(entry(steps, attempt), self.limit),
            Growth::AtLeast(_) => {
                let (mut previous, mut x, mut left) = (self.first, self.first, attempt);
                while left > 1 && x < self.limit {
                    (previous, x) = (x, x + previous);
                    left -= 1;
                }
                least(x, self.limit)
            }
        }
    }
}

/// The `attempt`-th entry (from 1), the last one repeating; without a bounds check that could panic.
const fn entry(steps: &[Micros], attempt: u32) -> u64 {
    match steps {
        [] => 0,
        [.., last] => {
            let index = attempt.saturating_sub(1) as usize;
            if index < steps.len() { steps[index].0 } else { last.0 }
        }
    }
}

#[inline(always)]
pub(crate) const fn least(a: u64, b: u64) -> u64 {
    if a < b { a } else { b }
}
