//! The verdicts of one operation, from its whole history.

use undaunted_core::{Outcome, Reason, Verdict};

use crate::said::Spread;
use crate::twin::{Range, Twin, band, draw};
use undaunted_core::Micros;

/// One report: what an attempt came to, when, and the random number at hand.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the arguments of `next`")]
pub struct Report {
    pub outcome: Outcome,
    pub now: u64,
    pub random: u32,
}

/// The twin of `Retry`.
#[derive(Clone, Debug)]
pub struct TwinRetry<'a> {
    twin: &'a Twin,
    /// The nearer of `start + within`, saturating, and the inherited deadline; `u64::MAX` when none.
    deadline: u64,
    /// What the next range of Decorrelated grows from.
    previous: u64,
    /// How many attempts were reported.
    pub attempts: u32,
    /// How it ended, if it has.
    pub stopped: Option<Verdict>,
}

impl<'a> TwinRetry<'a> {
    /// Starts at `start`, under an inherited deadline (`u64::MAX` is none).
    pub fn start(twin: &'a Twin, start: u64, inherited: u64) -> TwinRetry<'a> {
        let own = twin.within.map_or(u64::MAX, |within| start.saturating_add(within));
        let is_here = inherited <= start && inherited != u64::MAX;
        TwinRetry {
            twin,
            deadline: own.min(inherited),
            previous: twin.first(),
            attempts: 0,
            stopped: is_here.then_some(Verdict::GiveUp(Reason::Deadline)),
        }
    }

    /// The point at which time is up; the last point of the clock is none.
    pub fn deadline(&self) -> Option<u64> {
        Some(self.deadline).filter(|&point| point != u64::MAX)
    }

    /// Whether time is limited at all. A `within` whose end saturates is still a limit.
    fn is_limited(&self) -> bool {
        self.twin.within.is_some() || self.deadline().is_some()
    }

    /// min(`within`, deadline - `now`), both saturating; `u64::MAX` when there is no limit.
    pub fn time_left(&self, now: u64) -> u64 {
        if !self.is_limited() {
            return u64::MAX;
        }
        self.twin.within.unwrap_or(u64::MAX).min(self.deadline.saturating_sub(now))
    }

    /// min(`attempt_timeout`, time left).
    pub fn attempt_time(&self, now: u64) -> u64 {
        self.twin.attempt_timeout.unwrap_or(u64::MAX).min(self.time_left(now))
    }

    /// The first that applies decides.
    pub fn next(&mut self, report: Report) -> Verdict {
        if let Some(verdict) = self.stopped {
            return verdict;
        }
        self.attempts += 1;
        let verdict = self.decide(report);
        if !matches!(verdict, Verdict::RetryAfter(_)) {
            self.stopped = Some(verdict);
        }
        verdict
    }

    fn decide(&mut self, report: Report) -> Verdict {
        let hint = match report.outcome {
            Outcome::Succeed => return Verdict::Done,
            Outcome::Abort => return Verdict::GiveUp(Reason::Permanent),
            Outcome::Fail => 0,
            Outcome::Throttle { retry_after } => retry_after.as_micros(),
        };
        if self.twin.attempts.is_some_and(|most| self.attempts >= most) {
            return Verdict::GiveUp(Reason::Attempts);
        }
        if hint > self.twin.hint_ceiling {
            return Verdict::GiveUp(Reason::Hint);
        }
        let wait = self.wait(hint, report.random);
        if self.is_limited() && wait >= self.time_left(report.now) {
            return Verdict::GiveUp(Reason::Deadline);
        }
        Verdict::RetryAfter(Micros::new(wait))
    }

    fn wait(&mut self, hint: u64, random: u32) -> u64 {
        let range = self.range();
        let drawn = draw(range, random);
        self.previous = range.lo + drawn;
        range.lo.max(hint).saturating_add(drawn)
    }

    /// The range of the wait after the attempt that was reported last.
    pub fn range(&self) -> Range {
        if self.twin.is_decorrelated() {
            return self.twin.range(self.previous);
        }
        let failures_before = self.attempts as usize - 1;
        let x = self.twin.curve().nth(failures_before).expect("a curve has no end");
        self.twin.range(x)
    }
}

/// The wait before the first attempt: the policy's jitter, no cap, no floor.
pub fn first_wait(twin: &Twin, inherited: u64, now: u64, random: u32) -> Verdict {
    let jitter = if twin.is_decorrelated() { Spread::Full } else { twin.jitter };
    let range = band(jitter, twin.share, twin.first_delay);
    let wait = range.lo + draw(range, random);
    if inherited != u64::MAX && wait >= inherited.saturating_sub(now) {
        return Verdict::GiveUp(Reason::Deadline);
    }
    Verdict::RetryAfter(Micros::new(wait))
}
