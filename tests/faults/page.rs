//! The page `FAULTS.md`: made from the tests, from what waits, and from the peers' answers.

use crate::peers::{Answer, answers};
use crate::table::Fault;
use crate::waiting::WAITING;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{env, fs};

const SUBJECTS: [(&str, &str, &[Fault]); 11] = [
    ("Overflow", "overflow", crate::overflow::FAULTS),
    ("The cap", "cap", crate::cap::FAULTS),
    ("Jitter", "jitter", crate::jitter::FAULTS),
    ("Seeds", "seeds", crate::seeds::FAULTS),
    ("Curves", "curves", crate::curves::FAULTS),
    ("Hints", "hints", crate::hints::FAULTS),
    ("Attempts", "attempts", crate::attempts::FAULTS),
    ("Deadlines and clocks", "deadlines", crate::deadlines::FAULTS),
    ("Timers", "timers", crate::timers::FAULTS),
    ("Recovery", "recovery", crate::recovery::FAULTS),
    ("Order, classifiers, reports", "order", crate::order::FAULTS),
];

const HEAD: &str = "\
# Faults that others shipped

Each row is a fault of retry code in public use, the input that shows it, and two answers: that of this
library, which a test asserts, and that of a peer, as a run produced it. Peers are pinned in `peers/Cargo.toml`
and built with overflow checks; where one has mended itself, its answer here shows it.

Made by `tests/run --update faults` from the tests in `faults/`; a test fails when it is out of date. The
peers' answers are in `peers/answers.json`, made by `tests/run peers`.
";

fn subjects() -> impl Iterator<Item = (&'static str, &'static str, &'static [Fault])> {
    SUBJECTS.into_iter()
}

/// Every row has either a peer's answer or the reason why there is none, and no answer is left over.
#[test]
fn every_row_says_what_its_peer_answers_or_why_not() {
    let answers = answers();
    let tested = subjects().flat_map(|(.., faults)| faults).map(|fault| (fault.test, fault.no_peer));
    let waiting = WAITING.iter().map(|waiting| (waiting.name, waiting.no_peer));
    let mut names = BTreeSet::new();
    for (name, no_peer) in tested.chain(waiting) {
        assert!(names.insert(name), "{name} is there twice");
        let answered = answers.iter().any(|answer| answer.id == name);
        assert!(answered != no_peer.is_some(), "{name}: an answer or a reason, and not both");
    }
    let stray: Vec<_> = answers.iter().filter(|answer| !names.contains(answer.id.as_str())).collect();
    assert!(
        stray.is_empty(),
        "no such fault: {:?}",
        stray.iter().map(|answer| &answer.id).collect::<Vec<_>>()
    );
}

/// With `UPDATE` set, it is written anew instead.
#[test]
fn the_page_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("FAULTS.md");
    let page = page(&answers());
    if env::var_os("UPDATE").is_some_and(|update| !update.is_empty()) {
        fs::write(&path, &page).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    let first = written.lines().zip(page.lines()).find(|(written, made)| written != made);
    assert!(written == page, "FAULTS.md is out of date; `tests/run --update faults` writes it: {first:?}");
}

/// The totals, on the screen by `tests/run faults`.
#[test]
fn totals() {
    println!("{}", summary());
    for waiting in WAITING {
        println!("  waits for {}: {} ({})", waiting.waits_for, waiting.name, waiting.seen.join(", "));
    }
    let unasked = subjects().flat_map(|(.., faults)| faults);
    for (fault, reason) in unasked.filter_map(|fault| Some((fault.test, fault.no_peer?))) {
        println!("  no peer asked: {fault}: {reason}");
    }
}

fn summary() -> String {
    let faults: usize = subjects().map(|(.., faults)| faults.len()).sum();
    let answers = answers();
    let peers = answers.iter().map(|answer| &answer.peer).collect::<BTreeSet<_>>().len();
    let mut reasons = BTreeMap::<_, usize>::new();
    for waiting in WAITING {
        *reasons.entry(waiting.waits_for).or_default() += 1;
    }
    let reasons: Vec<_> = reasons.into_iter().map(|(part, n)| format!("{n} for {part}")).collect();
    format!(
        "faults: {faults} tested, {} wait ({}); {peers} other crates gave {} answers",
        WAITING.len(),
        reasons.join(", "),
        answers.len(),
    )
}

fn page(answers: &[Answer]) -> String {
    let mut page = format!("{HEAD}\n{}.\n", summary());
    for (heading, module, faults) in subjects() {
        page += &format!(
            "\n## {heading}\n\nTests in `faults/{module}.rs`.\n\n\
             | fault | seen in | law | input | our answer | the peer's answer | test |\n\
             | --- | --- | --- | --- | --- | --- | --- |\n"
        );
        for fault in faults {
            row(
                &mut page,
                &[
                    text(fault.what),
                    seen(fault.seen),
                    fault.law.into(),
                    text(fault.input),
                    text(&(fault.ours)()),
                    theirs(answers, fault.test, fault.no_peer),
                    format!("`{}`", fault.test),
                ],
            );
        }
    }
    page += "\n## Waiting\n\nWhat these fall under is not built; each becomes a test with it.\n\n\
             | fault | seen in | law | input | right is | the peer's answer | waits for |\n\
             | --- | --- | --- | --- | --- | --- | --- |\n";
    for waiting in WAITING {
        row(
            &mut page,
            &[
                text(waiting.what),
                seen(waiting.seen),
                waiting.law.into(),
                text(waiting.input),
                text(waiting.right),
                theirs(answers, waiting.name, waiting.no_peer),
                waiting.waits_for.into(),
            ],
        );
    }
    page
}

fn row(page: &mut String, cells: &[String]) {
    *page += &format!("| {} |\n", cells.join(" | "));
}

/// Text that is no markup: one line, without the signs of a table.
fn text(words: &str) -> String {
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    words.replace('|', "\\|").replace('<', "&lt;")
}

fn seen(places: &[&str]) -> String {
    let link = |place: &&str| match place.split_once('#') {
        Some((repository, number)) if repository.contains('/') => {
            format!("[{place}](https://github.com/{repository}/issues/{number})")
        }
        _ => (*place).into(),
    };
    places.iter().map(link).collect::<Vec<_>>().join(", ")
}

fn theirs(answers: &[Answer], name: &str, no_peer: Option<&str>) -> String {
    let answers = answers.iter().filter(|answer| answer.id == name);
    let words: Vec<_> = answers
        .map(|answer| format!("{} {}: {}", answer.peer, answer.version, text(&answer.answer)))
        .collect();
    match no_peer {
        Some(reason) => text(reason),
        None => words.join("<br>"),
    }
}
