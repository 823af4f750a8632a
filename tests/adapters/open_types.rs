//! Any `Result<T, E>` will do: no `'static`, `Clone`, `Send`, `Sync`, `Debug` or `Display` is asked for.
//!
//! That these compile is most of the test.

use crate::simulated::{World, block_on};
use std::cell::Cell;
use std::convert::Infallible;
use std::future::ready;
use std::rc::Rc;
use std::time::Duration;
use undaunted::{GaveUp, Outcome, Policy, asynch, blocking};

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

struct Connection {
    tries: u32,
}

impl Connection {
    async fn send(&mut self) -> Result<u32, &'static str> {
        self.tries += 1;
        tokio::task::yield_now().await;
        if self.tries < 3 { Err("reset") } else { Ok(self.tries) }
    }
}

/// Xuanwo/backon#49: an operation that borrows `&mut self` did not compile. In a loop of your own it
/// does, spawned on a runtime of several threads too.
#[tokio::test(start_paused = true)]
async fn a_session_lends_the_connection_inside_spawn() {
    async fn send(connection: &mut Connection) -> Result<u32, GaveUp<Infallible, &'static str>> {
        let mut session = undaunted::tokio::Session::start(&QUICK);
        loop {
            match connection.send().await {
                Ok(reply) => return Ok(reply),
                Err(error) => session.settle(Outcome::retry_if(error == "reset")).await.or_give_up(error)?,
            }
        }
    }
    let task = tokio::spawn(async {
        let mut connection = Connection { tries: 0 };
        send(&mut connection).await
    });
    assert_eq!(task.await.unwrap(), Ok(3));
}

/// A future of its own: spawned, raced and named without an `async` block around it.
#[tokio::test(start_paused = true)]
async fn a_retry_is_a_future_that_can_be_spawned() {
    let operation = || async { Err::<(), _>("down") };
    let task = tokio::spawn(undaunted::tokio::retry(&QUICK, operation));
    assert_eq!(task.await.unwrap().unwrap_err().attempts, 3);
}
