//! Asks the product, and puts its answers into words.

use std::future::ready;
use std::iter::repeat_n;
use undaunted::{GaveUp, Instant, Micros, Outcome, Policy, Problem, Retry, Verdict, asynch, blocking};
use undaunted_tests::simulated::Happened::{Called, Slept};
use undaunted_tests::simulated::{World, block_on};

/// The lowest, the middle and the highest draw.
pub(crate) const LOW: u32 = 0;
pub(crate) const MIDDLE: u32 = 1 << 31;
pub(crate) const HIGH: u32 = u32::MAX;

/// A start far from both ends of the clock.
pub(crate) const START: Instant = Instant::from_micros(1_000_000_000_000);

pub(crate) fn policy(text: &str) -> Policy {
    Policy::parse(text).unwrap_or_else(|error| panic!("{}", error.caret(text)))
}

/// Why a text is refused.
pub(crate) fn refusal(text: &str) -> String {
    match Policy::parse(text).expect_err(text).problem {
        Problem::Expected(expected) => format!("expected {}", expected.text()),
        Problem::Invalid(invalid) => invalid.rule.text().into(),
    }
}

/// The verdicts on these outcomes, each with the same random number, while the clock stands still.
pub(crate) fn verdicts(
    policy: &Policy,
    outcomes: impl IntoIterator<Item = Outcome>,
    random: u32,
) -> Vec<Verdict> {
    let mut retry = Retry::start(policy, START);
    outcomes.into_iter().map(|outcome| retry.next(policy, outcome, START, random)).collect()
}

pub(crate) fn failures(n: usize) -> impl Iterator<Item = Outcome> {
    repeat_n(Outcome::Fail, n)
}

/// The verdicts on `n` failures in words.
pub(crate) fn waits(text: &str, n: usize, random: u32) -> String {
    spoken(&verdicts(&policy(text), failures(n), random))
}

/// The wait after the `n`-th failure in microseconds, the draws before it at their highest.
pub(crate) fn wait(policy: &Policy, n: usize, random: u32) -> u64 {
    let mut retry = Retry::start(policy, START);
    for _ in 1..n {
        micros(retry.next(policy, Outcome::Fail, START, HIGH));
    }
    micros(retry.next(policy, Outcome::Fail, START, random))
}

/// The wait after the `n`-th failure: its lowest and its highest.
pub(crate) fn range(text: &str, n: usize) -> String {
    let policy = policy(text);
    format!("{} to {}", length(wait(&policy, n, LOW)), length(wait(&policy, n, HIGH)))
}

/// `n` waits after the first failure, drawn at even distances over all of `u32`.
pub(crate) fn even(policy: &Policy, n: u64) -> Vec<u64> {
    (0..n).map(|i| wait(policy, 1, (i * (1 << 32) / n) as u32)).collect()
}

pub(crate) fn micros(verdict: Verdict) -> u64 {
    match verdict {
        Verdict::RetryAfter(wait) => wait.as_micros(),
        verdict => panic!("{verdict:?} is no wait"),
    }
}

pub(crate) fn length(micros: u64) -> String {
    Micros::new(micros).to_string()
}

/// `1s, 2s 3 times, no attempts left`.
pub(crate) fn spoken(verdicts: &[Verdict]) -> String {
    let word = |verdict: &Verdict| match verdict {
        Verdict::Done => "done".into(),
        Verdict::GiveUp(reason) => reason.to_string(),
        Verdict::RetryAfter(wait) => wait.to_string(),
    };
    let same = verdicts.chunk_by(|a, b| a == b);
    let words = same.map(|run| match run.len() {
        1 => word(&run[0]),
        n => format!("{} {n} times", word(&run[0])),
    });
    words.collect::<Vec<_>>().join(", ")
}

/// One operation's life on a simulated clock, blocking and asynchronous alike. Each attempt works so
/// long and comes to the next of these outcomes; the last one repeats.
pub(crate) fn life(policy: &Policy, work: Micros, outcomes: &[Outcome]) -> String {
    let attempt = |world: &World| {
        let calls = world.journal().iter().filter(|happened| matches!(happened, Called(_))).count();
        assert!(calls < 1_001, "it does not end");
        world.call();
        world.pass(work.as_micros());
        match outcomes[calls.min(outcomes.len() - 1)] {
            Outcome::Succeed => Ok(()),
            outcome => Err(outcome),
        }
    };
    let classify = |result: &Result<(), Outcome>| result.err().unwrap_or(Outcome::Succeed);
    let world = World::default();
    let result = blocking::retry(world.clone(), policy, || attempt(&world)).classify(classify).run();
    let blocking = in_words(&world, result);
    let world = World::default();
    let result = block_on(asynch::retry(world.clone(), policy, || ready(attempt(&world))).classify(classify));
    assert_eq!(in_words(&world, result), blocking);
    blocking
}

fn in_words(world: &World, result: Result<(), GaveUp<(), Outcome>>) -> String {
    let journal = world.journal();
    // Nothing sleeps unless a call follows.
    assert!(!matches!(journal.last(), Some(Slept(..))), "{journal:?}");
    let calls = journal.iter().filter_map(|happened| match happened {
        Called(at) => Some(length(*at)),
        _ => None,
    });
    let calls = calls.collect::<Vec<_>>().join(", ");
    let now = length(world.now());
    match result {
        Ok(()) => format!("calls at {calls}; success at {now}"),
        Err(gave_up) => format!("calls at {calls}; gave up at {now}: {}", gave_up.reason),
    }
}
