//! The immutable description of how to run again what should run for ever.

use crate::policy::Policy;
use crate::rule::{Field, Invalid, Rule};
use crate::settings::Settings;
use crate::time::Micros;
use core::time::Duration;

/// How to run again what should run for ever and ends all the same: a connection, a watch, a child process.
/// Copied freely, shared by reference, usually a constant; [`Restarts`](crate::Restarts) decides by it.
///
/// Its policy says how long to wait after each end. The growth of the waits, and the attempts, belong to a
/// streak of ends; a run that stayed healthy for [`reset_after`](Recovery::reset_after) ends the streak.
/// To connect is not enough: a peer that accepts and closes at once must meet longer and longer waits.
///
/// # Defaults, and why
/// * [`reset_after`](Recovery::reset_after) twice the policy's cap, as Kubernetes' client-go forgets a
///   backoff (`util/flowcontrol/backoff.go`: unused for more than twice its longest) and as the kubelet forgets
///   a crash loop after 10 min under a cap of 5 min. There the time slept counts; here only health does.
/// * no [`intensity`](Recovery::intensity): the attempts of the policy are the only end.
///
/// The policy's default of 5 attempts holds here as well: nothing is unlimited unless it is said.
///
/// ```
/// use core::time::Duration;
/// use undaunted_core::{Policy, Recovery};
///
/// const UPLINK: Recovery = Recovery::new(
///     Policy::exponential(Duration::from_secs(1)).cap(Duration::from_secs(300)).unlimited_attempts(),
/// )
/// .intensity(5, Duration::from_secs(60));
///
/// assert_eq!(
///     UPLINK.to_string(),
///     "exponential 1s x2 cap 5m jitter full attempts unlimited reset_after 10m intensity 5/1m"
/// );
/// ```
///
/// A wrong constant does not compile:
///
/// ```compile_fail
/// use core::time::Duration;
/// use undaunted_core::{Policy, Recovery};
///
/// const NEVER: Recovery = Recovery::new(Policy::constant(Duration::from_secs(1))).reset_after(Duration::ZERO);
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Recovery {
    pub(crate) policy: Policy,
    pub(crate) reset_after: Micros,
    pub(crate) intensity: Option<Intensity>,
}

impl Recovery {
    /// By this policy, with the defaults for the rest.
    pub const fn new(policy: Policy) -> Recovery {
        Recovery { policy, reset_after: Micros(policy.cap).saturating_mul(2), intensity: None }
    }

    /// A recovery from values that come at run time: the same nouns, checked at the end without a panic.
    pub const fn draft(policy: Policy) -> RecoveryDraft {
        RecoveryDraft { recovery: Recovery::new(policy) }
    }

    /// How long a run must have been healthy for its end to begin a new streak: the next wait is from the
    /// first delay again, the attempts count from 0, and the policy's `within` counts anew. Exactly as long
    /// is enough. A part of a microsecond rounds up; what is too long saturates at [`Micros::MAX`].
    ///
    /// # Panics
    /// When it is zero; in a constant, at compile time.
    pub const fn reset_after(self, healthy: Duration) -> Recovery {
        must(RecoveryDraft { recovery: self }.reset_after(healthy))
    }

    /// At most so many `restarts` in any `window`; when one more is due, the verdict is to give up, with
    /// [`Reason::Intensity`](crate::Reason::Intensity).
    ///
    /// This is the maximum restart intensity of an Erlang/OTP supervisor (`intensity` and `period`), exact to
    /// the microsecond: a restart that is exactly `window` ago still counts. systemd's `StartLimitBurst` and
    /// `StartLimitIntervalSec` differ in that they count the first start too, in windows that do not slide.
    ///
    /// # Panics
    /// When either is zero, or `restarts` above 65 535; in a constant, at compile time.
    pub const fn intensity(self, restarts: u32, window: Duration) -> Recovery {
        must(RecoveryDraft { recovery: self }.intensity(restarts, window))
    }

    /// The policy of the waits and the attempts.
    pub const fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Everything the recovery says, resolved: defaults included.
    pub const fn settings(&self) -> RecoverySettings {
        let Recovery { policy, reset_after, intensity } = self;
        RecoverySettings { policy: policy.settings(), reset_after: *reset_after, intensity: *intensity }
    }
}

/// Everything a recovery says, by [`Recovery::settings`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct RecoverySettings {
    /// What its policy says.
    pub policy: Settings,
    /// How long a run must have been healthy to end a streak.
    pub reset_after: Micros,
    /// The most restarts in any window; `None` when unlimited.
    pub intensity: Option<Intensity>,
}

/// The most restarts in any window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Intensity {
    /// So many are allowed.
    pub restarts: u32,
    /// In any window of this length, both ends included.
    pub window: Micros,
}

/// The most restarts that an intensity may allow: each has a place in memory, and is looked at for each restart.
const MOST_RESTARTS: u32 = 65_535;

/// A recovery from values that come at run time. The nouns are those of [`Recovery`];
/// [`build`](RecoveryDraft::build) checks all of it at once and answers an error instead of panicking.
///
/// ```
/// use core::time::Duration;
/// use undaunted_core::{Policy, Recovery, Rule};
///
/// let policy = Policy::constant(Duration::from_secs(1)).unlimited_attempts();
/// let wrong = Recovery::draft(policy).intensity(0, Duration::from_secs(60)).build();
/// assert_eq!(wrong.unwrap_err().rule, Rule::RestartsRange);
/// ```
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use = "a draft is not a recovery until it is built"]
pub struct RecoveryDraft {
    /// Not checked yet.
    pub(crate) recovery: Recovery,
}

impl RecoveryDraft {
    /// As [`Recovery::reset_after`].
    pub const fn reset_after(mut self, healthy: Duration) -> RecoveryDraft {
        self.recovery.reset_after = Micros::from_duration(healthy);
        self
    }

    /// As [`Recovery::intensity`].
    pub const fn intensity(mut self, restarts: u32, window: Duration) -> RecoveryDraft {
        self.recovery.intensity = Some(Intensity { restarts, window: Micros::from_duration(window) });
        self
    }

    /// The recovery, if what was said makes one.
    ///
    /// # Errors
    /// [`Invalid`] names the field, its value and the rule; `reset_after` comes before the intensity.
    pub const fn build(self) -> Result<Recovery, Invalid> {
        let (field, value, rule) = match self.recovery {
            Recovery { reset_after: Micros(0), .. } => (Field::ResetAfter, 0, Rule::ResetAfterZero),
            Recovery { intensity: Some(Intensity { restarts, .. }), .. }
                if restarts == 0 || restarts > MOST_RESTARTS =>
            {
                (Field::Intensity, restarts as u64, Rule::RestartsRange)
            }
            Recovery { intensity: Some(Intensity { window: Micros(0), .. }), .. } => {
                (Field::Intensity, 0, Rule::WindowZero)
            }
            recovery => return Ok(recovery),
        };
        Err(Invalid { field, value, rule })
    }
}

/// The draft's recovery, or a panic with the rule: at compile time in a constant.
const fn must(draft: RecoveryDraft) -> Recovery {
    match draft.build() {
        Ok(recovery) => recovery,
        Err(Invalid { rule, .. }) => panic!("{}", rule.text()),
    }
}
