//! The runner itself: what must make it fail does, and nothing is silent.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A directory of its own with these files in it.
fn directory(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).unwrap();
    for (file, text) in files {
        std::fs::write(directory.join(file), text).unwrap();
    }
    directory
}

fn suite(cases: &str) -> String {
    format!(r#"{{"schema": "retry-cases/1", "suite": "own", "notes": [], "cases": [{cases}]}}"#)
}

fn run(directory: &Path) -> (Output, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_conformance")).arg(directory).output().unwrap();
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    (output, text)
}

/// One case in a directory of its own.
fn run_case(name: &str, case: &str) -> (Option<i32>, String) {
    let (output, text) = run(&directory(name, &[("own.json", &suite(case))]));
    (output.status.code(), text)
}

const DOUBLING: &str = r#"{"id": "own.1", "kind": "delays", "policy": {"model": "exponential-shift",
    "base_ns": 1000000000}, "expect": {"delays_ns": [1000000000, 2000000000, 4000000000]}}"#;

#[test]
fn the_cases_of_the_repository_pass_and_the_last_line_says_so() {
    let output = Command::new(env!("CARGO_BIN_EXE_conformance")).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    let last = text.lines().last().unwrap();
    assert!(last.ends_with(" passed, 0 failed"), "{last}");
    let passed: usize = last.split(' ').next().unwrap().parse().unwrap();
    assert!(passed >= 300, "{last}");
}

/// Every case is in one count, and every case that was not run is under a reason.
#[test]
fn every_case_is_counted_and_every_skip_has_its_reason() {
    let output = Command::new(env!("CARGO_BIN_EXE_conformance")).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let number = |words: &str| words.split(' ').next().unwrap().parse::<usize>().unwrap();
    let (mut suites, mut cases) = (0, 0);
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let Some((_, counts)) = line.split_once(": ").filter(|(_, counts)| counts.contains(" cases, "))
        else {
            continue;
        };
        let parts: Vec<usize> = counts.split([',', ':', ';']).map(|part| number(part.trim())).collect();
        let [all, run, agreed, settled, failed, skipped] = parts[..] else { panic!("{line}") };
        assert_eq!((all, run), (run + skipped, agreed + settled + failed), "{line}");
        if line.starts_with("all ") {
            assert_eq!(all, cases);
            continue;
        }
        (suites, cases) = (suites + 1, cases + all);
        let mut reasons = 0;
        while let Some(below) = lines.next_if(|below| below.starts_with("    ")) {
            reasons += if below.contains("not applicable: ") { number(below.trim()) } else { 0 };
        }
        assert_eq!(reasons, skipped, "{line}");
    }
    assert!(suites >= 27, "{suites} suites");
}

#[test]
fn a_tampered_case_goes_red() {
    let (code, text) = run_case("good", DOUBLING);
    assert_eq!((code, text.lines().last()), (Some(0), Some("1 passed, 0 failed")), "{text}");
    let (code, text) = run_case("tampered", &DOUBLING.replace("4000000000", "4000000001"));
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("FAILED own.1: wait 3 expected 4.000000001 s; got 4 s"), "{text}");
    assert_eq!(text.lines().last(), Some("0 passed, 1 failed"));
}

/// Where a law decides, what the case states is still compared with the peer's own rule.
#[test]
fn a_tampered_case_that_a_law_settles_goes_red() {
    let settled = r#"{"id": "own.2", "kind": "delay_at", "policy": {"model": "polly", "type": "constant",
        "jitter": true, "base_ns": 10000000000, "max_delay_ns": 1000000000},
        "input": {"attempt0": 2, "random": 0.5}, "expect": {"delay_ns": 1000000000}, "upstream_defect": "x"}"#;
    let (code, text) = run_case("settled", settled);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("1 settled by law 3"), "{text}");
    let tampered = settled.replace(r#""delay_ns": 1000000000"#, r#""delay_ns": 990000000"#);
    assert_eq!(run_case("settled_tampered", &tampered).0, Some(1));

    let run = r#"{"id": "own.3", "kind": "run", "policy": {"model": "fixed-sleep-after-every-failure",
        "attempts": 3, "delay_ns": 1000000000}, "outcomes": ["retry*"],
        "expect": {"attempts": 3, "sleeps_ns": [1000000000, 1000000000, 1000000000], "result": "exhausted"}}"#;
    let (code, text) = run_case("run", run);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("1 settled by law 1: no wait after the last attempt"), "{text}");
    assert_eq!(
        run_case("run_tampered", &run.replace("\"attempts\": 3, \"sleeps", "\"attempts\": 4, \"sleeps")).0,
        Some(1)
    );
}

