//! What ends it, what it leaves behind, and what the command in its place gets.

use super::Waiting;
use crate::support::{command, fresh, undaunted};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use std::{fs, thread};

/// Waits for `path` to have as many lines, and answers them as numbers.
fn numbers(path: &Path, lines: usize) -> Vec<u32> {
    loop {
        let text = fs::read_to_string(path).unwrap_or_default();
        if text.lines().count() == lines && text.ends_with('\n') {
            return text.lines().map(|line| line.parse().unwrap()).collect();
        }
        thread::sleep(Duration::from_millis(1));
    }
}

fn kill(signal: &str, pid: u32) {
    assert!(Command::new("kill").args([signal, &pid.to_string()]).status().unwrap().success());
}

/// Whether a process runs, in so far as it has not just been killed and not yet been waited for.
fn runs(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['Z', 'X']))
}

#[test]
fn a_signal_ends_it_and_every_child() {
    for (signal, code, trap) in [("-TERM", 143, ""), ("-INT", 130, "trap '' TERM;"), ("-HUP", 129, "")] {
        let pids = fresh(&format!("wait.pids{signal}"));
        let script =
            format!("command:{trap} sleep 300 & echo $$ $! | tr ' ' '\\n' > '{}'; wait", pids.display());
        let waiting = Waiting::start(&[&script, "127.0.0.1:1"]);
        let pids = numbers(&pids, 2);
        assert!(pids.iter().all(|pid| runs(*pid)));
        kill(signal, waiting.child.id());
        let start = Instant::now();
        let (answer, lines) = waiting.end();
        println!("{signal} ended it in {:?}", start.elapsed());
        assert_eq!(answer.code, Some(code), "{lines:?}");
        let said = format!(": signal {} (SIG{})", code - 128, &signal[1..]);
        assert!(lines.iter().any(|line| line.ends_with(&said)), "{lines:?}");
        assert!(!pids.iter().any(|pid| runs(*pid)), "{pids:?}");
    }
}

#[test]
fn nothing_is_left_behind_when_another_target_is_ready_or_time_is_up() {
    for (name, how, limit, code) in [("wait.any", "--any", "1m", 0), ("wait.time", "--all", "300ms", 124)] {
        let pids = fresh(name);
        // The other target is looked at after the command has begun.
        let ready = format!("command:until [ -s '{}' ]; do sleep 0.01; done", pids.display());
        let script = format!("command:echo $$ > '{}'; sleep 300", pids.display());
        let answer = undaunted(&["wait", how, "--timeout", limit, &ready, &script]);
        assert_eq!(answer.code, Some(code), "{}", answer.err);
        assert!(!runs(numbers(&pids, 1)[0]));
    }
}

#[test]
fn the_command_takes_its_place() {
    let waiting = Waiting::start(&["/", "--", "sh", "-c", "echo $$; exit 7"]);
    let pid = waiting.child.id();
    let (answer, _) = waiting.end();
    assert_eq!((answer.code, answer.out), (Some(7), format!("{pid}\n")));
    let status = command(&["wait", "/", "--", "sh", "-c", "kill -9 $$"]).status().unwrap();
    assert_eq!(status.signal(), Some(9));
    let answer = undaunted(&["wait", "/", "--", "no-such-command-anywhere"]);
    assert_eq!(answer.code, Some(127));
    assert_eq!(answer.err, "undaunted: cannot run no-such-command-anywhere: command not found\n");
}

#[test]
fn the_command_is_not_run_when_it_gave_up() {
    let answer = undaunted(&["wait", "-t", "50ms", "127.0.0.1:1", "--", "echo", "run"]);
    assert_eq!((answer.code, &*answer.out), (Some(124), ""));
}

/// As `nohup` does: who is told to ignore a signal hands that on.
#[test]
fn what_is_ignored_stays_ignored() {
    let script = r#"trap '' HUP; exec "$@""#;
    let undaunted = env!("CARGO_BIN_EXE_undaunted");
    let then = "kill -HUP $$; echo alive";
    let output = Command::new("sh")
        .args(["-c", script, "sh", undaunted, "wait", "/", "--", "sh", "-c", then])
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "alive\n");
    // And who is not, not: undaunted hears of the signal, the command is ended by it.
    let status = command(&["wait", "/", "--", "sh", "-c", then]).status().unwrap();
    assert_eq!(status.signal(), Some(1));
}
