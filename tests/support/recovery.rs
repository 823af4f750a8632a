//! The twin of a recovery and of its restarts, from law 10 and the rule of OTP's supervisors.

use undaunted_core::{Invalid, Micros, Outcome, Reason, Recovery, Verdict};

use crate::said::Said;
use crate::spell::{duration, length};
use crate::twin::{Twin, draw};

/// What somebody said about a recovery; `None` is what was not. Lengths are microseconds.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the names are those of the text")]
pub struct SaidRecovery {
    pub policy: Said,
    pub reset_after: Option<u64>,
    pub intensity: Option<(u32, u64)>,
}

impl SaidRecovery {
    /// Through the draft.
    pub fn draft(&self) -> Result<Recovery, Invalid> {
        let mut draft = Recovery::draft(self.policy.draft()?);
        if let Some(healthy) = self.reset_after {
            draft = draft.reset_after(duration(healthy));
        }
        if let Some((restarts, window)) = self.intensity {
            draft = draft.intensity(restarts, duration(window));
        }
        draft.build()
    }

    /// Through the setters for constants, in the other order.
    pub fn constant(&self) -> Recovery {
        let mut recovery = Recovery::new(self.policy.policy());
        if let Some((restarts, window)) = self.intensity {
            recovery = recovery.intensity(restarts, duration(window));
        }
        if let Some(healthy) = self.reset_after {
            recovery = recovery.reset_after(duration(healthy));
        }
        recovery
    }

    /// The words that no policy has.
    pub fn words(&self) -> Vec<String> {
        let reset_after = self.reset_after.map(|healthy| format!("reset_after {}", length(healthy)));
        let intensity = self.intensity.map(|(n, window)| format!("intensity {n}/{}", length(window)));
        reset_after.into_iter().chain(intensity).collect()
    }
}

/// A recovery as the law understands it.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the names are those of the text")]
pub struct RecoveryTwin {
    pub policy: Twin,
    pub reset_after: u64,
    pub intensity: Option<(u32, u64)>,
}

impl RecoveryTwin {
    /// What was said must be sound.
    pub fn new(said: SaidRecovery) -> RecoveryTwin {
        let policy = Twin::new(said.policy).unwrap_or_else(|broken| panic!("{broken:?} for {said:?}"));
        let reset_after = said.reset_after.unwrap_or(2 * policy.cap);
        RecoveryTwin { policy, reset_after, intensity: said.intensity }
    }

    /// The canonical text.
    pub fn display(&self) -> String {
        let mut text = format!("{} reset_after {}", self.policy.display(), length(self.reset_after));
        if let Some((restarts, window)) = self.intensity {
            text += &format!(" intensity {restarts}/{}", length(window));
        }
        text
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug)]
pub enum How {
    /// Cleanly, and it is to run again.
    Again,
    /// With this outcome.
    With(Outcome),
}

/// A run that ended: how, after which health, when, and the random number at hand.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the arguments of the two verbs")]
pub struct Ended {
    pub how: How,
    pub healthy: u64,
    pub now: u64,
    pub random: u32,
}

/// The twin of `Restarts`: the whole history, and no memory that could be too short.
#[derive(Clone, Debug)]
pub struct TwinRestarts<'a> {
    twin: &'a RecoveryTwin,
    /// When the streak began.
    since: u64,
    /// How many runs of the streak ended.
    ends: usize,
    /// What the next range of Decorrelated grows from.
    previous: u64,
    /// How many of the ends were attempts.
    pub attempts: u32,
    /// When something was run again, from the very start.
    pub restarts: Vec<u64>,
    /// How it ended, if it has.
    pub stopped: Option<Verdict>,
}

impl<'a> TwinRestarts<'a> {
    /// Starts at `start`.
    pub fn start(twin: &'a RecoveryTwin, start: u64) -> TwinRestarts<'a> {
        let previous = twin.policy.first();
        TwinRestarts {
            twin,
            since: start,
            ends: 0,
            previous,
            attempts: 0,
            restarts: Vec::new(),
            stopped: None,
        }
    }

    /// The point at which the time of the streak is up; the last point of the clock is none.
    pub fn deadline(&self) -> Option<u64> {
        let within = self.twin.policy.within?;
        Some(self.since.saturating_add(within)).filter(|&point| point != u64::MAX)
    }

    /// min(`within`, deadline - `now`), both saturating; `u64::MAX` when there is no limit.
    pub fn time_left(&self, now: u64) -> u64 {
        let Some(within) = self.twin.policy.within else { return u64::MAX };
        within.min(self.since.saturating_add(within).saturating_sub(now))
    }

    /// What is to be done after this end.
    pub fn report(&mut self, ended: Ended) -> Verdict {
        if let Some(verdict) = self.stopped {
            return verdict;
        }
        if ended.healthy >= self.twin.reset_after {
            (self.since, self.ends, self.attempts) = (ended.now, 0, 0);
            self.previous = self.twin.policy.first();
        }
        self.ends += 1;
        // Law 4: under `immediate` without a floor clean ends without end would be a hot loop, so they are attempts.
        let ended = match ended.how {
            How::Again if self.twin.policy.first() == 0 && self.twin.policy.floor == 0 => {
                Ended { how: How::With(Outcome::Fail), ..ended }
            }
            _ => ended,
        };
        let mut verdict = self.decide(ended);
        if matches!(verdict, Verdict::RetryAfter(_)) && self.is_too_many(ended.now) {
            verdict = Verdict::GiveUp(Reason::Intensity);
        }
        match verdict {
            Verdict::RetryAfter(_) => self.restarts.push(ended.now),
            _ => self.stopped = Some(verdict),
        }
        verdict
    }

    /// Whether there were as many restarts as are allowed, in the window that ends now.
    fn is_too_many(&self, now: u64) -> bool {
        self.twin.intensity.is_some_and(|(allowed, window)| {
            let inside = self.restarts.iter().filter(|&&at| now.saturating_sub(at) <= window).count();
            inside >= allowed as usize
        })
    }

    fn decide(&mut self, ended: Ended) -> Verdict {
        let policy = &self.twin.policy;
        let hint = match ended.how {
            How::Again => 0,
            How::With(outcome) => {
                self.attempts += 1;
                match outcome {
                    Outcome::Succeed => return Verdict::Done,
                    Outcome::Abort => return Verdict::GiveUp(Reason::Permanent),
                    Outcome::Fail => 0,
                    Outcome::Throttle { retry_after } => retry_after.as_micros(),
                }
            }
        };
        let is_attempt = matches!(ended.how, How::With(_));
        if is_attempt && policy.attempts.is_some_and(|most| self.attempts >= most) {
            return Verdict::GiveUp(Reason::Attempts);
        }
        if is_attempt && hint > policy.hint_ceiling {
            return Verdict::GiveUp(Reason::Hint);
        }
        let wait = self.wait(hint, ended.random);
        if policy.within.is_some() && wait >= self.time_left(ended.now) {
            return Verdict::GiveUp(Reason::Deadline);
        }
        Verdict::RetryAfter(Micros::new(wait))
    }

    fn wait(&mut self, hint: u64, random: u32) -> u64 {
        let policy = &self.twin.policy;
        let range = if policy.is_decorrelated() {
            policy.range(self.previous)
        } else {
            policy.range(policy.curve().nth(self.ends - 1).expect("a curve has no end"))
        };
        let drawn = draw(range, random);
        self.previous = range.lo + drawn;
        range.lo.max(hint).saturating_add(drawn)
    }
}
