//! What the scenarios share.
//!
//! A scenario is a program: [`Scenario::run`] in its `main`. It runs in a [`house`] of its own (processes, network, temporary
//! files), so that ports and names are free and the kernel takes everything away at the end, even when it is killed. After
//! each of its parts the [`leftovers`] are looked for, and there must be none.

pub mod cni;
pub mod contention;
pub mod house;
pub mod leftovers;
pub mod netlink;
mod process;
mod report;
mod scenario;
mod veth;

pub use process::{Started, me};
pub use report::Report;
pub use scenario::Scenario;
pub use veth::{Veth, ip};
