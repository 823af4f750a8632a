//! Supervision: restarts, resets that are earned, gates, stops, escalation. tokio on its paused clock; threads
//! with waits of a millisecond.

use std::cell::{Cell, RefCell};
use std::future::pending;
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};
use undaunted::tokio::{Supervisor, poll, supervise};
use undaunted::{Crash, Ended, GaveUp, Last, Micros, Policy, Probe, Reason, Recovery, Stop, thread};

const fn seconds(n: u64) -> Duration {
    Duration::from_secs(n)
}

/// Waits of 1, 2, 4, .. 30 s.
const DOUBLING: Policy = Policy::exponential(seconds(1)).no_jitter().cap(seconds(30));
const FIVE: Recovery = Recovery::new(DOUBLING.attempts(5)).reset_after(seconds(10));
const ENDLESS: Recovery = Recovery::new(DOUBLING.unlimited_attempts()).reset_after(seconds(10));
const QUICK: Recovery = Recovery::new(Policy::constant(Duration::from_millis(1)).no_jitter().attempts(3));

/// When each run began, in seconds.
#[derive(Clone)]
struct Begun(Instant, Arc<Mutex<Vec<u64>>>);

impl Begun {
    fn new() -> Begun {
        Begun(Instant::now(), Arc::default())
    }

    /// Counts a run, from 1.
    fn count(&self) -> usize {
        let mut begun = self.1.lock().unwrap();
        begun.push(self.0.elapsed().as_secs());
        begun.len()
    }

    fn all(&self) -> Vec<u64> {
        self.1.lock().unwrap().clone()
    }
}

/// What hangs must fail here: a virtual week is never needed.
async fn ends<F: Future>(future: F) -> F::Output {
    timeout(seconds(7 * 86_400), future).await.expect("it hangs")
}

#[tokio::test(start_paused = true)]
async fn it_runs_again_after_a_failure_and_after_a_panic() {
    let (begun, mut lines) = (Begun::new(), Vec::new());
    let task = || {
        let run = begun.count();
        async move {
            match run {
                1 => Err("address in use"),
                2 => panic!("index {} is out of bounds", 7),
                3 => panic!("a plain text"),
                _ => Ok("served"),
            }
        }
    };
    let ended = ends(supervise(&FIVE, task).on_event(|event| lines.push(event.to_string())).run()).await;
    assert_eq!(ended, Ok(Ended::Finished("served")));
    assert_eq!(begun.all(), [0, 1, 3, 7]);
    assert_eq!(
        lines,
        [
            "attempt 1/5 failed: address in use; next in 1 s",
            "attempt 2/5 failed: panicked: index 7 is out of bounds; next in 2 s",
            "attempt 3/5 failed: panicked: a plain text; next in 4 s",
            "attempt 4/5 succeeded after 7 s",
        ]
    );
}

/// A crash every 2 s with a reset after 10 s is never healthy: it gives up at its limit.
#[tokio::test(start_paused = true)]
async fn a_crash_every_two_seconds_gives_up_at_the_limit() {
    let begun = Begun::new();
    let task = || {
        begun.count();
        async {
            sleep(seconds(2)).await;
            Err::<(), _>("crash")
        }
    };
    let ended = ends(supervise(&FIVE, task).run()).await;
    // Ends at 2, 5, 9, 15 s, and 2 s after 23 s.
    assert_eq!(begun.all(), [0, 3, 7, 13, 23]);
    let gave_up = GaveUp {
        last: Last::Error(Crash::Failed("crash")),
        reason: Reason::Attempts,
        attempts: 5,
        elapsed: Micros::from_secs(25),
    };
    assert_eq!(ended, Err(gave_up));
}

/// Three quick crashes, a healthy hour, and the waits begin again; a peer healthy for 5 ms only waits longer.
#[tokio::test(start_paused = true)]
async fn a_healthy_hour_resets_and_five_milliseconds_do_not() {
    let (begun, stop) = (Begun::new(), Stop::new());
    let task = |stop: Stop| {
        let run = begun.count();
        async move {
            sleep(if run == 4 { seconds(3_600) } else { Duration::from_millis(5) }).await;
            if run == 8 {
                stop.stopped().await;
                return Ok(());
            }
            Err("closed")
        }
    };
    let outside = stop.clone();
    tokio::spawn(async move {
        sleep(seconds(4_000)).await;
        outside.stop();
    });
    assert_eq!(ends(supervise(&ENDLESS, task).stop(&stop).run()).await, Ok(Ended::Finished(())));
    // 1, 2, 4 s; the hour; 1, 2, 4, 8 s again.
    assert_eq!(begun.all(), [0, 1, 3, 7, 3_608, 3_610, 3_614, 3_622]);
}

