//! One recovery's life: streaks of ends, and the restarts of the last window.

use crate::outcome::Outcome;
use crate::recovery::{Intensity, Recovery};
use crate::retry::Retry;
use crate::rule::{Field, Invalid, Rule};
use crate::time::{Instant, Micros};
use crate::verdict::{Reason, Verdict};

/// What happened so far to something that should run for ever: 32 bytes, and the `memory` of its last restarts.
/// The recovery, the generator, the clock and the due point belong to the caller, as with [`Retry`].
///
/// A run is one life of what should run for ever: a connection from its making to its loss, a process from
/// its start to its exit. Each run that ended is reported, with how long it was healthy:
/// [`next`](Restarts::next) for an end with an [`Outcome`], [`again`](Restarts::again) for a clean end
/// after which it is to run again all the same.
///
/// The contract of what callers supply:
/// * `healthy` MUST be the length of the run, from when it was up (connected, ready) to its end; zero when it
///   never was. Time slept in backoff MUST NOT be in it: sleep is not health. A run that hung is not healthy
///   either, which only the caller can know.
/// * `recovery` MUST be the one it was started with.
/// * `now` should be of a monotonic clock. When it is not, everything saturates: a restart that seems to lie
///   ahead counts as inside the window, so that no step back of the clock allows a restart more.
/// * `memory` MUST have room for as many restarts as the intensity allows: an array on a device, a `Vec` on a
///   server, a slice lent to it; `[]` without an intensity. What is in it at first does not matter.
///
/// ```
/// use core::time::Duration;
/// use undaunted_core::{Instant, Micros, Outcome, Policy, Reason, Recovery, Restarts, Verdict};
///
/// const UPLINK: Recovery = Recovery::new(
///     Policy::exponential(Duration::from_secs(1)).no_jitter().unlimited_attempts(),
/// )
/// .reset_after(Duration::from_secs(600))
/// .intensity(3, Duration::from_secs(60));
///
/// let random = 0; // without jitter any will do
/// let mut now = Instant::from_micros(0);
/// let mut restarts = Restarts::start(&UPLINK, now, [Instant::default(); 3]).unwrap();
/// // The peer accepts and closes after 5 ms: the waits grow, and in a minute only three are allowed.
/// for wait in [1, 2, 4].map(Micros::from_secs) {
///     let verdict = restarts.next(&UPLINK, Outcome::Fail, Micros::from_millis(5), now, random);
///     assert_eq!(verdict, Verdict::RetryAfter(wait));
///     now = now + wait + Micros::from_millis(5);
/// }
/// let verdict = restarts.next(&UPLINK, Outcome::Fail, Micros::from_millis(5), now, random);
/// assert_eq!(verdict, Verdict::GiveUp(Reason::Intensity));
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Restarts<M> {
    /// The present streak.
    retry: Retry,
    /// The clean ends of the streak: steps along the curve that were no attempts.
    clean: u32,
    /// How many points of the memory are restarts.
    remembered: u32,
    memory: M,
}

impl<M: AsMut<[Instant]>> Restarts<M> {
    /// Starts at `now`, which is the start of the first run: the policy's `within` counts from here until a
    /// healthy run ends the streak.
    ///
    /// A policy's `first_delay` comes before it, by [`Retry::first_wait`].
    ///
    /// # Errors
    /// When `memory` is shorter than the intensity allows restarts: [`Rule::MemoryTooShort`], with its length
    /// as the value.
    pub fn start(recovery: &Recovery, now: Instant, mut memory: M) -> Result<Restarts<M>, Invalid> {
        let room = memory.as_mut().len() as u64;
        match recovery.intensity {
            Some(Intensity { restarts, .. }) if room < restarts as u64 => {
                Err(Invalid { field: Field::Intensity, value: room, rule: Rule::MemoryTooShort })
            }
            _ => Ok(Restarts { retry: Retry::start(&recovery.policy, now), clean: 0, remembered: 0, memory }),
        }
    }

