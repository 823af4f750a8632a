//! A peer's curve in the words of this project, what the peer makes of it, and what the laws make of it.
//!
//! Lengths are nanoseconds in floating point: they are compared within a tolerance. Nothing here
//! looks at the product.

use crate::findings::Law;

/// 2^63 - 1 ns, where peers saturate.
pub(crate) const SATURATED: f64 = i64::MAX as f64;
/// Where lengths of a curve end: 2^55 us.
const LONGEST: f64 = (1u64 << 55) as f64 * 1e3;

/// The delays before jitter.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Constant(f64),
    Exponential {
        first: f64,
        factor: f64,
    },
    Fibonacci(f64),
    /// No delay at all.
    Immediate,
    Linear {
        first: f64,
        step: f64,
    },
    /// These in order, the last one repeating.
    List(Vec<f64>),
}

/// The randomisation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Spread {
    Additive(f64),
    Full,
    None,
    Proportional(f64),
}

/// What the peer's cap bounds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bound {
    /// The curve; jitter may then go beyond. With jitter p, the cap here is c (1 + p).
    Curve(f64),
    /// The value drawn: jitter is cut off there.
    Draw(f64),
    None,
}

/// How many waits there are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Waits {
    Exactly(u32),
    Unlimited,
    Unsaid,
}

/// What a peer rounds to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Whole {
    /// Doubles below half the cap, halved in whole units, and then is the cap.
    Doubling(f64),
    /// Down to whole units at every step.
    EachStep(f64),
    No,
}

/// A curve with its jitter and its limits.
#[derive(Clone, Debug)]
pub(crate) struct Curve {
    pub(crate) shape: Shape,
    pub(crate) spread: Spread,
    pub(crate) bound: Bound,
    pub(crate) floor: f64,
    pub(crate) waits: Waits,
    pub(crate) whole: Whole,
    /// How much wider than its own rule a peer states its ranges.
    pub(crate) slack: f64,
    /// The peer does not apply its cap to the first delay.
    pub(crate) first_is_free: bool,
    /// The peer makes its first retry at once, and the curve begins with the second.
    pub(crate) leading_zero: bool,
    /// The curve grows this often and then stands still.
    pub(crate) grows: Option<u32>,
    /// What the first wait is called: 1 or 0.
    pub(crate) counted_from: usize,
    /// The peer's draws go from the top of the range to its bottom.
    pub(crate) draws_downwards: bool,
    /// The draw behind exact numbers of a jittered curve, where the suite says so.
    pub(crate) usual_draw: Option<f64>,
}

impl Curve {
    /// Just this shape. Without a growth or a length it is a simpler one.
    pub(crate) fn of(shape: Shape) -> Curve {
        let shape = match shape {
            Shape::Constant(first)
            | Shape::Exponential { first, .. }
            | Shape::Fibonacci(first)
            | Shape::Linear { first, step: 0.0 }
                if first <= 0.0 =>
            {
                Shape::Immediate
            }
            Shape::Exponential { first, factor } if factor == 0.0 || factor == 1.0 => Shape::Constant(first),
            Shape::Linear { first, step: 0.0 } => Shape::Constant(first),
            shape => shape,
        };
        Curve {
            shape,
            spread: Spread::None,
            bound: Bound::None,
            floor: 0.0,
            waits: Waits::Unsaid,
            whole: Whole::No,
            slack: 0.0,
            first_is_free: false,
            leading_zero: false,
            grows: None,
            counted_from: 1,
            draws_downwards: false,
            usual_draw: None,
        }
    }

    /// Anything from `low` to `high`: full jitter of the highest, narrowed by a floor.
    pub(crate) fn uniform(low: f64, high: f64) -> Curve {
        Curve { spread: Spread::Full, floor: low, ..Curve::of(Shape::Constant(high)) }
    }

    /// The curve itself, without its jitter.
    pub(crate) fn nominal(&self) -> Curve {
        let bound = match self.bound {
            Bound::Draw(cap) => Bound::Curve(cap),
            bound => bound,
        };
        Curve { spread: Spread::None, bound, slack: 0.0, ..self.clone() }
    }

    /// Where the curve has come to after this wait, without any cap.
    pub(crate) fn value(&self, at: usize) -> f64 {
        let grown = self.grows.map_or(at, |grows| at.min(grows as usize));
        match &self.shape {
            Shape::Constant(delay) => *delay,
            Shape::Exponential { first, factor } => first * factor.powf(grown as f64),
            Shape::Fibonacci(first) => {
                let (mut previous, mut x) = (*first, *first);
                for _ in 0..grown.min(400) {
                    (previous, x) = (x, x + previous);
                }
                x
            }
            Shape::Immediate => 0.0,
            Shape::Linear { first, step } => first + step * grown as f64,
            Shape::List(steps) => steps.get(at).or(steps.last()).copied().unwrap_or(0.0),
        }
    }

