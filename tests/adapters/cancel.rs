//! Cancel: a wait ends at once, what came last is handed out, and exactly one event says so. Threads by a `Stop`;
//! asynchronous by any token, on tokio's paused clock or by hand.

use std::cell::{Cell, RefCell};
use std::future::{Future, pending, poll_fn, ready};
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::mpsc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::time::{Instant, sleep};
use undaunted::{Event, GaveUp, Last, Micros, Outcome, Policy, Reason, Stop, Verdict, asynch, thread};
use undaunted_tests::simulated::{Happened, World, block_on};

const HOURLY: Policy = Policy::constant(Duration::from_secs(3600)).cap(Duration::from_secs(3600)).no_jitter();
/// Every 10 s.
const FIXED: Policy = Policy::constant(Duration::from_secs(10)).no_jitter().unlimited_attempts();
const DELAYED: Policy = FIXED.first_delay(Duration::from_secs(5));

/// Long before an hour, however busy the machine is.
const SOON: Duration = Duration::from_secs(60);

fn cancelled(
    last: Last<(), &'static str>,
    attempts: u32,
    elapsed: u64,
) -> Result<(), GaveUp<(), &'static str>> {
    Err(GaveUp { last, reason: Reason::Cancelled, attempts, elapsed: Micros::from_secs(elapsed) })
}

/// What was told, and how often a cancel was.
#[derive(Clone, Default)]
struct Told(Rc<RefCell<Vec<String>>>);

impl Told {
    fn hook(&self) -> impl FnMut(&Event<'_, &'static str>) + 'static {
        let lines = self.0.clone();
        move |event| lines.borrow_mut().push(event.to_string())
    }

    /// The last line, which alone says that it was cancelled.
    fn only_the_last(&self) -> String {
        let lines = self.0.borrow();
        let says = |line: &&String| line.ends_with(": cancelled");
        assert_eq!(lines.iter().filter(says).count(), 1, "{lines:?}");
        lines.last().filter(says).unwrap_or_else(|| panic!("{lines:?}")).clone()
    }
}

// Threads.

/// The lengths are printed; that they are short is what a `Stop` is for.
#[test]
fn a_thread_that_waits_is_stopped_at_once() {
    for stops_by in ["itself", "its parent"] {
        let parent = Stop::new();
        let stop = if stops_by == "itself" { parent.clone() } else { parent.child() };
        let (sender, receiver) = mpsc::channel();
        let worker = std::thread::spawn(move || {
            let mut lines = Vec::new();
            let retry = thread::retry(&HOURLY, || Err::<(), _>("busy")).cancel(&stop);
            let result = retry.on_event(|event| {
                lines.push(event.to_string());
                sender.send(()).unwrap(); // its wait is about to begin
            });
            (result.run(), lines, std::time::Instant::now())
        });
        receiver.recv().unwrap();
        std::thread::sleep(Duration::from_millis(20)); // most likely it waits by now
        let before = std::time::Instant::now();
        parent.stop();
        let (result, lines, ended) = worker.join().unwrap();
        println!("stopped by {stops_by}: gave up after {:?}", ended.saturating_duration_since(before));
        assert!(before.elapsed() < SOON);
        let gave_up = result.unwrap_err();
        assert_eq!(
            (gave_up.last, gave_up.reason, gave_up.attempts),
            (Last::Error("busy"), Reason::Cancelled, 1)
        );
        assert_eq!(lines[0], "attempt 1/5 failed: busy; next in 1 h", "{lines:?}");
        assert!(lines[1].starts_with("attempt 1/5 failed: busy; giving up after "), "{lines:?}");
        assert!(lines[1].ends_with(": cancelled") && lines.len() == 2, "{lines:?}");
    }
}

