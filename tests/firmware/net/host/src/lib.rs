//! The peer of the device in `net`: it starts the emulator, plays the server on the loopback of this machine, and
//! compares what the device reports with the naive twin.

#![warn(missing_docs)]

pub mod check;
pub mod device;
pub mod frames;
pub mod play;
pub mod scenarios;
pub mod server;

// The twin of the tests, which knows the core's types and none of its code.
#[path = "../../../../support/draws.rs"]
pub mod draws;
#[path = "../../../../support/refuse.rs"]
pub mod refuse;
#[path = "../../../../support/said.rs"]
pub mod said;
#[path = "../../../../support/script.rs"]
pub mod script;
#[path = "../../../../support/spell.rs"]
pub mod spell;
#[path = "../../../../support/twin.rs"]
pub mod twin;
