//! The schedule vectors: sessions over a grid of policies and seeds, and a digest of all that they answered.
//!
//! The same on the host and on every device, and described in VECTORS.md for who implements the schedule anew.

use undaunted_core::{Instant, Micros, Outcome, Policy, Retry, Rng, Verdict};

/// A policy's text is one of each, with a space between.
pub const SHAPES: [&str; 8] = [
    "constant 250ms",
    "linear 50ms +30ms",
    "exponential 100ms x2",
    "exponential 7ms x1.37",
    "fibonacci 20ms",
    "decorrelated 10ms x3",
    "schedule 10ms,2s,333us,40s",
    "immediate",
];

/// Of `decorrelated` only the first.
pub const JITTERS: [&str; 5] = ["jitter none", "jitter full", "jitter equal", "jitter +-20%", "jitter +75%"];

/// Caps below and above 2^32 us, floors, limits in time, and limits that end nothing here.
pub const LIMITS: [&str; 4] = [
    "attempts 40 cap 50s",
    "attempts unlimited cap 1h floor 3ms",
    "attempts 1000 cap 2h floor 1us hint_ceiling 20s within 30m",
    "attempts unlimited cap 90s floor 45ms first_delay 5s",
];

/// Serial numbers, and numbers of many bits.
pub const SEEDS: [u64; 8] = [0, 1, 2, 3, 4, 1_000_003, 0x1234_5678_9ABC_DEF0, u64::MAX];

/// When each session starts, how long each attempt takes, and how many of them there are at most.
pub const START: u64 = 1 << 40;
pub const WORK: u64 = 1_000;
pub const ATTEMPTS: u32 = 200;

/// FNV-1a of 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest(pub u64);

impl Digest {
    const START: Digest = Digest(0xCBF2_9CE4_8422_2325);

    /// Eight bytes, the lowest first.
    fn add(&mut self, number: u64) {
        for byte in number.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
        }
    }
}

/// What the sessions of one policy came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// Which shape, jitter and limits, from 0.
    pub policy: [usize; 3],
    /// How many waits were answered.
    pub waits: u32,
    /// Of all of its sessions.
    pub digest: Digest,
}

/// Every policy of the grid; false when a text is refused, which none is.
pub fn all(mut tell: impl FnMut(Line)) -> bool {
    for (shape, _) in SHAPES.iter().enumerate() {
        for (jitter, _) in JITTERS.iter().enumerate() {
            for (limits, _) in LIMITS.iter().enumerate() {
                if SHAPES[shape].starts_with("decorrelated") && jitter > 0 {
                    continue;
                }
                let Some(policy) = read([shape, jitter, limits]) else { return false };
                tell(line(&policy, [shape, jitter, limits]));
            }
        }
    }
    true
}

/// Reads the text of a policy, on the device as on the host.
fn read([shape, jitter, limits]: [usize; 3]) -> Option<Policy> {
    static STEPS: [Micros; 4] =
        [Micros::from_millis(10), Micros::from_secs(2), Micros::new(333), Micros::from_secs(40)];
    let mut buffer = [b' '; 160];
    let mut length = 0;
    // A schedule's steps need a home for ever, which is a constant here; the rest of its text is read.
    let head = if SHAPES[shape].starts_with("schedule") { "constant 40s" } else { SHAPES[shape] };
    for part in [head, JITTERS[jitter], LIMITS[limits]] {
        buffer[length..length + part.len()].copy_from_slice(part.as_bytes());
        length += part.len() + 1;
    }
    let policy = Policy::parse(core::str::from_utf8(&buffer[..length]).ok()?).ok()?;
    if head == SHAPES[shape] {
        return Some(policy);
    }
    let said = policy.settings();
    let mut draft = Policy::draft().schedule(&STEPS).jitter(said.jitter).cap(said.cap.as_duration());
    draft = draft.floor(said.floor.as_duration()).first_delay(said.first_delay.as_duration());
    draft = match said.attempts {
        Some(attempts) => draft.attempts(attempts),
        None => draft.unlimited_attempts(),
    };
    if let Some(within) = said.within {
        draft = draft.within(within.as_duration());
    }
    draft.hint_ceiling(said.hint_ceiling.as_duration()).build().ok()
}

/// One session for each seed.
fn line(policy: &Policy, place: [usize; 3]) -> Line {
    let mut line = Line { policy: place, waits: 0, digest: Digest::START };
    for seed in SEEDS {
        session(policy, seed, &mut line);
    }
    line
}

fn session(policy: &Policy, seed: u64, line: &mut Line) {
    let mut rng = Rng::seeded(seed);
    let mut now = Instant::from_micros(START);
    if policy.settings().first_delay > Micros::ZERO {
        if let Verdict::RetryAfter(wait) = Retry::first_wait(policy, Instant::MAX, now, rng.draw()) {
            line.digest.add(wait.as_micros());
            now = now + wait;
        }
    }
    let mut retry = Retry::start(policy, now);
    for attempt in 1..=ATTEMPTS {
        now = now + Micros::new(WORK);
        let verdict = retry.next(policy, outcome(attempt), now, rng.draw());
        line.digest.add(number(verdict));
        let Verdict::RetryAfter(wait) = verdict else { break };
        line.waits += 1;
        now = now + wait;
    }
    line.digest.add(retry.attempts().into());
}

/// Every seventh failure has a hint, each longer than the one before.
fn outcome(attempt: u32) -> Outcome {
    if attempt % 7 != 0 {
        return Outcome::Fail;
    }
    Outcome::Throttle { retry_after: Micros::new(u64::from(attempt) * 137_000) }
}

/// A wait in microseconds; an end is a number that no wait is: all bits set, less the reason's place.
fn number(verdict: Verdict) -> u64 {
    match verdict {
        Verdict::RetryAfter(wait) => wait.as_micros(),
        Verdict::Done => u64::MAX,
        Verdict::GiveUp(reason) => u64::MAX - 1 - reason as u64,
    }
}
