//! What the programs here have in common.
#![no_std]
// On the host there is nothing here.
#![cfg(target_os = "none")]

pub mod frame;
pub mod journal;
pub mod line;
pub mod text;
pub mod update;
