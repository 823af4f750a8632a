//! Supervision where something is not as it should be: what hangs, panics, lies, or is left behind.

use std::future::pending;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::task::{Context, Wake};
use std::time::Duration;
use tokio::time::{sleep, timeout};
use undaunted::tokio::{Session, Supervisor, poll, retry, supervise};
use undaunted::{Ended, Outcome, Policy, Reason, Recovery, Running, Stop, Verdict, thread};

const fn seconds(n: u64) -> Duration {
    Duration::from_secs(n)
}

const THREE: Recovery = Recovery::new(Policy::constant(seconds(1)).no_jitter().attempts(3));
const QUICK: Recovery = Recovery::new(Policy::constant(Duration::from_millis(1)).no_jitter().attempts(3));

async fn ends<F: Future>(future: F) -> F::Output {
    timeout(seconds(86_400), future).await.expect("it hangs")
}

/// Sets a flag when it is dropped.
struct Flag(Arc<AtomicBool>);

impl Drop for Flag {
    fn drop(&mut self) {
        self.0.store(true, SeqCst);
    }
}

fn stop_after(length: Duration, stop: &Stop) {
    let stop = stop.clone();
    tokio::spawn(async move {
        sleep(length).await;
        stop.stop();
    });
}

#[tokio::test(start_paused = true)]
async fn what_is_aborted_has_ended_when_it_is_answered() {
    let gone = Arc::new(AtomicBool::new(false));
    let flag = gone.clone();
    let stop = Stop::new();
    let mut supervisor = Supervisor::new(&stop);
    let stubborn = move || {
        let flag = Flag(flag.clone());
        async move {
            let _flag = flag;
            pending::<Result<(), &str>>().await
        }
    };
    supervisor.child("stubborn", supervise(&THREE, stubborn).grace(seconds(1)));
    stop_after(seconds(5), &stop);
    assert_eq!(ends(supervisor.run()).await.unwrap_err().reason, Reason::Cancelled);
    assert!(gone.load(SeqCst), "the child still lives");
}

#[tokio::test(start_paused = true)]
async fn a_panic_before_the_future_is_a_failure_too() {
    let mut runs = 0;
    let task = || {
        runs += 1;
        assert!(runs > 1, "in the closure");
        async { Ok::<_, &str>(7) }
    };
    assert_eq!(ends(supervise(&THREE, task).run()).await, Ok(Ended::Finished(7)));
}

#[tokio::test(start_paused = true)]
async fn a_hook_that_panics_is_an_escalation_and_stops_the_others() {
    let gone = Arc::new(AtomicBool::new(false));
    let flag = gone.clone();
    let mut supervisor = Supervisor::new(&Stop::new());
    let serve = move |stop: Stop| {
        let flag = Flag(flag.clone());
        async move {
            stop.stopped().await;
            drop(flag);
            Ok::<_, &str>(())
        }
    };
    supervisor.child("steady", supervise(&THREE, serve));
    let failing = supervise(&THREE, || async { Err::<(), _>("down") }).on_event(|_| panic!("a bad hook"));
    supervisor.child("hooked", failing);
    let escalation = ends(supervisor.run()).await.unwrap_err();
    assert_eq!(escalation.to_string(), "hooked: panicked: a bad hook");
    assert!(gone.load(SeqCst));
}

/// `within` begins after the `first_delay`, here as in `retry`.
#[tokio::test(start_paused = true)]
async fn time_counts_after_the_first_delay() {
    const DELAYED: Recovery = Recovery::new(
        Policy::constant(seconds(1)).no_jitter().first_delay(seconds(10)).within(seconds(5)).attempts(3),
    );
    let plain = ends(retry(DELAYED.policy(), || async { Err::<(), _>("down") })).await.unwrap_err();
    let gave_up = ends(supervise(&DELAYED, || async { Err::<(), _>("down") }).run()).await.unwrap_err();
    assert_eq!(
        (gave_up.reason, gave_up.attempts, gave_up.elapsed),
        (plain.reason, plain.attempts, plain.elapsed)
    );
    assert_eq!((plain.reason, plain.attempts), (Reason::Attempts, 3));
}

