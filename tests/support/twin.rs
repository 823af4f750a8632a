//! "The arithmetic of one wait", as the design writes it, in `u128`.

use undaunted_core::Invalid;

use crate::refuse::broken_rules;
use crate::said::{Calls, Said, Shape, Spread};

/// Lengths of a curve end here.
pub const LONGEST: u64 = 1 << 55;
/// One in 8.24 fixed point.
pub const ONE: u128 = 1 << 24;
/// What holds when nothing was said.
pub const DEFAULT_ATTEMPTS: u32 = 5;
/// 30 s: the default cap, unless another number asks for more.
pub const DEFAULT_CAP: u64 = 30_000_000;
/// 10 min.
pub const DEFAULT_HINT_CEILING: u64 = 600_000_000;

/// The shortest and the longest wait of one step, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "lowest and highest")]
pub struct Range {
    pub lo: u64,
    pub hi: u64,
}

/// A policy as the design understands it: what was said, with the defaults filled in.
#[derive(Clone, Copy, Debug)]
pub struct Twin {
    /// What was said.
    pub said: Said,
    /// 8.24 fixed point.
    pub factor: u128,
    /// The jitter that applies.
    pub jitter: Spread,
    /// 8.24 fixed point; zero for the kinds without a share.
    pub share: u128,
    /// The cap, said or by default.
    pub cap: u64,
    /// The cap less the room for jitter: where the curve stops.
    pub c: u64,
    /// Zero when there is none.
    pub floor: u64,
    /// `None` when unlimited.
    pub attempts: Option<u32>,
    /// `None` when unlimited.
    pub within: Option<u64>,
    /// `None` when unlimited.
    pub attempt_timeout: Option<u64>,
    /// The longest hint that is obeyed.
    pub hint_ceiling: u64,
    /// Zero when there is none.
    pub first_delay: u64,
}

impl Twin {
    /// The policy, or every rule that it breaks.
    pub fn new(said: Said) -> Result<Twin, Vec<Invalid>> {
        let broken = broken_rules(&said);
        if !broken.is_empty() {
            return Err(broken);
        }
        let (jitter, share) = jitter_of(&said);
        let cap = cap_of(&said);
        Ok(Twin {
            said,
            factor: factor_of(&said),
            jitter,
            share,
            cap,
            c: room(cap, share),
            floor: curve_length(said.floor.unwrap_or(0)),
            attempts: match said.attempts.unwrap_or(Calls::Limited(DEFAULT_ATTEMPTS)) {
                Calls::Limited(n) => Some(n),
                Calls::Unlimited => None,
            },
            within: limit(said.within),
            attempt_timeout: limit(said.attempt_timeout),
            hint_ceiling: said.hint_ceiling.unwrap_or(DEFAULT_HINT_CEILING),
            first_delay: curve_length(said.first_delay.unwrap_or(0)),
        })
    }

    /// Whether each range follows from the draw before.
    pub fn is_decorrelated(&self) -> bool {
        matches!(self.said.shape, Shape::Decorrelated { .. })
    }

    /// The delays before jitter, without end. Not for Decorrelated, which has none.
    pub fn curve(&self) -> Box<dyn Iterator<Item = u64> + '_> {
        let c = u128::from(self.c);
        let raw: Box<dyn Iterator<Item = u128>> = match self.said.shape {
            Shape::Constant { delay } => Box::new(std::iter::repeat(wide(delay))),
            Shape::Decorrelated { .. } => panic!("decorrelated has no curve before its draws"),
            Shape::Exponential { first } => {
                let grow = move |&x: &u128| Some(grown(x, self.factor).min(c));
                Box::new(std::iter::successors(Some(wide(first)), grow))
            }
            Shape::Fibonacci { first } => Box::new(fibonacci().map(move |n| n * wide(first))),
            Shape::Immediate => Box::new(std::iter::repeat(0)),
            Shape::Linear { first, step } => Box::new((0..).map(move |i: u128| wide(first) + i * wide(step))),
            Shape::Schedule { steps } => {
                let last = steps[steps.len() - 1];
                let all = steps.iter().copied().chain(std::iter::repeat(last));
                Box::new(all.map(|step| wide(step.as_micros())))
            }
        };
        Box::new(raw.map(move |x| narrow(x.min(c))))
    }

    /// The range around one delay of the curve; under Decorrelated, the range after one draw.
    pub fn range(&self, x: u64) -> Range {
        let band = match self.said.shape {
            Shape::Decorrelated { first } => {
                let top = grown(u128::from(x), self.factor).min(u128::from(self.c));
                Range { lo: curve_length(first), hi: narrow(top) }
            }
            _ => band(self.jitter, self.share, x),
        };
        // The floor narrows the band, it does not clamp the draw.
        let lo = band.lo.max(self.floor);
        Range { lo, hi: band.hi.max(lo) }
    }

    /// What the first range of Decorrelated grows from.
    pub fn first(&self) -> u64 {
        first_of(&self.said)
    }
}

