// says: floor must not be longer than the cap
use std::time::Duration;
use undaunted::Policy;

pub const CROSSED: Policy =
    Policy::exponential(Duration::from_millis(1)).floor(Duration::from_secs(2)).cap(Duration::from_secs(1));
