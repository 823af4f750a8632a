//! What became of a case: passed, settled by laws, not applicable, or failed.

use std::collections::{BTreeMap, BTreeSet};

/// A law of the design, by number.
pub(crate) type Law = u8;

/// Why a check ended before its end.
#[derive(Debug)]
pub(crate) enum End {
    /// The product has no such thing; the reason.
    NotApplicable(String),
    /// It disagrees, or the case cannot be understood; what was expected and what came.
    Failed(String),
}

/// A check that may end early.
pub(crate) type Checked<T = ()> = Result<T, End>;

/// A failure, in words.
pub(crate) fn failed<T>(words: impl Into<String>) -> Checked<T> {
    Err(End::Failed(words.into()))
}

/// Something that the product has no name for, in words.
pub(crate) fn not_applicable<T>(words: impl Into<String>) -> Checked<T> {
    Err(End::NotApplicable(words.into()))
}

/// `Ok` if it holds, else a failure.
pub(crate) fn ensure(holds: bool, words: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { failed(words()) }
}

/// What is noted on the way: laws that were asserted in place of a peer's rule, and remarks.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// Each law with what it decided.
    pub(crate) laws: BTreeMap<Law, String>,
    /// How the case was run, where that is not as written.
    pub(crate) remarks: BTreeSet<String>,
}

impl Findings {
    /// A law was asserted in place of what the case expects.
    pub(crate) fn law(&mut self, law: Law, decided: &str) {
        self.laws.entry(law).or_insert_with(|| decided.to_string());
    }

    /// Something that the reader of the report should know.
    pub(crate) fn remark(&mut self, words: &str) {
        self.remarks.insert(words.to_string());
    }
}

/// The answer for one case.
#[derive(Debug)]
pub(crate) enum Answer {
    /// It disagrees.
    Failed(String),
    /// It was not run, for this reason.
    NotApplicable(String),
    /// It was run and agrees.
    Passed,
    /// It was run, and these laws were asserted where the peer's rule contradicts them.
    Settled(BTreeMap<Law, String>),
}

/// The answer for one case, with its name.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) id: String,
    pub(crate) answer: Answer,
    pub(crate) remarks: BTreeSet<String>,
}
