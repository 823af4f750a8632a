//! What a policy says, for printing and for tools.

use crate::backoff::{Backoff, Growth, Shape};
use crate::jitter::Jitter;
use crate::policy::{Policy, UNLIMITED};
use crate::ratio::Ratio;
use crate::time::Micros;

impl Policy {
    /// Everything the policy says, resolved: defaults included.
    pub const fn settings(&self) -> Settings {
        Settings {
            backoff: self.backoff(),
            jitter: self.spread().jitter(),
            cap: Micros(self.cap),
            floor: Micros(self.floor),
            attempts: if self.waits == UNLIMITED { None } else { Some(self.waits + 1) },
            within: limit(self.within),
            attempt_timeout: limit(self.attempt_timeout),
            hint_ceiling: Micros(self.hint_ceiling),
            first_delay: Micros(self.first_delay),
        }
    }

    const fn backoff(&self) -> Backoff {
        let first = Micros(self.first);
        let factor = Ratio(Ratio::ONE.0 + self.excess.0);
        match (self.shape, self.growth) {
            (Shape::Constant | Shape::Immediate, _) => Backoff::Constant { delay: first },
            (Shape::Decorrelated, _) => Backoff::Decorrelated { first, factor },
            (Shape::Exponential, _) => Backoff::Exponential { first, factor },
            (Shape::Fibonacci, _) => Backoff::Fibonacci { first },
            (_, Growth::AtLeast(step)) => Backoff::Linear { first, step: Micros(step) },
            (_, Growth::Steps(steps)) => Backoff::Schedule { steps },
        }
    }
}

/// Two policies are equal when they say the same, however it was said.
impl PartialEq for Policy {
    fn eq(&self, other: &Policy) -> bool {
        self.shape == other.shape && self.settings() == other.settings()
    }
}

impl Eq for Policy {}

/// Everything a policy says, by [`Policy::settings`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Settings {
    /// The curve before jitter.
    pub backoff: Backoff,
    /// The randomisation; [`Jitter::None`] under Decorrelated, which brings its own.
    pub jitter: Jitter,
    /// The longest computed delay.
    pub cap: Micros,
    /// The shortest delay; zero when there is none.
    pub floor: Micros,
    /// Calls in all, the first included; `None` when unlimited.
    pub attempts: Option<u32>,
    /// All the time there is, work included; `None` when unlimited.
    pub within: Option<Micros>,
    /// How long one attempt may take; `None` when unlimited.
    pub attempt_timeout: Option<Micros>,
    /// The longest hint that is obeyed.
    pub hint_ceiling: Micros,
    /// The jittered wait before the first attempt; zero when there is none.
    pub first_delay: Micros,
}

const fn limit(micros: u64) -> Option<Micros> {
    if micros == u64::MAX { None } else { Some(Micros(micros)) }
}
