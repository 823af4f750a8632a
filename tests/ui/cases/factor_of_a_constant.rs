// says: factor belongs to exponential and decorrelated only
use std::time::Duration;
use undaunted::Policy;

pub const ODD: Policy = Policy::constant(Duration::from_secs(1)).factor(3, 2);
