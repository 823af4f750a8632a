// says: immediate with unlimited attempts needs a floor
use undaunted::Policy;

pub const SPIN: Policy = Policy::immediate().unlimited_attempts();
