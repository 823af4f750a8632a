//! Any `Result<T, E>` will do: no `'static`, `Clone`, `Send`, `Sync`, `Debug` or `Display` is asked for.
//!
//! That these compile is most of the test.

use std::cell::Cell;
use std::future::ready;
use std::rc::Rc;
use std::time::Duration;
use undaunted::{Policy, asynch, blocking};
use undaunted_tests::simulated::{World, block_on};

const QUICK: Policy = Policy::constant(Duration::from_millis(1)).attempts(3);

/// Neither `Send`, `Sync`, `Clone`, `Debug`, `Display` nor `'static`.
struct Bare<'a>(Rc<Cell<u32>>, &'a str);

#[test]
fn errors_and_values_need_no_bounds() {
    let text = String::from("borrowed");
    let bare = || Bare(Rc::new(Cell::new(1)), &text);
    let failed = blocking::retry(World::default(), &QUICK, || Err::<Bare<'_>, _>(bare()))
        .when(|error| error.0.get() == 1)
        .run();
    assert_eq!(failed.map(|_| ()).unwrap_err().error().map(|error| error.1), Some("borrowed"));
    let ready_bare = || ready(Ok::<_, Bare<'_>>(bare()));
    let value = block_on(asynch::retry(World::default(), &QUICK, ready_bare));
    assert!(value.is_ok_and(|bare| bare.1 == "borrowed"));
}

#[test]
fn a_policy_may_be_lent_or_given() {
    let lent = Policy::parse("constant 1ms attempts 2").unwrap();
    assert_eq!(blocking::retry(World::default(), &lent, || Ok::<_, ()>(1)).run(), Ok(1));
    assert_eq!(blocking::retry(World::default(), lent, || Ok::<_, ()>(2)).run(), Ok(2));
}

/// A future of its own: spawned, raced and named without an `async` block around it.
#[tokio::test(start_paused = true)]
async fn a_retry_is_a_future_that_can_be_spawned() {
    let operation = || async { Err::<(), _>("down") };
    let task = tokio::spawn(undaunted::tokio::retry(&QUICK, operation));
    assert_eq!(task.await.unwrap().unwrap_err().attempts, 3);
}
