//! One script, every adapter: the verdicts are the twin's, to the microsecond.
//!
//! The scripts run through the sessions and the loops, blocking and asynchronous, on a simulated
//! clock; through tokio on its paused clock and embassy at 32 768 Hz, where the twin is told the time that
//! they read; through the delays of HALs; and through a real thread, under policies for which the time does not matter.

use proptest::prelude::*;
use std::cell::RefCell;
use std::future::ready;
use std::time::Duration;
use undaunted::embassy::Embassy;
use undaunted::embedded_hal::Hal;
use undaunted::{
    Event, Micros, Outcome, Policy, Reason, Runtime, Verdict, asynch, blocking, embassy, embedded_hal,
    embedded_hal_async, thread,
};
use undaunted_tests::draws::Draws;
use undaunted_tests::embassy as clock;
use undaunted_tests::hal::Delay;
use undaunted_tests::said::{Calls, Said, Shape, Spread, leaked};
use undaunted_tests::script::{Report, TwinRetry};
use undaunted_tests::simulated::{World, block_on};
use undaunted_tests::twin::Twin;

/// One attempt: how long it works in microseconds, and what it comes to.
type Attempt = (u64, Outcome);

/// What the twin answers to the script, each wait lasting just as long as it says.
fn twins_verdicts(twin: &Twin, seed: u64, script: &[Attempt]) -> Vec<Verdict> {
    let (mut retry, mut draws, mut now) = (TwinRetry::start(twin, 0, u64::MAX), Draws::seeded(seed), 0);
    let verdict = |&(work, outcome): &Attempt| {
        now += work;
        let verdict = retry.next(Report { outcome, now, random: draws.for_outcome(outcome) });
        if let Verdict::RetryAfter(wait) = verdict {
            now += wait.as_micros();
        }
        verdict
    };
    script.iter().map(verdict).collect()
}

fn blocking_session(policy: &Policy, seed: u64, script: &[Attempt]) -> Vec<Verdict> {
    let world = World::default();
    let mut session = blocking::Session::start_on(world.clone(), policy).seed(seed);
    let attempt = |&(work, outcome): &Attempt| {
        world.pass(work);
        session.settle(outcome).verdict
    };
    script.iter().map(attempt).collect()
}

fn asynch_session(policy: &Policy, seed: u64, script: &[Attempt]) -> Vec<Verdict> {
    let world = World::default();
    let mut session = asynch::Session::start_on(world.clone(), policy).seed(seed);
    let attempt = |&(work, outcome): &Attempt| {
        world.pass(work);
        block_on(session.settle(outcome)).verdict
    };
    script.iter().map(attempt).collect()
}

/// A HAL's delay with a clock, blocking and asynchronous.
fn hal_sessions(policy: &Policy, seed: u64, script: &[Attempt]) -> [Vec<Verdict>; 2] {
    let delay = Delay::default();
    let clock = || delay.now();
    let hal = Hal::seeded(4711, delay.clone()).clock(clock);
    let mut session = embedded_hal::Session::start_on(&hal, policy).seed(seed);
    let blocking = script.iter().map(|&(work, outcome)| {
        delay.pass(Micros::new(work));
        session.settle(outcome).verdict
    });
    let blocking = blocking.collect();
    let mut hal = Hal::seeded(4711, delay.clone()).clock(clock);
    let mut session = embedded_hal_async::session(&mut hal, policy).seed(seed);
    let asynch = script.iter().map(|&(work, outcome)| {
        delay.pass(Micros::new(work));
        block_on(session.settle(outcome)).verdict
    });
    [blocking, asynch.collect()]
}

/// Without a clock: work takes no time.
fn hal_session_without_clock(policy: &Policy, seed: u64, script: &[Attempt]) -> Vec<Verdict> {
    let hal = Hal::seeded(4711, Delay::default());
    let mut session = embedded_hal::Session::start_on(&hal, policy).seed(seed);
    script.iter().map(|&(_, outcome)| session.settle(outcome).verdict).collect()
}