#[tokio::test(start_paused = true)]
async fn more_restarts_than_the_intensity_allows_end_it() {
    const THREE_A_MINUTE: Recovery = ENDLESS.intensity(3, seconds(60));
    let begun = Begun::new();
    let task = || {
        begun.count();
        async { Err::<(), _>("crash") }
    };
    let gave_up = ends(supervise(&THREE_A_MINUTE, task).run()).await.unwrap_err();
    assert_eq!((gave_up.reason, gave_up.attempts), (Reason::Intensity, 4));
    assert_eq!(begun.all(), [0, 1, 3, 7]);
}

/// A clean exit is not a failure: it ends the supervision, or is run again without using up an attempt.
#[tokio::test(start_paused = true)]
async fn clean_ends_are_no_failures() {
    let begun = Begun::new();
    let clean = || {
        let run = begun.count();
        async move { Ok::<_, &str>(run) }
    };
    assert_eq!(ends(supervise(&FIVE, clean).run()).await, Ok(Ended::Finished(1)));

    const TEN_AN_HOUR: Recovery = FIVE.intensity(10, seconds(3_600));
    let (begun, mut lines) = (Begun::new(), Vec::new());
    let clean = || {
        let run = begun.count();
        async move { Ok::<_, &str>(run) }
    };
    let supervised = supervise(&TEN_AN_HOUR, clean).always().on_event(|event| lines.push(event.to_string()));
    let gave_up = ends(supervised.run()).await.unwrap_err();
    // Far more runs than the 5 attempts; each ends at once, so that the waits grow all the same.
    assert_eq!((gave_up.reason, gave_up.attempts, gave_up.last), (Reason::Intensity, 11, Last::Finished(11)));
    assert_eq!(begun.all(), [0, 1, 3, 7, 15, 31, 61, 91, 121, 151, 181]);
    assert_eq!(lines[0], "ended without an error; next in 1 s");
}

#[tokio::test(start_paused = true)]
async fn what_is_not_worth_it_ends_at_once() {
    let wrong = || async { Err::<(), _>("no such configuration") };
    let supervised = supervise(&FIVE, wrong).when(|crash| *crash != Crash::Failed("no such configuration"));
    let gave_up = ends(supervised.run()).await.unwrap_err();
    assert_eq!((gave_up.reason, gave_up.attempts), (Reason::Permanent, 1));
    // A clean end that is to count as a failure.
    let supervised = supervise(&FIVE, || async { Ok::<_, &str>(1) }).classify(|_| undaunted::Outcome::Fail);
    let gave_up = ends(supervised.run()).await.unwrap_err();
    assert_eq!((gave_up.reason, gave_up.last), (Reason::Attempts, Last::NotYet(1)));
}

#[tokio::test(start_paused = true)]
async fn the_first_delay_comes_before_the_first_run() {
    const DELAYED: Recovery =
        Recovery::new(Policy::constant(seconds(1)).no_jitter().first_delay(seconds(5)).attempts(2));
    let begun = Begun::new();
    let task = || {
        begun.count();
        async { Err::<(), _>("crash") }
    };
    assert_eq!(ends(supervise(&DELAYED, task).run()).await.unwrap_err().attempts, 2);
    assert_eq!(begun.all(), [5, 6]);
}

/// Stops after so long, from a task of its own.
fn stop_after(length: Duration) -> Stop {
    let stop = Stop::new();
    let outside = stop.clone();
    tokio::spawn(async move {
        sleep(length).await;
        outside.stop();
    });
    stop
}

