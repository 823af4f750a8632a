//! Policies from numbers that are in use elsewhere, for people who move with them in hand.
//!
//! Each module has a struct with the fields of the original, by their names, and a method `policy()`.
//! What a policy cannot say is an error that names the field, its value and the reason; nothing is
//! guessed and nothing left out in silence. What a policy says but does differently is written at each
//! struct, under "What differs".
//!
//! | original | here | always an error |
//! | --- | --- | --- |
//! | Kubernetes `wait.Backoff` | [`kubernetes::Backoff`] | no steps; shrinking; a duration above the cap |
//! | gRPC `retryPolicy` of a service config | [`grpc::RetryPolicy`], from JSON with the feature `grpc` | what gRFC A6 refuses; a first delay above the longest |
//! | AWS SDK, standard mode | [`aws::RetryConfig`] | no attempts |
//! | FreeRTOS backoffAlgorithm | [`freertos::BackoffAlgorithm`] | a base above the maximum; no delay for ever |
//! | retry-go | [`retry_go::Options`]; all its options are answered in [`retry_go`] | a length of jitter on delays that grow (its default) |
//!
//! Common to all:
//! * Lengths are whole microseconds up to 2^55 (1 142 years); others are refused, not rounded.
//! * Factors (1, or from 1.01 to 255) and shares (up to 255) are kept to the nearest 2^-24. What is below
//!   or above is refused, and so are NaN and the infinities.
//! * No wait follows the last attempt, also where the original sleeps once more before it gives up.
//! * A zero delay (which gRPC refuses) becomes `immediate`, which is refused with unlimited attempts.
//! * An original without a cap gets one that cuts nothing: 30 s, or more where the longest wait is
//!   longer. If its delays outgrow every length, that is an error.
//! * [`hint_ceiling`](crate::Policy::hint_ceiling) is our default, 10 minutes; the originals have none.
//!
//! A converted policy is one like any other: the setters of [`Policy`] change it further,
//! and its text can be kept in a configuration file instead of the old numbers.
//!
//! ```
//! use core::time::Duration;
//! use undaunted::convert::kubernetes::Backoff;
//!
//! let duration = Duration::from_millis(500);
//! let mut backoff = Backoff { duration, factor: 1.5, jitter: 0.4, steps: 10, cap: Duration::ZERO };
//! let policy = backoff.policy().unwrap();
//! assert_eq!(policy.to_string(), "exponential 500ms x1.5 cap 30s jitter +40% attempts 10");
//!
//! backoff.factor = f64::NAN;
//! let error = backoff.policy().unwrap_err();
//! assert_eq!(error.to_string(), "factor is NaN: factor must be exactly 1 or from 1.01 to 255");
//! ```

pub mod aws;
pub mod freertos;
pub mod grpc;
pub mod kubernetes;
pub mod retry_go;

use crate::{Draft, Micros, Policy, Ratio, Rule};
use core::{fmt, time::Duration};

/// What an original says and a policy cannot: which field, its value, and why not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unsayable {
    /// The field, as it is named in the struct.
    pub field: &'static str,
    /// Its value, as it was said.
    pub value: Said,
    /// Why a policy cannot say it.
    pub why: Why,
}

/// `factor is 0.5: factor must be exactly 1 or from 1.01 to 255`.
impl fmt::Display for Unsayable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {}: {}", self.field, self.value, self.why)
    }
}

impl core::error::Error for Unsayable {}

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Said {
    /// A number of things.
    Count(u32),
    /// A length of time.
    Length(Duration),
    /// What is not a number, by its name in the original.
    Name(&'static str),
    /// A factor or a share.
    Number(f64),
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Said::Count(count) => write!(f, "{count}"),
            Said::Length(length) => write!(f, "{length:?}"),
            Said::Name(name) => f.write_str(name),
            // 1e300, where Display writes 301 digits.
            Said::Number(number) => write!(f, "{number:?}"),
        }
    }
}

/// Why a policy cannot say something; `Display` says it in words.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Why {
    /// It is longer than another field allows.
    Above {
        /// The other field.
        field: &'static str,
        /// Its value.
        value: Duration,
    },
    /// Jitter that is a length and not a share, on delays that grow.
    AbsoluteJitter,
    /// No failure is named that would be worth another attempt.
    Empty,
    /// The original demands two attempts or more.
    FewAttempts,
    /// A length with a part of a microsecond.
    Fraction,
    /// A length above 2^55 us.
    Long,
    /// Delays without a cap that outgrow every length.
    Outgrown,
    /// A rule that every policy keeps.
    Rule(Rule),
    /// A sum of delays that is none of the shapes.
    Sum,
    /// The original demands a length above zero.
    Zero,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Why::Above { field, value } => {
                return write!(f, "must not be longer than {field}, which is {value:?}");
            }
            Why::AbsoluteJitter => {
                "delays that grow can have a share of jitter (such as +20%), not a length; without max_jitter \
                 they can be said"
            }
            Why::Empty => "must name at least one code",
            Why::FewAttempts => "must be at least 2 (the first attempt is counted)",
            Why::Fraction => "must be a whole number of microseconds",
            Why::Long => "must not be longer than 2^55 us (1142 years)",
            Why::Outgrown => "the delays grow beyond what can be waited; say a cap",
            Why::Rule(rule) => rule.text(),
            Why::Sum => "of sums of delays only fixed and random can be said",
            Why::Zero => "must not be zero",
        })
    }
}

/// The longest length of a curve, in microseconds.
const LONGEST: u64 = 1 << 55;

const fn unsayable<T>(field: &'static str, value: Said, why: Why) -> Result<T, Unsayable> {
    Err(Unsayable { field, value, why })
}

/// A length in microseconds, if it is a whole number of them.
fn micros(field: &'static str, length: Duration) -> Result<u64, Unsayable> {
    let micros = Micros::from_duration(length);
    if micros.as_micros() > LONGEST {
        return unsayable(field, Said::Length(length), Why::Long);
    }
    if micros.as_duration() != length {
        return unsayable(field, Said::Length(length), Why::Fraction);
    }
    Ok(micros.as_micros())
}

/// The nearest units of 2^-24, as [`Ratio::to_bits`]. What is out of range stays out of range: NaN and
/// what is negative become 0, which is neither a factor nor a share.
fn bits(number: f64) -> u32 {
    let scaled = number * f64::from(ONE);
    let whole = scaled as u32;
    whole.saturating_add(u32::from(scaled - f64::from(whole) >= 0.5))
}

const ONE: u32 = 1 << 24;

fn share(number: f64) -> Ratio {
    Ratio::new(bits(number), ONE)
}

/// A curve that grows by `factor`; constant where that is 1.
fn growing(first: u64, factor: f64) -> Draft {
    let first = Duration::from_micros(first);
    match bits(factor) {
        ONE => Policy::draft().constant(first),
        bits => Policy::draft().exponential(first).factor(bits, ONE),
    }
}

/// A length of microseconds and a share more, to the nearest.
fn and_share(length: u64, share: f64) -> u64 {
    length.saturating_add((length as f64 * share + 0.5) as u64)
}

/// A cap that does not cut `longest`; [`Outgrown`](Why::Outgrown), by the field that should have been
/// said, where there is none.
fn cap_above(field: &'static str, longest: u64) -> Result<Duration, Unsayable> {
    if longest >= LONGEST {
        return unsayable(field, Said::Length(Duration::ZERO), Why::Outgrown);
    }
    Ok(Duration::from_secs((longest / 1_000_000 + 1).max(30)))
}
