//! One operation's life: the only state machine, and its one verb.

use crate::backoff::{Shape, least};
use crate::jitter::Kind;
use crate::outcome::Outcome;
use crate::policy::{Policy, UNLIMITED};
use crate::ratio::draw_below;
use crate::time::{Instant, Micros};
use crate::verdict::{Reason, Verdict};

/// What happened so far to one operation: 24 bytes. The policy, the generator and the clock belong
/// to the caller.
///
/// ```
/// use core::time::Duration;
/// use undaunted_core::{Instant, Micros, Outcome, Policy, Reason, Retry, Verdict};
///
/// const POLICY: Policy = Policy::exponential(Duration::from_millis(100)).no_jitter().attempts(3);
///
/// let now = Instant::from_micros(0);
/// let mut retry = Retry::start(&POLICY, now);
/// let random = 0; // without jitter any will do
/// assert_eq!(
///     retry.next(&POLICY, Outcome::Fail, now, random),
///     Verdict::RetryAfter(Micros::from_millis(100))
/// );
/// assert_eq!(
///     retry.next(&POLICY, Outcome::Fail, now, random),
///     Verdict::RetryAfter(Micros::from_millis(200))
/// );
/// assert_eq!(retry.next(&POLICY, Outcome::Fail, now, random), Verdict::GiveUp(Reason::Attempts));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retry {
    /// `u64::MAX` when there is none.
    deadline: u64,
    /// The next delay before jitter; for Decorrelated the last delay without its hint.
    curve: u64,
    attempts: u32,
    stopped: Option<Stop>,
    /// Whether there is a limit in time: a deadline, or the policy's `within`.
    timed: bool,
}

/// How it ended; one byte with its reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    Done,
    GaveUp(Reason),
}

impl Stop {
    #[inline(always)]
    const fn verdict(self) -> Verdict {
        match self {
            Stop::Done => Verdict::Done,
            Stop::GaveUp(reason) => Verdict::GiveUp(reason),
        }
    }
}

impl Retry {
    /// Starts at `now`, which is the start of the first attempt: `within` counts from here.
    #[inline(always)]
    pub const fn start(policy: &Policy, now: Instant) -> Retry {
        Retry::start_before(policy, now, Instant::MAX)
    }

    /// Starts under a deadline inherited from outside; the nearer one holds. [`Instant::MAX`] is none.
    ///
    /// When the deadline is here already, [`stopped`](Retry::stopped) says so and no call must be made.
    #[inline(always)]
    pub const fn start_before(policy: &Policy, now: Instant, deadline: Instant) -> Retry {
        let own = match policy.within {
            u64::MAX => u64::MAX,
            within => now.0.saturating_add(within),
        };
        let passed = deadline.0 != u64::MAX && deadline.0 <= now.0;
        Retry {
            deadline: if own < deadline.0 { own } else { deadline.0 },
            curve: policy.first,
            attempts: 0,
            stopped: if passed { Some(Stop::GaveUp(Reason::Deadline)) } else { None },
            timed: own & deadline.0 != u64::MAX || policy.within != u64::MAX,
        }
    }

    /// The wait before the first attempt, for policies with a `first_delay` (zero without): how long,
    /// or to give up because it would reach the inherited `deadline` ([`Instant::MAX`] is none).
    ///
    /// It comes before [`start`](Retry::start), so that `within` begins after it. The policy's jitter
    /// applies (Full under Decorrelated), its cap and floor do not. It is no attempt.
    pub const fn first_wait(policy: &Policy, deadline: Instant, now: Instant, random: u32) -> Verdict {
        let (low, width) = match policy.shape {
            Shape::Decorrelated => (0, policy.first_delay),
            _ => policy.spread().range(policy.first_delay),
        };
        let wait = low + draw_below(width + 1, random);
        if deadline.0 != u64::MAX && wait >= deadline.0.saturating_sub(now.0) {
            return Verdict::GiveUp(Reason::Deadline);
        }
        Verdict::RetryAfter(Micros(wait))
    }

    /// Reports what the attempt that just ended came to, and learns what to do.
    ///
    /// `policy` is the one it was started with; `now` is the time of the report, on the clock of
    /// [`start`](Retry::start); `random` is any
    /// fresh `u32` (see [`Rng`](crate::Rng)). The first that applies decides: stopped before,
    /// success, abort, attempts used, hint above its ceiling, deadline. Once stopped, the answer
    /// stays the same whatever is reported.
    ///
    /// Everything saturates and nothing panics, for every input.
    #[inline(always)]
    pub const fn next(&mut self, policy: &Policy, outcome: Outcome, now: Instant, random: u32) -> Verdict {
        self.next_after(0, policy, outcome, now, random)
    }

    /// The same where the curve has made so many steps that were no attempts.
    #[inline(always)]
    pub(crate) const fn next_after(
        &mut self,
        clean: u32,
        policy: &Policy,
        outcome: Outcome,
        now: Instant,
        random: u32,
    ) -> Verdict {
        if let Some(stop) = self.stopped {
            return stop.verdict();
        }
        let hint = match outcome {
            Outcome::Succeed => return self.end(Stop::Done),
            Outcome::Abort => return self.end(Stop::GaveUp(Reason::Permanent)),
            Outcome::Fail => 0,
            Outcome::Throttle { retry_after } => retry_after.0,
        };
        if self.attempts < policy.waits {
            self.attempts += 1;
        } else if policy.waits != UNLIMITED {
            return self.end(Stop::GaveUp(Reason::Attempts));
        }
        if hint > policy.hint_ceiling {
            return self.stop(Stop::GaveUp(Reason::Hint));
        }
        self.wait(clean, policy, hint, now, random)
    }