#[test]
fn what_is_unknown_goes_red_or_has_its_reason() {
    for (name, from, to) in [
        ("model", "exponential-shift", "nobodys"),
        ("kind", "delays\",", "dreams\","),
        ("unit", "base_ns", "base"),
    ] {
        let (code, text) = run_case(&format!("unknown_{name}"), &DOUBLING.replace(from, to));
        assert_eq!(code, Some(1), "{name}: {text}");
        assert!(text.contains("FAILED own.1: "), "{name}: {text}");
    }
    let (_, text) = run_case("unknown_key", &DOUBLING.replace("\"base_ns\"", "\"zeal\": 3, \"base_ns\""));
    assert!(text.contains("1 not applicable: not understood: policy.zeal"), "{text}");
    assert_eq!(text.lines().last(), Some("0 passed, 0 failed"));
}

#[test]
fn what_is_not_there_yet_is_not_applicable_with_its_reason() {
    let adaptive = DOUBLING.replace("exponential-shift", "aws-cubic");
    let (code, text) = run_case("adaptive", &adaptive);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("1 not applicable: not built: adaptive rates"), "{text}");
}

/// Work as long as the interval: at a fixed rate four probes fit into a second, with a fixed gap three.
#[test]
fn a_tampered_poll_goes_red() {
    let poll = r#"{"id": "own.5", "kind": "run", "policy": {"model": "k8s-poll", "interval_ns": 200000000,
        "jitter": 0, "immediate": true, "sliding": false}, "outcomes": ["pending*"], "context": "none",
        "timeout_ns": 900000000, "work_ns": 200000000, "expect": {"attempts": 5, "result": "deadline"}}"#;
    let (code, text) = run_case("poll", poll);
    assert_eq!((code, text.lines().last()), (Some(0), Some("1 passed, 0 failed")), "{text}");
    for (name, from, to) in [
        ("attempts", "\"attempts\": 5", "\"attempts\": 4"),
        ("pace", "\"sliding\": false", "\"sliding\": true"),
        ("reason", "\"result\": \"deadline\"", "\"result\": \"cancelled\""),
        ("begin", "\"immediate\": true", "\"immediate\": false"),
    ] {
        let (code, text) = run_case(&format!("poll_{name}"), &poll.replace(from, to));
        assert_eq!(code, Some(1), "{name}: {text}");
    }
    let probes = r#"{"id": "own.6", "kind": "totals", "policy": {"model": "k8s-poll", "interval_s": 2,
        "timeout_s": 30, "immediate": false, "sliding": false},
        "expect": {"max_attempts_if_instant": 14, "give_up_s": 30}}"#;
    let (code, text) = run_case("probes", probes);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("1 settled by law 6: "), "{text}");
    for (name, from, to) in [
        ("more", ": 14", ": 15"),
        ("fewer", ": 14", ": 13"),
        ("end", "\"give_up_s\": 30", "\"give_up_s\": 29"),
    ] {
        assert_eq!(run_case(&format!("probes_{name}"), &probes.replace(from, to)).0, Some(1), "{name}");
    }
}