#[tokio::test(start_paused = true)]
async fn a_real_escalation_is_not_hidden_by_a_child_that_was_stopped() {
    let mut supervisor = Supervisor::new(&Stop::new());
    let stopped = |stop: Stop| async move {
        stop.stopped().await;
        Err::<(), _>("could not flush")
    };
    let first = supervisor.child("first", supervise(&THREE, stopped));
    let failing = || async {
        sleep(seconds(50)).await;
        Err::<(), _>("address in use")
    };
    supervisor.child("dhcp", supervise(&THREE, failing));
    stop_after(seconds(5), &first);
    let escalation = ends(supervisor.run()).await.unwrap_err();
    assert_eq!((escalation.child.as_str(), escalation.reason), ("dhcp", Reason::Attempts));
}

#[test]
fn nor_on_threads() {
    let mut supervisor = thread::Supervisor::new(&Stop::new());
    let (runs, flushed, failed) = (Stop::new(), Stop::new(), Stop::new());
    let (begun, told) = (runs.clone(), flushed.clone());
    let stopped = move |stop: Stop| {
        begun.stop();
        stop.wait(Duration::MAX);
        told.stop();
        Err::<(), _>("could not flush")
    };
    let first = supervisor.child("first", thread::supervise(&QUICK, stopped));
    let fails = failed.clone();
    // Fails for good only once the other has been told.
    let failing = move || {
        flushed.wait(Duration::MAX);
        fails.stop();
        Err::<(), _>("address in use")
    };
    supervisor.child("dhcp", thread::supervise(&QUICK, failing));
    std::thread::spawn(move || {
        runs.wait(Duration::MAX);
        first.stop();
    });
    let escalation = supervisor.run().unwrap_err();
    assert_eq!(escalation.child, "dhcp");
    assert!(failed.is_stopped());
}

/// A gate that somebody else cancels leaves its child down for good: that concerns all.
#[tokio::test(start_paused = true)]
async fn a_gate_that_is_cancelled_by_somebody_else_escalates() {
    const EVERY: Policy = Policy::constant(seconds(1)).no_jitter().unlimited_attempts();
    let other = Stop::new();
    let mut supervisor = Supervisor::new(&Stop::new());
    let token = other.clone();
    let gate = move || poll(&EVERY, || async { false }).cancel(&token).report();
    supervisor.child("gated", supervise(&THREE, || async { Err::<(), _>("down") }).gate(gate));
    let serve = |stop: Stop| async move {
        stop.stopped().await;
        Ok::<_, &str>(())
    };
    supervisor.child("dns", supervise(&THREE, serve));
    stop_after(seconds(5), &other);
    let escalation = ends(supervisor.run()).await.unwrap_err();
    assert_eq!((escalation.child.as_str(), escalation.reason), ("gated", Reason::Cancelled));
}

/// The gate stands between a failure and the next run, and not after a clean end.
#[tokio::test(start_paused = true)]
async fn a_clean_end_passes_no_gate() {
    const TWICE: Recovery = THREE.intensity(2, seconds(3_600));
    const AT_ONCE: Policy = Policy::immediate();
    let shut = || poll(&AT_ONCE, || async { false }).report();
    let clean = || async { Ok::<_, &str>(()) };
    let gave_up = ends(supervise(&TWICE, clean).always().gate(shut).run()).await.unwrap_err();
    assert_eq!((gave_up.reason, gave_up.attempts), (Reason::Intensity, 3));
}

/// What a run started and left behind is told when the run has ended, and when the supervision is dropped.
#[tokio::test(start_paused = true)]
async fn what_a_run_leaves_behind_is_told_to_stop() {
    let alive = Arc::new(AtomicU32::new(0));
    let helped = |hangs: bool| {
        let alive = alive.clone();
        move |stop: Stop| {
            let alive = alive.clone();
            async move {
                alive.fetch_add(1, SeqCst);
                tokio::spawn(async move {
                    stop.stopped().await;
                    alive.fetch_sub(1, SeqCst);
                });
                if hangs { pending().await } else { Err::<(), _>("down") }
            }
        }
    };
    assert!(ends(supervise(&THREE, helped(false)).run()).await.is_err());
    sleep(seconds(1)).await;
    assert_eq!(alive.load(SeqCst), 0);
    assert!(timeout(seconds(5), supervise(&THREE, helped(true)).run()).await.is_err());
    sleep(seconds(1)).await;
    assert_eq!(alive.load(SeqCst), 0);
}

