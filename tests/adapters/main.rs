//! What the adapters promise: laws 9, 12 and 14, sizes, no allocation, and types without bounds.
//!
//! No test here sleeps for real but one, of two milliseconds, since a thread's sleep is what it tests.

mod lean;
mod open_types;
mod order;
mod reports;
mod simulated;
mod sleeps;
