//! What the targets share: the naive twins of the tests, and bytes read as what the library is told.
#![allow(
    unfulfilled_lint_expectations,
    reason = "the tests demand documentation, and this workspace does not"
)]

#[path = "../../tests/support/keyed.rs"]
pub mod keyed;
#[path = "../../tests/support/recovery.rs"]
pub mod recovery;
#[path = "../../tests/support/refuse.rs"]
pub mod refuse;
#[path = "../../tests/support/said.rs"]
pub mod said;
#[path = "../../tests/support/script.rs"]
pub mod script;
#[path = "../../tests/support/spell.rs"]
pub mod spell;
#[path = "../../tests/support/twin.rs"]
pub mod twin;

pub mod bytes;
