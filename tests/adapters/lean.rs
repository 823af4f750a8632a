//! Sizes, and that nothing allocates.

use std::future::ready;
use std::mem::size_of_val;
use std::time::Duration;
use undaunted::{
    Instant, Micros, Outcome, Pending, Policy, Retry, Rng, Runtime, Stop, Stopped, asynch, blocking, tokio,
};
use undaunted_tests::simulated::block_on;

const POLICY: Policy = Policy::exponential(Duration::from_millis(100)).attempts(4);

#[test]
fn states_and_policies_are_as_small_as_promised() {
    assert_eq!(size_of::<Retry>(), 24);
    assert_eq!(size_of::<Pending>(), 32);
    assert!(size_of::<Policy>() <= 96, "{}", size_of::<Policy>());
    assert_eq!(size_of::<Rng>(), 4);
    assert_eq!(size_of::<Outcome>(), 16);
}

/// At most 64 bytes over the larger of the operation and the sleep, with the policy by reference, when
/// nothing can cut. What can cut holds both at once.
#[test]
fn a_tokio_future_is_at_most_64_bytes_over_its_parts() {
    async fn small() -> Result<(), ()> {
        Ok(())
    }
    async fn large() -> Result<[u8; 512], ()> {
        let buffer = std::hint::black_box([1; 512]);
        ::tokio::task::yield_now().await;
        Ok(buffer)
    }
    fn over<F: Future, Fut>(retry: F, operation: Fut) -> usize {
        let parts = size_of_val(&operation).max(size_of::<::tokio::time::Sleep>());
        size_of_val(&retry).saturating_sub(parts)
    }
    let (over_small, over_large) = (
        over(tokio::retry(&POLICY, small).uncut(), small()),
        over(tokio::retry(&POLICY, large).uncut(), large()),
    );
    println!("a tokio future is {over_small} B over the sleep, {over_large} B over a large operation");
    assert!(over_small <= 64 && over_large <= 64, "{over_small} {over_large}");
}

/// What can cut holds the operation and a sleep at once.
#[test]
fn a_tokio_future_that_cuts_is_at_most_64_bytes_over_both_parts() {
    async fn small() -> Result<(), ()> {
        Ok(())
    }
    let size = size_of_val(&tokio::retry(&POLICY, small));
    let parts = size_of_val(&small()) + size_of::<::tokio::time::Sleep>();
    println!("a tokio future that cuts is {size} B, {} B over its parts", size - parts);
    assert!(size <= parts + 64, "{size} {parts}");
}

/// A token costs itself and a flag, and room for what the last attempt gave, which is kept for giving up.
#[test]
fn a_tokio_future_that_can_be_cancelled_is_at_most_a_token_larger() {
    async fn small() -> Result<(), ()> {
        Ok(())
    }
    async fn large() -> Result<[u8; 512], ()> {
        let buffer = std::hint::black_box([1; 512]);
        ::tokio::task::yield_now().await;
        Ok(buffer)
    }
    let stop = Stop::new();
    let token = size_of::<Stopped>().next_multiple_of(8);
    assert!(token <= 24, "{token}");
    let check = |name: &str, without: usize, with: usize, held: usize| {
        let more = with - without;
        println!("a tokio future {name} is {with} B with a token of {token} B, {more} B more than without");
        assert!(more <= token + 8 + held.next_multiple_of(8), "{name}: {more}");
    };
    let plain = size_of_val(&tokio::retry(&POLICY, small));
    let cancelled = size_of_val(&tokio::retry(&POLICY, small).cancel(stop.stopped()));
    check("that cuts", plain, cancelled, 0);
    let plain = size_of_val(&tokio::retry(&POLICY, large));
    let cancelled = size_of_val(&tokio::retry(&POLICY, large).cancel(stop.stopped()));
    check("that cuts a large operation", plain, cancelled, 0);
    // What is not cut keeps no last answer unless something may cancel.
    let plain = size_of_val(&tokio::retry(&POLICY, small).uncut());
    let cancelled = size_of_val(&tokio::retry(&POLICY, small).uncut().cancel(stop.stopped()));
    check("that does not cut", plain, cancelled, size_of::<Option<Result<(), ()>>>());
    let plain = size_of_val(&tokio::retry(&POLICY, large).uncut());
    let cancelled = size_of_val(&tokio::retry(&POLICY, large).uncut().cancel(stop.stopped()));
    check(
        "that does not cut a large operation",
        plain,
        cancelled,
        size_of::<Option<Result<[u8; 512], ()>>>(),
    );
}

struct Still;

impl Runtime for Still {
    fn now(&self) -> Instant {
        Instant::default()
    }

    fn seed(&self) -> u64 {
        1
    }
}

impl blocking::Sleep for Still {
    fn sleep(&self, _: Micros) {}
}

impl asynch::Timer for Still {
    type Sleep = std::future::Ready<()>;

    fn sleep(&self, _: Micros) -> Self::Sleep {
        ready(())
    }
}

#[test]
fn nothing_allocates() {
    // The counter counts: a check that cannot fail is a defect.
    let counted = allocation_counter::measure(|| drop(std::hint::black_box(Box::new(1))));
    assert_eq!(counted.count_total, 1);

    let used = allocation_counter::measure(|| {
        let mut calls = 0;
        let mut fourth = || {
            calls += 1;
            if calls % 4 == 0 { Ok(calls) } else { Err(calls) }
        };
        assert_eq!(blocking::retry(Still, &POLICY, &mut fourth).run(), Ok(4));
        assert_eq!(block_on(asynch::retry(Still, &POLICY, || ready(fourth()))), Ok(8));
        let mut session = blocking::Session::start_on(Still, &POLICY);
        assert_eq!(session.settle(Outcome::Fail).attempts, 1);
        let parsed = Policy::parse("linear 1s +500ms cap 9s jitter +-20% attempts 4 within 2m").unwrap();
        assert_eq!(parsed.plan().count(), 3);
        std::hint::black_box(parsed.worst_case());
    });
    assert_eq!(used.count_total, 0, "{used:?}");
}
