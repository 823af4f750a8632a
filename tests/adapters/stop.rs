//! `Stop`: whoever waits is woken at once, in threads and in tasks, and nothing is left behind.

use std::cell::Cell;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::task::{Context, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};
use undaunted::{Stop, Stopped};

/// Longer than any test may run.
const LONG: Duration = Duration::from_secs(600);

/// Long before `LONG`, however busy the machine is.
const SOON: Duration = Duration::from_secs(60);

/// A waker that counts, and can be asked whether anybody still holds it.
#[derive(Default)]
struct Counter(AtomicU32);

impl Counter {
    fn count(&self) -> u32 {
        self.0.load(Ordering::SeqCst)
    }
}

impl Wake for Counter {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn is_ready(stopped: &mut Stopped, counter: &Arc<Counter>) -> bool {
    let waker = Waker::from(counter.clone());
    pin!(stopped).poll(&mut Context::from_waker(&waker)).is_ready()
}

#[test]
fn a_blocked_thread_is_woken_at_once() {
    let (stop, (sender, receiver)) = (Stop::new(), mpsc::channel());
    let workers: Vec<_> = (0..4)
        .map(|i| {
            let (stop, sender) = (if i % 2 == 0 { stop.clone() } else { stop.child() }, sender.clone());
            thread::spawn(move || {
                sender.send(()).unwrap();
                (stop.wait(if i == 0 { Duration::MAX } else { LONG }), Instant::now())
            })
        })
        .collect();
    workers.iter().for_each(|_| receiver.recv().unwrap());
    // Most likely they are blocked by now; it holds all the same if one is not.
    thread::sleep(Duration::from_millis(20));
    let before = Instant::now();
    stop.stop();
    for worker in workers {
        let (stopped, woken) = worker.join().unwrap();
        let latency = woken.saturating_duration_since(before);
        println!("woken after {latency:?}");
        assert!(stopped && latency < SOON, "{latency:?}");
    }
}

#[test]
fn a_wait_lasts_as_long_as_told_unless_stopped() {
    let stop = Stop::new();
    for length in [Duration::ZERO, Duration::from_nanos(1), Duration::from_micros(1_500)] {
        let before = Instant::now();
        assert!(!stop.wait(length));
        assert!(before.elapsed() >= length);
    }
    stop.stop();
    stop.stop();
    let before = Instant::now();
    assert!(stop.wait(Duration::ZERO) && stop.wait(LONG) && stop.wait(Duration::MAX));
    assert!(before.elapsed() < SOON);
}

/// Waking is no reason to end early: a child that is stopped alone notifies nobody else, and a thread that is
/// unparked goes on waiting.
#[test]
fn what_else_wakes_a_thread_does_not_end_its_wait() {
    let stop = Stop::new();
    let length = Duration::from_millis(30);
    let worker = thread::spawn({
        let stop = stop.clone();
        move || {
            let before = Instant::now();
            (stop.wait(length), before.elapsed())
        }
    });
    for _ in 0..10 {
        worker.thread().unpark();
        stop.child().stop();
        thread::sleep(Duration::from_millis(1));
    }
    let (stopped, waited) = worker.join().unwrap();
    assert!(!stopped && waited >= length, "{waited:?}");
}

#[test]
fn every_waiter_is_woken_once_and_the_newest_waker_alone() {
    let stop = Stop::new();
    let (first, newest) = (Arc::new(Counter::default()), Arc::new(Counter::default()));
    let mut waiters: Vec<_> = (0..1_000).map(|_| stop.stopped()).collect();
    for waiter in &mut waiters {
        assert!(!is_ready(waiter, &first));
        assert!(!is_ready(waiter, &newest));
    }
    assert_eq!(Arc::strong_count(&first), 1, "a waker that was replaced is gone");
    stop.stop();
    stop.stop();
    assert_eq!((first.count(), newest.count()), (0, 1_000));
    assert_eq!(Arc::strong_count(&newest), 1, "a waker that was called is gone");
    assert!(waiters.iter_mut().all(|waiter| is_ready(waiter, &first) && is_ready(waiter, &first)));
    assert!(is_ready(&mut stop.stopped(), &first), "stopped before it was asked for");
    assert_eq!(Arc::strong_count(&first), 1);
}

/// Places are used again, and a future's place is never another's.
#[test]
fn a_dropped_future_takes_its_waker_back() {
    let stop = Stop::new();
    let (dropped, kept) = (Arc::new(Counter::default()), Arc::new(Counter::default()));
    let mut waiters: Vec<_> = (0..8).map(|_| stop.stopped()).collect();
    for (i, waiter) in waiters.iter_mut().enumerate() {
        assert!(!is_ready(waiter, if i % 2 == 0 { &dropped } else { &kept }));
    }
    let mut i = 0;
    waiters.retain(|_| {
        i += 1;
        i % 2 == 0
    });
    assert_eq!((Arc::strong_count(&dropped), Arc::strong_count(&kept)), (1, 5));
    waiters.extend((0..3).map(|_| stop.stopped()));
    waiters.iter_mut().for_each(|waiter| assert!(!is_ready(waiter, &kept)));
    drop(stop.stopped()); // never polled
    stop.stop();
    assert_eq!((dropped.count(), kept.count()), (0, 7));
    drop(waiters); // after the end, without a place
    assert_eq!(Arc::strong_count(&kept), 1);
}

#[test]
fn a_child_stops_with_its_parent_and_alone() {
    let stop = Stop::new();
    let (child, sibling) = (stop.child(), stop.child());
    let grandchild = child.child();
    let counter = Arc::new(Counter::default());
    let mut waiters = [stop.stopped(), child.stopped(), sibling.stopped(), grandchild.stopped()];
    waiters.iter_mut().for_each(|waiter| assert!(!is_ready(waiter, &counter)));
    let stopped = || [&stop, &child, &sibling, &grandchild].map(Stop::is_stopped);

    child.stop();
    assert_eq!(stopped(), [false, true, false, true]);
    assert_eq!(counter.count(), 2);
    assert!(child.child().is_stopped() && !stop.child().is_stopped());
    stop.stop();
    assert_eq!(stopped(), [true; 4]);
    assert_eq!(counter.count(), 4);
    assert_eq!(format!("{stop:?} {:?}", Stop::new()), "Stop { stopped: true } Stop { stopped: false }");
}

/// A child holds its parent, and not the other way round: dropping the last handle of a middle one loses nothing.
#[test]
fn a_grandchild_is_stopped_although_the_child_is_gone() {
    let stop = Stop::new();
    let grandchild = stop.child().child();
    let mut waiter = grandchild.stopped();
    drop(grandchild);
    let counter = Arc::new(Counter::default());
    assert!(!is_ready(&mut waiter, &counter));
    stop.stop();
    assert!(is_ready(&mut waiter, &counter) && counter.count() == 1);
}

#[test]
fn a_million_children_leave_nothing_behind() {
    let stop = Stop::new();
    let run = |stop: &Stop| {
        let (first, second) = (stop.child(), stop.child());
        let mut stopped = second.stopped();
        let _ = pin!(&mut stopped).poll(&mut Context::from_waker(Waker::noop()));
        first.stop();
    };
    run(&stop); // the two places are there
    let used = allocation_counter::measure(|| (0..500_000).for_each(|_| run(&stop)));
    println!("{used:?}");
    assert!(used.count_total >= 1_000_000, "it counts");
    assert_eq!((used.count_current, used.bytes_current), (0, 0));
    assert!(used.bytes_max < 4_096, "{used:?}");
}

#[test]
fn thousands_of_children_stop_at_once() {
    let stop = Stop::new();
    let children: Vec<_> = (0..10_000).map(|_| stop.child()).collect();
    stop.stop();
    assert!(children.iter().all(Stop::is_stopped));
}

/// Neither stopping nor dropping recurses.
#[test]
fn a_long_line_of_children_needs_no_stack() {
    let stop = Stop::new();
    let small = thread::Builder::new().stack_size(64 * 1024);
    let child = |stop: &Stop| (0..100_000).fold(stop.clone(), |parent, _| parent.child());
    let run = move || {
        drop(child(&stop));
        let last = child(&stop);
        stop.stop();
        assert!(last.is_stopped());
    };
    small.spawn(run).unwrap().join().unwrap();
}

/// What runs in a waker may do with the handle what it wants; nothing is locked meanwhile.
#[test]
fn stopped_from_inside_a_waker() {
    struct Nested {
        stop: Stop,
        held: Mutex<Option<Stopped>>,
        calls: Counter,
    }

    impl Wake for Nested {
        fn wake(self: Arc<Self>) {
            self.calls.0.fetch_add(1, Ordering::SeqCst);
            self.stop.stop();
            drop(self.held.lock().unwrap().take());
            assert!(self.stop.is_stopped() && self.stop.child().is_stopped() && self.stop.wait(LONG));
        }
    }

    let stop = Stop::new();
    let nested = |of: &Stop| {
        let mut held = of.stopped();
        assert!(!is_ready(&mut held, &Arc::default()));
        Arc::new(Nested { stop: stop.clone(), held: Mutex::new(Some(held)), calls: Counter::default() })
    };
    let child = stop.child();
    let (one, other) = (nested(&stop), nested(&child));
    let mut waiters = [stop.stopped(), child.stopped()];
    for (waiter, waker) in waiters.iter_mut().zip([&one, &other]) {
        assert!(pin!(waiter).poll(&mut Context::from_waker(&Waker::from(waker.clone()))).is_pending());
    }
    child.stop();
    assert_eq!((one.calls.count(), other.calls.count()), (1, 1));
}

/// A waker whose last clone drops another waiter of the same handle: executors drop tasks so.
#[test]
fn dropping_a_waker_may_drop_a_waiter() {
    struct Task(#[expect(dead_code, reason = "held to be dropped")] Mutex<Stopped>);

    impl Wake for Task {
        fn wake(self: Arc<Self>) {}
    }

    let stop = Stop::new();
    let polled = || {
        let mut inner = stop.stopped();
        assert!(!is_ready(&mut inner, &Arc::default()));
        let waker = Waker::from(Arc::new(Task(Mutex::new(inner))));
        let mut outer = stop.stopped();
        assert!(pin!(&mut outer).poll(&mut Context::from_waker(&waker)).is_pending());
        outer
    };
    let mut replaced = polled();
    assert!(!is_ready(&mut replaced, &Arc::default()));
    drop(polled());
    let _kept = polled();
    stop.stop();
}

/// A waker that panics spoils nothing: all were stopped before, and the locks are free.
#[test]
fn a_waker_that_panics_spoils_nothing() {
    struct Panics;

    impl Wake for Panics {
        fn wake(self: Arc<Self>) {
            resume_unwind(Box::new("no waker should"));
        }
    }

    let (stop, child) = (Stop::new(), Cell::new(None));
    let mut waiter = stop.stopped();
    assert!(pin!(&mut waiter).poll(&mut Context::from_waker(&Waker::from(Arc::new(Panics)))).is_pending());
    child.set(Some(stop.child()));
    assert!(catch_unwind(AssertUnwindSafe(|| stop.stop())).is_err());
    assert!(stop.wait(LONG) && child.take().is_some_and(|child| child.wait(LONG)));
}

#[test]
fn threads_that_stop_wait_and_have_children_at_once() {
    for _ in 0..200 {
        let stop = Stop::new();
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    while !stop.is_stopped() {
                        let child = stop.child();
                        let mut stopped = child.stopped();
                        let _ = is_ready(&mut stopped, &Arc::default());
                    }
                    assert!(stop.child().wait(LONG));
                });
            }
            scope.spawn(|| stop.child().wait(LONG));
            stop.stop();
        });
    }
}

#[tokio::test]
async fn a_task_is_woken() {
    let stop = Stop::new();
    let task = tokio::spawn(stop.child().stopped());
    tokio::task::yield_now().await;
    stop.stop();
    task.await.unwrap();
}

#[test]
fn the_future_can_be_moved_sent_and_kept() {
    fn check<T: Send + Sync + Unpin + 'static>(_: &T) {}
    let stop = Stop::new();
    check(&stop);
    check(&stop.stopped());
}
