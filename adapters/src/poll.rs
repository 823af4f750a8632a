//! Polls: what a probe may say, and at what pace it is asked.

use crate::classify::Answer;
use core::fmt;
use undaunted_core::{Instant, Micros, Outcome, Policy, Reason, Retry, Verdict};

/// What a probe says of what is waited for.
///
/// A probe may also give a `bool` (true is ready) or an `Option` (a value is ready). A `Result` does not say whether its
/// error is not yet or never, nor whether `Ok(false)` is ready: say so by a match, or with [`From`] that an error is not
/// yet.
///
/// ```
/// use undaunted::Probe;
///
/// fn link(state: &str) -> Probe<u32, &'static str> {
///     match state {
///         "up" => Probe::Ready(7),
///         "down" => Probe::NotYet("the link is down"),
///         _ => Probe::Never("there is no such link"), // ends the poll at once
///     }
/// }
/// # assert_eq!(link("up"), Probe::Ready(7));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe<T, E> {
    /// It will not come: asking again is of no use.
    Never(E),
    /// It is not there yet, and what was seen instead.
    NotYet(E),
    /// It is there.
    Ready(T),
}

/// What a probe gives: a [`Probe`], `bool` or `Option`.
#[diagnostic::on_unimplemented(
    message = "a probe must say `Probe`, `bool` or `Option`",
    label = "`{Self}` does not say ready, not yet or never",
    note = "of a `Result` say what its error means: `Probe::NotYet`, `Probe::Never`, or `Probe::from(result)`"
)]
pub trait Says: Answer {}

impl<T, E> Says for Probe<T, E> {}
impl Says for bool {}
impl<T> Says for Option<T> {}

/// A value is ready, and an error is not yet.
impl<T, E> From<Result<T, E>> for Probe<T, E> {
    fn from(result: Result<T, E>) -> Probe<T, E> {
        match result {
            Ok(value) => Probe::Ready(value),
            Err(seen) => Probe::NotYet(seen),
        }
    }
}

/// What a probe saw that gives only a `bool` or an `Option`: it is not ready.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NotReady;

impl fmt::Display for NotReady {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not ready")
    }
}

impl core::error::Error for NotReady {}

impl<T, E> Answer for Probe<T, E> {
    type Value = T;
    type Error = E;

    fn outcome(&self) -> Outcome {
        match self {
            Probe::Never(_) => Outcome::Abort,
            Probe::NotYet(_) => Outcome::Fail,
            Probe::Ready(_) => Outcome::Succeed,
        }
    }

    fn error(&self) -> Option<&E> {
        match self {
            Probe::Never(seen) | Probe::NotYet(seen) => Some(seen),
            Probe::Ready(_) => None,
        }
    }

    fn into_result(self) -> Result<T, E> {
        match self {
            Probe::Never(seen) | Probe::NotYet(seen) => Err(seen),
            Probe::Ready(value) => Ok(value),
        }
    }
}

impl Answer for bool {
    type Value = ();
    type Error = NotReady;

    fn outcome(&self) -> Outcome {
        if *self { Outcome::Succeed } else { Outcome::Fail }
    }

    fn error(&self) -> Option<&NotReady> {
        if *self { None } else { Some(&NotReady) }
    }

    fn into_result(self) -> Result<(), NotReady> {
        self.then_some(()).ok_or(NotReady)
    }
}

impl<T> Answer for Option<T> {
    type Value = T;
    type Error = NotReady;

    fn outcome(&self) -> Outcome {
        self.is_some().outcome()
    }

    fn error(&self) -> Option<&NotReady> {
        if self.is_some() { None } else { Some(&NotReady) }
    }

    fn into_result(self) -> Result<T, NotReady> {
        self.ok_or(NotReady)
    }
}

/// From where a wait is counted: [`Gap`] or [`Rate`].
pub trait Pace {
    /// Whether a wait may come out shorter or longer than it was drawn.
    const MOVES: bool;

    /// The first attempt begins at `now`.
    fn begin(&mut self, now: Instant);

    /// The point from which the wait of an attempt that ended at `now` is counted.
    fn since(&self, now: Instant) -> Instant;

    /// What is left at `now` of a wait that was drawn, which is at least the `hint` from now on.
    fn wait(&mut self, drawn: Micros, hint: Micros, now: Instant) -> Micros;

