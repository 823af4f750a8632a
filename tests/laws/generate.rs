//! What the properties are fed with: boundaries first, then every order of magnitude.

use std::hash::{BuildHasher, Hasher, RandomState};

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use undaunted_core::{Instant, Micros, Outcome, Policy, Retry, Verdict};
use undaunted_tests::said::{Calls, Said, Shape, Spread, leaked};
use undaunted_tests::script::{Report, TwinRetry};
use undaunted_tests::twin::{LONGEST, ONE, Twin, curve_length, first_of, jitter_of, ratio};

/// Where 64-bit lengths and points break: ends, 32 bits, and the end of a curve.
pub(crate) const EDGES: [u64; 12] = [
    0,
    1,
    2,
    (1 << 32) - 2,
    (1 << 32) - 1,
    1 << 32,
    (1 << 32) + 1,
    LONGEST - 1,
    LONGEST,
    LONGEST + 1,
    u64::MAX - 1,
    u64::MAX,
];

/// Both ends, the middle, and their neighbours.
pub(crate) const RANDOMS: [u32; 7] = [0, 1, (1 << 31) - 1, 1 << 31, (1 << 31) + 1, u32::MAX - 1, u32::MAX];

/// Ten thousand cases, or as many as `LAWS_CASES` says. The seed is fresh, and printed by a test that fails.
pub(crate) fn config() -> ProptestConfig {
    let cases =
        std::env::var("LAWS_CASES").map_or(10_000, |cases| cases.parse().expect("LAWS_CASES is a number"));
    let chosen = std::env::var("PROPTEST_RNG_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = chosen.unwrap_or_else(|| RandomState::new().build_hasher().finish());
    println!("PROPTEST_RNG_SEED={seed}");
    ProptestConfig {
        cases,
        failure_persistence: None,
        max_shrink_iters: 4_096,
        rng_seed: RngSeed::Fixed(seed),
        ..Default::default()
    }
}

/// A length or a point: a boundary, something small, or any order of magnitude.
pub(crate) fn length() -> impl Strategy<Value = u64> {
    // One strategy and a choice by hand: thousands of these are made for each property.
    (any::<u64>(), 0..6 * 64_u32).prop_map(|(value, choice)| match choice % 6 {
        0 => EDGES[value as usize % EDGES.len()],
        1 => value % 300,
        _ => value >> (63 - choice / 6),
    })
}

/// A length with a trace of daily life: at most some hours.
pub(crate) fn daily() -> impl Strategy<Value = u64> {
    (any::<u64>(), 30..64_u32).prop_map(|(value, shift)| value >> shift)
}

/// Any `u32`, its boundaries more often.
pub(crate) fn random() -> impl Strategy<Value = u32> {
    (any::<u32>(), 0..4_u8).prop_map(|(value, choice)| match choice {
        0 => RANDOMS[value as usize % RANDOMS.len()],
        _ => value,
    })
}

/// A fraction: sensible, at a limit of what is accepted, or anything.
pub(crate) fn fraction() -> impl Strategy<Value = (u32, u32)> {
    const LIMITS: [(u32, u32); 12] = [
        (1, 1),
        (101, 100),
        (3, 2),
        (2, 1),
        (255, 1),
        (1, 5),
        (1, 1 << 24),
        (1, 1 << 25),
        (1, (1 << 25) + 1),
        (256, 1),
        (0, 1),
        (1, 0),
    ];
    prop_oneof![
        2 => proptest::sample::select(&LIMITS[..]),
        3 => (1..=1_000_u32, 1..=1_000_u32),
        1 => (any::<u32>(), any::<u32>()),
    ]
}

pub(crate) fn spread() -> impl Strategy<Value = Spread> {
    prop_oneof![
        Just(Spread::Equal),
        Just(Spread::Full),
        Just(Spread::None),
        fraction().prop_map(|(n, d)| Spread::Additive(n, d)),
        fraction().prop_map(|(n, d)| Spread::Proportional(n, d)),
    ]
}

pub(crate) fn shape() -> impl Strategy<Value = Shape> {
    prop_oneof![
        2 => length().prop_map(|delay| Shape::Constant { delay }),
        3 => length().prop_map(|first| Shape::Decorrelated { first }),
        3 => length().prop_map(|first| Shape::Exponential { first }),
        2 => length().prop_map(|first| Shape::Fibonacci { first }),
        1 => Just(Shape::Immediate),
        3 => (length(), length()).prop_map(|(first, step)| Shape::Linear { first, step }),
        2 => proptest::collection::vec(length(), 0..6).prop_map(|steps| Shape::Schedule { steps: leaked(&steps) }),
    ]
}

pub(crate) fn attempts() -> impl Strategy<Value = Calls> {
    prop_oneof![
        4 => (0..40_u32).prop_map(Calls::Limited),
        1 => random().prop_map(Calls::Limited),
        2 => Just(Calls::Unlimited),
    ]
}

/// Anything that can be said, sound or not.
pub(crate) fn said() -> impl Strategy<Value = Said> {
    use proptest::option::of;
    let curve = (shape(), of(fraction()), of(spread()), of(length()), of(length()));
    let limits = (of(attempts()), of(length()), of(length()), of(length()), of(length()));
    (curve, limits).prop_map(|((shape, factor, jitter, cap, floor), limits)| {
        let (attempts, within, attempt_timeout, hint_ceiling, first_delay) = limits;
        Said {
            shape,
            factor,
            jitter,
            cap,
            floor,
            attempts,
            within,
            attempt_timeout,
            hint_ceiling,
            first_delay,
        }
    })
}

/// What can be said without breaking a rule.
pub(crate) fn sound() -> impl Strategy<Value = Said> {
    said().prop_map(mended)
}

/// The same without a limit in time, so that scripts get somewhere.
pub(crate) fn timeless() -> impl Strategy<Value = Said> {
    sound().prop_map(|said| Said { within: None, ..said })
}

/// The nearest thing without a broken rule.
pub(crate) fn mended(mut said: Said) -> Said {
    said.shape = mended_shape(said.shape);
    said.factor = match said.shape {
        Shape::Exponential { .. } | Shape::Decorrelated { .. } => said.factor.map(mended_factor),
        _ => None,
    };
    said.jitter = match said.shape {
        Shape::Decorrelated { .. } => said.jitter.map(|_| Spread::None),
        _ => said.jitter.map(mended_spread),
    };
    if said.attempts == Some(Calls::Limited(0)) {
        said.attempts = Some(Calls::Limited(1));
    }
    if said.shape == Shape::Immediate && said.attempts == Some(Calls::Unlimited) {
        said.floor = said.floor.map(|floor| floor.max(1)).or(Some(1));
    }
    said.within = said.within.map(|within| within.max(1));
    said.attempt_timeout = said.attempt_timeout.map(|timeout| timeout.max(1));
    let (_, share) = jitter_of(&said);
    let room_for_one = (ONE + share).div_ceil(ONE) as u64;
    let least = first_of(&said).max(curve_length(said.floor.unwrap_or(0))).max(room_for_one);
    said.cap = said.cap.map(|cap| cap.max(least));
    said
}

fn mended_shape(shape: Shape) -> Shape {
    match shape {
        Shape::Constant { delay } => Shape::Constant { delay: delay.max(1) },
        Shape::Decorrelated { first } => Shape::Decorrelated { first: first.max(1) },
        Shape::Exponential { first } => Shape::Exponential { first: first.max(1) },
        Shape::Fibonacci { first } => Shape::Fibonacci { first: first.max(1) },
        Shape::Immediate => Shape::Immediate,
        Shape::Linear { first, step } => Shape::Linear { first: first.max(1), step: step.max(1) },
        Shape::Schedule { steps } => {
            let steps: Vec<u64> = steps.iter().map(|step| step.as_micros().max(1)).collect();
            Shape::Schedule { steps: leaked(if steps.is_empty() { &[1] } else { &steps }) }
        }
    }
}

fn mended_factor((numerator, denominator): (u32, u32)) -> (u32, u32) {
    let factor = ratio(numerator, denominator);
    let sound = factor == ONE || (ratio(101, 100) <= factor && factor <= 255 * ONE);
    if sound { (numerator, denominator) } else { (101 + numerator % 900, 100) }
}

fn mended_spread(spread: Spread) -> Spread {
    match spread {
        Spread::Additive(n, d) if ratio(n, d) == 0 || ratio(n, d) > 255 * ONE => {
            Spread::Additive(1 + n % 500, 7)
        }
        Spread::Proportional(n, d) if ratio(n, d) == 0 || ratio(n, d) > ONE => {
            Spread::Proportional(1 + n % 1_000, 1_000)
        }
        sound => sound,
    }
}

pub(crate) fn outcome() -> impl Strategy<Value = Outcome> {
    prop_oneof![
        12 => Just(Outcome::Fail),
        6 => length().prop_map(|hint| Outcome::Throttle { retry_after: Micros::new(hint) }),
        1 => Just(Outcome::Succeed),
        1 => Just(Outcome::Abort),
    ]
}

/// What an operation that never succeeds reports.
pub(crate) fn failure() -> impl Strategy<Value = Outcome> {
    prop_oneof![
        2 => Just(Outcome::Fail),
        1 => length().prop_map(|hint| Outcome::Throttle { retry_after: Micros::new(hint) }),
    ]
}

pub(crate) fn report(outcome: impl Strategy<Value = Outcome>) -> impl Strategy<Value = Report> {
    (outcome, length(), random()).prop_map(|(outcome, now, random)| Report { outcome, now, random })
}

/// The policy and its twin; both must accept what was said.
pub(crate) fn both(said: Said) -> (Policy, Twin) {
    let policy = said.draft().unwrap_or_else(|error| panic!("{error} for {said:?}"));
    let twin = Twin::new(said).unwrap_or_else(|broken| panic!("{broken:?} for {said:?}"));
    (policy, twin)
}

/// A retry and its twin side by side, which must never differ.
#[derive(Clone)]
pub(crate) struct Pair<'a> {
    policy: &'a Policy,
    pub(crate) retry: Retry,
    pub(crate) twin: TwinRetry<'a>,
}