#[tokio::test(start_paused = true)]
async fn a_stop_reaches_the_running_task_and_ends_every_wait() {
    // The task is told, tidies up for a second, and ends.
    let start = Instant::now();
    let obeys = |stop: Stop| async move {
        stop.stopped().await;
        sleep(seconds(1)).await;
        Ok::<_, &str>("tidy")
    };
    let stop = stop_after(seconds(100));
    assert_eq!(ends(supervise(&FIVE, obeys).stop(&stop).run()).await, Ok(Ended::Finished("tidy")));
    assert_eq!(start.elapsed().as_secs(), 101);

    // On its way out it fails: that is not hidden.
    let fails = |stop: Stop| async move {
        stop.stopped().await;
        Err::<(), _>("could not flush")
    };
    let stop = stop_after(seconds(100));
    let mut lines = Vec::new();
    let supervised = supervise(&FIVE, fails).stop(&stop).on_event(|event| lines.push(event.to_string()));
    let gave_up = ends(supervised.run()).await.unwrap_err();
    assert_eq!(lines, ["attempt 1/5 failed: could not flush; giving up after 1 min 40 s: cancelled"]);
    assert_eq!(
        (gave_up.reason, gave_up.error()),
        (Reason::Cancelled, Some(&Crash::Failed("could not flush")))
    );

    // In a wait, in a first delay, before anything: nothing runs.
    let start = Instant::now();
    let fails = || async { Err::<(), _>("crash") };
    const SLOW: Recovery = Recovery::new(Policy::constant(seconds(1_000)).no_jitter().cap(seconds(1_000)));
    let stop = stop_after(seconds(3));
    assert_eq!(ends(supervise(&SLOW, fails).stop(&stop).run()).await, Ok(Ended::Stopped));
    assert_eq!(start.elapsed().as_secs(), 3);
    assert_eq!(ends(supervise(&SLOW, fails).stop(&stop).run()).await, Ok(Ended::Stopped));
    assert_eq!(start.elapsed().as_secs(), 3);
}

