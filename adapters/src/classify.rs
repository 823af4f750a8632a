//! What is called, and what its result means.

use undaunted_core::{Instant, Micros, Outcome, Policy, Retry};

/// What an operation may learn about the attempt that it is.
///
/// An operation that wants it says so by its parameter, whose type must be written:
/// `|attempt: Attempt| ..`. Where nothing cuts an attempt (blocking calls), passing these limits on,
/// to a socket's timeout say, is what makes them hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    number: u32,
    limit: Option<u32>,
    deadline: Option<Instant>,
    time_left: Option<Micros>,
}

impl Attempt {
    pub(crate) fn new(policy: &Policy, retry: &Retry, now: Instant) -> Attempt {
        let settings = policy.settings();
        let time_left = retry.attempt_time(policy, now);
        let limited = time_left < Micros::MAX;
        Attempt {
            number: retry.attempts().saturating_add(1),
            limit: settings.attempts,
            deadline: limited.then(|| now + time_left),
            time_left: limited.then_some(time_left),
        }
    }

    /// Which attempt this is, from 1.
    pub fn number(self) -> u32 {
        self.number
    }

    /// How many attempts there may be, the first included; `None` when unlimited.
    pub fn limit(self) -> Option<u32> {
        self.limit
    }

    /// The point at which this attempt is over: the nearer of its own timeout and the deadline of it
    /// all, on the clock of the runtime. What is nested inside takes it over as its own deadline.
    pub fn deadline(self) -> Option<Instant> {
        self.deadline
    }

    /// The time this attempt had left when it began; `None` when nothing limits it.
    pub fn time_left(self) -> Option<Micros> {
        self.time_left
    }
}

/// What can be retried: a closure without parameters, or with an [`Attempt`].
///
/// `Args` only tells the two apart; it is inferred.
pub trait Operation<Args> {
    /// What one call gives: a `Result`, or a future of one.
    type Output;

    /// Calls it once. `attempt` is asked for only by an operation that takes it.
    fn call(&mut self, attempt: impl FnOnce() -> Attempt) -> Self::Output;
}

impl<F: FnMut() -> Output, Output> Operation<()> for F {
    type Output = Output;

    #[inline]
    fn call(&mut self, _: impl FnOnce() -> Attempt) -> Output {
        self()
    }
}

impl<F: FnMut(Attempt) -> Output, Output> Operation<(Attempt,)> for F {
    type Output = Output;

    #[inline]
    fn call(&mut self, attempt: impl FnOnce() -> Attempt) -> Output {
        self(attempt())
    }
}

/// What an attempt gives: a `Result`, or what a probe says (see [`Probe`](crate::Probe)).
#[diagnostic::on_unimplemented(
    message = "an attempt must give a `Result`, or what a probe may say: `Probe`, `bool` or `Option`",
    label = "`{Self}` says neither success nor failure"
)]
pub trait Answer {
    /// What a success gives.
    type Value;

    /// What a failure gives.
    type Error;

    /// What it means, unless a classifier says otherwise.
    fn outcome(&self) -> Outcome;

    /// What went wrong, if something did.
    fn error(&self) -> Option<&Self::Error>;

    /// The value, or what went wrong.
    fn into_result(self) -> Result<Self::Value, Self::Error>;
}

impl<T, E> Answer for Result<T, E> {
    type Value = T;
    type Error = E;

    #[inline]
    fn outcome(&self) -> Outcome {
        if self.is_ok() { Outcome::Succeed } else { Outcome::Fail }
    }

    #[inline]
    fn error(&self) -> Option<&E> {
        self.as_ref().err()
    }

    #[inline]
    fn into_result(self) -> Result<T, E> {
        self
    }
}

/// What an answer means for the policy.
pub trait Classify<V> {
    /// The outcome of an attempt that ended with this answer.
    fn outcome(&mut self, answer: &V) -> Outcome;
}

/// An answer means what it says, and every error is worth another attempt: unless told otherwise.
#[derive(Clone, Copy, Debug, Default)]
pub struct Each;

impl<V: Answer> Classify<V> for Each {
    #[inline]
    fn outcome(&mut self, answer: &V) -> Outcome {
        answer.outcome()
    }
}

/// The errors for which a predicate holds are worth another attempt; see `.when(..)`.
#[derive(Clone, Copy, Debug)]
pub struct When<F>(pub F);

impl<V: Answer, F: FnMut(&V::Error) -> bool> Classify<V> for When<F> {
    #[inline]
    fn outcome(&mut self, answer: &V) -> Outcome {
        match (answer.outcome(), answer.error()) {
            (Outcome::Fail, Some(error)) => Outcome::retry_if((self.0)(error)),
            (outcome, _) => outcome,
        }
    }
}

/// A function of the whole answer decides, so that an `Ok` can count as not yet and an error can
/// carry a server's hint; see `.classify(..)`.
#[derive(Clone, Copy, Debug)]
pub struct Whole<F>(pub F);

impl<V, F: FnMut(&V) -> Outcome> Classify<V> for Whole<F> {
    #[inline]
    fn outcome(&mut self, answer: &V) -> Outcome {
        (self.0)(answer)
    }
}
