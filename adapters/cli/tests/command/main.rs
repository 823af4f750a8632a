//! The command as people use it: real processes, with waits of milliseconds. What is expected was
//! worked out by hand from the policies; nothing depends on how fast a machine is.

mod chaos;
mod container;
mod edges;
mod gate;
mod moments;
mod notify;
mod pages;
mod pictures;
mod plan;
mod policy;
mod presets;
mod process;
mod run;
mod server;
mod sources;
mod status;
mod support;
mod table;
mod terminal;
mod wait;