#[test]
fn a_thread_that_is_stopped_before_its_first_call_makes_none() {
    let stop = Stop::new();
    stop.stop();
    for policy in [HOURLY, HOURLY.first_delay(Duration::from_secs(3600))] {
        let told = Told::default();
        let no_call = || -> Result<(), &'static str> { panic!("no call") };
        let result = thread::retry(&policy, no_call).cancel(&stop).on_event(told.hook()).run();
        let gave_up = result.unwrap_err();
        assert_eq!((gave_up.last, gave_up.reason, gave_up.attempts), (Last::Nothing, Reason::Cancelled, 0));
        let line = told.only_the_last();
        assert!(
            line.starts_with("no attempt made; giving up after ") && told.0.borrow().len() == 1,
            "{line}"
        );
    }
}

#[test]
fn a_thread_is_stopped_in_its_first_delay() {
    let stop = Stop::new();
    let worker = std::thread::spawn({
        let stop = stop.clone();
        let no_call = || -> Result<(), &'static str> { panic!("no call") };
        let policy = HOURLY.first_delay(Duration::from_secs(3600));
        move || thread::retry(policy, no_call).cancel(&stop).run()
    });
    std::thread::sleep(Duration::from_millis(20));
    stop.stop();
    let gave_up = worker.join().unwrap().unwrap_err();
    assert_eq!((gave_up.last, gave_up.reason, gave_up.attempts), (Last::Nothing, Reason::Cancelled, 0));
}

/// A blocking call is not cut: it ends, its result counts, and then it gives up.
#[test]
fn a_blocking_call_ends_before_it_is_cancelled() {
    let run = |result: Result<u8, &'static str>, policy: &Policy| {
        let (stop, told) = (Stop::new(), Told::default());
        let mut calls = 0;
        let call = || {
            stop.stop();
            calls += 1;
            result
        };
        let result = thread::retry(policy, call).cancel(&stop).on_event(told.hook()).run();
        assert_eq!(calls, 1);
        (result, told)
    };
    let (result, told) = run(Err("busy"), &HOURLY);
    let gave_up = result.unwrap_err();
    assert_eq!((gave_up.last, gave_up.reason, gave_up.attempts), (Last::Error("busy"), Reason::Cancelled, 1));
    assert!(told.only_the_last().starts_with("attempt 1/5 failed: busy; giving up after "));
    // A success is a success, and what would have been the last attempt was.
    assert_eq!(run(Ok(7), &HOURLY).0, Ok(7));
    assert_eq!(run(Err("busy"), &HOURLY.attempts(1)).0.unwrap_err().reason, Reason::Attempts);
}

#[test]
fn a_value_that_is_not_yet_is_handed_out_too() {
    let stop = Stop::new();
    let call = || {
        stop.stop();
        Ok::<_, ()>("half")
    };
    let result = thread::retry(&HOURLY, call).classify(|_| Outcome::Fail).cancel(&stop).run();
    assert_eq!(result.unwrap_err().last, Last::NotYet("half"));
    let probe = || {
        stop.stop();
        false
    };
    let result = thread::poll(&HOURLY, probe).fixed_rate().cancel(&stop.child()).run();
    assert_eq!(result.unwrap_err().attempts, 0, "a child of what is stopped is stopped");
}

#[test]
fn a_session_of_a_thread_is_stopped() {
    let (stop, (sender, receiver)) = (Stop::new(), mpsc::channel());
    let worker = std::thread::spawn({
        let stop = stop.clone();
        move || {
            let mut session = thread::Session::start(&HOURLY).cancel(&stop);
            assert_eq!(session.first_wait().verdict, Verdict::RetryAfter(Micros::ZERO));
            sender.send(()).unwrap();
            let settled = session.settle(Outcome::Fail);
            // Whatever is reported, it stays so.
            assert_eq!(session.settle(Outcome::Succeed).verdict, Verdict::GiveUp(Reason::Cancelled));
            settled.or_give_up("busy")
        }
    });
    receiver.recv().unwrap();
    std::thread::sleep(Duration::from_millis(20));
    stop.stop();
    let gave_up = worker.join().unwrap().unwrap_err();
    assert_eq!((gave_up.last, gave_up.reason, gave_up.attempts), (Last::Error("busy"), Reason::Cancelled, 1));

    let mut session = thread::Session::start(HOURLY.first_delay(Duration::from_secs(3600))).cancel(&stop);
    let settled = session.first_wait();
    assert_eq!((settled.verdict, settled.attempts), (Verdict::GiveUp(Reason::Cancelled), 0));
    // That is the end, though no attempt was made.
    assert_eq!(session.first_wait().verdict, Verdict::GiveUp(Reason::Cancelled));
}

