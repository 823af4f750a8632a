//! One thing said in three ways: to a draft, to the setters of a constant, and as a text.

use core::time::Duration;

use undaunted_core::{Draft, Invalid, Jitter, Micros, Policy, Ratio};

use crate::said::{Calls, Said, Shape, Spread};
use crate::twin::{self, ONE, Twin};

/// One setter with its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of the setters")]
pub enum Setter {
    Attempts(Calls),
    AttemptTimeout(u64),
    Cap(u64),
    Factor(u32, u32),
    FirstDelay(u64),
    Floor(u64),
    HintCeiling(u64),
    Jitter(Spread),
    Within(u64),
}

impl Said {
    /// The setters that were said. The floor comes before the attempts: see `immediate`.
    pub fn setters(&self) -> Vec<Setter> {
        [
            self.factor.map(|(numerator, denominator)| Setter::Factor(numerator, denominator)),
            self.cap.map(Setter::Cap),
            self.floor.map(Setter::Floor),
            self.jitter.map(Setter::Jitter),
            self.attempts.map(Setter::Attempts),
            self.within.map(Setter::Within),
            self.attempt_timeout.map(Setter::AttemptTimeout),
            self.hint_ceiling.map(Setter::HintCeiling),
            self.first_delay.map(Setter::FirstDelay),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// Through the draft.
    pub fn draft(&self) -> Result<Policy, Invalid> {
        let shaped = draft_shape(Policy::draft(), self.shape);
        self.setters().into_iter().fold(shaped, draft_setter).build()
    }

    /// Through the setters for constants, which panic.
    pub fn policy(&self) -> Policy {
        self.setters().into_iter().fold(policy_shape(self.shape), policy_setter)
    }

    /// The shape and its numbers, as the text begins.
    pub fn text_shape(&self) -> String {
        match self.shape {
            Shape::Constant { delay } => format!("constant {}", length(delay)),
            Shape::Decorrelated { first } => format!("decorrelated {}", length(first)),
            Shape::Exponential { first } => format!("exponential {}", length(first)),
            Shape::Fibonacci { first } => format!("fibonacci {}", length(first)),
            Shape::Immediate => String::from("immediate"),
            Shape::Linear { first, step } => format!("linear {} +{}", length(first), length(step)),
            Shape::Schedule { steps } => {
                let steps: Vec<String> = steps.iter().map(|step| length(step.as_micros())).collect();
                format!("schedule {}", steps.join(","))
            }
        }
    }

    /// The whole text, the settings in the order of the setters.
    pub fn text(&self) -> String {
        let words = self.setters().into_iter().map(text_setter);
        std::iter::once(self.text_shape()).chain(words).collect::<Vec<_>>().join(" ")
    }
}

impl Twin {
    /// The canonical text: what a default decided is written too where a default may change.
    pub fn display(&self) -> String {
        let mut words = vec![self.said.text_shape()];
        if matches!(self.said.shape, Shape::Exponential { .. } | Shape::Decorrelated { .. }) {
            words.push(format!("x{}", shortest_decimal(self.factor, 0)));
        }
        words.push(format!("cap {}", length(self.cap)));
        if self.floor > 0 {
            words.push(format!("floor {}", length(self.floor)));
        }
        words.push(self.display_jitter());
        words.push(self.attempts.map_or("attempts unlimited".into(), |n| format!("attempts {n}")));
        if let Some(within) = self.within {
            words.push(format!("within {}", length(within)));
        }
        if let Some(timeout) = self.attempt_timeout {
            words.push(format!("attempt_timeout {}", length(timeout)));
        }
        if self.hint_ceiling != twin::DEFAULT_HINT_CEILING {
            words.push(format!("hint_ceiling {}", length(self.hint_ceiling)));
        }
        if self.first_delay > 0 {
            words.push(format!("first_delay {}", length(self.first_delay)));
        }
        words.join(" ")
    }

    fn display_jitter(&self) -> String {
        match self.jitter {
            Spread::Additive(..) => format!("jitter +{}%", shortest_decimal(self.share, 2)),
            Spread::Equal => "jitter equal".into(),
            Spread::Full => "jitter full".into(),
            Spread::None => "jitter none".into(),
            Spread::Proportional(..) => format!("jitter +-{}%", shortest_decimal(self.share, 2)),
        }
    }
}

/// Gives a draft its shape.
pub fn draft_shape(draft: Draft, shape: Shape) -> Draft {
    match shape {
        Shape::Constant { delay } => draft.constant(duration(delay)),
        Shape::Decorrelated { first } => draft.decorrelated(duration(first)),
        Shape::Exponential { first } => draft.exponential(duration(first)),
        Shape::Fibonacci { first } => draft.fibonacci(duration(first)),
        Shape::Immediate => draft.immediate(),
        Shape::Linear { first, step } => draft.linear(duration(first), duration(step)),
        Shape::Schedule { steps } => draft.schedule(steps),
    }
}

/// One setter of a draft.
pub fn draft_setter(draft: Draft, setter: Setter) -> Draft {
    match setter {
        Setter::Attempts(Calls::Limited(n)) => draft.attempts(n),
        Setter::Attempts(Calls::Unlimited) => draft.unlimited_attempts(),
        Setter::AttemptTimeout(timeout) => draft.attempt_timeout(duration(timeout)),
        Setter::Cap(cap) => draft.cap(duration(cap)),
        Setter::Factor(numerator, denominator) => draft.factor(numerator, denominator),
        Setter::FirstDelay(delay) => draft.first_delay(duration(delay)),
        Setter::Floor(floor) => draft.floor(duration(floor)),
        Setter::HintCeiling(ceiling) => draft.hint_ceiling(duration(ceiling)),
        Setter::Jitter(jitter) => draft.jitter(core_jitter(jitter)),
        Setter::Within(within) => draft.within(duration(within)),
    }
}

/// The constructor of a constant.
pub fn policy_shape(shape: Shape) -> Policy {
    match shape {
        Shape::Constant { delay } => Policy::constant(duration(delay)),
        Shape::Decorrelated { first } => Policy::decorrelated(duration(first)),
        Shape::Exponential { first } => Policy::exponential(duration(first)),
        Shape::Fibonacci { first } => Policy::fibonacci(duration(first)),
        Shape::Immediate => Policy::immediate(),
        Shape::Linear { first, step } => Policy::linear(duration(first), duration(step)),
        Shape::Schedule { steps } => Policy::schedule(steps),
    }
}

/// One setter of a constant; the jitter by its short name.
pub fn policy_setter(policy: Policy, setter: Setter) -> Policy {
    match setter {
        Setter::Attempts(Calls::Limited(n)) => policy.attempts(n),
        Setter::Attempts(Calls::Unlimited) => policy.unlimited_attempts(),
        Setter::AttemptTimeout(timeout) => policy.attempt_timeout(duration(timeout)),
        Setter::Cap(cap) => policy.cap(duration(cap)),
        Setter::Factor(numerator, denominator) => policy.factor(numerator, denominator),
        Setter::FirstDelay(delay) => policy.first_delay(duration(delay)),
        Setter::Floor(floor) => policy.floor(duration(floor)),
        Setter::HintCeiling(ceiling) => policy.hint_ceiling(duration(ceiling)),
        Setter::Jitter(Spread::Additive(n, d)) => policy.additive_jitter(n, d),
        Setter::Jitter(Spread::Equal) => policy.equal_jitter(),
        Setter::Jitter(Spread::Full) => policy.full_jitter(),
        Setter::Jitter(Spread::None) => policy.no_jitter(),
        Setter::Jitter(Spread::Proportional(n, d)) => policy.proportional_jitter(n, d),
        Setter::Within(within) => policy.within(duration(within)),
    }
}

/// One setting as its words.
pub fn text_setter(setter: Setter) -> String {
    match setter {
        Setter::Attempts(Calls::Limited(n)) => format!("attempts {n}"),
        Setter::Attempts(Calls::Unlimited) => "attempts unlimited".into(),
        Setter::AttemptTimeout(timeout) => format!("attempt_timeout {}", length(timeout)),
        Setter::Cap(cap) => format!("cap {}", length(cap)),
        Setter::Factor(n, d) => format!("x{}", shortest_decimal(twin::ratio(n, d), 0)),
        Setter::FirstDelay(delay) => format!("first_delay {}", length(delay)),
        Setter::Floor(floor) => format!("floor {}", length(floor)),
        Setter::HintCeiling(ceiling) => format!("hint_ceiling {}", length(ceiling)),
        Setter::Jitter(Spread::Additive(n, d)) => {
            format!("jitter +{}%", shortest_decimal(twin::ratio(n, d), 2))
        }
        Setter::Jitter(Spread::Equal) => "jitter equal".into(),
        Setter::Jitter(Spread::Full) => "jitter full".into(),
        Setter::Jitter(Spread::None) => "jitter none".into(),
        Setter::Jitter(Spread::Proportional(n, d)) => {
            format!("jitter +-{}%", shortest_decimal(twin::ratio(n, d), 2))
        }
        Setter::Within(within) => format!("within {}", length(within)),
    }
}

/// The jitter as the core names it.
pub fn core_jitter(jitter: Spread) -> Jitter {
    match jitter {
        Spread::Additive(n, d) => Jitter::Additive { share: Ratio::new(n, d) },
        Spread::Equal => Jitter::Equal,
        Spread::Full => Jitter::Full,
        Spread::None => Jitter::None,
        Spread::Proportional(n, d) => Jitter::Proportional { share: Ratio::new(n, d) },
    }
}

/// Exact for every value.
pub fn duration(micros: u64) -> Duration {
    Micros::new(micros).as_duration()
}

/// A length in the largest unit that divides it.
pub fn length(micros: u64) -> String {
    let units =
        [("d", 86_400_000_000), ("h", 3_600_000_000), ("m", 60_000_000), ("s", 1_000_000), ("ms", 1_000)];
    if micros == 0 {
        return "0s".into();
    }
    let exact = units.into_iter().find(|(_, unit)| micros.is_multiple_of(*unit));
    exact.map_or(format!("{micros}us"), |(name, unit)| format!("{}{name}", micros / unit))
}

/// The shortest decimal that reads back as the same 8.24 bits, the point moved right by `shift`.
pub fn shortest_decimal(bits: u128, shift: usize) -> String {
    for places in shift..=8 {
        let scale = 10_u128.pow(places as u32);
        let digits = (2 * bits * scale + ONE) / (2 * ONE);
        if (2 * digits * ONE + scale) / (2 * scale) == bits {
            return decimal(digits, places - shift);
        }
    }
    unreachable!("8 decimals are finer than 2^-24")
}

/// `digits / 10^places`, written out.
fn decimal(digits: u128, places: usize) -> String {
    let scale = 10_u128.pow(places as u32);
    match places {
        0 => digits.to_string(),
        _ => format!("{}.{:0places$}", digits / scale, digits % scale),
    }
}
