//! Polls: what a probe may say, and at what pace it is asked. Each is shown blocking and asynchronous, by the whole
//! journal.

use Happened::{Called, Slept, Told};
use std::cell::Cell;
use std::future::ready;
use std::time::Duration;
use undaunted::{
    Answer, GaveUp, Last, Micros, NotReady, Outcome, Policy, Probe, Reason, Retry, Rng, Verdict, asynch,
    blocking,
};
use undaunted_tests::simulated::{Happened, World, block_on};

const SECOND: u64 = 1_000_000;
/// Every 10 s, for a minute.
const MINUTE: Policy = Policy::constant(Duration::from_secs(10))
    .no_jitter()
    .unlimited_attempts()
    .within(Duration::from_secs(60));

type Said<V> = Result<<V as Answer>::Value, GaveUp<<V as Answer>::Value, <V as Answer>::Error>>;

/// Blocking and asynchronous, which must come out the same. Each probe lasts as long as is said for its number
/// (from 0), in microseconds, and then gives this.
fn poll<V: Answer>(
    policy: &Policy,
    fixed_rate: bool,
    lasts: impl Fn(usize) -> u64,
    gives: impl Fn(usize) -> V,
) -> (Said<V>, Vec<Happened>)
where
    V::Value: PartialEq,
    V::Error: PartialEq + std::fmt::Display,
{
    let [(result, journal), asynchronous] = [false, true].map(|asynchronous| {
        let (world, calls) = (World::default(), Cell::new(0));
        let probe = || {
            world.call();
            let call = calls.replace(calls.get() + 1);
            world.pass(lasts(call));
            gives(call)
        };
        let tell = |event: &undaunted::Event<'_, V::Error>| world.tell(event);
        let result = match (asynchronous, fixed_rate) {
            (false, false) => blocking::retry(world.clone(), policy, probe).on_event(tell).run(),
            (false, true) => blocking::retry(world.clone(), policy, probe).on_event(tell).fixed_rate().run(),
            (true, false) => block_on(asynch::retry(world.clone(), policy, || ready(probe())).on_event(tell)),
            (true, true) => {
                block_on(asynch::retry(world.clone(), policy, || ready(probe())).fixed_rate().on_event(tell))
            }
        };
        (result, world.journal())
    });
    assert!(result == asynchronous.0, "the same, asynchronous");
    assert_eq!(journal, asynchronous.1);
    (result, journal)
}

/// A probe that takes no time.
fn at_once(_: usize) -> u64 {
    0
}

/// These, in seconds, the last one for ever.
fn seconds(lasts: &[u64]) -> impl Fn(usize) -> u64 {
    move |call| lasts.get(call).or(lasts.last()).unwrap() * SECOND
}

/// Journals without what was told.
fn times(journal: &[Happened]) -> (Vec<u64>, Vec<u64>) {
    let called =
        journal.iter().filter_map(|happened| if let Called(at) = happened { Some(*at) } else { None });
    let slept =
        journal.iter().filter_map(|happened| if let Slept(us, _) = happened { Some(*us) } else { None });
    (called.collect(), slept.collect())
}

fn told(journal: &[Happened]) -> Vec<&str> {
    journal
        .iter()
        .filter_map(|happened| if let Told(line, _) = happened { Some(&**line) } else { None })
        .collect()
}

#[test]
fn ready_not_yet_and_never() {
    let (result, journal) = poll(&MINUTE, false, at_once, |call| match call {
        0 => Probe::NotYet("no such link"),
        1 => Probe::NotYet("the link is down"),
        index => Probe::Ready(index),
    });
    assert_eq!(result, Ok(2));
    let lines = [
        "attempt 1 failed: no such link; next in 10 s",
        "attempt 2 failed: the link is down; next in 10 s",
        "attempt 3 succeeded after 20 s",
    ];
    assert_eq!(told(&journal), lines);

    let never = |call| if call == 0 { Probe::NotYet("down") } else { Probe::Never("there is no such link") };
    let (result, journal) = poll::<Probe<(), _>>(&MINUTE, true, at_once, never);
    let gave_up = GaveUp {
        last: Last::Error("there is no such link"),
        reason: Reason::Permanent,
        attempts: 2,
        elapsed: Micros::from_secs(10),
    };
    assert_eq!(result, Err(gave_up));
    assert_eq!(times(&journal).1, [10 * SECOND], "and no further wait");
}