// Asynchronous.

#[tokio::test(start_paused = true)]
async fn a_token_that_is_ready_in_a_wait_ends_it() {
    let told = Told::default();
    let retry = undaunted::tokio::retry(&FIXED, || ready(Err("busy"))).cancel(sleep(Duration::from_secs(25)));
    // Called at 0, 10 and 20 s.
    assert_eq!(retry.on_event(told.hook()).await, cancelled(Last::Error("busy"), 3, 25));
    assert_eq!(told.only_the_last(), "attempt 3 failed: busy; giving up after 25 s: cancelled");
    assert_eq!(told.0.borrow().len(), 4);
}

/// The attempt is dropped before anybody hears of it, and was a call.
#[tokio::test(start_paused = true)]
async fn a_token_that_is_ready_during_an_attempt_cuts_it() {
    struct Tells(Told);
    impl Drop for Tells {
        fn drop(&mut self) {
            self.0.0.borrow_mut().push("dropped".into());
        }
    }
    let told = Told::default();
    let (mut number, tells) = (0, told.clone());
    let operation = || {
        number += 1;
        let tells = (number == 2).then(|| Tells(tells.clone()));
        async move { if tells.is_none() { Err("busy") } else { pending().await } }
    };
    let retry = undaunted::tokio::retry(&FIXED, operation).cancel(sleep(Duration::from_secs(15)));
    assert_eq!(retry.on_event(told.hook()).await, cancelled(Last::Cut, 2, 15));
    assert_eq!(told.only_the_last(), "attempt 2 was cut; giving up after 15 s: cancelled");
    assert_eq!(told.0.borrow()[1], "dropped");
}

#[tokio::test(start_paused = true)]
async fn a_token_that_is_ready_before_the_first_attempt_prevents_it() {
    let no_call = || -> std::future::Ready<Result<(), &'static str>> { panic!("no call") };
    let start = Instant::now();
    let told = Told::default();
    for policy in [FIXED, DELAYED] {
        let retry = undaunted::tokio::retry(&policy, no_call).cancel(ready(()));
        assert_eq!(retry.await, cancelled(Last::Nothing, 0, 0));
    }
    assert_eq!(start.elapsed(), Duration::ZERO);
    // During the first delay.
    let retry = undaunted::tokio::retry(&DELAYED, no_call).cancel(sleep(Duration::from_secs(2)));
    assert_eq!(retry.on_event(told.hook()).await, cancelled(Last::Nothing, 0, 0));
    assert_eq!(start.elapsed(), Duration::from_secs(2));
    assert_eq!(told.only_the_last(), "no attempt made; giving up after 0 us: cancelled");
}

/// What is ready at the same poll as the token counts: a success wins, a failure is what came last.
#[test]
fn what_is_ready_with_the_token_counts() {
    let run = |result: Result<(), &'static str>, uncut: bool| {
        let (world, is_cancelled, told) = (World::default(), Cell::new(false), Told::default());
        let operation = || {
            is_cancelled.set(true);
            world.call();
            ready(result)
        };
        let token = poll_fn(|_| if is_cancelled.get() { Poll::Ready(()) } else { Poll::Pending });
        let retry = asynch::retry(world.clone(), &FIXED, operation).cancel(token).on_event(told.hook());
        let result = if uncut { block_on(retry.uncut()) } else { block_on(retry) };
        assert_eq!(world.journal(), [Happened::Called(0)], "one call, and no wait");
        (result, told)
    };
    for uncut in [false, true] {
        let (result, told) = run(Ok(()), uncut);
        assert_eq!((result, told.0.borrow().len()), (Ok(()), 1));
        let (result, told) = run(Err("busy"), uncut);
        assert_eq!(result, cancelled(Last::Error("busy"), 1, 0));
        assert_eq!(told.only_the_last(), "attempt 1 failed: busy; giving up after 0 us: cancelled");
    }
}

