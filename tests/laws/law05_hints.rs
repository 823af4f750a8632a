//! Law 5. A hint is a floor: it raises the low end of the range and keeps its width.

use proptest::prelude::*;
use undaunted_core::{Instant, Micros, Outcome, Policy, Reason, Retry, Verdict};
use undaunted_tests::said::{Calls, Said, Shape, Spread};
use undaunted_tests::script::Report;
use undaunted_tests::spell::duration;
use undaunted_tests::twin::draw;

use crate::generate::{EDGES, Pair, RANDOMS, both, config, fail, length, random, timeless};

fn throttle(hint: u64, random: u32) -> Report {
    Report { outcome: Outcome::Throttle { retry_after: Micros::new(hint) }, now: 0, random }
}

/// Everything obeyed, nothing limited.
fn obedient(said: Said) -> Said {
    let floor = said.floor.map(|floor| floor.max(1)).or(Some(1));
    Said { attempts: Some(Calls::Unlimited), hint_ceiling: Some(u64::MAX), floor, ..said }
}

proptest! {
    #![proptest_config(config())]

    /// The same operation with and without hints: each wait is longer by exactly what the hint is
    /// above the low end, and the curve moves no differently.
    #[test]
    fn a_hint_raises_the_low_end_and_nothing_else(
        said in timeless(),
        steps in prop::collection::vec((length(), random()), 1..30),
    ) {
        let (policy, twin) = both(obedient(said));
        let mut plain = Retry::start(&policy, Instant::from_micros(0));
        let mut hinted = Pair::start(&policy, &twin, 0, u64::MAX);
        for &(hint, random) in &steps {
            let Verdict::RetryAfter(without) = plain.next(&policy, Outcome::Fail, Instant::from_micros(0), random)
                else { return Err(TestCaseError::fail("unlimited")) };
            let before = hinted.twin.clone();
            let verdict = hinted.next(throttle(hint, random));
            let low = { let mut probe = before; probe.attempts += 1; probe.range().lo };
            let raised = without.as_micros().saturating_add(hint.saturating_sub(low));
            prop_assert_eq!(verdict, Verdict::RetryAfter(Micros::new(raised)));
        }
    }

    /// Above the ceiling the answer is to give up now; at the ceiling it is obeyed.
    #[test]
    fn a_hint_above_the_ceiling_ends_it(said in timeless(), ceiling in length(), random in random()) {
        let (policy, twin) = both(Said { hint_ceiling: Some(ceiling), ..obedient(said) });
        let at = Pair::start(&policy, &twin, 0, u64::MAX).next(throttle(ceiling, random));
        prop_assert!(matches!(at, Verdict::RetryAfter(wait) if wait.as_micros() >= ceiling));
        if let Some(above) = ceiling.checked_add(1) {
            let verdict = Pair::start(&policy, &twin, 0, u64::MAX).next(throttle(above, random));
            prop_assert_eq!(verdict, Verdict::GiveUp(Reason::Hint));
        }
    }

    /// What is zero, past or unreadable is the computed delay, and counts as an attempt.
    #[test]
    fn a_hint_of_zero_is_a_failure(said in timeless(), randoms in prop::collection::vec(random(), 1..30)) {
        let (policy, twin) = both(said);
        let mut plain = Pair::start(&policy, &twin, 0, u64::MAX);
        let mut zero = Pair::start(&policy, &twin, 0, u64::MAX);
        for &random in &randoms {
            prop_assert_eq!(zero.next(throttle(0, random)), plain.next(fail(random)));
        }
        prop_assert_eq!(Outcome::throttle(None), throttle(0, 0).outcome);
    }
}

/// Every boundary hint against every boundary first delay and random, in every jitter.
#[test]
fn boundaries_multiplied() {
    let jitters =
        [Spread::None, Spread::Full, Spread::Equal, Spread::Proportional(1, 1), Spread::Additive(255, 1)];
    for first in EDGES.into_iter().filter(|&first| first > 0) {
        for jitter in jitters {
            let said = Said { jitter: Some(jitter), ..Said::only(Shape::Constant { delay: first }) };
            let (policy, twin) = both(obedient(said));
            let range = twin.range(twin.c.min(first));
            for hint in EDGES {
                for random in RANDOMS {
                    let wait = range.lo.max(hint).saturating_add(draw(range, random));
                    let verdict = Pair::start(&policy, &twin, 0, u64::MAX).next(throttle(hint, random));
                    assert_eq!(verdict, Verdict::RetryAfter(Micros::new(wait)), "{policy}, {hint}, {random}");
                }
            }
        }
    }
}

/// A thousand clients told 60 s spread over the width of the range above 60 s.
#[test]
fn a_thousand_clients_told_a_minute_do_not_return_together() {
    let policy = Policy::constant(duration(1_000_000)).cap(duration(1_000_000));
    let mut waits: Vec<u64> = Vec::new();
    for client in 0..1_000_u32 {
        let mut retry = Retry::start(&policy, Instant::from_micros(0));
        let told = Outcome::Throttle { retry_after: Micros::from_secs(60) };
        match retry.next(&policy, told, Instant::from_micros(0), client * 4_294_967) {
            Verdict::RetryAfter(wait) => waits.push(wait.as_micros()),
            verdict => panic!("{verdict:?}"),
        }
    }
    waits.dedup();
    assert_eq!(waits.len(), 1_000);
    assert_eq!(waits[0], 60_000_000);
    assert!((60_998_000..=61_000_000).contains(&waits[999]));
}

/// 10 min unless said otherwise, and equal is allowed.
#[test]
fn the_default_ceiling_is_ten_minutes() {
    let policy = Policy::constant(duration(1)).no_jitter();
    let answer = |hint| {
        let mut retry = Retry::start(&policy, Instant::from_micros(0));
        retry.next(&policy, throttle(hint, 0).outcome, Instant::from_micros(0), 0)
    };
    assert_eq!(answer(600_000_000), Verdict::RetryAfter(Micros::from_secs(600)));
    assert_eq!(answer(600_000_001), Verdict::GiveUp(Reason::Hint));
}
