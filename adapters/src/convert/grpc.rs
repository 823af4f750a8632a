//! gRPC: the retry policy of a service config (gRFC A6).

mod code;
#[cfg(feature = "grpc")]
mod json;

pub use code::{StatusCode, StatusCodes};

use super::{LONGEST, Said, Unsayable, Why, and_share, growing, micros, unsayable};
use crate::{Draft, Field, Policy};
use core::time::Duration;

/// The `retryPolicy` of a method in a service config. With the feature `grpc` it is read from JSON, by
/// whatever reads your JSON.
///
#[cfg_attr(feature = "grpc", doc = "```")]
#[cfg_attr(not(feature = "grpc"), doc = "```ignore")]
/// use undaunted::convert::grpc::{RetryPolicy, StatusCode};
///
/// let said: RetryPolicy = serde_json::from_str(
///     r#"{
///         "maxAttempts": 4,
///         "initialBackoff": "0.1s",
///         "maxBackoff": "1s",
///         "backoffMultiplier": 2,
///         "retryableStatusCodes": ["UNAVAILABLE", 8]
///     }"#,
/// )
/// .unwrap();
///
/// let policy = said.policy().unwrap();
/// assert_eq!(policy.to_string(), "exponential 100ms x2 cap 1200ms jitter +-20% attempts 4");
///
/// // What a policy does not hold: which failures are worth another attempt.
/// let codes = said.retryable_status_codes;
/// assert!(codes.contains(StatusCode::ResourceExhausted) && !codes.contains(StatusCode::Internal));
/// // `.when(|status| codes.contains_number(status.code() as i32))`
/// ```
///
/// # What is read
/// The object after the key `retryPolicy`. All five fields are required. Lengths are as in proto3's JSON:
/// seconds with up to nine decimals and an `s`; `.1s`, as A6 writes it, is `0.1s`. Codes are names,
/// whatever their case, or numbers; `OK`, which is no failure, is refused. Unlike gRPC this reader refuses a field that it does not know (or
/// finds twice), since it would be lost: `perAttemptRecvTimeout` belongs into
/// [`attempt_timeout`](Policy::attempt_timeout).
///
/// # What differs
/// * More than 5 attempts are 5, as gRPC has it by default, without an error. Who raised that limit in
///   the channel says so here too: `policy.attempts(said.max_attempts)`.
/// * The jitter of 20 % to both sides comes after the maximum there and under the cap here: `maxBackoff`
///   is our `cap / 1.2`, and the delays are the same. A6 drew from 0 up before that, and older clients
///   still do: `jitter full`, and `maxBackoff` as the cap.
/// * A first delay above `maxBackoff` is an error here; A6 can be read either way.
/// * A server's pushback of some milliseconds replaces the delay there, and the curve starts again. A
///   hint given as [`Throttle`](crate::Outcome::Throttle) is a floor with the jitter on top, and the
///   curve goes on. A negative pushback means no retry: answer [`Abort`](crate::Outcome::Abort).
/// * `retryThrottling` is of the whole channel, and a hedging policy no retry policy: a policy can say
///   neither. gRPC's transparent retries come on top of the attempts there.
///
/// # Source
/// grpc/proposal `A6-client-retries.md` at 1fd061ad8e7c.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RetryPolicy {
    /// `maxAttempts`: calls in all, the first included; 2 or more.
    pub max_attempts: u32,
    /// `initialBackoff`: the first delay before jitter; not zero.
    pub initial_backoff: Duration,
    /// `maxBackoff`: the longest delay before jitter; not zero.
    pub max_backoff: Duration,
    /// `backoffMultiplier`: the growth; A6 demands more than 0, a policy 1 or from 1.01 to 255.
    pub backoff_multiplier: f64,
    /// `retryableStatusCodes`: the failures worth another attempt; not empty.
    pub retryable_status_codes: StatusCodes,
}

/// gRPC's own limit of attempts.
const MOST_ATTEMPTS: u32 = 5;
/// A6: every delay times a number between 0.8 and 1.2.
const JITTER: (u32, u32) = (1, 5);

impl RetryPolicy {
    /// The numbers as a policy. The codes stay here, for `.when(..)`.
    ///
    /// # Errors
    /// [`Unsayable`] for what A6 refuses (a single attempt, no delay, no codes), a multiplier that is
    /// neither 1 nor from 1.01 to 255, a first delay above the longest, and lengths that are not whole
    /// microseconds.
    pub fn policy(&self) -> Result<Policy, Unsayable> {
        if self.max_attempts < 2 {
            return unsayable("max_attempts", Said::Count(self.max_attempts), Why::FewAttempts);
        }
        if self.retryable_status_codes.is_empty() {
            return unsayable("retryable_status_codes", Said::Name("empty"), Why::Empty);
        }
        let initial = positive("initial_backoff", self.initial_backoff)?;
        let max = positive("max_backoff", self.max_backoff)?;
        if initial > max {
            let why = Why::Above { field: "max_backoff", value: self.max_backoff };
            return unsayable("initial_backoff", Said::Length(self.initial_backoff), why);
        }
        let cap = and_share(max, f64::from(JITTER.0) / f64::from(JITTER.1));
        if cap > LONGEST {
            return unsayable("max_backoff", Said::Length(self.max_backoff), Why::Long);
        }
        let draft = growing(initial, self.backoff_multiplier).cap(Duration::from_micros(cap));
        self.build(
            draft.proportional_jitter(JITTER.0, JITTER.1).attempts(self.max_attempts.min(MOST_ATTEMPTS)),
        )
    }

    fn build(&self, draft: Draft) -> Result<Policy, Unsayable> {
        draft.build().or_else(|invalid| {
            let (field, value) = match invalid.field {
                Field::Factor => ("backoff_multiplier", Said::Number(self.backoff_multiplier)),
                _ => ("max_backoff", Said::Length(self.max_backoff)),
            };
            unsayable(field, value, Why::Rule(invalid.rule))
        })
    }
}

fn positive(field: &'static str, length: Duration) -> Result<u64, Unsayable> {
    match micros(field, length)? {
        0 => unsayable(field, Said::Length(length), Why::Zero),
        micros => Ok(micros),
    }
}