/// The same by time: the attempt and the token both end at 5 s.
#[tokio::test(start_paused = true)]
async fn a_success_at_the_same_point_wins() {
    let operation = || async {
        sleep(Duration::from_secs(5)).await;
        Ok::<_, &str>(())
    };
    assert_eq!(
        undaunted::tokio::retry(&FIXED, operation).cancel(sleep(Duration::from_secs(5))).await,
        Ok(())
    );
}

/// A token that must not be polled after it was ready, ready at its n-th poll.
struct Once {
    left: u32,
    over: Rc<Cell<bool>>,
}

impl Future for Once {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        assert!(!self.over.get(), "polled after it was ready");
        if self.left == 0 {
            self.over.set(true);
            return Poll::Ready(());
        }
        self.left -= 1;
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

/// Wherever it becomes ready: each poll of the token is one more place.
#[test]
fn a_token_is_not_polled_after_it_was_ready() {
    for places in 0.. {
        for uncut in [false, true] {
            let (world, over) = (World::default(), Rc::new(Cell::new(false)));
            let policy = DELAYED.attempts(3);
            // Each attempt is pending once.
            let operation = || {
                let mut polled = false;
                poll_fn(move |_| match std::mem::replace(&mut polled, true) {
                    false => Poll::Pending,
                    true => Poll::Ready(Err::<(), _>("busy")),
                })
            };
            let retry =
                asynch::retry(world, &policy, operation).cancel(Once { left: places, over: over.clone() });
            let result = if uncut { block_on(retry.uncut()) } else { block_on(retry) };
            let gave_up = result.unwrap_err();
            assert_eq!(gave_up.reason == Reason::Cancelled, over.get(), "{places}");
            if uncut && gave_up.reason == Reason::Attempts {
                println!("cancelled in {places} places");
                return assert!(places >= 7, "{places}");
            }
        }
    }
}

/// In either order; what cannot be cut keeps the last error for a cancel all the same.
#[tokio::test(start_paused = true)]
async fn uncut_and_cancelled_keeps_the_last_error() {
    let in_25_s = || sleep(Duration::from_secs(25));
    let busy = || ready(Err("busy"));
    let result = undaunted::tokio::retry(&FIXED, busy).uncut().cancel(in_25_s()).await;
    assert_eq!(result, cancelled(Last::Error("busy"), 3, 25));
    let result = undaunted::tokio::retry(&FIXED, busy).cancel(in_25_s()).uncut().await;
    assert_eq!(result, cancelled(Last::Error("busy"), 3, 25));
    // A cancel cuts what a deadline does not.
    let hang = || pending::<Result<(), &str>>();
    let limited = FIXED.within(Duration::from_secs(5));
    let result = undaunted::tokio::retry(&limited, hang).uncut().cancel(in_25_s()).await;
    assert_eq!(result, cancelled(Last::Cut, 1, 25));
}

/// A value that counts as not yet, and a probe that is not ready.
#[tokio::test(start_paused = true)]
async fn a_cancel_hands_out_what_was_not_yet() {
    let retry = undaunted::tokio::retry(&FIXED, || ready(Ok::<_, ()>("half"))).classify(|_| Outcome::Fail);
    let gave_up = retry.cancel(sleep(Duration::from_secs(5))).await.unwrap_err();
    assert_eq!((gave_up.last, gave_up.reason), (Last::NotYet("half"), Reason::Cancelled));
    let poll = undaunted::tokio::poll(&FIXED, || async { false }).fixed_rate();
    let gave_up = poll.cancel(sleep(Duration::from_secs(35))).await.unwrap_err();
    assert_eq!((gave_up.last, gave_up.attempts), (Last::Error(undaunted::NotReady), 4));
}

/// An attempt that was cut by its own timeout came last, and a deadline that comes first decides.
#[tokio::test(start_paused = true)]
async fn cuts_deadlines_and_cancels_decide_in_the_order_they_come() {
    let hang = || pending::<Result<(), &str>>();
    let cut_at_3_s = FIXED.attempt_timeout(Duration::from_secs(3));
    let in_5_s = || sleep(Duration::from_secs(5));
    assert_eq!(undaunted::tokio::retry(&cut_at_3_s, hang).cancel(in_5_s()).await, cancelled(Last::Cut, 1, 5));
    let within = |seconds| FIXED.within(Duration::from_secs(seconds));
    let gave_up = undaunted::tokio::retry(within(4), hang).cancel(in_5_s()).await.unwrap_err();
    assert_eq!((gave_up.reason, gave_up.elapsed), (Reason::Deadline, Micros::from_secs(4)));
    let gave_up = undaunted::tokio::retry(within(6), hang).cancel(in_5_s()).await.unwrap_err();
    assert_eq!((gave_up.reason, gave_up.elapsed), (Reason::Cancelled, Micros::from_secs(5)));
}

/// Law 12: what is dropped runs nothing more, with a token or without.
#[tokio::test(start_paused = true)]
async fn a_task_that_is_aborted_runs_nothing_more() {
    let (stop, calls) = (Stop::new(), std::sync::Arc::new(std::sync::atomic::AtomicU32::new(0)));
    let counter = calls.clone();
    let task = tokio::spawn(
        undaunted::tokio::retry(&FIXED, move || {
            counter.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            ready(Err::<(), _>("busy"))
        })
        .cancel(stop.stopped()),
    );
    sleep(Duration::from_secs(15)).await;
    task.abort();
    sleep(Duration::from_secs(3600)).await;
    assert!(task.await.unwrap_err().is_cancelled());
    assert_eq!(calls.load(std::sync::atomic::Ordering::SeqCst), 2, "at 0 and 10 s");
}

/// Tokens in use: `Stop` across threads and tasks, one of `tokio-util`, a channel.
#[tokio::test(start_paused = true)]
async fn tokens_of_all_kinds() {
    let busy = || ready(Err::<(), _>("busy"));
    let in_a_wait = |result: Result<(), GaveUp<(), &'static str>>| {
        let gave_up = result.unwrap_err();
        assert_eq!((gave_up.last, gave_up.reason), (Last::Error("busy"), Reason::Cancelled));
        assert_eq!((gave_up.attempts, gave_up.elapsed), (2, Micros::from_secs(15)));
    };
    let stop = Stop::new();
    let task = tokio::spawn(undaunted::tokio::retry(&FIXED, busy).cancel(stop.child().stopped()));
    sleep(Duration::from_secs(15)).await;
    stop.stop();
    in_a_wait(task.await.unwrap());

