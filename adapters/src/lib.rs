//! Retrying things properly, everywhere: one policy, from a daemon on a server to firmware on a
//! Cortex-M0, with the same schedule to the microsecond.
//!
//! This crate drives; [`undaunted_core`] decides, and all of it is re-exported here. Each runtime is
//! one small module behind one feature, and each has the same two doors:
//!
//! * `retry(&policy, operation)` calls until it succeeds or the policy says stop.
//! * `Session` is one awaitable step for a loop of your own, which may borrow and use `?`.
//!
#![cfg_attr(feature = "tokio", doc = "```")]
#![cfg_attr(not(feature = "tokio"), doc = "```ignore")]
//! use std::time::Duration;
//! use undaunted::{Policy, tokio::retry};
//!
//! const WRITE: Policy = Policy::exponential(Duration::from_millis(500))
//!     .factor(3, 2)
//!     .cap(Duration::from_secs(20))
//!     .attempts(10)
//!     .within(Duration::from_secs(40)); // a wrong constant does not compile
//!
//! # #[derive(Debug)] struct E; impl std::fmt::Display for E {
//! #     fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result { f.write_str("busy") } }
//! # impl E { fn is_transient(&self) -> bool { true } }
//! # let calls = std::cell::Cell::new(0);
//! # let update_status = || { calls.set(calls.get() + 1); let n = calls.get();
//! #     async move { if n < 3 { Err(E) } else { Ok(n) } } };
//! # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
//! let status = retry(&WRITE, || update_status())
//!     .when(|e| e.is_transient())
//!     .on_event(|event| println!("{event}")) // attempt 2/10 failed: busy; next in 740 ms
//!     .await
//!     .unwrap(); // or GaveUp { last, reason, attempts, elapsed }
//! # assert_eq!(status, 3);
//! # });
//! ```
//!
//! Import by name: `use undaunted::*` would bring this crate's modules `tokio`, `log`, `metrics` and `tracing` beside
//! the crates of these names.
//!
//! # Features
//! `default` is empty: without features this is the core, `no_std`. A feature only adds.
//!
//! | feature | adds | dependencies |
//! | --- | --- | --- |
//! | `std` | `thread`: blocking calls; `Stop` | none |
//! | `tokio` | `tokio`: asynchronous calls | tokio (`time`), pin-project-lite |
//! | `asynch` | `asynch` without a runtime, for one of your own | pin-project-lite |
//! | `embassy` | `embassy`: asynchronous calls on a device | embassy-time, pin-project-lite |
//! | `embedded-hal` | `embedded_hal`: blocking calls on the delay of any HAL | embedded-hal |
//! | `embedded-hal-async` | `embedded_hal_async`: asynchronous calls on the delay of any HAL | embedded-hal-async, pin-project-lite |
//! | `log` | `log`: an observer that logs each attempt | log |
//! | `metrics` | `std`, and `metrics`: an observer that counts | metrics |
//! | `tracing` | `tracing`: an observer for events, a span for the operation | tracing |
//! | `defmt` | `defmt::Format` on the core's types, [`Event`], [`GaveUp`], [`Last`], [`Report`], [`Settled`] | defmt |
//! | `serde` | policies in configuration files | serde_core |
//! | `convert` | `convert`: policies from the numbers of Kubernetes, gRPC, AWS, FreeRTOS and retry-go | none |
//! | `grpc` | `convert`, and reads gRPC's `retryPolicy` from JSON | serde_core |

#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "std")]
extern crate std;

#[cfg(feature = "asynch")]
pub mod asynch;
pub mod blocking;
mod classify;
#[cfg(feature = "std")]
mod clock;
#[cfg(feature = "convert")]
pub mod convert;
mod deadline;
#[cfg(any(feature = "embassy", feature = "embedded-hal", feature = "embedded-hal-async"))]
mod device;
#[cfg(feature = "embassy")]
pub mod embassy;
#[cfg(feature = "embedded-hal")]
pub mod embedded_hal;
#[cfg(feature = "embedded-hal-async")]
pub mod embedded_hal_async;
mod event;
#[cfg(any(feature = "log", feature = "tracing"))]
mod level;
#[cfg(feature = "log")]
pub mod log;
#[cfg(feature = "metrics")]
pub mod metrics;
mod poll;
mod report;
mod session;
#[cfg(feature = "std")]
mod stop;
#[cfg(feature = "std")]
mod supervise;
#[cfg(feature = "std")]
pub mod thread;
#[cfg(feature = "tokio")]
pub mod tokio;
#[cfg(feature = "tracing")]
pub mod tracing;
mod watchdog;

pub use classify::{Answer, Attempt, Classify, Each, Operation, When, Whole};
pub use deadline::{Deadline, Until};
pub use event::{Event, Observe, Silent};
pub use poll::{Gap, NotReady, Pace, Probe, Rate, Says};
pub use report::{GaveUp, Last, Report, Settled};
pub use session::Runtime;
#[cfg(feature = "std")]
pub use stop::{Stop, Stopped};
#[cfg(feature = "std")]
pub use supervise::{Crash, Ended, Escalation, Ran, Run, Running, Supervise, Supervised, Task};
#[doc(inline)]
pub use undaunted_core::*;
pub use watchdog::Fed;

/// The README's examples are tests.
#[cfg(all(
    doctest,
    feature = "embassy",
    feature = "embedded-hal",
    feature = "log",
    feature = "metrics",
    feature = "tokio",
    feature = "tracing"
))]
#[doc = include_str!("../../README.md")]
struct Readme;
