//! What the adapters promise: laws 9, 12 and 14, sizes, no allocation, types without bounds, and what observers say.
//!
//! No test here sleeps for real but those of the thread and of `Stop`, some 0.1 s in all: their sleep is what
//! they test.

mod cancel;
mod cut;
mod daemon;
mod embassy;
mod hal;
mod lean;
mod observers;
mod open_types;
mod order;
mod phases;
mod poll;
mod replay;
mod reports;
mod seeds;
mod sleeps;
mod stop;
mod supervise;
mod supervise_hard;
mod watchdog;