    let token = tokio_util::sync::CancellationToken::new();
    let task =
        tokio::spawn(undaunted::tokio::retry(&FIXED, busy).cancel(token.child_token().cancelled_owned()));
    sleep(Duration::from_secs(15)).await;
    token.cancel();
    in_a_wait(task.await.unwrap());
    // Borrowed, where nothing is spawned.
    let result = undaunted::tokio::retry(&FIXED, busy).cancel(token.cancelled()).await;
    assert_eq!(result, cancelled(Last::Nothing, 0, 0));

    let (sender, receiver) = tokio::sync::oneshot::channel::<()>();
    let token = async { receiver.await.unwrap_or(()) };
    let task = tokio::spawn(undaunted::tokio::retry(&FIXED, busy).cancel(token));
    sleep(Duration::from_secs(15)).await;
    drop(sender);
    in_a_wait(task.await.unwrap());
}

/// Stopped by another thread: the executor is woken.
#[test]
fn a_stop_wakes_a_task_from_another_thread() {
    let stop = Stop::new();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let stopper = std::thread::spawn({
        let stop = stop.clone();
        move || {
            std::thread::sleep(Duration::from_millis(20));
            stop.stop();
            std::time::Instant::now()
        }
    });
    let retry = undaunted::tokio::retry(&HOURLY, || ready(Err::<(), _>("busy"))).cancel(stop.stopped());
    let gave_up = runtime.block_on(async { retry.await.unwrap_err() });
    let ended = std::time::Instant::now();
    let stopped = stopper.join().unwrap();
    println!("a task gave up {:?} after it was stopped", ended.saturating_duration_since(stopped));
    assert!(ended.saturating_duration_since(stopped) < SOON);
    assert_eq!((gave_up.last, gave_up.reason), (Last::Error("busy"), Reason::Cancelled));
}

