// says: policy text, at byte 15: expected a unit (us, ms, s, m, h or d)
use undaunted::Policy;

pub static LINK: Policy = Policy::parse_const("exponential 100 x2");