#[test]
fn a_bool_an_option_and_a_result_are_probes_too() {
    assert_eq!(poll(&MINUTE, false, at_once, |call| call == 2).0, Ok(()));
    assert_eq!(poll(&MINUTE, false, at_once, |call| (call == 2).then_some("there")).0, Ok("there"));
    assert_eq!(poll(&MINUTE, false, at_once, |call| if call < 2 { Err("down") } else { Ok(call) }).0, Ok(2));
    // What was seen last is handed out: that it is not ready, or the error.
    let (result, journal) = poll(&MINUTE.attempts(2), false, at_once, |_| false);
    let gave_up = result.unwrap_err();
    assert_eq!(
        (gave_up.last, gave_up.reason, gave_up.attempts),
        (Last::Error(NotReady), Reason::Attempts, 2)
    );
    assert_eq!(gave_up.to_string(), "gave up after 2 attempts in 10 s: no attempts left; last: not ready");
    assert_eq!(told(&journal)[0], "attempt 1/2 failed: not ready; next in 10 s");
    let (result, journal) = poll(&MINUTE.attempts(2), false, at_once, |_| None::<u8>);
    assert_eq!(result.unwrap_err().last, Last::Error(NotReady));
    assert_eq!(told(&journal)[0], "attempt 1/2 failed: not ready; next in 10 s");
    let result = poll(&MINUTE.attempts(2), false, at_once, Err::<(), _>).0;
    assert_eq!(result.unwrap_err().last, Last::Error(1));
}

/// A predicate and a classifier see what a probe says, and cannot make ready what is not.
#[test]
fn classifiers_see_what_a_probe_says() {
    let run = |probe: Probe<u8, &'static str>, worth_it: bool| {
        blocking::retry(World::default(), &MINUTE.attempts(2), || probe).when(|_| worth_it).run()
    };
    let ended =
        |result: Result<u8, GaveUp<u8, _>>| result.map_err(|gave_up| (gave_up.reason, gave_up.attempts));
    assert_eq!(ended(run(Probe::NotYet("down"), true)), Err((Reason::Attempts, 2)));
    assert_eq!(ended(run(Probe::NotYet("down"), false)), Err((Reason::Permanent, 1)));
    assert_eq!(ended(run(Probe::Never("gone"), true)), Err((Reason::Permanent, 1)), "never stays never");
    assert_eq!(ended(run(Probe::Ready(3), false)), Ok(3));

    let run = |probe: Probe<u8, &'static str>, outcome| {
        blocking::retry(World::default(), &MINUTE.attempts(2), || probe).classify(|_| outcome).run()
    };
    assert_eq!(run(Probe::Ready(3), Outcome::Fail).unwrap_err().last, Last::NotYet(3));
    assert_eq!(run(Probe::NotYet("down"), Outcome::Succeed).unwrap_err().reason, Reason::Permanent);
}

#[test]
fn the_first_probe_is_made_at_once_or_after_the_first_delay() {
    let ready = |_| true;
    assert_eq!(poll(&MINUTE, true, at_once, ready).1[..1], [Called(0)]);
    let delayed = MINUTE.first_delay(Duration::from_secs(10));
    for fixed_rate in [false, true] {
        let (_, journal) = poll(&delayed, fixed_rate, at_once, ready);
        assert_eq!(journal[..2], [Slept(10 * SECOND, 0), Called(10 * SECOND)]);
        // The minute and the grid begin with the first probe.
        let (result, journal) = poll(&delayed, fixed_rate, at_once, |_| false);
        assert_eq!(times(&journal).0, [10, 20, 30, 40, 50, 60].map(|at| at * SECOND));
        assert_eq!(result.unwrap_err().elapsed, Micros::from_secs(50));
    }
}

