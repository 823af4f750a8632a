//! The command as people use it: real processes, with waits of milliseconds. What is expected was
//! worked out by hand from the policies; nothing depends on how fast a machine is.

mod pages;
mod pictures;
mod plan;
mod policy;
mod presets;
mod run;
mod server;
mod sources;
mod status;
mod support;
mod wait;
