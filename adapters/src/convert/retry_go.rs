// Its examples are on tokio; they are tests where that is there.
#![cfg_attr(any(not(doctest), feature = "tokio"), doc = include_str!("retry_go.md"))]

use super::{Said, Unsayable, Why, cap_above, micros, share, unsayable};
use crate::{Draft, Field, Jitter, Policy};
use core::time::Duration;

/// The options of retry-go that are numbers; the page of [this module](self) answers all of them. `default()` has
/// its defaults, **which no policy can say**: see [there](self#no-options) what to write instead.
///
/// ```
/// use core::time::Duration;
/// use undaunted::convert::retry_go::{DelayType, Options};
///
/// // retry.Attempts(5), retry.MaxDelay(2 * time.Second), retry.DelayType(retry.FullJitterBackoffDelay)
/// let options = Options {
///     attempts: 5,
///     max_delay: Duration::from_secs(2),
///     delay_type: DelayType::FullJitterBackoff,
///     ..Options::default()
/// };
/// let policy = options.policy().unwrap();
/// assert_eq!(policy.to_string(), "exponential 200ms x2 cap 2s jitter full attempts 5");
///
/// let error = Options::default().policy().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "delay_type is CombineDelay: delays that grow can have a share of jitter (such as +20%), not a \
///      length; without max_jitter they can be said"
/// );
/// ```
///
/// # What differs
/// * `MaxDelay` cuts after the jitter there, so that all draws above it become one. Here the jitter stays
///   under the cap; where a draw would be cut, it is an error.
/// * Without `MaxDelay`, `BackOffDelay` doubles until 63 bits of nanoseconds are full. That is the cap
///   here (in whole seconds), if the attempts come that far.
/// * The delay can be exactly the longest here; there a draw stays below it.
///
/// # Source
/// avast/retry-go `options.go` and `retry.go` at 91e2a667ead0 (v5.0.0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Calls in all, the first included. 0: unlimited.
    pub attempts: u32,
    /// The delay, or the first one.
    pub delay: Duration,
    /// The longest delay. Zero: none.
    pub max_delay: Duration,
    /// The end of [`DelayType::Random`].
    pub max_jitter: Duration,
    /// How the delay comes about.
    pub delay_type: DelayType,
}

/// How a delay comes about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DelayType {
    /// `BackOffDelay`: twice as long each time.
    BackOff,
    /// `CombineDelay`: the sum of these.
    Combine(&'static [DelayType]),
    /// `FixedDelay`: the same each time.
    Fixed,
    /// `FullJitterBackoffDelay`: from 0 to a window that is twice as long each time.
    FullJitterBackoff,
    /// `RandomDelay`: from 0 to `max_jitter`.
    Random,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            attempts: 10,
            delay: Duration::from_millis(100),
            max_delay: Duration::ZERO,
            max_jitter: Duration::from_millis(100),
            delay_type: DelayType::Combine(&[DelayType::BackOff, DelayType::Random]),
        }
    }
}

impl Options {
    /// The same as a policy.
    ///
    /// # Errors
    /// [`Unsayable`] for sums of delays other than fixed and random; jitter that `max_delay` would cut;
    /// endless full jitter without `max_delay`; no delay with endless attempts; lengths that are not
    /// whole microseconds.
    pub fn policy(&self) -> Result<Policy, Unsayable> {
        use DelayType::{BackOff, Combine, Fixed, FullJitterBackoff, Random};
        let delay = micros("delay", self.delay)?;
        let max_jitter = micros("max_jitter", self.max_jitter)?;
        micros("max_delay", self.max_delay)?;
        let delay_type = match self.delay_type {
            Combine([one]) => *one,
            Combine([one, Random] | [Random, one]) if max_jitter == 0 => *one,
            other => other,
        };
        let draft = match delay_type {
            BackOff => self.back_off(delay)?,
            Combine([Fixed, Random] | [Random, Fixed]) => self.fixed_and_random(delay, max_jitter)?,
            Combine([BackOff | FullJitterBackoff, Random] | [Random, BackOff | FullJitterBackoff]) => {
                return unsayable("delay_type", Said::Name("CombineDelay"), Why::AbsoluteJitter);
            }
            Combine(_) => return unsayable("delay_type", Said::Name("CombineDelay"), Why::Sum),
            Fixed => self.fixed(delay),
            FullJitterBackoff => self.full_jitter_backoff(delay)?,
            Random => self.random(max_jitter)?,
        };
        let draft = match self.attempts {
            0 => draft.unlimited_attempts(),
            attempts => draft.attempts(attempts),
        };
        draft.build().or_else(|invalid| {
            let (field, value) = match (invalid.field, delay_type) {
                (Field::Jitter, _) | (_, Random) => ("max_jitter", self.max_jitter),
                _ => ("delay", self.delay),
            };
            unsayable(field, Said::Length(value), Why::Rule(invalid.rule))
        })
    }