impl<'a> Pair<'a> {
    pub(crate) fn start(policy: &'a Policy, twin: &'a Twin, start: u64, inherited: u64) -> Pair<'a> {
        let retry = Retry::start_before(policy, Instant::from_micros(start), Instant::from_micros(inherited));
        Pair { policy, retry, twin: TwinRetry::start(twin, start, inherited) }
    }

    /// Reports to both and compares all that can be seen.
    pub(crate) fn next(&mut self, report: Report) -> Verdict {
        let now = Instant::from_micros(report.now);
        let verdict = self.retry.next(self.policy, report.outcome, now, report.random);
        assert_eq!(verdict, self.twin.next(report), "{} at {report:?}", self.policy);
        assert_eq!(self.retry.attempts(), self.twin.attempts);
        assert_eq!(self.retry.stopped(), self.twin.stopped);
        assert_eq!(self.retry.deadline().map(Instant::as_micros), self.twin.deadline());
        let left = self.retry.time_left(self.policy, now).as_micros();
        assert_eq!(left, self.twin.time_left(report.now), "time left, {} at {report:?}", self.policy);
        let most = self.twin.attempt_time(report.now);
        assert_eq!(self.retry.attempt_time(self.policy, now).as_micros(), most, "{}", self.policy);
        verdict
    }
}

/// A `Fail` at the epoch.
pub(crate) fn fail(random: u32) -> Report {
    Report { outcome: Outcome::Fail, now: 0, random }
}

/// The wait that a verdict gives.
pub(crate) fn wait_of(verdict: Verdict) -> Option<u64> {
    match verdict {
        Verdict::RetryAfter(wait) => Some(wait.as_micros()),
        Verdict::Done | Verdict::GiveUp(_) => None,
    }
}
