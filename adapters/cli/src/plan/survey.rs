//! What a plan comes to, however long it is: the rows worth showing, and the sums of all the others.

use undaunted::{Backoff, Micros, Policy, Step};

/// Shorter plans are shown whole.
const WHOLE: u32 = 12;
/// Of a longer plan, this many rows at least and at most.
const ROWS: (u32, u32) = (4, 24);
/// How many waits are looked at one by one. Every curve but a linear one stands still after 4 096.
const LOOK: u32 = 1 << 16;
const STANDS: u32 = 4_096;

/// A policy's plan, looked at once.
#[derive(Debug)]
pub(super) struct Survey<'a> {
    pub(super) policy: &'a Policy,
    /// The first waits: all of them, or those up to where the curve stands still.
    pub(super) rows: Vec<Step>,
    /// The last wait that was looked at.
    pub(super) last: Option<Step>,
    /// What comes after it.
    pub(super) rest: Rest,
    /// From which attempt on the waits were the same as the last one.
    same_from: u32,
    /// The attempts after which `within` was reached by the shortest, the mean and the longest waits.
    reached: [Option<u64>; 3],
}

/// What comes after the last wait that was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rest {
    /// More waits, and not the same ones.
    Growing,
    /// Nothing: this was the plan.
    Over,
    /// The same wait again and again.
    Same,
}

/// The shortest, the mean and the longest.
pub(super) const SHORTEST: usize = 0;
pub(super) const MEAN: usize = 1;
pub(super) const LONGEST: usize = 2;

/// The three lengths of this wait.
pub(super) fn waits(step: &Step) -> [Micros; 3] {
    [step.min, step.mean, step.max]
}

/// The three sums up to this wait.
pub(super) fn totals(step: &Step) -> [Micros; 3] {
    [step.total_min, step.total_mean, step.total_max]
}

impl<'a> Survey<'a> {
    /// Looks at the waits one by one, until nothing new can come.
    pub(super) fn of(policy: &'a Policy) -> Survey<'a> {
        let (rows, last, rest) = (Vec::new(), None, Rest::Over);
        let mut survey = Survey { policy, rows, last, rest, same_from: 1, reached: [None; 3] };
        let mut plan = policy.plan();
        for step in plan.by_ref().take(LOOK as usize) {
            survey.look(step);
            if step.attempt > ROWS.1 && survey.stands_still(&step) {
                break;
            }
        }
        survey.rest = match (plan.next(), survey.last) {
            (None, _) | (_, None) => Rest::Over,
            (Some(_), Some(last)) if survey.stands_still(&last) => Rest::Same,
            (Some(_), Some(_)) => Rest::Growing,
        };
        survey.rows.truncate(survey.rows_worth_showing() as usize);
        survey
    }

    fn look(&mut self, step: Step) {
        if self.last.is_none_or(|last| (last.min, last.max) != (step.min, step.max)) {
            self.same_from = step.attempt;
        }
        if step.attempt <= ROWS.1 {
            self.rows.push(step);
        }
        let within = self.policy.settings().within.unwrap_or(Micros::MAX);
        for (reached, total) in self.reached.iter_mut().zip(totals(&step)) {
            if reached.is_none() && total >= within {
                *reached = Some(step.attempt.into());
            }
        }
        self.last = Some(step);
    }

    /// Whether every wait after this one is surely the same.
    fn stands_still(&self, step: &Step) -> bool {
        let settings = self.policy.settings();
        match settings.backoff {
            Backoff::Linear { first, step: growth } => {
                first.saturating_add(growth.saturating_mul(u64::from(step.attempt) - 1)) >= settings.cap
            }
            _ => step.attempt > STANDS,
        }
    }

    /// How many of the first waits say it all, or as much as a page can.
    fn rows_worth_showing(&self) -> u32 {
        match self.last {
            Some(last) if self.rest == Rest::Over && last.attempt <= WHOLE => last.attempt,
            _ if self.rest == Rest::Growing => ROWS.1,
            _ => self.same_from.saturating_add(1).clamp(ROWS.0, ROWS.1),
        }
    }

    /// Whether every wait has its row.
    pub(super) fn is_whole(&self) -> bool {
        self.rest == Rest::Over && self.rows.last() == self.last.as_ref()
    }

    /// Whether all waits without a row are the same as the last row.
    pub(super) fn goes_on_the_same(&self) -> bool {
        self.rest != Rest::Growing && self.rows.last().is_some_and(|row| row.attempt >= self.same_from)
    }

    /// The longest wait that has a row.
    pub(super) fn longest(&self) -> Micros {
        self.rows.iter().map(|step| step.max).max().unwrap_or(Micros::ZERO)
    }

    /// The attempts made when every wait is the shortest, the mean or the longest and the attempts
    /// themselves take no time; `None` when they never end, or it was too far to look.
    pub(super) fn attempts(&self, which: usize) -> Option<u64> {
        let limit = self.policy.settings().attempts.map(u64::from);
        let reached = self.reached[which].or_else(|| self.reached_later(which));
        limit.into_iter().chain(reached).min()
    }

    /// The attempt after which `within` is reached, beyond what was looked at.
    fn reached_later(&self, which: usize) -> Option<u64> {
        let within = self.policy.settings().within?.as_micros();
        let Some(last) = self.last else { return Some(1) };
        if which == LONGEST {
            return self.reached_by_longest(Micros::new(within));
        }
        let (wait, total) = (waits(&last)[which].as_micros(), totals(&last)[which].as_micros());
        match self.rest {
            Rest::Growing => None,
            Rest::Over => Some(u64::from(last.attempt) + 1),
            Rest::Same if wait == 0 => None,
            Rest::Same => Some(u64::from(last.attempt) + within.saturating_sub(total).div_ceil(wait)),
        }
    }

    /// The same for the longest waits, whose sum is known in closed form; by bisection.
    fn reached_by_longest(&self, within: Micros) -> Option<u64> {
        let reaches = |attempts| self.policy.attempts(attempts).worst_case() >= within;
        let (mut short, mut enough) = (1, u32::MAX);
        while enough - short > 1 {
            let middle = short + (enough - short) / 2;
            if reaches(middle) {
                enough = middle;
            } else {
                short = middle;
            }
        }
        reaches(enough).then(|| u64::from(enough) - 1)
    }

    /// All the waits together, never above `within`; `None` when they are without end, or it was too
    /// far to look.
    pub(super) fn sums(&self) -> Option<[Micros; 3]> {
        let settings = self.policy.settings();
        let Some(last) = self.last else { return Some([Micros::ZERO; 3]) };
        let further = match (self.rest, settings.attempts) {
            (Rest::Over, _) => 0,
            (Rest::Same, Some(attempts)) => u64::from(attempts - 1 - last.attempt),
            (Rest::Same, None) | (Rest::Growing, _) => return None,
        };
        let sum = |which: usize| {
            let rest = waits(&last)[which].saturating_mul(further);
            totals(&last)[which].saturating_add(rest).min(settings.within.unwrap_or(Micros::MAX))
        };
        Some([sum(SHORTEST), sum(MEAN), sum(LONGEST)])
    }
}
