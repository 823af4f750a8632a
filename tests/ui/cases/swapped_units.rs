// says: expected `Duration`, found integer
// says: expected `u32`, found `Duration`
//! redis-rs/redis-rs#1830: a factor of 100 was taken for the length.
use std::time::Duration;
use undaunted::Policy;

pub const SWAPPED: Policy = Policy::exponential(100).factor(Duration::from_millis(2), 1);
