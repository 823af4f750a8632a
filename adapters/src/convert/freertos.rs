//! FreeRTOS: the library backoffAlgorithm.

use super::{Said, Unsayable, Why, unsayable};
use crate::{Policy, Rule};
use core::time::Duration;

/// The parameters of `BackoffAlgorithm_InitializeParams`, as the AWS IoT SDK for Embedded C uses it.
///
/// ```
/// use undaunted::convert::freertos::BackoffAlgorithm;
///
/// // RETRY_BACKOFF_BASE_MS, RETRY_MAX_BACKOFF_DELAY_MS and RETRY_MAX_ATTEMPTS of the SDK's demos.
/// let params = BackoffAlgorithm { back_off_base: 500, max_back_off: 5_000, max_attempts: 5 };
/// let policy = params.policy().unwrap();
/// assert_eq!(policy.to_string(), "exponential 500ms x2 cap 5s jitter full attempts 6");
/// ```
///
/// # What differs
/// * **Attempts are calls here, retries there**: `max_attempts: 5` is 5 waits and 6 calls.
/// * A base above the maximum draws its first delay beyond the maximum there; here it is an error.
/// * Delays are drawn in microseconds, not milliseconds, and without the bias of a modulo.
/// * Where the maximum is an odd number of milliseconds and a window half of it less a half (3 under 7),
///   the next window is the maximum there and twice the window here: 1 ms less, once.
///
/// # Source
/// FreeRTOS/backoffAlgorithm `source/backoff_algorithm.c` at 39bf8aa995c2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackoffAlgorithm {
    /// `backOffBase`: the longest first delay, in milliseconds. Zero: no delay at all.
    pub back_off_base: u16,
    /// `maxBackOff`: the longest delay, in milliseconds.
    pub max_back_off: u16,
    /// `maxAttempts`: the retries, the first call not counted;
    /// [`RETRY_FOREVER`](BackoffAlgorithm::RETRY_FOREVER) for as many as it takes.
    pub max_attempts: u32,
}

impl BackoffAlgorithm {
    /// `BACKOFF_ALGORITHM_RETRY_FOREVER`.
    pub const RETRY_FOREVER: u32 = u32::MAX;

    /// The same as a policy.
    ///
    /// # Errors
    /// [`Unsayable`] for a base above the maximum, and for no delay with endless retries.
    pub fn policy(&self) -> Result<Policy, Unsayable> {
        let [base, max] = [self.back_off_base, self.max_back_off].map(|ms| Duration::from_millis(ms.into()));
        if base > max {
            let why = Why::Above { field: "max_back_off", value: max };
            return unsayable("back_off_base", Said::Length(base), why);
        }
        let draft = match self.back_off_base {
            0 => Policy::draft().immediate().no_jitter(),
            _ => Policy::draft().exponential(base).cap(max).full_jitter(),
        };
        let draft = match self.max_attempts {
            BackoffAlgorithm::RETRY_FOREVER => draft.unlimited_attempts(),
            retries => draft.retries(retries),
        };
        // Of all rules only that against a hot loop can be broken.
        draft.build().or(unsayable("back_off_base", Said::Length(base), Why::Rule(Rule::HotLoop)))
    }
}
