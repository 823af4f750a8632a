//! The handle itself.

use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll};
use core::time::Duration;
use loom::future::block_on;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::{model, thread};
use std::sync::Arc;
use std::task::{Wake, Waker};
use undaunted::Stop;

/// Counts how often it was woken.
struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn a_waiting_thread_is_woken() {
    model(|| {
        let stop = Stop::new();
        let waiting = thread::spawn({
            let stop = stop.clone();
            move || stop.wait(Duration::MAX)
        });
        stop.stop();
        assert!(waiting.join().unwrap());
    });
}

#[test]
fn two_waiting_threads_are_woken() {
    model(|| {
        let stop = Stop::new();
        let waiting =
            [stop.clone(), stop.child()].map(|stop| thread::spawn(move || stop.wait(Duration::MAX)));
        stop.stop();
        for thread in waiting {
            assert!(thread.join().unwrap());
        }
    });
}

#[test]
fn a_waiting_task_is_woken() {
    model(|| {
        let stop = Stop::new();
        let stopping = thread::spawn({
            let stop = stop.clone();
            move || stop.stop()
        });
        block_on(stop.stopped());
        assert!(stop.is_stopped());
        stopping.join().unwrap();
    });
}

/// It wakes whoever polled it last: a task that moved to another executor, say.
#[test]
fn who_polled_last_is_woken() {
    model(|| {
        let stop = Stop::new();
        let stopping = thread::spawn({
            let stop = stop.clone();
            move || stop.stop()
        });
        let counts = [(); 2].map(|()| Arc::new(Count(AtomicUsize::new(0))));
        let mut stopped = stop.stopped();
        let polled = counts.each_ref().map(|count| {
            let waker = Waker::from(count.clone());
            Pin::new(&mut stopped).poll(&mut Context::from_waker(&waker))
        });
        stopping.join().unwrap();
        let woken = counts.map(|count| count.0.load(Ordering::SeqCst));
        match polled {
            [Poll::Pending, Poll::Pending] => assert_eq!(woken, [0, 1]),
            [Poll::Pending, Poll::Ready(())] => assert_eq!(woken[1], 0),
            [Poll::Ready(()), last] => assert_eq!((woken, last), ([0, 0], Poll::Ready(()))),
        }
    });
}

#[test]
fn what_was_written_before_it_is_seen() {
    model(|| {
        let (stop, written) = (Stop::new(), Arc::new(AtomicUsize::new(0)));
        let stopping = thread::spawn({
            let (stop, written) = (stop.clone(), written.clone());
            move || {
                written.store(7, Ordering::Relaxed);
                stop.stop();
            }
        });
        if stop.is_stopped() {
            assert_eq!(written.load(Ordering::Relaxed), 7);
        }
        stopping.join().unwrap();
    });
}

#[test]
fn a_child_that_is_made_meanwhile_stops_too() {
    model(|| {
        let stop = Stop::new();
        let making = thread::spawn({
            let stop = stop.clone();
            move || stop.child().wait(Duration::MAX)
        });
        stop.stop();
        assert!(making.join().unwrap());
    });
}

#[test]
fn a_child_may_leave_while_its_parent_stops() {
    model(|| {
        let stop = Stop::new();
        let (leaving, staying) = (stop.child(), stop.child());
        let thread = thread::spawn(move || drop(leaving));
        stop.stop();
        thread.join().unwrap();
        assert!(staying.is_stopped());
    });
}

/// A line of three, let go from both ends.
#[test]
fn a_line_may_be_let_go_from_both_ends() {
    model(|| {
        let first = Stop::new();
        let second = first.child();
        let third = second.child();
        let thread = thread::spawn(move || drop(third));
        drop(second);
        first.stop();
        thread.join().unwrap();
    });
}

#[test]
fn a_future_may_be_dropped_while_it_is_woken() {
    model(|| {
        let stop = Stop::new();
        let count = Arc::new(Count(AtomicUsize::new(0)));
        let waker = Waker::from(count.clone());
        let mut stopped = stop.stopped();
        let polled = Pin::new(&mut stopped).poll(&mut Context::from_waker(&waker));
        assert!(polled.is_pending());
        let thread = thread::spawn({
            let stop = stop.clone();
            move || stop.stop()
        });
        drop(stopped);
        thread.join().unwrap();
        assert!(count.0.load(Ordering::SeqCst) <= 1);
    });
}

/// Who is told that it was stopped finds all below it stopped, whoever was first.
#[test]
fn two_may_stop_it_at_once() {
    model(|| {
        let stop = Stop::new();
        let child = stop.child();
        let thread = thread::spawn({
            let (stop, child) = (stop.clone(), child.clone());
            move || {
                stop.stop();
                assert!(stop.is_stopped() && child.is_stopped());
            }
        });
        stop.stop();
        assert!(stop.is_stopped() && child.is_stopped());
        thread.join().unwrap();
    });
}
