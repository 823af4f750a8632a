//! Decides about retries: next delay, verdict, reason.
//!
//! The core of [undaunted](https://docs.rs/undaunted). It reads no clock, draws no randomness, never
//! sleeps, allocates nothing and cannot panic: time and randomness are data that come in, a
//! `#[must_use]` [`Verdict`] is all that goes out. The same policy gives the same schedule, to the
//! microsecond, on a server and on a Cortex-M0.
//!
//! ```
//! use core::time::Duration;
//! use undaunted_core::{Instant, Micros, Outcome, Policy, Retry, Rng, Verdict};
//!
//! const LINK: Policy = Policy::exponential(Duration::from_millis(100))
//!     .cap(Duration::from_secs(40))
//!     .attempts(8)
//!     .within(Duration::from_secs(120));
//!
//! let mut rng = Rng::seeded(0x1234); // from the device's unique id
//! let mut now = Instant::from_micros(0); // from the device's timer
//! let mut retry = Retry::start(&LINK, now);
//! let mut calls = 0;
//! loop {
//!     calls += 1;
//!     let outcome = if calls < 4 { Outcome::Fail } else { Outcome::Succeed }; // the attempt
//!     match retry.next(&LINK, outcome, now, rng.draw()) {
//!         Verdict::RetryAfter(wait) => now = now + wait, // sleep
//!         Verdict::Done => break,
//!         Verdict::GiveUp(reason) => panic!("{reason}"),
//!     }
//! }
//! assert_eq!(retry.attempts(), 4);
//! ```
//!
//! * [`Policy`] says how to retry; a constant, a [draft](Policy::draft), or a [text](Policy::parse).
//! * [`Retry`] decides for one operation; [`Pending`] also keeps when the next attempt is due.
//! * [`Recovery`] says how to run again what should run for ever; [`Restarts`] decides.
//! * [`Keyed`] decides for many keys, each with a backoff of its own.
//! * [`Counter`] makes points in time from a hardware counter that wraps; [`Rng::from_id`] seeds from a device's id.
//! * [`Trail`] keeps the last failures for a post-mortem.
//! * [`Policy::plan`] says what a policy will do, [`Policy::worst_case`] how long at worst.
//! * [`presets`] has policies that are in use elsewhere, by name.
//!
//! # Features
//! `default` is empty. `serde`: a [`Policy`] or a [`Recovery`] as the one line of its text, or as a map
//! with the same words. `defmt`: `defmt::Format` on every public type; a device sends numbers, and the texts stay
//! on the host.

#![no_std]

mod backoff;
mod counter;
mod draft;
#[cfg(feature = "defmt")]
mod frames;
mod jitter;
mod keyed;
mod outcome;
mod pending;
mod plan;
mod policy;
pub mod presets;
mod ratio;
mod recovery;
mod restarts;
mod retry;
mod rng;
mod rule;
mod said;
mod seed;
mod settings;
mod text;
mod time;
mod trail;
mod verdict;
mod worst_case;

pub use backoff::Backoff;
pub use counter::{Counter, TickRate};
pub use draft::Draft;
pub use jitter::Jitter;
pub use keyed::Keyed;
pub use outcome::Outcome;
pub use pending::Pending;
pub use plan::{Plan, Step};
pub use policy::Policy;
pub use ratio::Ratio;
pub use recovery::{Intensity, Recovery, RecoveryDraft, RecoverySettings};
pub use restarts::Restarts;
pub use retry::Retry;
pub use rng::Rng;
pub use rule::{Field, Invalid, Rule};
pub use settings::Settings;
pub use text::{Caret, Expected, ParseError, Problem};
pub use time::{Instant, Micros, Readable};
pub use trail::{Failure, Trail};
pub use verdict::{Reason, Verdict};