    /// Reports how the run that just ended came out, and learns what to do.
    ///
    /// A run that was `healthy` for `reset_after` ends the streak before its end is decided: it is then the
    /// first of a new one. The rest is as [`Retry::next`]: the first that applies decides of stopped before,
    /// success, abort, attempts used, hint above its ceiling, deadline, and last the intensity. Once
    /// stopped, the answer stays the same whatever is reported. Success means that it need not run any more.
    ///
    /// Everything saturates and nothing panics, for every input.
    pub fn next(
        &mut self,
        recovery: &Recovery,
        outcome: Outcome,
        healthy: Micros,
        now: Instant,
        random: u32,
    ) -> Verdict {
        self.earn(recovery, healthy, now);
        let verdict = self.retry.next_after(self.clean, &recovery.policy, outcome, now, random);
        self.allow(verdict, recovery, now)
    }

    /// Reports that the run ended cleanly and is to run again: a server that closes idle connections, a
    /// process with `Restart=always`.
    ///
    /// It is no failure and no attempt, so that the policy's `attempts` never end a recovery because of clean
    /// ends. It waits all the same, one step further along the same curve, and counts for the intensity: a
    /// peer that accepts and closes at once keeps being met with longer waits.
    ///
    /// Under `immediate` without a floor nothing waits, and clean ends without end would be a hot loop: there they
    /// are attempts.
    pub fn again(&mut self, recovery: &Recovery, healthy: Micros, now: Instant, random: u32) -> Verdict {
        if recovery.policy.never_waits() {
            return self.next(recovery, Outcome::Fail, healthy, now, random);
        }
        self.earn(recovery, healthy, now);
        self.clean = self.clean.saturating_add(1);
        let verdict = self.retry.again(self.clean, &recovery.policy, now, random);
        self.allow(verdict, recovery, now)
    }

    /// Begins a new streak after a healthy run. What has stopped is over.
    fn earn(&mut self, recovery: &Recovery, healthy: Micros, now: Instant) {
        if healthy >= recovery.reset_after && self.stopped().is_none() {
            self.retry = Retry::start(&recovery.policy, now);
            self.clean = 0;
        }
    }

    /// The verdict, unless it is a restart too many.
    fn allow(&mut self, verdict: Verdict, recovery: &Recovery, now: Instant) -> Verdict {
        match (verdict, recovery.intensity) {
            (Verdict::RetryAfter(_), Some(intensity)) if !self.remember(intensity, now) => {
                self.retry.give_up(Reason::Intensity)
            }
            _ => verdict,
        }
    }

    /// Notes a restart at `now`, if the window has room for it.
    ///
    /// Of all restarts the latest are kept, as many as are allowed, by their points and not by their order. So
    /// many of all restarts are inside the window just when the earliest of these is: that is exact on a clock
    /// that jumps as well. It looks at each point once.
    fn remember(&mut self, intensity: Intensity, now: Instant) -> bool {
        let (memory, allowed) = (self.memory.as_mut(), intensity.restarts as usize);
        if self.remembered < intensity.restarts {
            let Some(free) = memory.get_mut(self.remembered as usize) else { return false };
            *free = now;
            self.remembered += 1;
            return true;
        }
        let Some(earliest) = memory.iter_mut().take(allowed).min() else { return false };
        if now.since(*earliest) <= intensity.window {
            return false;
        }
        *earliest = now;
        true
    }

    /// Stops from outside: a cancel, a breaker. What stopped before stays as it was.
    pub fn give_up(&mut self, reason: Reason) -> Verdict {
        self.retry.give_up(reason)
    }
}

impl<M> Restarts<M> {
    /// How it ended, if it has.
    pub const fn stopped(&self) -> Option<Verdict> {
        self.retry.stopped()
    }

    /// The attempts of the present streak: its runs so far, without those that ended cleanly to run again.
    pub const fn attempts(&self) -> u32 {
        self.retry.attempts()
    }

    /// The time left to the present streak, as [`Retry::time_left`].
    pub const fn time_left(&self, recovery: &Recovery, now: Instant) -> Micros {
        self.retry.time_left(&recovery.policy, now)
    }

    /// The point at which the time of the present streak is up, if there is one.
    pub const fn deadline(&self) -> Option<Instant> {
        self.retry.deadline()
    }
}

/// Sizes are part of the promise: 32 bytes beside the memory.
const _: () = assert!(size_of::<Restarts<[Instant; 0]>>() <= 32 && size_of::<Recovery>() <= 128);
