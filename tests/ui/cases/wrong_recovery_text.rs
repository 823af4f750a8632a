// says: recovery text, at byte 32: expected a number up to 65535 and a window, such as 5/1m
use undaunted::Recovery;

pub static UPLINK: Recovery = Recovery::parse_const("exponential 1s cap 5m intensity 1m");
