// says: policy text, at byte 15: expected one of x1.5, cap
use undaunted::Policy;

pub static UPLINK: Policy = Policy::parse_const("exponential 1s reset_after 10m");