/// `numerator / denominator` in 8.24 fixed point, to nearest, halves up, saturating.
pub fn ratio(numerator: u32, denominator: u32) -> u128 {
    let most = u128::from(u32::MAX);
    if denominator == 0 {
        return most;
    }
    let doubled = (u128::from(numerator) * 2 * ONE) / u128::from(denominator);
    doubled.div_ceil(2).min(most)
}

/// The range of a jitter around `x`, before the floor.
pub fn band(jitter: Spread, share: u128, x: u64) -> Range {
    let px = narrow(u128::from(x) * share / ONE);
    match jitter {
        Spread::Additive(..) => Range { lo: x, hi: x + px },
        Spread::Equal => Range { lo: x - x / 2, hi: x },
        Spread::Full => Range { lo: 0, hi: x },
        Spread::None => Range { lo: x, hi: x },
        Spread::Proportional(..) => Range { lo: x - px, hi: x + px },
    }
}

/// One of the `hi - lo + 1` values of a range, counted from its low end.
pub fn draw(range: Range, random: u32) -> u64 {
    let values = u128::from(range.hi - range.lo) + 1;
    narrow((values * u128::from(random)) >> 32)
}

/// One step of growth: to nearest (halves up), and at least 1 us unless the factor is 1.
pub fn grown(x: u128, factor: u128) -> u128 {
    let nearest = (2 * x * factor + ONE) / (2 * ONE);
    if factor > ONE { nearest.max(x + 1) } else { nearest }
}

/// A length that belongs to a curve saturates at 2^55 us.
pub fn curve_length(length: u64) -> u64 {
    length.min(LONGEST)
}

/// The cap less the room for jitter.
pub fn room(cap: u64, share: u128) -> u64 {
    narrow(u128::from(cap) * ONE / (ONE + share))
}

/// The growth factor that applies, said or by default.
pub fn factor_of(said: &Said) -> u128 {
    match (said.factor, said.shape) {
        (Some((numerator, denominator)), _) => ratio(numerator, denominator),
        (None, Shape::Decorrelated { .. }) => 3 * ONE,
        (None, _) => 2 * ONE,
    }
}

/// The jitter that applies and its share.
pub fn jitter_of(said: &Said) -> (Spread, u128) {
    let brings_its_own = matches!(said.shape, Shape::Decorrelated { .. });
    let default = if brings_its_own { Spread::None } else { Spread::Full };
    let jitter = said.jitter.unwrap_or(default);
    match jitter {
        Spread::Additive(n, d) | Spread::Proportional(n, d) => (jitter, ratio(n, d)),
        Spread::Equal | Spread::Full | Spread::None => (jitter, 0),
    }
}

/// The cap said, or the default: at least 30 s, and no number that was said is changed by it.
pub fn cap_of(said: &Said) -> u64 {
    if let Some(cap) = said.cap {
        return curve_length(cap);
    }
    let longest = match said.shape {
        Shape::Schedule { steps } => {
            steps.iter().map(|step| curve_length(step.as_micros())).max().unwrap_or(0)
        }
        _ => first_of(said),
    };
    let (_, share) = jitter_of(said);
    let with_jitter = (u128::from(longest) * (ONE + share)).div_ceil(ONE);
    let with_jitter = with_jitter.min(u128::from(LONGEST));
    DEFAULT_CAP.max(narrow(with_jitter)).max(curve_length(said.floor.unwrap_or(0)))
}

/// The first delay of a shape.
pub fn first_of(said: &Said) -> u64 {
    match said.shape {
        Shape::Constant { delay: first }
        | Shape::Decorrelated { first }
        | Shape::Exponential { first }
        | Shape::Fibonacci { first }
        | Shape::Linear { first, .. } => curve_length(first),
        Shape::Immediate => 0,
        Shape::Schedule { steps } => steps.first().map_or(0, |step| curve_length(step.as_micros())),
    }
}

/// `Micros::MAX` as a limit means "no limit".
fn limit(said: Option<u64>) -> Option<u64> {
    said.filter(|&length| length != u64::MAX)
}

/// 1, 2, 3, 5, 8, ...; stops growing far above any cap, so that it ends nowhere near `u128`.
fn fibonacci() -> impl Iterator<Item = u128> {
    let most = 2 * u128::from(LONGEST);
    std::iter::successors(Some((1, 2)), move |&(a, b)| Some((b, (a + b).min(most)))).map(|(a, _)| a)
}

/// A length of a curve as said, saturated and widened.
fn wide(length: u64) -> u128 {
    u128::from(curve_length(length))
}

/// Back to 64 bits; the arithmetic above never gives more.
fn narrow(value: u128) -> u64 {
    u64::try_from(value).expect("a length of a curve fits 64 bits")
}