/// The loops: they stop by themselves, so they hand out the twin's verdicts up to the first stop.
fn loops(policy: &Policy, seed: u64, script: &[Attempt]) -> [Vec<Verdict>; 2] {
    let classify = |result: &Result<Outcome, Outcome>| result.unwrap_or_else(|outcome| outcome);
    let heard = RefCell::new(Vec::new());
    let hear = |event: &Event<'_, Outcome>| heard.borrow_mut().push(event.verdict);

    let (world, mut attempts) = (World::default(), script.iter());
    let mut attempt = || {
        let &(work, outcome) = attempts.next()?;
        world.pass(work);
        Some(if outcome == Outcome::Succeed { Ok(outcome) } else { Err(outcome) })
    };
    // A script that is over succeeds; its verdict is not the script's.
    let mut operation = || attempt().unwrap_or(Ok(Outcome::Succeed));
    let _ = blocking::retry(world.clone(), policy, &mut operation)
        .classify(classify)
        .on_event(hear)
        .seed(seed)
        .run();
    let blocking = heard.take();

    let (world, mut attempts) = (World::default(), script.iter());
    let mut operation = || {
        let Some(&(work, outcome)) = attempts.next() else { return ready(Ok(Outcome::Succeed)) };
        world.pass(work);
        ready(if outcome == Outcome::Succeed { Ok(outcome) } else { Err(outcome) })
    };
    let retry = asynch::retry(world.clone(), policy, &mut operation).classify(classify).on_event(hear);
    let _ = block_on(retry.seed(seed));
    [blocking, heard.take()]
}

/// tokio on its paused clock: its timer rounds up, so the twin is told the time that tokio reads.
fn tokio_and_twin(policy: &Policy, twin: &Twin, seed: u64, script: &[Attempt]) -> [Vec<Verdict>; 2] {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_time().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let mut session = undaunted::tokio::Session::start(policy).seed(seed);
        let (mut retry, mut draws) = (TwinRetry::start(twin, 0, u64::MAX), Draws::seeded(seed));
        let start = tokio::time::Instant::now();
        let [mut ours, mut twins] = [Vec::new(), Vec::new()];
        for &(work, outcome) in script {
            tokio::time::advance(Duration::from_micros(work)).await;
            let now = start.elapsed().as_micros() as u64;
            twins.push(retry.next(Report { outcome, now, random: draws.for_outcome(outcome) }));
            ours.push(session.settle(outcome).await.verdict);
        }
        [ours, twins]
    })
}

/// embassy on a clock that is finer than its ticks: the twin is told the time that embassy reads.
fn embassy_and_twin(policy: &Policy, twin: &Twin, seed: u64, script: &[Attempt]) -> [Vec<Verdict>; 2] {
    let embassy = Embassy::seeded(4711);
    let mut session = embassy::Session::start_on(embassy, policy).seed(seed);
    let (mut retry, mut draws) = (TwinRetry::start(twin, 0, u64::MAX), Draws::seeded(seed));
    let start = embassy.now();
    let [mut ours, mut twins] = [Vec::new(), Vec::new()];
    for &(work, outcome) in script {
        clock::pass(Micros::new(work));
        let now = embassy.now().since(start).as_micros();
        let twins_verdict = retry.next(Report { outcome, now, random: draws.for_outcome(outcome) });
        let verdict = clock::block_on(session.settle(outcome)).verdict;
        let is_over = retry.time_left(embassy.now().since(start).as_micros()) == 0;
        if verdict == Verdict::GiveUp(Reason::Deadline) && verdict != twins_verdict && is_over {
            break; // a wait just shorter than the time left, rounded up to the deadline
        }
        twins.push(twins_verdict);
        ours.push(verdict);
    }
    [ours, twins]
}

