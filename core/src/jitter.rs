//! Randomisation: five kinds, compiled to one multiplication and two flags.

use crate::ratio::Ratio;

/// How a delay `x` is spread. The curve stops where the top of the range is the cap, so delays at
/// the cap still spread over the whole range (law 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Jitter {
    /// `x` to `x + share * x` (Kubernetes `wait.Jitter`, but within the cap).
    Additive {
        /// How much may be added: above 0, at most 255.
        share: Ratio,
    },
    /// `x / 2` to `x` (AWS "equal jitter").
    Equal,
    /// 0 to `x` (AWS "full jitter"): the best spread, half the mean wait.
    Full,
    /// Exactly `x`: only for one client that nobody imitates.
    None,
    /// `x - share * x` to `x + share * x` (gRPC A6 uses 20 %).
    Proportional {
        /// How far to either side: above 0, at most 1.
        share: Ratio,
    },
}

/// The jitter of a compiled policy: `d = share * x`, then `x - d` if it goes down, `x + d` if up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spread {
    pub(crate) share: Ratio,
    pub(crate) kind: Kind,
}

/// A kind of jitter without its share: what a decision branches on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    // Downwards only; first, so that one comparison tells them.
    Equal,
    Full,
    None,
    // The others.
    Additive,
    /// The jitter that is part of the shape: a range from the first delay up, not around `x`.
    Decorrelated,
    Proportional,
}

impl Spread {
    /// The compiled form; what has no share of its own gets the one that makes the same range.
    pub(crate) const fn compile(jitter: Jitter) -> Spread {
        let (share, kind) = match jitter {
            Jitter::Additive { share } => (share, Kind::Additive),
            Jitter::Equal => (Ratio::HALF, Kind::Equal),
            Jitter::Full => (Ratio::ONE, Kind::Full),
            Jitter::None => (Ratio(0), Kind::None),
            Jitter::Proportional { share } => (share, Kind::Proportional),
        };
        Spread { share, kind }
    }

    /// The room that the range needs above `x`, as a share of it.
    pub(crate) const fn above(self) -> Ratio {
        match self.kind {
            Kind::Additive | Kind::Proportional => self.share,
            _ => Ratio(0),
        }
    }

    /// What it was compiled from.
    pub(crate) const fn jitter(self) -> Jitter {
        match self.kind {
            Kind::Additive => Jitter::Additive { share: self.share },
            Kind::Equal => Jitter::Equal,
            Kind::Full => Jitter::Full,
            Kind::Decorrelated | Kind::None => Jitter::None,
            Kind::Proportional => Jitter::Proportional { share: self.share },
        }
    }

    /// The range around `x`: its low end and its width.
    #[inline(always)]
    pub(crate) const fn range(self, x: u64) -> (u64, u64) {
        let d = self.share.of(x);
        match self.kind {
            Kind::Equal | Kind::Full | Kind::None => (x - d, d),
            Kind::Additive | Kind::Decorrelated => (x, d),
            Kind::Proportional => (x - d, d * 2),
        }
    }
}
