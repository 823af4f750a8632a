// says: attempts must be at least 1
use std::time::Duration;
use undaunted::Policy;

pub const NEVER: Policy = Policy::constant(Duration::from_secs(1)).attempts(0);
