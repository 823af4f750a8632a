//! What the tests share: the naive twin, which is the specification in plain code, and a simulated runtime.
//!
//! The twin is written from the design and not from the core. It answers the same questions with
//! `u128`, `Vec` and loops, so that a mistake would have to be made twice, in two ways, to pass.

pub mod draws;
pub mod embassy;
pub mod forecast;
pub mod hal;
pub mod keyed;
pub mod recovery;
pub mod refuse;
pub mod said;
pub mod script;
pub mod simulated;
pub mod spell;
pub mod twin;