/// Law 10: a connect that hangs for longer than `reset_after` was never healthy, and the waits grow.
#[tokio::test(start_paused = true)]
async fn a_connect_that_hangs_is_not_health() {
    const UPLINK: Recovery =
        Recovery::new(Policy::exponential(seconds(1)).no_jitter().cap(seconds(60)).attempts(5))
            .reset_after(seconds(120));
    let mut waits = Vec::new();
    let hangs = |_: Running| async {
        sleep(seconds(127)).await;
        Err::<(), _>("timed out")
    };
    let supervised = supervise(&UPLINK, hangs).on_event(|event| waits.push(event.verdict));
    let gave_up = ends(supervised.run()).await.unwrap_err();
    assert_eq!((gave_up.reason, gave_up.attempts), (Reason::Attempts, 5));
    let wait = |n| Verdict::RetryAfter(undaunted::Micros::from_secs(n));
    assert_eq!(waits, [wait(1), wait(2), wait(4), wait(8), Verdict::GiveUp(Reason::Attempts)]);

    // Up for 120 s after a connect of 7 s: each time from the beginning.
    let mut runs = 0;
    let lost = |running: Running| {
        runs += 1;
        let last = runs == 20;
        async move {
            sleep(seconds(7)).await;
            running.up();
            sleep(seconds(120)).await;
            if last { Ok(()) } else { Err("lost") }
        }
    };
    assert_eq!(ends(supervise(&UPLINK, lost).run()).await, Ok(Ended::Finished(())));
}

#[test]
fn on_a_thread_too_only_what_is_up_is_healthy() {
    const SHORT: Recovery = QUICK.reset_after(Duration::from_micros(1));
    let never_up = thread::supervise(&SHORT, |_: Running| Err::<(), _>("down")).run().unwrap_err();
    assert_eq!((never_up.reason, never_up.attempts), (Reason::Attempts, 3));
    let mut runs = 0;
    let up = |running: Running| {
        runs += 1;
        running.up();
        std::thread::sleep(Duration::from_millis(1));
        if runs == 20 { Ok(runs) } else { Err("lost") }
    };
    assert_eq!(thread::supervise(&SHORT, up).run(), Ok(Ended::Finished(20)));
}

/// Law 8 for a deadline that is said too late.
#[tokio::test(start_paused = true)]
async fn a_deadline_does_not_wake_a_session_that_has_ended() {
    let mut session = Session::start(THREE.policy());
    while let Verdict::RetryAfter(_) = session.settle(Outcome::Fail).await.verdict {}
    let mut session = session.deadline(undaunted::Instant::MAX);
    assert_eq!(session.settle(Outcome::Fail).await.verdict, Verdict::GiveUp(Reason::Attempts));
}

#[test]
fn a_payload_that_panics_when_dropped_is_a_panic_and_no_more() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("the payload's drop");
        }
    }
    let gave_up = thread::supervise(&QUICK, || -> Result<(), &str> { panic_any(Bomb) }).run().unwrap_err();
    assert_eq!(gave_up.error().unwrap().to_string(), "panicked: something that is no text");
}

#[test]
fn a_waker_that_panics_leaves_nobody_asleep() {
    struct Bad;
    impl Wake for Bad {
        fn wake(self: Arc<Self>) {
            panic!("a bad waker");
        }
    }
    struct Good(AtomicBool);
    impl Wake for Good {
        fn wake(self: Arc<Self>) {
            self.0.store(true, SeqCst);
        }
    }
    let (stop, good) = (Stop::new(), Arc::new(Good(AtomicBool::new(false))));
    let (mut first, mut second) = (std::pin::pin!(stop.stopped()), std::pin::pin!(stop.stopped()));
    assert!(first.as_mut().poll(&mut Context::from_waker(&Arc::new(Bad).into())).is_pending());
    assert!(second.as_mut().poll(&mut Context::from_waker(&good.clone().into())).is_pending());
    assert!(catch_unwind(AssertUnwindSafe(|| stop.stop())).is_err(), "it is heard of");
    assert!(good.0.load(SeqCst) && stop.is_stopped());
}
