//! Polls: driven on a simulated clock, in no time, against the number of probes that the original makes.
//!
//! The data's `max_attempts_if_instant` counts the probes strictly before the original's limit, if they take
//! no time.

use crate::{rows, seconds, text};
use Happened::{Called, Slept};
use serde_json::Value;
use std::future::ready;
use undaunted::{GaveUp, Last, NotReady, Reason, asynch, blocking};
use undaunted_core::presets::{Preset, named};
use undaunted_core::{Micros, Policy};
use undaunted_tests::simulated::{Happened, World, block_on};

/// The intervals, the first probe and the limit of the row; and as many probes as the data says.
pub(crate) fn agrees(row: &Value, preset: &Preset) {
    let (name, model, expect) = (text(&row["id"]), &row["policy"], &row["expect"]);
    assert_eq!(preset.fixed_rate, !model["sliding"].as_bool().unwrap(), "{name}");
    let interval = seconds(&model["interval_s"]);
    let first = if model["immediate"] == true { Micros::ZERO } else { interval };
    let settings = preset.policy.settings();
    assert_eq!((settings.first_delay, settings.attempts), (first, None), "{name}");
    let Some(most) = expect["max_attempts_if_instant"].as_u64() else {
        assert_eq!((&model["timeout_s"], settings.within), (&Value::Null, None), "{name}");
        return without_end(name, preset, interval);
    };
    assert_eq!(model["timeout_s"].as_f64(), expect["give_up_s"].as_f64(), "{name}");
    let limit = seconds(&expect["give_up_s"]);
    // Where each is, on the original's grid.
    let at: Vec<u64> = (0..most).map(|n| first.as_micros() + n * interval.as_micros()).collect();
    assert!(at.last().unwrap() + interval.as_micros() >= limit.as_micros(), "{name}: the last one");
    for asynchronous in [false, true] {
        let (world, gave_up) = drive(&preset.policy, asynchronous, |_| 0);
        assert_eq!(called(&world), at, "{name}");
        assert_eq!((gave_up.reason, gave_up.attempts), (Reason::Deadline, most as u32), "{name}");
        assert_eq!(gave_up.last, Last::Error(NotReady), "{name}");
        // At the last probe, and not at the original's limit.
        assert!(world.now() < limit.as_micros() && world.now() == at[at.len() - 1], "{name}");
    }
    slow(name, &preset.policy, interval, first, limit, most);
}

/// Probes that last: never more of them than the data says, all on the original's grid and before its limit.
fn slow(name: &str, policy: &Policy, interval: Micros, first: Micros, limit: Micros, most: u64) {
    let (interval, first, limit) = (interval.as_micros(), first.as_micros(), limit.as_micros());
    for work in [1, interval / 3, interval - 1, interval, interval + 1, interval * 5 / 2, limit] {
        let (world, gave_up) = drive(policy, false, |_| work);
        let called = called(&world);
        assert!(called.len() as u64 <= most, "{name}: {} probes of {work} us", called.len());
        assert!(called.iter().all(|at| (at - first) % interval == 0 && *at < limit), "{name}: {called:?}");
        assert_eq!(gave_up.reason, Reason::Deadline, "{name}");
        // As long as each ends before its interval does, there are just as many.
        assert!(work >= interval || called.len() as u64 == most, "{name}: {} of {work} us", called.len());
    }
    // One that lasts: two and a half intervals are skipped, and the grid is where it was.
    let (world, _) = drive(policy, false, |call| if call == 1 { interval * 5 / 2 } else { 0 });
    let expected: Vec<u64> =
        (0..most).filter(|n| ![2, 3].contains(n)).map(|n| first + n * interval).collect();
    assert_eq!(called(&world), expected, "{name}");
}

/// Without a limit of its own, with a gap after each probe however long it took.
fn without_end(name: &str, preset: &Preset, interval: Micros) {
    let (world, interval) = (World::default(), interval.as_micros());
    let mut calls = 0;
    let probe = || {
        world.call();
        world.pass(300_000);
        calls += 1;
        calls == 1_000
    };
    let result = blocking::retry(world.clone(), &preset.policy, probe).run();
    assert_eq!(result, Ok(()), "{name}");
    let mut expected = Vec::new();
    for n in 0..1_000 {
        let now = n * (interval + 300_000);
        expected.extend([Slept(interval, now), Called(now + interval)]);
    }
    assert_eq!(world.journal(), expected, "{name}");
}

fn drive(policy: &Policy, asynchronous: bool, work: impl Fn(usize) -> u64) -> (World, GaveUp<(), NotReady>) {
    let (world, mut calls) = (World::default(), 0);
    let mut probe = || {
        world.call();
        world.pass(work(calls));
        calls += 1;
        false
    };
    let result = if asynchronous {
        block_on(asynch::retry(world.clone(), policy, || ready(probe())).fixed_rate())
    } else {
        blocking::retry(world.clone(), policy, probe).fixed_rate().run()
    };
    (world, result.unwrap_err())
}

fn called(world: &World) -> Vec<u64> {
    let at = |happened| match happened {
        Called(at) => Some(at),
        _ => None,
    };
    world.journal().into_iter().filter_map(at).collect()
}

/// What a poll's documentation says of it in words: the wait that it begins with and the original's limit.
#[test]
fn a_poll_that_begins_with_a_wait_says_its_limit() {
    let mut delayed = 0;
    for row in rows().iter().filter(|row| row["policy"]["immediate"] == false) {
        let about = named(text(&row["id"])).unwrap().about;
        assert!(about.contains("Begins with a wait"), "{about}");
        let limit = row["policy"]["timeout_s"].as_f64().map(|limit| match limit {
            120.0 => "2 min".to_string(),
            limit => format!("{limit} s"),
        });
        assert!(limit.is_none_or(|limit| about.contains(&limit)), "{about}");
        delayed += 1;
    }
    assert_eq!(delayed, 4);
}
