//! Law 6 where the runtime can: an attempt is cut at the nearer of its timeout and the time left. On
//! tokio's paused clock.

use std::cell::RefCell;
use std::future::pending;
use std::rc::Rc;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};
use undaunted::{Attempt, GaveUp, Last, Micros, Outcome, Policy, Reason, Verdict, tokio::Session};

/// One second between attempts.
const SECOND: Policy = Policy::constant(Duration::from_secs(1)).no_jitter().attempts(3);
const TWO_EACH: Policy = SECOND.attempt_timeout(Duration::from_secs(2));
const FIVE_IN_ALL: Policy = SECOND.within(Duration::from_secs(5));

/// Two days are never needed: what is not cut must fail here and not hang.
async fn ends<F: Future>(future: F) -> F::Output {
    timeout(Duration::from_secs(2 * 86_400), future).await.expect("it hangs: nothing cuts it")
}

async fn hang() -> Result<(), &'static str> {
    pending().await
}

fn cut(reason: Reason, attempts: u32, seconds: u64) -> Result<(), GaveUp<(), &'static str>> {
    Err(GaveUp { last: Last::Cut, reason, attempts, elapsed: Micros::from_secs(seconds) })
}

/// Cut at 2, 5 and 8 s; begun at 0, 3 and 6 s.
#[tokio::test(start_paused = true)]
async fn an_attempt_that_hangs_is_cut_at_its_timeout_and_counts() {
    let start = Instant::now();
    let (mut begun, mut lines) = (Vec::new(), Vec::new());
    let retry = undaunted::tokio::retry(&TWO_EACH, || {
        begun.push(start.elapsed().as_secs());
        hang()
    });
    let result = ends(retry.on_event(|event| lines.push(event.to_string()))).await;
    assert_eq!(result, cut(Reason::Attempts, 3, 8));
    assert_eq!(begun, [0, 3, 6]);
    assert_eq!(lines[0], "attempt 1/3 was cut at its limit; next in 1 s");
    assert_eq!(lines[2], "attempt 3/3 was cut at its limit; giving up after 8 s: no attempts left");
}

#[tokio::test(start_paused = true)]
async fn at_the_deadline_a_cut_is_the_end() {
    assert_eq!(ends(undaunted::tokio::retry(&FIVE_IN_ALL, hang)).await, cut(Reason::Deadline, 1, 5));
    // Cut at 2 s by its timeout; begun again at 3 s, and cut at 5 s by the deadline.
    const BOTH: Policy = TWO_EACH.attempts(9).within(Duration::from_millis(4_500));
    let gave_up = ends(undaunted::tokio::retry(&BOTH, hang)).await.unwrap_err();
    assert_eq!((gave_up.reason, gave_up.attempts), (Reason::Deadline, 2));
    // tokio's timer rounds up to its millisecond.
    assert_eq!(gave_up.elapsed, Micros::from_millis(4_500));
}

#[tokio::test(start_paused = true)]
async fn what_ends_in_time_or_has_no_limit_is_not_cut() {
    let nearly = || async {
        sleep(Duration::from_millis(1_999)).await;
        Ok::<_, ()>("in time")
    };
    assert_eq!(undaunted::tokio::retry(&TWO_EACH, nearly).await, Ok("in time"));
    let day = || async {
        sleep(Duration::from_secs(86_400)).await;
        Ok::<_, ()>("a day later")
    };
    assert_eq!(undaunted::tokio::retry(&SECOND, day).await, Ok("a day later"));
}

/// A success that arrives late is a success, where nothing cuts.
#[tokio::test(start_paused = true)]
async fn uncut_a_late_success_is_a_success() {
    let late = || async {
        sleep(Duration::from_secs(60)).await;
        Ok::<_, ()>("late")
    };
    let report = undaunted::tokio::retry(&FIVE_IN_ALL, late).uncut().report().await.unwrap();
    assert_eq!((report.value, report.attempts, report.elapsed), ("late", 1, Micros::from_secs(60)));
}

/// What is cut is dropped before its event is told and before its wait begins.
#[tokio::test(start_paused = true)]
async fn what_is_cut_is_gone_before_anybody_hears_of_it() {
    struct Tells(Rc<RefCell<Vec<&'static str>>>);
    impl Drop for Tells {
        fn drop(&mut self) {
            self.0.borrow_mut().push("dropped");
        }
    }
    let journal = Rc::new(RefCell::new(Vec::new()));
    let operation = || {
        let tells = Tells(journal.clone());
        async move {
            let _tells = tells;
            hang().await
        }
    };
    let told = journal.clone();
    let retry = undaunted::tokio::retry(&TWO_EACH, operation).on_event(|_| told.borrow_mut().push("told"));
    assert_eq!(ends(retry).await.unwrap_err().attempts, 3);
    assert_eq!(*journal.borrow(), ["dropped", "told", "dropped", "told", "dropped", "told"]);
}

/// Three deep, each without a limit of its own but the outermost: 10 s in all.
#[tokio::test(start_paused = true)]
async fn nesting_three_deep_ends_within_the_outermost() {
    const OUTER: Policy = SECOND.unlimited_attempts().within(Duration::from_secs(10));
    const INNER: Policy = SECOND.unlimited_attempts();
    let start = Instant::now();
    let retry = undaunted::tokio::retry(&OUTER, |outer: Attempt| async move {
        undaunted::tokio::retry(&INNER, |middle: Attempt| async move {
            undaunted::tokio::retry(&INNER, || async {
                sleep(Duration::from_millis(700)).await;
                Err::<(), _>("down")
            })
            .deadline(middle.deadline().unwrap())
            .await
        })
        .deadline(outer.deadline().unwrap())
        .await
    });
    let result: Result<(), _> = ends(retry).await;
    assert_eq!(result.unwrap_err().reason, Reason::Deadline);
    assert!(start.elapsed() <= Duration::from_secs(10), "{:?}", start.elapsed());
    assert!(start.elapsed() > Duration::from_secs(8), "{:?}", start.elapsed());
}

/// A loop of your own cuts by the runtime's timeout, with what the attempt may know.
#[tokio::test(start_paused = true)]
async fn a_session_tells_what_an_attempt_may_take() {
    const LIMITED: Policy = TWO_EACH.within(Duration::from_millis(4_500));
    let mut session = Session::start(&LIMITED);
    let mut left = Vec::new();
    let reason = loop {
        let attempt = session.attempt();
        left.push((attempt.number(), attempt.time_left()));
        let length = attempt.time_left().unwrap().as_duration();
        assert!(timeout(length, hang()).await.is_err());
        match session.settle(Outcome::Fail).await.verdict {
            Verdict::GiveUp(reason) => break reason,
            Verdict::RetryAfter(_) | Verdict::Done => {}
        }
    };
    assert_eq!(left, [(1, Some(Micros::from_secs(2))), (2, Some(Micros::from_millis(1_500)))]);
    assert_eq!(reason, Reason::Deadline);
}
