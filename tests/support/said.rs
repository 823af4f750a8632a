//! What somebody said about a policy, before anybody checked or compiled it.

use undaunted_core::Micros;

/// The shape with its own numbers, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of the policy text")]
pub enum Shape {
    Constant { delay: u64 },
    Decorrelated { first: u64 },
    Exponential { first: u64 },
    Fibonacci { first: u64 },
    Immediate,
    Linear { first: u64, step: u64 },
    Schedule { steps: &'static [Micros] },
}

/// The jitter, its share as numerator and denominator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of the policy text")]
pub enum Spread {
    Additive(u32, u32),
    Equal,
    Full,
    None,
    Proportional(u32, u32),
}

/// How many calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of the policy text")]
pub enum Calls {
    Limited(u32),
    Unlimited,
}

/// Everything that can be said; `None` is what was not. Lengths are microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of the policy text")]
pub struct Said {
    pub shape: Shape,
    pub factor: Option<(u32, u32)>,
    pub jitter: Option<Spread>,
    pub cap: Option<u64>,
    pub floor: Option<u64>,
    pub attempts: Option<Calls>,
    pub within: Option<u64>,
    pub attempt_timeout: Option<u64>,
    pub hint_ceiling: Option<u64>,
    pub first_delay: Option<u64>,
}

impl Said {
    /// Only the shape.
    pub const fn only(shape: Shape) -> Said {
        Said {
            shape,
            factor: None,
            jitter: None,
            cap: None,
            floor: None,
            attempts: None,
            within: None,
            attempt_timeout: None,
            hint_ceiling: None,
            first_delay: None,
        }
    }
}

/// A schedule that lives as long as the test.
pub fn leaked(steps: &[u64]) -> &'static [Micros] {
    let steps: Vec<Micros> = steps.iter().map(|&step| Micros::new(step)).collect();
    Vec::leak(steps)
}