/// Probes of 3, 12, 0 and 27 s, every 10 s for a minute.
#[test]
fn a_fixed_gap_is_between_the_end_of_a_probe_and_the_next() {
    let (result, journal) = poll(&MINUTE, false, seconds(&[3, 12, 0, 27]), |_| false);
    let line = |line: &str, at| Told(line.to_string(), at * SECOND);
    let expected = [
        Called(0),
        line("attempt 1 failed: not ready; next in 10 s", 3),
        Slept(10 * SECOND, 3 * SECOND),
        Called(13 * SECOND),
        line("attempt 2 failed: not ready; next in 10 s", 25),
        Slept(10 * SECOND, 25 * SECOND),
        Called(35 * SECOND),
        line("attempt 3 failed: not ready; next in 10 s", 35),
        Slept(10 * SECOND, 35 * SECOND),
        Called(45 * SECOND),
        line("attempt 4 failed: not ready; giving up after 1 min 12 s: no time left", 72),
    ];
    assert_eq!(journal, expected);
    let elapsed = Micros::from_secs(72);
    let gave_up = GaveUp { last: Last::Error(NotReady), reason: Reason::Deadline, attempts: 4, elapsed };
    assert_eq!(result, Err(gave_up));
}

/// The same at a fixed rate: the second takes 12 s and makes the grid skip the point at 20 s; the others are
/// where they would be.
#[test]
fn at_a_fixed_rate_a_slow_probe_neither_bunches_nor_drifts() {
    let (result, journal) = poll(&MINUTE, true, seconds(&[3, 12, 0, 27]), |_| false);
    let line = |line: &str, at| Told(line.to_string(), at * SECOND);
    let expected = [
        Called(0),
        line("attempt 1 failed: not ready; next in 7 s", 3),
        Slept(7 * SECOND, 3 * SECOND),
        Called(10 * SECOND),
        line("attempt 2 failed: not ready; next in 8 s", 22),
        Slept(8 * SECOND, 22 * SECOND),
        Called(30 * SECOND),
        line("attempt 3 failed: not ready; next in 10 s", 30),
        Slept(10 * SECOND, 30 * SECOND),
        Called(40 * SECOND),
        line("attempt 4 failed: not ready; giving up after 1 min 7 s: no time left", 67),
    ];
    assert_eq!(journal, expected);
    let elapsed = Micros::from_secs(67);
    let gave_up = GaveUp { last: Last::Error(NotReady), reason: Reason::Deadline, attempts: 4, elapsed };
    assert_eq!(result, Err(gave_up));
}

/// As long as its interval, to the microsecond: asked again at once, on the grid, and one more is a whole interval.
#[test]
fn a_probe_as_long_as_its_interval_is_on_time() {
    let exactly = |_| 10 * SECOND;
    let (_, journal) = poll(&MINUTE, true, exactly, |call| call == 3);
    assert_eq!(times(&journal), (vec![0, 10 * SECOND, 20 * SECOND, 30 * SECOND], vec![0; 3]));
    let longer = |_| 10 * SECOND + 1;
    let (_, journal) = poll(&MINUTE, true, longer, |call| call == 2);
    assert_eq!(times(&journal), (vec![0, 20 * SECOND, 40 * SECOND], vec![10 * SECOND - 1; 2]));
    let twice = |_| 20 * SECOND + 1;
    let (_, journal) = poll(&MINUTE, true, twice, |call| call == 1);
    assert_eq!(times(&journal), (vec![0, 30 * SECOND], vec![10 * SECOND - 1]));
}

