//! AWS SDKs: the standard mode of retries.

use super::{Said, Unsayable, Why, micros, unsayable};
use crate::Policy;
use core::time::Duration;

/// The numbers of the standard mode, named as in the SDK for Rust; [`RetryConfig::standard`] has those
/// that all SDKs share.
///
/// ```
/// use undaunted::convert::aws::RetryConfig;
///
/// let policy = RetryConfig::standard().policy().unwrap();
/// assert_eq!(policy.to_string(), "exponential 1s x2 cap 20s jitter full attempts 3");
///
/// let patient = RetryConfig { max_attempts: 10, ..RetryConfig::standard() };
/// assert_eq!(patient.policy().unwrap().plan().last().unwrap().total_mean.to_string(), "55500ms");
/// ```
///
/// # What differs
/// * **There is no quota.** The standard mode also pays for each retry from a bucket of tokens that all
///   calls of a client share (500; a retry costs 5, after a timeout 10), and gives up when it is empty.
///   A policy belongs to one call and cannot say that.
/// * Which errors are worth a retry is not a number: `.when(..)` or `.classify(..)` say it.
/// * A server's `x-amz-retry-after` replaces the delay there, up to `max_backoff`. Here a hint given as
///   [`Throttle`](crate::Outcome::Throttle) is a floor with the jitter on top, up to the hint ceiling.
/// * The retries of 2026 (`AWS_NEW_RETRIES_2026`, specification 2.1) begin at 50 ms, or at 1 s where the
///   server throttles: that is one policy for each. Their adaptive mode cannot be said.
/// * The delay can be exactly the longest here; there it stays below.
///
/// # Source
/// smithy-lang/smithy-rs `aws-smithy-types` and `aws-smithy-runtime` (`strategy/standard.rs`) at
/// 56ee88c5c6ed; boto/botocore at 0e6e2404b85d.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryConfig {
    /// Calls in all, the first included.
    pub max_attempts: u32,
    /// The first delay before jitter; each further one is twice as long. Zero: no delay at all.
    pub initial_backoff: Duration,
    /// The longest delay; it also cuts the first one. Zero: no delay at all.
    pub max_backoff: Duration,
}

impl RetryConfig {
    /// 3 attempts, from 1 s to 20 s.
    pub const fn standard() -> RetryConfig {
        RetryConfig {
            max_attempts: 3,
            initial_backoff: Duration::from_secs(1),
            max_backoff: Duration::from_secs(20),
        }
    }

    /// The same as a policy.
    ///
    /// # Errors
    /// [`Unsayable`] for no attempts, and for a length that is not whole microseconds.
    pub fn policy(&self) -> Result<Policy, Unsayable> {
        let max = micros("max_backoff", self.max_backoff)?;
        let first = micros("initial_backoff", self.initial_backoff)?.min(max);
        let draft = match first {
            0 => Policy::draft().immediate().no_jitter(),
            _ => {
                Policy::draft().exponential(Duration::from_micros(first)).cap(self.max_backoff).full_jitter()
            }
        };
        // With the lengths in order, only the attempts can be wrong.
        draft.attempts(self.max_attempts).build().or_else(|invalid| {
            unsayable("max_attempts", Said::Count(self.max_attempts), Why::Rule(invalid.rule))
        })
    }
}
