//! What the peers answered when they were last run: `peers/answers.json`.

use std::fs;
use std::path::Path;

/// One answer of one peer to the input of one fault.
pub(crate) struct Answer {
    pub(crate) id: String,
    pub(crate) peer: String,
    /// As the run was built.
    pub(crate) version: String,
    pub(crate) answer: String,
}

pub(crate) fn answers() -> Vec<Answer> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/answers.json");
    let text = fs::read_to_string(path).expect("made by `tests/run peers`");
    let answers: Vec<serde_json::Value> = serde_json::from_str(&text).expect("a list");
    let field = |answer: &serde_json::Value, name: &str| {
        answer[name].as_str().unwrap_or_else(|| panic!("no {name} in {answer}")).to_owned()
    };
    answers
        .iter()
        .map(|answer| Answer {
            id: field(answer, "id"),
            peer: field(answer, "peer"),
            version: field(answer, "version"),
            answer: field(answer, "answer"),
        })
        .collect()
}

/// A peer that was pinned anew has to be asked anew.
#[test]
fn the_answers_are_those_of_the_pinned_versions() {
    let lock = include_str!("../peers/Cargo.lock");
    for Answer { peer, version, .. } in answers() {
        let number = version.split(' ').next().unwrap_or_default();
        let pinned = format!("name = \"{peer}\"\nversion = \"{number}\"");
        assert!(lock.contains(&pinned), "{peer} {version} is not what is pinned; run `tests/run peers`");
    }
}