/// Law 6 on the grid: a wait that would end at the deadline is not begun.
#[test]
fn the_deadline_is_exact_on_the_grid() {
    let probes = |micros: u64, lasts: u64| {
        let policy = MINUTE.within(Duration::from_micros(micros));
        let (result, journal) = poll(&policy, true, |_| lasts, |_| false);
        let gave_up = result.unwrap_err();
        assert_eq!(gave_up.reason, Reason::Deadline);
        // Given up after the last probe, and not at the deadline.
        let (called, _) = times(&journal);
        assert_eq!(gave_up.elapsed, Micros::new(called.last().unwrap() + lasts));
        called.len()
    };
    for lasts in [0, 1, 5 * SECOND, 10 * SECOND] {
        assert_eq!(probes(60 * SECOND - 1, lasts), 6);
        assert_eq!(probes(60 * SECOND, lasts), 6);
    }
    assert_eq!(probes(60 * SECOND + 1, 0), 7);
    // The probe of 50 s ends as the next is due, but not in time for it to begin before the deadline.
    assert_eq!(probes(60 * SECOND + 1, 10 * SECOND), 7);
    assert_eq!(probes(60 * SECOND + 1, 10 * SECOND + 1), 4, "0, 20, 40 and 60 s");
    // The grid may skip beyond the deadline: 31 s of work, and the next point is at 40 s.
    assert_eq!(probes(40 * SECOND, 31 * SECOND), 1);
    assert_eq!(probes(40 * SECOND + 1, 31 * SECOND), 2);
}

#[test]
fn probes_are_limited_in_number_too() {
    for fixed_rate in [false, true] {
        let (result, journal) = poll(&MINUTE.attempts(3), fixed_rate, seconds(&[4]), |_| false);
        let gave_up = result.unwrap_err();
        assert_eq!((gave_up.reason, gave_up.attempts), (Reason::Attempts, 3));
        assert_eq!(times(&journal).1.len(), 2, "no wait after the last");
    }
}

/// What is told is what is slept. Whatever probes take: each begins on the grid, at the first point that has not
/// passed when the one before ends.
#[test]
fn whatever_probes_take_they_begin_on_the_grid() {
    let mut rng = Rng::seeded(1);
    for _ in 0..500 {
        let lasts: Vec<u64> =
            (0..8).map(|_| u64::from(rng.draw() >> (rng.draw() % 24)) % (45 * SECOND)).collect();
        let policy = MINUTE.within(Duration::from_secs(200));
        let (world, mut waits) = (World::default(), Vec::new());
        let mut calls = 0;
        let probe = || {
            world.call();
            world.pass(lasts[calls % 8]);
            calls += 1;
            false
        };
        let poll = blocking::retry(world.clone(), &policy, probe).fixed_rate();
        let result = poll.on_event(|event| waits.push(event.verdict)).run();
        let (called, slept) = times(&world.journal());
        assert_eq!(result.unwrap_err().reason, Reason::Deadline);
        let told: Vec<_> = slept.iter().map(|us| Verdict::RetryAfter(Micros::new(*us))).collect();
        assert_eq!(waits[..waits.len() - 1], told);
        for (n, pair) in called.windows(2).enumerate() {
            let ended = pair[0] + lasts[n % 8];
            let next =
                (pair[0] + 10 * SECOND..).step_by(10 * SECOND as usize).find(|at| *at >= ended).unwrap();
            assert_eq!(pair[1], next, "{lasts:?}");
        }
        // The last one ended too late for another.
        let (last, ended) = (called[called.len() - 1], lasts[(called.len() - 1) % 8]);
        let next =
            (last + 10 * SECOND..).step_by(10 * SECOND as usize).find(|at| *at >= last + ended).unwrap();
        assert!(next >= 200 * SECOND && called.iter().all(|at| at % (10 * SECOND) == 0), "{lasts:?}");
    }
}

