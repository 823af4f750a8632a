//! Law 1 to its end: 2^32 calls. The count stops there, and unlimited attempts go on.
//!
//! Half a minute each, so that only `tests/run coverage` runs it, whose last branch of the count it is.

use undaunted_core::{Instant, Micros, Outcome, Policy, Reason, Retry, Verdict};
use undaunted_tests::spell::duration;

const START: Instant = Instant::from_micros(0);

/// So many failures, each with its wait of 1 us.
fn fail(retry: &mut Retry, policy: &Policy, times: u32) {
    for time in 0..times {
        let verdict = retry.next(policy, Outcome::Fail, START, time);
        assert_eq!(verdict, Verdict::RetryAfter(Micros::new(1)), "after {time}");
    }
}

#[test]
fn unlimited_attempts_go_on_where_the_count_ends() {
    let policy = Policy::constant(duration(1)).no_jitter().unlimited_attempts();
    let mut retry = Retry::start(&policy, START);
    fail(&mut retry, &policy, u32::MAX);
    assert_eq!(retry.attempts(), u32::MAX);
    fail(&mut retry, &policy, 3);
    assert_eq!(retry.attempts(), u32::MAX);
    assert_eq!(retry.next(&policy, Outcome::Succeed, START, 0), Verdict::Done);
    assert_eq!(retry.attempts(), u32::MAX);
}

#[test]
fn the_highest_limit_is_a_limit() {
    let policy = Policy::constant(duration(1)).no_jitter().attempts(u32::MAX);
    let mut retry = Retry::start(&policy, START);
    fail(&mut retry, &policy, u32::MAX - 1);
    let last = retry.next(&policy, Outcome::Fail, START, 0);
    assert_eq!((last, retry.attempts()), (Verdict::GiveUp(Reason::Attempts), u32::MAX));
}