    /// As [`Retry::next`] for a failure, at this pace: the wait as it will be. On a grid it may have become longer than
    /// the time that is left.
    #[inline(always)]
    fn next(
        &mut self,
        retry: &mut Retry,
        policy: &Policy,
        outcome: Outcome,
        now: Instant,
        random: u32,
    ) -> Verdict {
        let verdict = retry.next(policy, outcome, self.since(now), random);
        let Verdict::RetryAfter(drawn) = verdict else { return verdict };
        if !Self::MOVES {
            return verdict;
        }
        let hint = match outcome {
            Outcome::Throttle { retry_after } => retry_after,
            Outcome::Abort | Outcome::Fail | Outcome::Succeed => Micros::ZERO,
        };
        let wait = self.wait(drawn, hint, now);
        if wait < retry.time_left(policy, now) {
            Verdict::RetryAfter(wait)
        } else {
            retry.give_up(Reason::Deadline)
        }
    }
}

/// Waits are gaps between the end of an attempt and the next: unless told otherwise.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gap;

impl Pace for Gap {
    const MOVES: bool = false;

    #[inline(always)]
    fn begin(&mut self, _: Instant) {}

    #[inline(always)]
    fn since(&self, now: Instant) -> Instant {
        now
    }

    #[inline(always)]
    fn wait(&mut self, drawn: Micros, _: Micros, _: Instant) -> Micros {
        drawn
    }
}

/// Waits are intervals between the beginnings of attempts; from `.fixed_rate()`.
///
/// The beginnings lie on a grid that starts with the first. An attempt that takes longer than its
/// interval makes the grid skip: the next begins at the first point that has not passed, so that
/// attempts neither bunch after it nor drift. A server's hint counts from its answer: when it is longer than
/// what is left of the interval, the grid begins anew after it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rate {
    tick: Instant,
}

impl Pace for Rate {
    const MOVES: bool = true;

    fn begin(&mut self, now: Instant) {
        self.tick = now;
    }

    fn since(&self, _: Instant) -> Instant {
        self.tick
    }

    fn wait(&mut self, drawn: Micros, hint: Micros, now: Instant) -> Micros {
        let next = self.tick + drawn;
        let late = now.since(next).as_micros();
        let missed = late.div_ceil(drawn.as_micros().max(1));
        self.tick = next + Micros::new(missed.saturating_mul(drawn.as_micros()));
        let left = self.tick.since(now);
        // Without an interval there is no grid, and none holds for a clock that went back.
        if drawn == Micros::ZERO || left < hint || left > drawn {
            self.tick = now + drawn;
        }
        self.tick.since(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(micros: u64) -> Instant {
        Instant::from_micros(micros)
    }

    /// Every 10 us from 100 on; each attempt ends at the time given.
    #[test]
    fn a_grid_neither_bunches_nor_drifts() {
        let mut rate = Rate::default();
        rate.begin(at(100));
        let ten = Micros::new(10);
        // Ended in time; at the very point; one late; three intervals late; early again.
        for (ended, wait, tick) in
            [(103, 7, 110), (120, 0, 120), (131, 9, 140), (175, 5, 180), (180, 10, 190)]
        {
            assert_eq!(
                (rate.wait(ten, Micros::ZERO, at(ended)), rate.since(at(ended))),
                (Micros::new(wait), at(tick))
            );
        }
    }

    /// Law 5: every 10 us from 100 on; the answer at 130 asks for 60, with 4 of jitter.
    #[test]
    fn a_hint_counts_from_its_answer() {
        let mut rate = Rate::default();
        rate.begin(at(100));
        assert_eq!(rate.wait(Micros::new(64), Micros::new(60), at(130)), Micros::new(64));
        assert_eq!(rate.wait(Micros::new(10), Micros::ZERO, at(195)), Micros::new(9));
        // What is left of the interval is longer than this one.
        assert_eq!(rate.wait(Micros::new(10), Micros::new(3), at(206)), Micros::new(8));
    }

    #[test]
    fn a_grid_saturates_and_survives_a_clock_that_goes_back() {
        let mut rate = Rate::default();
        rate.begin(at(100));
        assert_eq!(rate.wait(Micros::new(10), Micros::ZERO, at(0)), Micros::new(10));
        assert_eq!(rate.wait(Micros::ZERO, Micros::ZERO, at(500)), Micros::ZERO);
        assert_eq!(rate.wait(Micros::new(10), Micros::ZERO, at(u64::MAX)), Micros::ZERO);
        assert_eq!(rate.wait(Micros::MAX, Micros::ZERO, at(u64::MAX)), Micros::ZERO);
    }
}
