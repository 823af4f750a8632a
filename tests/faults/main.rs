//! Faults that retry code has shipped, each as a test of its own: what went wrong, where it was
//! seen, on which input, and what is right. Where a report asks for something that a law settles
//! differently, the law wins and the test says so.
//!
//! `tests/FAULTS.md` is made from these tests, and shows what other crates answer to the same inputs.

#[macro_use]
mod table;

mod ask;
mod attempts;
mod cap;
mod curves;
mod deadlines;
mod hints;
mod jitter;
mod order;
mod overflow;
mod page;
mod peers;
mod recovery;
mod seeds;
mod timers;
mod waiting;