    fn fixed(&self, delay: u64) -> Draft {
        match delay {
            0 => Policy::draft().immediate().no_jitter(),
            _ => self.capped(Policy::draft().constant(self.cut(self.delay)).no_jitter()),
        }
    }

    fn random(&self, max_jitter: u64) -> Result<Draft, Unsayable> {
        if max_jitter == 0 {
            return Ok(Policy::draft().immediate().no_jitter());
        }
        if self.cut(self.max_jitter) < self.max_jitter {
            let why = Why::Above { field: "max_delay", value: self.max_delay };
            return unsayable("max_jitter", Said::Length(self.max_jitter), why);
        }
        Ok(self.capped(Policy::draft().constant(self.max_jitter).full_jitter()))
    }

    fn fixed_and_random(&self, delay: u64, max_jitter: u64) -> Result<Draft, Unsayable> {
        if delay == 0 {
            return self.random(max_jitter);
        }
        let longest = self.delay + self.max_jitter;
        micros("delay and max_jitter", longest)?;
        if self.cut(longest) < longest {
            let room = self.max_delay.saturating_sub(self.delay);
            let why = Why::Above { field: "max_delay less delay", value: room };
            return unsayable("max_jitter", Said::Length(self.max_jitter), why);
        }
        let share = share(max_jitter as f64 / delay as f64);
        Ok(self.capped(Policy::draft().constant(self.delay).jitter(Jitter::Additive { share })))
    }

    fn back_off(&self, delay: u64) -> Result<Draft, Unsayable> {
        if delay == 0 {
            return Ok(Policy::draft().immediate().no_jitter());
        }
        let draft = Policy::draft().exponential(self.cut(self.delay)).no_jitter();
        if !self.max_delay.is_zero() {
            return Ok(self.capped(draft));
        }
        let most = 62_u32.saturating_sub(self.delay.as_nanos().ilog2());
        let doublings = if self.attempts == 0 { most } else { self.attempts.saturating_sub(2).min(most) };
        Ok(draft.cap(cap_above("max_delay", delay << doublings)?))
    }

    fn full_jitter_backoff(&self, delay: u64) -> Result<Draft, Unsayable> {
        if delay == 0 {
            return Ok(Policy::draft().immediate().no_jitter());
        }
        let draft = Policy::draft().exponential(self.cut(self.delay * 2)).full_jitter();
        if !self.max_delay.is_zero() {
            return Ok(self.capped(draft));
        }
        let doublings = if self.attempts == 0 { u32::MAX } else { self.attempts.saturating_sub(1).max(1) };
        let longest = u128::from(delay) << doublings.min(64);
        // 63 bits of nanoseconds, as long as a Go duration can be; the window is undefined beyond.
        let fits = u64::try_from(longest).ok().filter(|longest| *longest <= i64::MAX as u64 / 1_000);
        Ok(draft.cap(cap_above("max_delay", fits.unwrap_or(u64::MAX))?))
    }

    /// At most `max_delay`, if there is one.
    fn cut(&self, length: Duration) -> Duration {
        if self.max_delay.is_zero() { length } else { length.min(self.max_delay) }
    }

    /// With `max_delay` as its cap, if there is one.
    fn capped(&self, draft: Draft) -> Draft {
        if self.max_delay.is_zero() { draft } else { draft.cap(self.max_delay) }
    }
}
