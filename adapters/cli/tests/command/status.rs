//! From the status of the command to that of `undaunted`.

use crate::support::{calls, counting, fresh, run, undaunted};
use std::fs;

const POLICY: &str = "constant 1ms jitter none attempts 2";

#[test]
fn the_last_status_is_passed_on() {
    for code in [1, 2, 42, 125, 128, 255] {
        assert_eq!(run(POLICY, &format!("exit {code}")).code, Some(code));
    }
    // Not the first one: 10 plus the number of the call.
    assert_eq!(run(POLICY, &counting("last", "exit $((10 + n))")).code, Some(12));
}

#[test]
fn a_command_that_says_126_or_127_is_not_retried() {
    for (code, meaning) in [(126, "cannot be executed"), (127, "command not found")] {
        let name = format!("status{code}");
        let answer = run(POLICY, &counting(&name, &format!("exit {code}")));
        assert_eq!((answer.code, calls(&name), answer.events().len()), (Some(code), 1, 1));
        let said = format!("attempt 1/2 failed: exit status {code} ({meaning}); giving up after ");
        assert!(answer.events()[0].starts_with(&said), "{}", answer.err);
        assert!(answer.events()[0].ends_with(": not worth retrying"), "{}", answer.err);
    }
}

#[test]
fn a_command_that_is_not_there_is_127() {
    let answer = undaunted(&["run", "constant 1s", "--", "no-such-command-anywhere", "x"]);
    assert_eq!(answer.code, Some(127));
    assert_eq!(answer.err, "undaunted: cannot run no-such-command-anywhere: command not found\n");
}

#[test]
fn a_command_that_cannot_be_executed_is_126() {
    let path = fresh("not-executable");
    fs::write(&path, "#!/bin/sh\n").unwrap();
    let path = path.display().to_string();
    let answer = undaunted(&["run", "-q", "constant 1s", "--", &path]);
    assert_eq!(answer.code, Some(126));
    let said = format!("undaunted: cannot run {path}: Permission denied (os error 13)\n");
    assert_eq!(answer.err, said);
}

#[test]
fn a_death_by_signal_is_retried_and_128_more() {
    for (number, name) in [(9, "SIGKILL"), (15, "SIGTERM"), (13, "SIGPIPE")] {
        let answer = run(POLICY, &format!("kill -{number} $$"));
        assert_eq!((answer.code, answer.events().len()), (Some(128 + number), 2), "{}", answer.err);
        let said = format!("attempt 1/2 failed: killed by signal {number} ({name}); next in 1 ms");
        assert_eq!(answer.events()[0], said);
    }
}

/// Of the failures only those that are listed are worth another attempt, and none of those that stop. A run that was cut
/// has no status: it is retried.
#[test]
fn lists_of_statuses_narrow_what_is_retried() {
    const RETRY: &[&str] = &["--retry-on", "75,SIGKILL"];
    const STOP: &[&str] = &["--stop-on", "3,signals"];
    const BOTH: &[&str] = &["--retry-on", "1-9", "--stop-on", "3"];
    const CUT: &[&str] = &["--retry-on", "75", "--attempt-timeout", "50ms"];
    for (options, script, code, called) in [
        (RETRY, "exit 75", 75, 2),
        (RETRY, "exit 74", 74, 1),
        (RETRY, "kill -9 $$", 137, 2),
        (RETRY, "kill -15 $$", 143, 1),
        (STOP, "exit 3", 3, 1),
        (STOP, "exit 4", 4, 2),
        (STOP, "kill -9 $$", 137, 1),
        (BOTH, "exit 3", 3, 1),
        (BOTH, "exit 4", 4, 2),
        (BOTH, "exit 10", 10, 1),
        (CUT, "sleep 1000", 124, 2),
    ] {
        let script = counting("narrowed", script);
        let answer = undaunted(&[&["run"], options, &[POLICY, "--", "sh", "-c", &script]].concat());
        assert_eq!((answer.code, calls("narrowed")), (Some(code), called), "{options:?} {script}");
    }
}
