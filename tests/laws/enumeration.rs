//! Every small case: all shapes, jitters and small limits, and all that can be reported six times in a row.
//!
//! Random cases find what is common; what needs three unlikely things at once is found by counting.

use std::collections::HashSet;
use std::thread;

use undaunted_core::{Micros, Outcome, Reason, Verdict};
use undaunted_tests::said::{Calls, Said, Shape, Spread, leaked};
use undaunted_tests::script::Report;

use crate::generate::{Pair, both};

/// How many reports in a row.
const DEPTH: u32 = 6;

/// Work takes so long: an attempt that takes no time at all would hide the difference between a delay and a point.
const WORK: u64 = 3;

const CEILING: u64 = 50;

const EXTREMES: [u32; 2] = [0, u32::MAX];

/// What goes on: a failure, and one with a hint that is above some delays and below others.
const GOES_ON: [Outcome; 2] = [Outcome::Fail, hint(12)];

const ALL: [Outcome; 7] =
    [Outcome::Abort, Outcome::Fail, Outcome::Succeed, hint(0), hint(12), hint(CEILING), hint(CEILING + 1)];

const fn hint(micros: u64) -> Outcome {
    Outcome::Throttle { retry_after: Micros::new(micros) }
}

fn shapes() -> Vec<Shape> {
    vec![
        Shape::Constant { delay: 7 },
        Shape::Decorrelated { first: 7 },
        Shape::Exponential { first: 7 },
        Shape::Fibonacci { first: 7 },
        Shape::Immediate,
        Shape::Linear { first: 7, step: 4 },
        Shape::Schedule { steps: leaked(&[9, 2, 30]) },
    ]
}

const SPREADS: [Spread; 5] =
    [Spread::Additive(3, 4), Spread::Equal, Spread::Full, Spread::None, Spread::Proportional(1, 5)];

/// Decorrelated brings its own.
fn spreads(shape: Shape) -> Vec<Option<Spread>> {
    if matches!(shape, Shape::Decorrelated { .. }) { vec![None] } else { SPREADS.map(Some).to_vec() }
}

const ATTEMPTS: [Calls; 4] = [Calls::Limited(1), Calls::Limited(2), Calls::Limited(5), Calls::Unlimited];

const WITHIN: [Option<u64>; 3] = [None, Some(20), Some(90)];

/// Floor and cap: neither, a cap that the second delay meets, a floor inside the range, and both at once.
const BOUNDS: [(Option<u64>, Option<u64>); 4] =
    [(None, None), (None, Some(9)), (Some(5), Some(30)), (Some(9), Some(9))];

/// All of them; those that cannot be built are a hot loop.
fn policies() -> Vec<Said> {
    let mut all = Vec::new();
    for shape in shapes() {
        for jitter in spreads(shape) {
            for attempts in ATTEMPTS {
                for within in WITHIN {
                    all.extend(BOUNDS.map(|(floor, cap)| Said {
                        jitter,
                        attempts: Some(attempts),
                        hint_ceiling: Some(CEILING),
                        within,
                        floor,
                        cap,
                        ..Said::only(shape)
                    }));
                }
            }
        }
    }
    all
}

#[derive(Default)]
struct Seen {
    reports: u64,
    ends: HashSet<Verdict>,
}

impl Seen {
    /// All that can come next, after each history of what goes on.
    fn explore(&mut self, pair: &Pair<'_>, now: u64, depth: u32) {
        for outcome in ALL {
            for (now, random) in
                [(now, 0), (now, u32::MAX), (now, 1 << 31), (0, 1 << 31), (u64::MAX, 1 << 31)]
            {
                self.report(pair, Report { outcome, now, random });
            }
        }
        if depth == 1 {
            return;
        }
        for outcome in GOES_ON {
            for random in EXTREMES {
                let mut next = pair.clone();
                if let Verdict::RetryAfter(wait) = next.next(Report { outcome, now, random }) {
                    self.explore(&next, now + wait.as_micros() + WORK, depth - 1);
                }
            }
        }
    }

    /// The answer is the twin's, or `Pair` panics; and when it was the end, it stays.
    fn report(&mut self, pair: &Pair<'_>, report: Report) {
        let mut pair = pair.clone();
        let verdict = pair.next(report);
        self.reports += 1;
        if !matches!(verdict, Verdict::RetryAfter(_)) {
            self.ends.insert(verdict);
            for outcome in ALL {
                assert_eq!(pair.next(Report { outcome, ..report }), verdict);
            }
        }
    }
}

fn explore(policies: &[Said]) -> (Seen, usize) {
    let (mut seen, mut built) = (Seen::default(), 0);
    for said in policies.iter().filter(|said| said.draft().is_ok()) {
        let (policy, twin) = both(*said);
        seen.explore(&Pair::start(&policy, &twin, 0, u64::MAX), WORK, DEPTH);
        built += 1;
    }
    (seen, built)
}

#[test]
fn every_small_case() {
    let policies = policies();
    let (mut ends, mut reports, mut built) = (HashSet::new(), 0, 0);
    thread::scope(|scope| {
        let halves: Vec<_> = policies.chunks(policies.len().div_ceil(2)).collect();
        let running: Vec<_> = halves.into_iter().map(|half| scope.spawn(|| explore(half))).collect();
        for half in running {
            let (seen, policies) = half.join().unwrap();
            ends.extend(seen.ends);
            (reports, built) = (reports + seen.reports, built + policies);
        }
    });
    println!("{reports} reports to {built} policies of {}, {DEPTH} deep", policies.len());
    let reasons = [Reason::Attempts, Reason::Deadline, Reason::Hint, Reason::Permanent];
    let expected = reasons.map(Verdict::GiveUp).into_iter().chain([Verdict::Done]);
    assert_eq!(ends, expected.collect());
    // Law 4: `immediate`, unlimited, without a floor; 5 jitters, 3 limits of time, 2 caps.
    assert_eq!(policies.len() - built, 5 * 3 * 2);
    // One that goes on to the end has 4^0 + .. + 4^5 histories, with 7 x 5 reports after each.
    assert!(built as u64 * 35 < reports && reports < built as u64 * 1365 * 35);
}
