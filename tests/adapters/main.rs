//! What the adapters promise: laws 9, 12 and 14, sizes, no allocation, and types without bounds.
//!
//! No test here sleeps for real but those of the thread, some milliseconds in all: its sleep is what they test.

mod cut;
mod lean;
mod open_types;
mod order;
mod replay;
mod reports;
mod sleeps;