/// Law 11: the pace changes no draw. An interval is what is drawn, as if nothing took any time.
#[test]
fn a_fixed_rate_draws_what_a_fixed_gap_draws() {
    const JITTERED: Policy =
        Policy::exponential(Duration::from_secs(1)).proportional_jitter(1, 5).attempts(9);
    for seed in 0..50 {
        let drawn = drawn(&JITTERED, seed);
        let begins: Vec<u64> = std::iter::once(0)
            .chain(drawn.iter().scan(0, |sum, us| {
                *sum += us;
                Some(*sum)
            }))
            .collect();
        // Probes shorter than the shortest interval, 800 ms.
        for lasts in [0, 1, 799_999] {
            let run = |fixed_rate: bool| {
                let world = World::default();
                let probe = || {
                    world.call();
                    world.pass(lasts);
                    false
                };
                let poll = blocking::retry(world.clone(), &JITTERED, probe).seed(seed);
                let _ = if fixed_rate { poll.fixed_rate().run() } else { poll.run() };
                times(&world.journal())
            };
            assert_eq!(run(false).1, drawn);
            let (called, slept) = run(true);
            assert_eq!(called, begins);
            assert_eq!(slept, drawn.iter().map(|us| us - lasts).collect::<Vec<_>>());
        }
    }
}

/// One draw for each failure, from the core alone.
fn drawn(policy: &Policy, seed: u64) -> Vec<u64> {
    let (start, mut rng) = (undaunted::Instant::default(), Rng::seeded(seed));
    let mut retry = Retry::start(policy, start);
    let next = || match retry.next(policy, Outcome::Fail, start, rng.draw()) {
        Verdict::RetryAfter(wait) => Some(wait.as_micros()),
        _ => None,
    };
    std::iter::from_fn(next).collect()
}

/// The doors: `poll` is there for both runtimes, by value too, and a probe may take what an attempt may know.
#[test]
fn the_doors_of_thread_and_tokio() {
    const OFTEN: Policy = Policy::constant(Duration::from_micros(1)).no_jitter().attempts(5);
    let mut asked = 0;
    let probe = |attempt: undaunted::Attempt| {
        asked += 1;
        assert_eq!((attempt.number(), attempt.limit()), (asked, Some(5)));
        if asked < 3 { Probe::NotYet("down") } else { Probe::Ready(asked) }
    };
    let report = undaunted::thread::poll(OFTEN, probe).fixed_rate().report().unwrap();
    assert_eq!((report.value, report.attempts), (3, 3));
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let asked = Cell::new(0);
        let probe = async || {
            asked.set(asked.get() + 1);
            (asked.get() == 4).then_some("there")
        };
        assert_eq!(undaunted::tokio::poll(&OFTEN, probe).fixed_rate().await, Ok("there"));
    });
}

/// tokio's paused clock: probes that take time are at a fixed rate on the same grid, and one that hangs is cut at
/// its own timeout, which is no reason to lose the grid.
#[tokio::test(start_paused = true)]
async fn on_tokio_a_probe_that_hangs_is_cut_and_the_grid_stays() {
    const LIMITED: Policy = MINUTE.attempt_timeout(Duration::from_secs(25));
    let (start, mut begun) = (tokio::time::Instant::now(), Vec::new());
    let poll = undaunted::tokio::poll(&LIMITED, || {
        let number = begun.len();
        begun.push(start.elapsed().as_secs());
        async move {
            match number {
                0 => tokio::time::sleep(Duration::from_secs(4)).await,
                1 => std::future::pending().await,
                _ => {}
            }
            false
        }
    });
    let gave_up = poll.fixed_rate().await.unwrap_err();
    // Begun at 10 s and cut at 35 s.
    assert_eq!(begun, [0, 10, 40, 50]);
    assert_eq!((gave_up.reason, gave_up.attempts), (Reason::Deadline, 4));
}
