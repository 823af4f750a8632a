//! Every order of events in what threads share: the handle [`Stop`], and what cancels by it.
//!
//! Each model runs again and again, once for each order in which its threads can come to a lock. A wake-up that is lost in
//! one of them leaves a thread asleep, which loom reports as a deadlock.
//!
//! The counts of `Arc` are the standard library's own and take no part in it.
#![cfg(all(loom, test))]

mod cancel;
mod stop;
