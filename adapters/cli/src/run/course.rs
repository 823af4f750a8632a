//! Where an operation stands in its policy, or a supervised command in its recovery.

use crate::failure::Failure;
use std::time::Duration;
use undaunted::thread::Thread;
use undaunted::{
    Event, Instant, Last, Micros, Outcome, Pace, Policy, Rate, Recovery, Restarts, Retry, Rng, Runtime,
    Verdict,
};

/// What is kept to.
pub(super) enum Kind {
    Policy(Policy),
    Recovery(Recovery),
}

impl Kind {
    fn policy(&self) -> &Policy {
        match self {
            Kind::Policy(policy) => policy,
            Kind::Recovery(recovery) => recovery.policy(),
        }
    }
}

/// The state, the generator and the start.
pub(super) struct Course {
    kind: Kind,
    retry: Retry,
    restarts: Restarts<Vec<Instant>>,
    /// Where waits are counted from the beginnings of attempts.
    rate: Option<Rate>,
    rng: Rng,
    start: Instant,
}

impl Course {
    /// Before the first wait.
    pub(super) fn start(kind: Kind, seed: Option<u64>) -> Course {
        let now = Thread.now();
        let rng = Rng::seeded(seed.unwrap_or_else(|| Thread.seed()));
        let (retry, restarts) = (Retry::start(kind.policy(), now), restarts(&kind, now));
        Course { kind, retry, restarts, rate: None, rng, start: now }
    }

    /// Counts waits from the beginnings of attempts, on a grid.
    pub(super) fn at_fixed_rate(mut self) -> Course {
        self.rate = Some(Rate::default());
        self
    }

    /// How long to wait before the first attempt.
    pub(super) fn first_wait(&mut self) -> Micros {
        let policy = self.kind.policy();
        if policy.settings().first_delay == Micros::ZERO {
            return Micros::ZERO;
        }
        match Retry::first_wait(policy, Instant::MAX, Thread.now(), self.rng.draw()) {
            Verdict::RetryAfter(wait) => wait,
            Verdict::Done | Verdict::GiveUp(_) => Micros::ZERO,
        }
    }

    /// The first attempt begins now.
    pub(super) fn begin(&mut self) {
        self.start = Thread.now();
        self.retry = Retry::start(self.kind.policy(), self.start);
        self.restarts = restarts(&self.kind, self.start);
        if let Some(rate) = &mut self.rate {
            rate.begin(self.start);
        }
    }

    /// An attempt ended. A clean end is the end, or under a recovery is to run `again`.
    pub(super) fn settle(&mut self, outcome: Outcome, lasted: Duration, again: bool) -> Verdict {
        let random = match outcome {
            Outcome::Abort => 0,
            Outcome::Succeed if !again => 0,
            _ => self.rng.draw(),
        };
        let (now, healthy) = (Thread.now(), Micros::from_duration(lasted));
        match &self.kind {
            Kind::Policy(policy) => match &mut self.rate {
                None => self.retry.next(policy, outcome, now, random),
                Some(rate) => rate.next(&mut self.retry, policy, outcome, now, random),
            },
            Kind::Recovery(recovery) if again && outcome == Outcome::Succeed => {
                self.restarts.again(recovery, healthy, now, random)
            }
            Kind::Recovery(recovery) => self.restarts.next(recovery, outcome, healthy, now, random),
        }
    }

    /// The attempts that have ended.
    pub(super) fn attempts(&self) -> u32 {
        match self.kind {
            Kind::Policy(_) => self.retry.attempts(),
            Kind::Recovery(_) => self.restarts.attempts(),
        }
    }

    /// How many attempts there may be.
    pub(super) fn limit(&self) -> Option<u32> {
        self.kind.policy().settings().attempts
    }

    /// How long the attempt that begins now may take; a supervised run may last for ever.
    pub(super) fn time_left(&self) -> Option<Micros> {
        let Kind::Policy(policy) = &self.kind else { return None };
        let left = self.retry.attempt_time(policy, Thread.now());
        (left < Micros::MAX).then_some(left)
    }

    /// Whether time is up, for a wait that took longer than it was told.
    pub(super) fn is_over(&self) -> bool {
        self.time_left() == Some(Micros::ZERO)
    }

    /// What there is to tell.
    pub(super) fn event<'a>(&self, verdict: Verdict, last: Last<(), &'a Failure>) -> Event<'a, Failure> {
        let elapsed = Thread.now().since(self.start);
        Event { attempt: self.attempts(), limit: self.limit(), last, verdict, elapsed }
    }
}

/// With room for as many restarts as the intensity allows; for a policy it is not used.
fn restarts(kind: &Kind, now: Instant) -> Restarts<Vec<Instant>> {
    let recovery = match kind {
        Kind::Policy(policy) => Recovery::new(*policy),
        Kind::Recovery(recovery) => *recovery,
    };
    let room = recovery.settings().intensity.map_or(0, |intensity| intensity.restarts as usize);
    Restarts::start(&recovery, now, vec![Instant::default(); room])
        .unwrap_or_else(|_| unreachable!("the memory has the room that the intensity asks for"))
}
