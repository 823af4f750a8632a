//! The gate of a supervised command: a target of `wait`, seen through the same lines as a shell command.

use crate::process::{end, send};
use crate::support::{Answer, command, counting, fresh, undaunted};
use nix::sys::signal::Signal;
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// As often as it takes, each millisecond.
const OFTEN: &str = "constant 1ms attempts unlimited within 30s";

fn gated(gate: &str, policy: &str, script: &str) -> Answer {
    let args = ["run", "--supervise", "constant 1ms jitter none attempts 5", "--gate", gate, "--gate-policy"];
    undaunted(&[&args[..], &[policy, "--", "sh", "-c", script]].concat())
}

#[test]
fn it_opens_when_its_target_is_ready() {
    let path = fresh("gate-file");
    let script = counting("gate-file-runs", "[ $n = 2 ] || exit 7");
    fresh("gate-file-runs");
    let args = ["run", "--supervise", "constant 1h cap 1h jitter none", "--gate-policy", OFTEN, "--gate"];
    let mut command = command(&args);
    command.arg(format!("file:{}", path.display())).args(["--", "sh", "-c", &script]);
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = Vec::new();
    for line in BufReader::new(child.stderr.take().unwrap()).lines() {
        lines.push(line.unwrap());
        // Seen to be shut twice; the hour of the policy is not waited for.
        if lines.len() == 3 {
            fs::write(&path, "").unwrap();
        }
    }
    assert_eq!(end(&mut child).code(), Some(0));
    assert_eq!(lines[0], "undaunted: attempt 1/5 failed: exit status 7; next in 1 h");
    for (index, line) in lines[1..3].iter().enumerate() {
        let shut =
            format!("undaunted: gate: attempt {} failed: no such file or directory; next in ", index + 1);
        assert!(line.starts_with(&shut), "{lines:?}");
    }
    let opened = &lines[lines.len() - 2..];
    assert!(
        opened[0].starts_with("undaunted: gate: attempt ") && opened[0].contains(" succeeded after "),
        "{lines:?}"
    );
    assert!(opened[1].starts_with("undaunted: attempt 2/5 succeeded after "), "{lines:?}");
}

#[test]
fn a_target_that_can_never_be_ready_ends_it() {
    let answer = gated("link:a-name-beyond-fifteen-letters", OFTEN, "exit 7");
    let events = answer.events();
    assert_eq!((answer.code, events.len()), (Some(7), 2), "{events:?}");
    assert!(events[1].starts_with("gate: attempt 1 failed: no link can have this name"), "{events:?}");
    assert!(events[1].ends_with(": not worth retrying"), "{events:?}");
}

#[test]
fn a_target_that_cannot_be_read_is_refused_before_anything_runs() {
    let path = fresh("gate-refused");
    let answer = gated("tcp:db", OFTEN, &format!("touch '{}'", path.display()));
    assert_eq!((answer.code, path.exists()), (Some(2), false));
    assert!(answer.err.contains("expected HOST:PORT"), "{}", answer.err);
}

/// A server that takes connections and never answers.
fn silent() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let gate = format!("http://{}/", listener.local_addr().unwrap());
    (listener, gate)
}

#[test]
fn a_look_that_hangs_is_cut_at_its_limit() {
    let (_listener, gate) = silent();
    let answer = gated(&gate, "constant 1ms jitter none attempts 2 attempt_timeout 30ms", "exit 7");
    let events = answer.events();
    assert_eq!((answer.code, events.len()), (Some(7), 3), "{events:?}");
    assert!(events[2].starts_with("gate: attempt 2/2 failed: no answer; giving up after "), "{events:?}");
}

#[test]
fn a_signal_ends_a_look_that_hangs() {
    let (listener, gate) = silent();
    let args = ["run", "--supervise", "constant 1ms", "--gate", &gate, "--", "sh", "-c", "exit 7"];
    let mut child = command(&args).stderr(Stdio::null()).spawn().unwrap();
    let _under_way = listener.accept().unwrap();
    let sent = Instant::now();
    send(&child, Signal::SIGTERM);
    assert_eq!(end(&mut child).code(), Some(128 + Signal::SIGTERM as i32));
    // It may take 10 s.
    assert!(sent.elapsed() < Duration::from_secs(5), "{:?}", sent.elapsed());
}
