// says: policy text, at byte 12: the first delay must not be longer than the cap
use undaunted::Policy;

pub static LINK: Policy = Policy::parse_const("exponential 10s cap 1s");
