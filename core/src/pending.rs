//! A retry with its due point, for loops that must not block.

use crate::outcome::Outcome;
use crate::policy::Policy;
use crate::retry::Retry;
use crate::time::Instant;
use crate::verdict::{Reason, Verdict};

/// A retry that also keeps when its next attempt is due: 32 bytes, for loops that must not block.
///
/// ```
/// use core::time::Duration;
/// use undaunted_core::{Instant, Micros, Outcome, Pending, Policy, Verdict};
///
/// const POLL: Policy = Policy::constant(Duration::from_millis(10)).no_jitter().attempts(3);
///
/// let mut pending = Pending::start(&POLL, Instant::from_micros(0));
/// let mut calls = 0;
/// for tick in 0.. {
///     let now = Instant::from_micros(tick * 1_000); // a super-loop that turns once a millisecond
///     if !pending.is_due(now) {
///         continue; // other work
///     }
///     calls += 1;
///     if pending.settle(&POLL, Outcome::Fail, now, 0) != Verdict::RetryAfter(Micros::from_millis(10)) {
///         break;
///     }
/// }
/// assert_eq!(calls, 3);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Pending {
    retry: Retry,
    due: Instant,
}

impl Pending {
    /// Starts at `now`, with the first attempt due at once.
    #[inline(always)]
    pub const fn start(policy: &Policy, now: Instant) -> Pending {
        Pending { retry: Retry::start(policy, now), due: now }
    }

    /// Starts a policy with a `first_delay`: the first attempt is due after it, and `within` counts
    /// from then.
    pub const fn start_delayed(policy: &Policy, now: Instant, random: u32) -> Pending {
        let due = match Retry::first_wait(policy, Instant::MAX, now, random) {
            Verdict::RetryAfter(wait) => now.after(wait),
            Verdict::Done | Verdict::GiveUp(_) => now,
        };
        Pending { retry: Retry::start(policy, due), due }
    }

    /// As [`Retry::next`], and keeps when the next attempt is due.
    #[inline(always)]
    pub const fn settle(&mut self, policy: &Policy, outcome: Outcome, now: Instant, random: u32) -> Verdict {
        let verdict = self.retry.next(policy, outcome, now, random);
        if let Verdict::RetryAfter(wait) = verdict {
            self.due = now.after(wait);
        }
        verdict
    }

    /// As [`Retry::give_up`]: stops from outside, for this reason, and nothing is due any more. What stopped before
    /// stays as it was, and is the answer.
    ///
    /// ```
    /// use core::time::Duration;
    /// use undaunted_core::{Instant, Pending, Policy, Reason, Verdict};
    ///
    /// const POLL: Policy = Policy::constant(Duration::from_millis(10));
    ///
    /// let mut pending = Pending::start(&POLL, Instant::from_micros(0));
    /// assert_eq!(pending.give_up(Reason::Cancelled), Verdict::GiveUp(Reason::Cancelled)); // the cable was pulled
    /// assert!(!pending.is_due(Instant::MAX));
    /// ```
    #[inline(always)]
    pub const fn give_up(&mut self, reason: Reason) -> Verdict {
        self.retry.give_up(reason)
    }

    /// Whether an attempt is due at `now`; never again once it has stopped.
    #[inline(always)]
    pub const fn is_due(&self, now: Instant) -> bool {
        self.retry.stopped().is_none() && now.0 >= self.due.0
    }

    /// When the next attempt is due.
    #[inline(always)]
    pub const fn due(&self) -> Instant {
        self.due
    }

    /// The state underneath: attempts, time left, how it ended.
    #[inline(always)]
    pub const fn retry(&self) -> &Retry {
        &self.retry
    }
}

/// Its size is part of the promise: a super-loop may hold hundreds.
const _: () = assert!(size_of::<Pending>() <= 32);
