//! Kubernetes: `wait.Backoff`.

use super::{LONGEST, Said, Unsayable, Why, and_share, cap_above, growing, micros, share, unsayable};
use crate::{Draft, Field, Jitter, Micros, Policy};
use core::time::Duration;

/// The `Backoff` of `k8s.io/apimachinery/pkg/util/wait`, as `retry.OnError` of client-go and
/// `wait.ExponentialBackoff` take it.
///
/// ```
/// use core::time::Duration;
/// use undaunted::convert::kubernetes::Backoff;
///
/// // client-go's retry.DefaultBackoff.
/// let backoff = Backoff {
///     duration: Duration::from_millis(10),
///     factor: 5.0,
///     jitter: 0.1,
///     steps: 4,
///     cap: Duration::ZERO,
/// };
/// let policy = backoff.policy().unwrap();
/// assert_eq!(policy.to_string(), "exponential 10ms x5 cap 30s jitter +10% attempts 4");
///
/// // Jitter comes on top of their cap and stays under ours.
/// let capped = Backoff { cap: Duration::from_millis(200), ..backoff };
/// assert_eq!(
///     capped.policy().unwrap().to_string(),
///     "exponential 10ms x5 cap 220ms jitter +10% attempts 4"
/// );
/// ```
///
/// # What differs
/// * **The cap does not end it.** There, the step that meets the cap sets `steps` to 0: the loop sleeps
///   once more and gives up without another try, so 50 ms, factor 2, 8 steps and a cap of 1 s makes 5
///   attempts. Here all `steps` are made, the later ones at the cap. Who relied on the shorter run says
///   so: `policy.attempts(5)`.
/// * The cap comes before the jitter there, after it here: their `cap` with jitter `p` is our
///   `cap * (1 + p)`, and the curve stops at the same delay (less rounding: 1 us, or 2^-25 of it).
/// * A `duration` above the `cap` is not cut there; here it is an error.
/// * Delays are whole microseconds and factors whole 2^-24 parts; after many steps of a crooked factor
///   they differ from the float by a few microseconds in a second.
///
/// # Source
/// kubernetes/apimachinery `pkg/util/wait/backoff.go` at eed236ceee2c, kubernetes/client-go
/// `util/retry/util.go` at 32ce75a7d6bc.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Backoff {
    /// The first delay. Zero: no delay at all, since it cannot grow.
    pub duration: Duration,
    /// The growth. 0 means 1, as there; what shrinks is refused.
    pub factor: f64,
    /// How much is added at random, as a share of the delay. 0 or less means none, as there.
    pub jitter: f64,
    /// The attempts, the first included. There, 0 makes none; here it is refused.
    pub steps: u32,
    /// The longest delay before jitter. Zero: none.
    pub cap: Duration,
}

impl Backoff {
    /// The same as a policy.
    ///
    /// # Errors
    /// [`Unsayable`] for no steps; a factor that is neither 0 nor 1 nor from 1.01 to 255; a jitter that
    /// is NaN, infinite, above 255 or next to nothing (below 2^-25); a `duration` above the `cap`; no
    /// cap where the delays outgrow every length; a length that is not whole microseconds.
    pub fn policy(&self) -> Result<Policy, Unsayable> {
        let duration = micros("duration", self.duration)?;
        let cap = micros("cap", self.cap)?;
        if cap > 0 && duration > cap {
            let why = Why::Above { field: "cap", value: self.cap };
            return unsayable("duration", Said::Length(self.duration), why);
        }
        let factor = if self.factor == 0.0 { 1.0 } else { self.factor };
        // Nothing does not grow, but the other numbers are checked all the same.
        let draft = growing(duration.max(1), factor).jitter(self.jitter()).attempts(self.steps);
        self.build(draft)?;
        match (duration, cap) {
            (0, _) => self.build(Policy::draft().immediate().no_jitter().attempts(self.steps)),
            (_, 0) => {
                let longest = self.longest(draft)?.max(duration);
                self.build(draft.cap(cap_above("cap", and_share(longest, self.jitter.max(0.0)))?))
            }
            _ => match and_share(cap, self.jitter.max(0.0)) {
                cap if cap > LONGEST => unsayable("cap", Said::Length(self.cap), Why::Long),
                cap => self.build(draft.cap(Duration::from_micros(cap))),
            },
        }
    }

    fn jitter(&self) -> Jitter {
        match self.jitter {
            none if none.is_finite() && none <= 0.0 => Jitter::None,
            jitter => Jitter::Additive { share: share(jitter) },
        }
    }

    /// The longest delay that the attempts reach, before jitter.
    fn longest(&self, draft: Draft) -> Result<u64, Unsayable> {
        let free = self.build(draft.no_jitter().cap(Duration::MAX))?;
        let mut longest = Micros::ZERO;
        for step in free.plan() {
            if step.max <= longest {
                break;
            }
            longest = step.max;
        }
        Ok(longest.as_micros())
    }

    fn build(&self, draft: Draft) -> Result<Policy, Unsayable> {
        draft.build().or_else(|invalid| {
            let (field, value) = match invalid.field {
                Field::Attempts => ("steps", Said::Count(self.steps)),
                Field::Factor => ("factor", Said::Number(self.factor)),
                Field::Jitter => ("jitter", Said::Number(self.jitter)),
                _ => ("cap", Said::Length(self.cap)),
            };
            unsayable(field, value, Why::Rule(invalid.rule))
        })
    }
}