/// Lengths as in daily use, and policies of every shape, jitter and limit made of them.
fn said() -> impl Strategy<Value = Said> {
    use proptest::option::of;
    let length = || prop_oneof![1..2_000_u64, 1_000..10_000_000_u64];
    let shape = prop_oneof![
        length().prop_map(|delay| Shape::Constant { delay }),
        length().prop_map(|first| Shape::Decorrelated { first }),
        length().prop_map(|first| Shape::Exponential { first }),
        length().prop_map(|first| Shape::Fibonacci { first }),
        Just(Shape::Immediate),
        (length(), length()).prop_map(|(first, step)| Shape::Linear { first, step }),
        proptest::collection::vec(length(), 1..5).prop_map(|steps| Shape::Schedule { steps: leaked(&steps) }),
    ];
    let jitter = prop_oneof![
        Just(Spread::Full),
        Just(Spread::Equal),
        Just(Spread::None),
        (1..100_u32).prop_map(|percent| Spread::Proportional(percent, 100)),
        (1..300_u32).prop_map(|percent| Spread::Additive(percent, 100)),
    ];
    let limits = (of(1..9_u32), of(1_000..60_000_000_u64), of(length()), of(1_000..20_000_000_u64));
    (shape, jitter, limits).prop_map(|(shape, jitter, (attempts, within, floor, hint_ceiling))| Said {
        jitter: (!matches!(shape, Shape::Decorrelated { .. })).then_some(jitter),
        attempts: attempts.map(Calls::Limited),
        within,
        floor,
        hint_ceiling,
        ..Said::only(shape)
    })
}

fn script() -> impl Strategy<Value = Vec<Attempt>> {
    let outcome = prop_oneof![
        8 => Just(Outcome::Fail),
        3 => (0..15_000_000_u64).prop_map(|hint| Outcome::Throttle { retry_after: Micros::new(hint) }),
        1 => Just(Outcome::Succeed),
        1 => Just(Outcome::Abort),
    ];
    proptest::collection::vec((0..5_000_000_u64, outcome), 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_adapter_hands_out_the_twins_verdicts(said in said(), script in script(), seed in any::<u64>()) {
        let policy = said.draft().unwrap();
        let twin = Twin::new(said).unwrap();
        let expected = twins_verdicts(&twin, seed, &script);
        prop_assert_eq!(&blocking_session(&policy, seed, &script), &expected);
        prop_assert_eq!(&asynch_session(&policy, seed, &script), &expected);

        let stop = expected.iter().position(|verdict| !matches!(verdict, Verdict::RetryAfter(_)));
        let until_stop = stop.map_or(script.len(), |at| at + 1);
        for heard in loops(&policy, seed, &script) {
            prop_assert_eq!(&heard[..until_stop], &expected[..until_stop]);
        }
        let [ours, twins] = tokio_and_twin(&policy, &twin, seed, &script);
        prop_assert_eq!(ours, twins);
        for ours in hal_sessions(&policy, seed, &script) {
            prop_assert_eq!(&ours, &expected);
        }
        let without_work: Vec<Attempt> = script.iter().map(|&(_, outcome)| (0, outcome)).collect();
        prop_assert_eq!(
            hal_session_without_clock(&policy, seed, &script),
            twins_verdicts(&twin, seed, &without_work)
        );
        let [ours, twins] = embassy_and_twin(&policy, &twin, seed, &script);
        prop_assert_eq!(ours, twins);
    }
}

/// A real thread: the waits are some hundred microseconds in all.
#[test]
fn a_thread_hands_out_the_twins_verdicts() {
    let shapes = [
        Shape::Constant { delay: 20 },
        Shape::Decorrelated { first: 5 },
        Shape::Exponential { first: 3 },
        Shape::Fibonacci { first: 4 },
        Shape::Linear { first: 1, step: 7 },
        Shape::Schedule { steps: leaked(&[1, 30, 9]) },
    ];
    let fail = (0, Outcome::Fail);
    let throttle = (0, Outcome::Throttle { retry_after: Micros::new(11) });
    for shape in shapes {
        let said = Said { attempts: Some(Calls::Limited(6)), ..Said::only(shape) };
        let (policy, twin) = (said.draft().unwrap(), Twin::new(said).unwrap());
        for seed in [0, 1, u64::MAX] {
            let script = [fail, throttle, fail, fail, fail, fail, fail];
            let mut session = thread::Session::start(&policy).seed(seed);
            let ours: Vec<Verdict> =
                script.iter().map(|(_, outcome)| session.settle(*outcome).verdict).collect();
            assert_eq!(ours, twins_verdicts(&twin, seed, &script), "{policy}, seed {seed}");
        }
    }
}