#[test]
fn a_tampered_cancel_goes_red() {
    let cancel = r#"{"id": "own.7", "kind": "run", "policy": {"model": "constant", "delay_ns": 1000000},
        "outcomes": ["retry*"], "cancel_after_attempt": 3,
        "expect": {"attempts": 3, "sleeps_ns": [1000000, 1000000], "result": "cancelled"}}"#;
    let (code, text) = run_case("cancel", cancel);
    assert_eq!((code, text.lines().last()), (Some(0), Some("1 passed, 0 failed")), "{text}");
    for (name, from, to) in [
        ("later", "\"attempts\": 3", "\"attempts\": 4"),
        ("slept", "[1000000, 1000000]", "[1000000, 1000000, 1000000]"),
        ("reason", "\"result\": \"cancelled\"", "\"result\": \"exhausted\""),
    ] {
        assert_eq!(run_case(&format!("cancel_{name}"), &cancel.replace(from, to)).0, Some(1), "{name}");
    }
    // A peer that calls although it is cancelled: law 9 makes no call, and what the peer does is compared.
    let before = r#"{"id": "own.8", "kind": "run", "policy": {"model": "k8s-poll", "interval_ns": 1000000,
        "immediate": true, "sliding": false}, "outcomes": ["pending*"], "context": "cancelled",
        "expect": {"attempts": 1, "result": "cancelled"}}"#;
    let (code, text) = run_case("before", before);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("1 settled by law 9: a deadline or cancel that is there"), "{text}");
    let tampered = before.replace("\"attempts\": 1", "\"attempts\": 2");
    assert_eq!(run_case("before_tampered", &tampered).0, Some(1));
}

/// A table whose key is unused for twice the cap after its wait, and where the peer counts the wait too.
#[test]
fn a_tampered_table_goes_red() {
    let table = r#"{"id": "own.9", "kind": "keyed", "policy": {"model": "k8s-flowcontrol",
        "initial_ns": 1000000000, "max_ns": 4000000000}, "input": [{"op": "next", "key": "a"},
        {"op": "next", "key": "a"}, {"op": "next", "key": "b"}, {"op": "get", "key": "a", "want_ns": 2000000000},
        {"op": "advance", "ns": 1500000000}, {"op": "in_backoff_since_update", "key": "a", "want": true},
        {"op": "in_backoff_since_update", "key": "b", "want": false}], "expect": {"all_wants": true}}"#;
    let (code, text) = run_case("table", table);
    assert_eq!((code, text.lines().last()), (Some(0), Some("1 passed, 0 failed")), "{text}");
    for (name, from, to) in [
        ("wait", "\"want_ns\": 2000000000", "\"want_ns\": 1000000000"),
        ("free", "\"want\": true", "\"want\": false"),
        ("other", "\"want\": false", "\"want\": true"),
        ("word", "\"get\"", "\"guess\""),
    ] {
        assert_eq!(run_case(&format!("table_{name}"), &table.replace(from, to)).0, Some(1), "{name}");
    }
    let idle = table
        .replace("1500000000", "9000000000")
        .replace("\"want\": true", "\"want\": false")
        .replace("}], \"exp", "}, {\"op\": \"when\", \"key\": \"a\", \"want_ns\": 1000000000}], \"exp");
    let (code, text) = run_case("table_idle", &idle);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("1 settled by law 10: the time slept"), "{text}");
}

#[test]
fn a_directory_or_a_file_that_cannot_be_read_is_an_error() {
    assert_eq!(run(&directory("empty", &[])).0.status.code(), Some(2));
    assert_eq!(run(Path::new("no/such/directory")).0.status.code(), Some(2));
    assert_eq!(run(&directory("other", &[("index.json", "{}")])).0.status.code(), Some(2));
    for (name, text) in
        [("broken", "{"), ("no_cases", &suite("")), ("other_schema", r#"{"schema": "other"}"#)]
    {
        let (output, text) = run(&directory(name, &[("own.json", text), ("good.json", &suite(DOUBLING))]));
        assert_eq!(output.status.code(), Some(1), "{name}: {text}");
        assert_eq!(text.lines().last(), Some("1 passed, 1 failed"), "{name}");
    }
}

/// 2^53 + 1 is no double: integers are read as 64 bits.
#[test]
fn integers_are_read_as_64_bits() {
    let huge = DOUBLING
        .replace("[1000000000, 2000000000, 4000000000]", "[1000000000, 2000000000, 9007199254740993]");
    let (code, text) = run_case("huge", &huge);
    assert_eq!(code, Some(1), "{text}");
    let saturated = r#"{"id": "own.4", "kind": "delays", "policy": {"model": "exponential-shift",
        "base_ns": 4611686018427387904}, "expect": {"delays_ns": [4611686018427387904, 9223372036854775807]}}"#;
    let (code, text) = run_case("saturated", saturated);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("settled by law 2") && text.contains("settled by law 7"), "{text}");
}