/// Sets a flag when it is dropped.
struct Dropped(Arc<AtomicU32>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[tokio::test(start_paused = true)]
async fn a_task_that_does_not_obey_is_aborted_after_its_grace() {
    let dropped = Arc::new(AtomicU32::new(0));
    let stubborn = || {
        let dropped = Dropped(dropped.clone());
        async move {
            let _dropped = dropped;
            pending::<Result<(), &str>>().await
        }
    };
    let (start, stop) = (Instant::now(), stop_after(seconds(5)));
    let supervised = supervise(&FIVE, stubborn).stop(&stop).grace(seconds(3));
    let gave_up = ends(supervised.run()).await.unwrap_err();
    assert_eq!((gave_up.reason, gave_up.last, gave_up.attempts), (Reason::Cancelled, Last::Cut, 1));
    assert_eq!(start.elapsed().as_secs(), 8);
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
}

/// A dropped supervision runs nothing more, and leaves no task behind.
#[tokio::test(start_paused = true)]
async fn dropping_the_supervision_aborts_its_task() {
    let dropped = Arc::new(AtomicU32::new(0));
    let hangs = || {
        let dropped = Dropped(dropped.clone());
        async move {
            let _dropped = dropped;
            pending::<Result<(), &str>>().await
        }
    };
    assert!(timeout(seconds(1), supervise(&FIVE, hangs).run()).await.is_err());
    tokio::task::yield_now().await;
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
}

/// The first story: the first run takes its interface down; the gate waits for it, and then it runs at once.
#[tokio::test(start_paused = true)]
async fn a_gate_that_was_shut_lets_start_at_once_when_it_opens() {
    const SLOW: Recovery =
        Recovery::new(Policy::constant(seconds(300)).no_jitter().cap(seconds(300)).attempts(3));
    const EVERY_TWO: Policy =
        Policy::constant(seconds(2)).no_jitter().unlimited_attempts().within(seconds(30));
    let (begun, lines) = (Begun::new(), RefCell::new(Vec::new()));
    let task = || {
        let run = begun.count();
        async move { if run == 1 { Err("link is down") } else { Ok(()) } }
    };
    let start = begun.0;
    let link_is_up = || async move {
        match start.elapsed().as_secs() {
            0..17 => Probe::NotYet("link is down"),
            _ => Probe::Ready(()),
        }
    };
    let supervised = supervise(&SLOW, task).gate(|| {
        poll(&EVERY_TWO, link_is_up).on_event(|event| lines.borrow_mut().push(event.to_string())).report()
    });
    assert_eq!(ends(supervised.run()).await, Ok(Ended::Finished(())));
    // Asked at 0, 2, .. 18 s, where it is open: at once, and not after 300 s.
    assert_eq!(begun.all(), [0, 18]);
    assert_eq!(lines.borrow().len(), 10);
    assert_eq!(lines.borrow()[9], "attempt 10 succeeded after 18 s");
}

/// A gate that is open was not the reason: the waits hold, or a crash loop would be a hot loop.
#[tokio::test(start_paused = true)]
async fn a_gate_that_is_open_leaves_the_waits_as_they_are() {
    const AT_ONCE: Policy = Policy::constant(seconds(2)).no_jitter();
    let begun = Begun::new();
    let task = || {
        begun.count();
        async { Err::<(), _>("crash") }
    };
    // The first probe takes a second, which is not added to the wait.
    let open = || async {
        sleep(seconds(1)).await;
        true
    };
    let gave_up =
        ends(supervise(&FIVE, task).gate(|| poll(&AT_ONCE, open).report()).run()).await.unwrap_err();
    assert_eq!(gave_up.reason, Reason::Attempts);
    assert_eq!(begun.all(), [0, 1, 3, 7, 15]);
}

#[tokio::test(start_paused = true)]
async fn a_gate_that_stays_shut_is_the_end() {
    const EVERY_TWO: Policy =
        Policy::constant(seconds(2)).no_jitter().unlimited_attempts().within(seconds(5));
    let start = Instant::now();
    let fails = || async { Err::<(), _>("crash") };
    let shut = || poll(&EVERY_TWO, || async { Probe::<(), _>::NotYet("link is down") }).report();
    let gave_up = ends(supervise(&FIVE, fails).gate(shut).run()).await.unwrap_err();
    assert_eq!(gave_up.reason, Reason::Deadline);
    assert_eq!(
        gave_up.to_string(),
        "gave up after 1 attempt in 4 s: no time left; last: the gate stayed shut: \
         gave up after 3 attempts in 4 s: no time left; last: link is down"
    );
    // A stop ends the gate too.
    let stop = stop_after(seconds(1));
    assert_eq!(ends(supervise(&FIVE, fails).gate(shut).stop(&stop).run()).await, Ok(Ended::Stopped));
    assert_eq!(start.elapsed().as_secs(), 5);
}

/// One for one: a child that crashes is restarted alone; one that gives up ends all.
#[tokio::test(start_paused = true)]
async fn children_are_restarted_one_for_one_and_an_escalation_ends_all() {
    let (steady, failing) = (Begun::new(), Begun::new());
    let stop = Stop::new();
    let mut supervisor = Supervisor::new(&stop);
    let (begun, told) = (steady.clone(), Arc::new(AtomicU32::new(0)));
    let was_told = told.clone();
    supervisor.child(
        "steady",
        supervise(&FIVE, move |stop: Stop| {
            begun.count();
            let told = was_told.clone();
            async move {
                stop.stopped().await;
                told.fetch_add(1, Ordering::SeqCst);
                Ok::<_, &str>(())
            }
        }),
    );
    let begun = failing.clone();
    supervisor.child(
        "failing",
        supervise(&FIVE, move || {
            begun.count();
            async { Err::<(), _>("address in use") }
        }),
    );
    let escalation = ends(supervisor.run()).await.unwrap_err();
    assert_eq!((escalation.child.as_str(), escalation.reason), ("failing", Reason::Attempts));
    assert_eq!(
        escalation.to_string(),
        "failing: gave up after 5 attempts in 15 s: no attempts left; last: address in use"
    );
    assert_eq!((steady.all(), failing.all()), (vec![0], vec![0, 1, 3, 7, 15]));
    assert_eq!(told.load(Ordering::SeqCst), 1);
    assert!(!stop.is_stopped(), "the caller's own handle is the caller's");
}

#[tokio::test(start_paused = true)]
async fn a_child_is_stopped_alone_and_all_are_stopped_together() {
    let stop = stop_after(seconds(100));
    let mut supervisor = Supervisor::new(&stop);
    let serve = |stop: Stop| async move {
        stop.stopped().await;
        Ok::<_, &str>(())
    };
    let first = supervisor.child("first", supervise(&FIVE, serve));
    supervisor.child("second", supervise(&FIVE, serve));
    // On its way out it fails, alone: the others go on.
    let third = supervisor.child(
        "third",
        supervise(&FIVE, |stop: Stop| async move {
            stop.stopped().await;
            Err::<(), _>("could not flush")
        }),
    );
    let start = Instant::now();
    tokio::spawn(async move {
        sleep(seconds(10)).await;
        first.stop();
        third.stop();
    });
    let escalation = ends(supervisor.run()).await.unwrap_err();
    assert_eq!(start.elapsed().as_secs(), 100);
    assert_eq!((escalation.child.as_str(), escalation.reason), ("third", Reason::Cancelled));
}

/// Nothing about it is tied to one task: hooks and gates of any kind, spawned as a whole.
#[tokio::test(start_paused = true)]
async fn a_supervision_can_be_spawned() {
    let task = tokio::spawn(supervise(&FIVE, || async { Ok::<_, &str>(1) }).on_event(|_| {}).run());
    assert_eq!(task.await.unwrap(), Ok(Ended::Finished(1)));
}

#[test]
fn a_thread_runs_again_after_failures_and_panics() {
    let (runs, lines) = (Cell::new(0), Rc::new(RefCell::new(Vec::new())));
    let task = || {
        runs.set(runs.get() + 1);
        match runs.get() {
            1 => Err("address in use"),
            2 => panic!("out of bounds"),
            _ => Ok(runs.get()),
        }
    };
    let told = lines.clone();
    let ended = thread::supervise(&QUICK, task)
        .on_event(|event| told.borrow_mut().push(event.error().map(Crash::to_string)))
        .run();
    assert_eq!(ended, Ok(Ended::Finished(3)));
    assert_eq!(
        *lines.borrow(),
        [Some("address in use".to_string()), Some("panicked: out of bounds".to_string()), None]
    );
    let gave_up = thread::supervise(&QUICK, || Err::<(), _>("down")).run().unwrap_err();
    assert_eq!((gave_up.reason, gave_up.attempts), (Reason::Attempts, 3));
}

/// Waits of an hour, which nobody waits for: a stop ends them.
#[test]
fn a_stop_ends_a_thread_in_its_task_and_in_its_wait() {
    const HOURLY: Recovery =
        Recovery::new(Policy::constant(seconds(3_600)).no_jitter().cap(seconds(3_600)).attempts(3));
    let stop = Stop::new();
    let worker = std::thread::spawn({
        let stop = stop.clone();
        move || thread::supervise(&HOURLY, || Err::<(), _>("down")).stop(&stop).run()
    });
    std::thread::sleep(Duration::from_millis(20));
    stop.stop();
    assert_eq!(worker.join().unwrap(), Ok(Ended::Stopped));

    let stop = Stop::new();
    let worker = std::thread::spawn({
        let stop = stop.clone();
        let serve = |stop: Stop| Ok::<_, &str>(stop.wait(Duration::MAX));
        move || thread::supervise(&HOURLY, serve).stop(&stop).run()
    });
    stop.stop();
    // Told while it served, or before it began.
    assert!(matches!(worker.join().unwrap(), Ok(Ended::Finished(true) | Ended::Stopped)));
}

#[test]
fn a_threads_gate_holds_the_next_run_back() {
    const EVERY: Policy = Policy::constant(Duration::from_millis(1)).no_jitter().attempts(4);
    const HOURLY: Recovery = Recovery::new(Policy::constant(seconds(3_600)).no_jitter().cap(seconds(3_600)));
    let (runs, asked) = (Cell::new(0), Cell::new(0));
    let task = || {
        runs.set(runs.get() + 1);
        if runs.get() == 1 { Err("down") } else { Ok(()) }
    };
    let third = || {
        asked.set(asked.get() + 1);
        asked.get() == 3
    };
    let supervised = thread::supervise(&HOURLY, task);
    let ended = supervised.gate(|stop| thread::poll(&EVERY, third).cancel(stop).report()).run();
    assert_eq!((ended, runs.get(), asked.get()), (Ok(Ended::Finished(())), 2, 3));

    let never = |stop: &Stop| thread::poll(&EVERY, || false).cancel(stop).report();
    let gave_up = thread::supervise(&HOURLY, || Err::<(), _>("down")).gate(never).run().unwrap_err();
    assert_eq!((gave_up.reason, gave_up.attempts), (Reason::Attempts, 1));
}

#[test]
fn threads_are_restarted_one_for_one_and_an_escalation_ends_all() {
    let mut supervisor = thread::Supervisor::new(&Stop::new());
    let serve = |stop: Stop| Ok::<_, &str>(stop.wait(Duration::MAX));
    supervisor.child("steady", thread::supervise(&QUICK, serve));
    supervisor.child("failing", thread::supervise(&QUICK, || Err::<(), _>("address in use")));
    let escalation = supervisor.run().unwrap_err();
    assert_eq!((escalation.child.as_str(), escalation.reason), ("failing", Reason::Attempts));

    // A hook that panics must not leave the others running for ever; a name with a zero is a name.
    let mut supervisor = thread::Supervisor::new(&Stop::new());
    supervisor.child("steady", thread::supervise(&QUICK, serve));
    let failing = thread::supervise(&QUICK, || Err::<(), _>("down")).on_event(|_| panic!("a bad hook"));
    supervisor.child("bad\0name", failing);
    let escalation = supervisor.run().unwrap_err();
    assert_eq!(escalation.to_string(), "bad\0name: panicked: a bad hook");
}
