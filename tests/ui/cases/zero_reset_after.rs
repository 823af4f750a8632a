// says: reset_after must be at least 1 us
use std::time::Duration;
use undaunted::{Policy, Recovery};

pub const NEVER: Recovery = Recovery::new(Policy::constant(Duration::from_secs(1))).reset_after(Duration::ZERO);
