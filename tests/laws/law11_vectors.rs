//! Law 11. The schedule vectors, anew from what VECTORS.md says: by the naive twin and the generator as it is written
//! down, with neither the core nor the program that the devices run.

use undaunted_core::{Micros, Outcome, Reason, Verdict};
use undaunted_tests::said::{Calls, Said, Shape, Spread, leaked};
use undaunted_tests::script::{Report, TwinRetry, first_wait};
use undaunted_tests::twin::Twin;

use crate::law11_generator::written_down;

const SEEDS: [u64; 8] = [0, 1, 2, 3, 4, 1_000_003, 0x1234_5678_9abc_def0, u64::MAX];
const ATTEMPTS: usize = 200;
const MS: u64 = 1_000;
const S: u64 = 1_000 * MS;

#[test]
fn the_digests_of_the_page_are_those_of_the_twin() {
    let page = include_str!("../firmware/VECTORS.md");
    let rows: Vec<&str> = page.lines().filter(|line| line.ends_with("` |")).collect();
    let mut made = Vec::new();
    for (shape, said) in shapes().into_iter().enumerate() {
        for (jitter, spread) in jitters().into_iter().enumerate() {
            if matches!(said.shape, Shape::Decorrelated { .. }) && jitter > 0 {
                continue;
            }
            for limits in 0..4 {
                let twin = Twin::new(limited(Said { jitter: Some(spread), ..said }, limits)).unwrap();
                let (waits, digest) = played(&twin);
                made.push(format!("| {shape} | {jitter} | {limits} | {waits} | `{digest:016x}` |"));
            }
        }
    }
    assert_eq!(made, rows);
}

fn shapes() -> [Said; 8] {
    let only = Said::only;
    [
        only(Shape::Constant { delay: 250 * MS }),
        only(Shape::Linear { first: 50 * MS, step: 30 * MS }),
        Said { factor: Some((2, 1)), ..only(Shape::Exponential { first: 100 * MS }) },
        Said { factor: Some((137, 100)), ..only(Shape::Exponential { first: 7 * MS }) },
        only(Shape::Fibonacci { first: 20 * MS }),
        Said { factor: Some((3, 1)), ..only(Shape::Decorrelated { first: 10 * MS }) },
        only(Shape::Schedule { steps: leaked(&[10 * MS, 2 * S, 333, 40 * S]) }),
        only(Shape::Immediate),
    ]
}

fn jitters() -> [Spread; 5] {
    [Spread::None, Spread::Full, Spread::Equal, Spread::Proportional(20, 100), Spread::Additive(75, 100)]
}

fn limited(said: Said, limits: usize) -> Said {
    let limited = |attempts| Some(Calls::Limited(attempts));
    let endless = Some(Calls::Unlimited);
    match limits {
        0 => Said { attempts: limited(40), cap: Some(50 * S), ..said },
        1 => Said { attempts: endless, cap: Some(3_600 * S), floor: Some(3 * MS), ..said },
        2 => Said {
            attempts: limited(1_000),
            cap: Some(7_200 * S),
            floor: Some(1),
            hint_ceiling: Some(20 * S),
            within: Some(1_800 * S),
            ..said
        },
        _ => Said {
            attempts: endless,
            cap: Some(90 * S),
            floor: Some(45 * MS),
            first_delay: Some(5 * S),
            ..said
        },
    }
}

/// The waits of all sessions, and the digest.
fn played(twin: &Twin) -> (u32, u64) {
    let (mut waits, mut added) = (0, Vec::new());
    for seed in SEEDS {
        waits += session(twin, seed, &mut added);
    }
    let digest = added
        .iter()
        .flat_map(|number: &u64| number.to_le_bytes())
        .fold(0xcbf2_9ce4_8422_2325_u64, |digest, byte| {
            (digest ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
    (waits, digest)
}

fn session(twin: &Twin, seed: u64, added: &mut Vec<u64>) -> u32 {
    let mut random = written_down(seed, ATTEMPTS + 1).into_iter();
    let (mut now, mut waits) = (1 << 40, 0);
    if twin.first_delay > 0 {
        let Verdict::RetryAfter(wait) = first_wait(twin, u64::MAX, now, random.next().unwrap()) else {
            panic!("nothing limits the first wait")
        };
        added.push(wait.as_micros());
        now += wait.as_micros();
    }
    let mut retry = TwinRetry::start(twin, now, u64::MAX);
    for attempt in 1..=ATTEMPTS as u64 {
        now += 1_000;
        let outcome = match attempt % 7 {
            0 => Outcome::Throttle { retry_after: Micros::from_millis(137 * attempt) },
            _ => Outcome::Fail,
        };
        match retry.next(Report { outcome, now, random: random.next().unwrap() }) {
            Verdict::RetryAfter(wait) => {
                added.push(wait.as_micros());
                waits += 1;
                now += wait.as_micros();
            }
            Verdict::GiveUp(reason) => {
                added.push(u64::MAX - 1 - place(reason));
                break;
            }
            Verdict::Done => panic!("nothing succeeds"),
        }
    }
    added.push(retry.attempts.into());
    waits
}

/// As the page numbers them.
fn place(reason: Reason) -> u64 {
    match reason {
        Reason::Attempts => 0,
        Reason::Deadline => 4,
        Reason::Hint => 5,
        other => panic!("{other:?} ends no session"),
    }
}
