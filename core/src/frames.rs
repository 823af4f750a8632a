//! Feature `defmt`: the types whose frames are not their fields.
//!
//! A frame is the number of an interned text and the bytes of its values; the words stay on the host. What a policy
//! compiles to is nobody's business: its frame is what it says.
//!
//! `write!` everywhere, and never `format` of another: where that is derived, it is no method to call, and panics.

use crate::{Draft, Failure, Instant, Micros, Plan, Policy, Ratio, Readable, Recovery, Retry, Trail};
use defmt::{Format, Formatter, write};

impl Format for Micros {
    fn format(&self, f: Formatter<'_>) {
        match self.0 {
            u64::MAX => write!(f, "unlimited"),
            micros => write!(f, "{=u64} us", micros),
        }
    }
}

impl Format for Readable {
    fn format(&self, f: Formatter<'_>) {
        write!(f, "{}", self.0);
    }
}

/// As a time stamp: seconds with six decimals.
impl Format for Instant {
    fn format(&self, f: Formatter<'_>) {
        write!(f, "{=u64:us} s", self.0);
    }
}

/// With six decimals, to nearest: in millionths, which a host writes as it does seconds.
impl Format for Ratio {
    fn format(&self, f: Formatter<'_>) {
        let millionths = (self.0 as u64 * 1_000_000 + (1 << 23)) >> 24;
        write!(f, "{=u64:us}", millionths);
    }
}

impl Format for Policy {
    fn format(&self, f: Formatter<'_>) {
        write!(f, "{}", self.settings());
    }
}

impl Format for Recovery {
    fn format(&self, f: Formatter<'_>) {
        write!(f, "{}", self.settings());
    }
}

/// What it would build.
impl Format for Draft {
    fn format(&self, f: Formatter<'_>) {
        write!(f, "{}", self.build());
    }
}

/// Its next step.
impl Format for Plan<'_> {
    fn format(&self, f: Formatter<'_>) {
        write!(f, "{}", self.clone().next());
    }
}

impl Format for Retry {
    fn format(&self, f: Formatter<'_>) {
        let (attempts, deadline) = (self.attempts(), self.deadline());
        write!(
            f,
            "Retry {{ attempts: {=u32}, deadline: {}, stopped: {} }}",
            attempts,
            deadline,
            self.stopped()
        );
    }
}

/// The post-mortem, the oldest first, in one line.
impl<const N: usize, E: Format> Format for Trail<N, E> {
    fn format(&self, f: Formatter<'_>) {
        match self.seen() {
            1 => write!(f, "1 failure"),
            seen => write!(f, "{=u32} failures", seen),
        }
        if self.seen() as usize > self.len() {
            write!(f, ", the last {=usize}", self.len());
        }
        for Failure { attempt, at, error } in self.iter() {
            write!(f, "; attempt {=u32} at {}: {}", attempt, at, error);
        }
    }
}

/// Every public type has a frame; what holds something of the caller's, if that has one.
#[cfg(test)]
const _: () = {
    use crate::*;
    const fn has_a_frame<T: Format>() {}
    has_a_frame::<(Backoff, Counter, Draft, Failure<u8>, Field, Instant, Intensity, Invalid)>();
    has_a_frame::<(Jitter, Keyed<u8, 4>, Micros, Outcome, ParseError, Pending, Plan<'static>, Policy)>();
    has_a_frame::<(presets::Preset, Problem, Expected, Ratio, Readable, Reason, Recovery, RecoveryDraft)>();
    has_a_frame::<(RecoverySettings, Restarts<[Instant; 3]>, Retry, Rng, Rule, Settings, Step, TickRate)>();
    has_a_frame::<(Trail<8>, Trail<2, Reason>, Verdict, Caret<'static>)>();
};