// The edge of the deadline.

/// tokio's timer rounds up to its millisecond: a wait of 5 400 us is over at 6 ms, past the deadline at 5.5 ms. No
/// attempt follows it, and the last error is handed out.
#[tokio::test(start_paused = true)]
async fn a_wait_that_is_rounded_up_beyond_the_deadline_is_the_end() {
    const EDGE: Policy =
        Policy::constant(Duration::from_micros(5_400)).no_jitter().within(Duration::from_micros(5_500));
    let (mut calls, told) = (0, Told::default());
    let retry = undaunted::tokio::retry(&EDGE, || {
        calls += 1;
        ready(Err::<(), _>("busy"))
    });
    let gave_up = retry.on_event(told.hook()).await.unwrap_err();
    assert_eq!((gave_up.last, gave_up.reason), (Last::Error("busy"), Reason::Deadline));
    assert_eq!((gave_up.attempts, calls), (1, 1));
    let lines = told.0.borrow().clone();
    assert_eq!(lines[0], "attempt 1/5 failed: busy; next in 5.4 ms");
    assert_eq!(lines[1..], ["attempt 1/5 failed: busy; giving up after 6 ms: no time left"]);

    // With a token too, whose turn has not come; and a loop of one's own.
    let retry = undaunted::tokio::retry(&EDGE, || ready(Err::<(), _>("busy"))).cancel(pending());
    let gave_up = retry.await.unwrap_err();
    assert_eq!((gave_up.last, gave_up.reason), (Last::Error("busy"), Reason::Deadline));
    let mut session = undaunted::tokio::Session::start(&EDGE);
    let settled = session.settle(Outcome::Fail).await;
    assert_eq!((settled.verdict, settled.attempts), (Verdict::GiveUp(Reason::Deadline), 1));

    // What was cut came last. 4 ms of work, a wait of 1.4 ms: over at 6 ms.
    const CUT: Policy = Policy::constant(Duration::from_micros(1_400))
        .no_jitter()
        .within(Duration::from_micros(5_500))
        .attempt_timeout(Duration::from_millis(4));
    let gave_up = undaunted::tokio::retry(&CUT, pending::<Result<(), &str>>).await.unwrap_err();
    assert_eq!((gave_up.last, gave_up.reason, gave_up.attempts), (Last::Cut, Reason::Deadline, 1));
}

/// A future that is cancelled has ended like any other: for good.
#[test]
#[should_panic(expected = "`retry` polled after it was ready")]
fn a_retry_that_was_cancelled_has_ended() {
    let mut retry =
        pin!(asynch::retry(World::default(), &FIXED, || ready(Ok::<_, ()>(()))).cancel(ready(())));
    let mut poll = || retry.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert!(poll().is_ready());
    let _ = poll();
}