    /// One step along the curve that is no attempt; so many of them were made, this one included.
    #[inline(always)]
    pub(crate) const fn again(&mut self, clean: u32, policy: &Policy, now: Instant, random: u32) -> Verdict {
        match self.stopped {
            Some(stop) => stop.verdict(),
            None => self.wait(clean, policy, 0, now, random),
        }
    }

    /// To wait, unless that would reach the end of the time.
    #[inline(always)]
    const fn wait(&mut self, clean: u32, policy: &Policy, hint: u64, now: Instant, random: u32) -> Verdict {
        let wait = self.draw(clean, policy, hint, random);
        if self.timed && self.is_too_long(wait, policy, now) {
            return self.stop(Stop::GaveUp(Reason::Deadline));
        }
        Verdict::RetryAfter(Micros(wait))
    }

    /// The wait after this failure, and one step along the curve. A hint does not move the curve.
    #[inline(always)]
    const fn draw(&mut self, clean: u32, policy: &Policy, hint: u64, random: u32) -> u64 {
        let x = policy.at(self.curve, self.attempts.saturating_add(clean));
        let grown = policy.curve().grown_freely(x);
        let (low, width) = policy.range(x, grown);
        let drawn = draw_below(width + 1, random);
        self.curve = match policy.kind {
            Kind::Decorrelated => low + drawn,
            _ => grown,
        };
        // Without a hint nothing here can overflow: both are below 2^63.
        if hint > low { hint.saturating_add(drawn) } else { low + drawn }
    }

    /// The time left at `now`: the nearer of `within` and the deadline; [`Micros::MAX`] when there is
    /// no limit. A clock that went back before the start finds `within` and no more.
    #[inline(always)]
    pub const fn time_left(&self, policy: &Policy, now: Instant) -> Micros {
        Micros(if self.timed { self.left(policy, now) } else { u64::MAX })
    }

    /// How long an attempt that begins at `now` may take: the nearer of the [`time_left`](Retry::time_left) and the
    /// policy's `attempt_timeout`; [`Micros::MAX`] when nothing limits it, zero when no time is left. One that takes
    /// longer is to be cut where that can be done, and is a [`Fail`](Outcome::Fail) then; `now` plus this is when, and
    /// saturates.
    ///
    /// ```
    /// use core::time::Duration;
    /// use undaunted_core::{Instant, Micros, Policy, Retry};
    ///
    /// const ASK: Policy =
    ///     Policy::constant(Duration::from_secs(1)).attempt_timeout(Duration::from_secs(3)).within(Duration::from_secs(10));
    ///
    /// let retry = Retry::start(&ASK, Instant::from_micros(0));
    /// assert_eq!(retry.attempt_time(&ASK, Instant::from_micros(0)), Micros::from_secs(3));
    /// assert_eq!(retry.attempt_time(&ASK, Instant::from_micros(8_000_000)), Micros::from_secs(2));
    /// ```
    #[inline(always)]
    pub const fn attempt_time(&self, policy: &Policy, now: Instant) -> Micros {
        Micros(least(self.time_left(policy, now).0, policy.attempt_timeout))
    }

    /// Whether a wait from `now` on would end at or after the end of the time that is [`left`](Retry::left).
    #[inline(always)]
    const fn is_too_long(&self, wait: u64, policy: &Policy, now: Instant) -> bool {
        // One sum and one comparison: on 32 bits that is two registers less than by differences.
        let reached = match now.0.checked_add(wait) {
            Some(end) => end >= self.deadline,
            None => true,
        };
        wait >= policy.within || reached
    }

    #[inline(always)]
    const fn left(&self, policy: &Policy, now: Instant) -> u64 {
        least(policy.within, self.deadline.saturating_sub(now.0))
    }

    /// Stops from outside: a cancel, a budget, a breaker. What stopped before stays as it was.
    pub const fn give_up(&mut self, reason: Reason) -> Verdict {
        match self.stopped {
            Some(stop) => stop.verdict(),
            None => self.stop(Stop::GaveUp(reason)),
        }
    }

    /// How it ended, if it has.
    #[inline(always)]
    pub const fn stopped(&self) -> Option<Verdict> {
        match self.stopped {
            Some(stop) => Some(stop.verdict()),
            None => None,
        }
    }

    /// Inherits a deadline at `now`; the nearest one holds. When it is here already, this stops it.
    pub const fn inherit(&mut self, deadline: Instant, now: Instant) {
        if deadline.0 == u64::MAX {
            return;
        }
        (self.deadline, self.timed) = (least(self.deadline, deadline.0), true);
        if deadline.0 <= now.0 {
            let _ = self.give_up(Reason::Deadline);
        }
    }

    /// The attempts reported so far.
    #[inline(always)]
    pub const fn attempts(&self) -> u32 {
        self.attempts
    }

    /// The point at which time is up, if there is one.
    #[inline(always)]
    pub const fn deadline(&self) -> Option<Instant> {
        match self.deadline {
            u64::MAX => None,
            deadline => Some(Instant(deadline)),
        }
    }

    /// The attempt that just ended was the last.
    #[expect(
        clippy::implicit_saturating_add,
        reason = "on a Cortex-M3 a branch is less than a saturating sum: `tests/run size`"
    )]
    #[inline(always)]
    const fn end(&mut self, stop: Stop) -> Verdict {
        if self.attempts != u32::MAX {
            self.attempts += 1;
        }
        self.stop(stop)
    }

    #[inline(always)]
    const fn stop(&mut self, stop: Stop) -> Verdict {
        self.stopped = Some(stop);
        stop.verdict()
    }
}

/// Sizes are part of the promise; where 64 bits are aligned to fewer, as on an MSP430, they are smaller.
const _: () = assert!(size_of::<Retry>() <= 24);
const _: () = assert!(size_of::<Policy>() <= 96);