    /// Infinite without one.
    pub(crate) fn cap(&self) -> f64 {
        match self.bound {
            Bound::Curve(cap) | Bound::Draw(cap) => cap,
            Bound::None => f64::INFINITY,
        }
    }

    /// The room that the jitter needs above the curve, as a share of it.
    pub(crate) fn above(&self) -> f64 {
        match self.spread {
            Spread::Additive(share) | Spread::Proportional(share) => share,
            Spread::Full | Spread::None => 0.0,
        }
    }

    fn range(&self, x: f64) -> (f64, f64) {
        let (low, high) = match self.spread {
            Spread::Additive(share) => (x, x + share * x),
            Spread::Full => (0.0, x),
            Spread::None => (x, x),
            Spread::Proportional(share) => (x - share * x, x + share * x),
        };
        (low.max(self.floor), high.max(self.floor))
    }

    /// The range of this wait (from 0) by the peer's own rule.
    pub(crate) fn theirs(&self, at: usize) -> (f64, f64) {
        let cap = self.cap();
        let mut x = self.rounded(at);
        let cut = |length: f64| if at == 0 && self.first_is_free { length } else { length.min(cap) };
        if let Bound::Curve(_) = self.bound {
            x = cut(x);
        }
        let (mut low, mut high) = self.range(x);
        if let Whole::EachStep(unit) = self.whole {
            (low, high) = ((low / unit + 1e-9).floor() * unit, (high / unit + 1e-9).floor() * unit);
        }
        if let Bound::Draw(_) = self.bound {
            (low, high) = (cut(low), cut(high));
        }
        (low, high)
    }

    fn rounded(&self, at: usize) -> f64 {
        let (unit, factor) = match (self.whole, &self.shape) {
            (Whole::EachStep(unit), Shape::Exponential { factor, .. }) => (unit, *factor),
            (Whole::Doubling(unit), _) => return self.doubled(at, unit),
            _ => return self.value(at),
        };
        let mut x = self.value(0);
        for _ in 0..at.min(2_000) {
            x = (x * factor / unit + 1e-9).floor() * unit;
        }
        x
    }

    fn doubled(&self, at: usize, unit: f64) -> f64 {
        let (mut x, cap) = (self.value(0), self.cap());
        for _ in 0..at.min(2_000) {
            x = if x < (cap / unit / 2.0).floor() * unit { x * 2.0 } else { cap };
        }
        x
    }

    /// The range of this wait (from 0) by the laws, from "The arithmetic of one wait".
    pub(crate) fn lawful(&self, at: usize) -> (f64, f64) {
        let stop = match self.bound {
            Bound::Curve(cap) => cap,
            Bound::Draw(cap) => cap / (1.0 + self.above()),
            Bound::None => LONGEST / (1.0 + self.above()),
        };
        self.range(self.value(at).min(stop).min(LONGEST))
    }

    /// Which laws make the difference between [`theirs`](Curve::theirs) and [`lawful`](Curve::lawful) here.
    pub(crate) fn deciding(&self, at: usize) -> Vec<(Law, &'static str)> {
        let mut laws = Vec::new();
        if at == 0 && self.first_is_free && self.value(0) > self.cap() {
            laws.push((2, "the cap holds for the first delay too"));
        }
        if let Bound::Draw(cap) = self.bound
            && self.spread != Spread::None
            && self.range(self.value(at)).1 > cap
        {
            laws.push((3, "the range ends at the cap instead of being cut off there"));
        }
        if !matches!(self.whole, Whole::No) {
            laws.push((11, "delays are microseconds, not rounded to the peer's larger unit"));
        }
        laws
    }

    /// Whether every number up to this wait is a whole microsecond and comes out without a rounding.
    pub(crate) fn is_exact(&self, at: usize) -> bool {
        let whole = |length: f64| length % 1_000.0 == 0.0;
        let shape = match &self.shape {
            Shape::Constant(first) | Shape::Fibonacci(first) => whole(*first),
            Shape::Exponential { first, factor } => whole(*first) && factor.fract() == 0.0,
            Shape::Immediate => true,
            Shape::Linear { first, step } => whole(*first) && whole(*step),
            Shape::List(steps) => steps.iter().all(|step| whole(*step)),
        };
        let capped = whole(self.cap()) || self.value(at) < self.cap();
        let share = (self.above() * f64::from(1 << 24)).fract() == 0.0;
        let (low, high) = self.lawful(at);
        let free = matches!(self.bound, Bound::Draw(_)) && self.above() > 0.0;
        shape && capped && share && !free && whole(low) && whole(high)
    }
}
