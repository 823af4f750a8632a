//! The table of the README: each of its rows is shown here, and nothing is shown that has no row.

use crate::process::{Mark, end, file, listening, send};
use crate::support::{Answer, calls, command, counting, fresh, undaunted};
use nix::sys::signal::Signal::{self, *};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

const README: &str = include_str!("../../../../README.md");
const TWICE: &str = "constant 1ms jitter none attempts 2";

/// A row by its first cell, and what shows it.
const ROWS: [(&str, fn()); 21] = [
    ("`0`", success),
    ("`1` to `255`", own),
    ("`1`", too_many_clean_ends),
    ("`2`", usage),
    ("`124`", cut),
    ("`125`", unable),
    ("`126`, `127`", not_there),
    ("`128 + N`", signal),
    ("`UNDAUNTED_ATTEMPT`", attempt),
    ("`UNDAUNTED_ATTEMPTS`", attempts),
    ("`UNDAUNTED_TIME_LEFT`", time_left),
    ("`UNDAUNTED_HINT_FILE`", hint),
    ("`NOTIFY_SOCKET`", notify),
    ("`WATCHDOG_PID`", watchdog),
    ("`TMPDIR`", folder),
    ("`TERM`, `INT`, `QUIT`, `HUP`", ending),
    ("the same, or another, again", again),
    ("`USR1`, `USR2`, `WINCH`", passed_on),
    ("`HUP` with `--supervise`, or ignored from the start", hangup),
    ("`CHLD`", child),
    ("`KILL`", killed),
];

#[test]
fn every_row_of_the_readme_holds() {
    let table = README.split("| status, variable, signal |").nth(1).expect("the table");
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let rows: Vec<&str> = rows.map(|row| row.split('|').nth(1).unwrap().trim()).collect();
    let names: Vec<&str> = ROWS.iter().map(|(name, _)| *name).collect();
    assert_eq!(rows, names);
    for (name, check) in ROWS {
        println!("{name}");
        check();
    }
}

fn run(args: &[&str], script: &str) -> Answer {
    undaunted(&[&["run"], args, &["--", "sh", "-c", script]].concat())
}

fn success() {
    assert_eq!(run(&[TWICE], &counting("row-0", "[ $n -eq 2 ]")).code, Some(0));
}

fn own() {
    for code in [1, 2, 75, 124, 125, 200, 255] {
        assert_eq!(run(&[TWICE], &format!("exit {code}")).code, Some(code));
    }
}

fn too_many_clean_ends() {
    let args =
        ["--supervise", "--restart", "always", "--intensity", "2/1h", "constant 1ms attempts unlimited"];
    let answer = run(&args, &counting("row-1", "exit 0"));
    assert_eq!((answer.code, calls("row-1")), (Some(1), 3));
}

fn usage() {
    assert_eq!(run(&["constant soon"], "exit 0").code, Some(2));
    assert_eq!(run(&["--no-such-option"], "exit 0").code, Some(2));
    assert_eq!(undaunted(&["run"]).code, Some(2));
}

fn cut() {
    assert_eq!(run(&["--attempt-timeout", "50ms", TWICE], "sleep 1000").code, Some(124));
    assert_eq!(run(&["constant 1ms attempts 3 within 50ms"], "sleep 1000").code, Some(124));
}

fn unable() {
    let mut command = command(&["run", "--output", "last", "--", "true"]);
    let answer: Answer = command.env("TMPDIR", "/no/such").output().unwrap().into();
    assert_eq!(answer.code, Some(125));
}

fn not_there() {
    for (code, name) in [(126, "row-126"), (127, "row-127")] {
        let answer = run(&["--retry-on", "1-255", TWICE], &counting(name, &format!("exit {code}")));
        assert_eq!((answer.code, calls(name)), (Some(code), 1));
    }
    assert_eq!(undaunted(&["run", "--", "/no/such/command"]).code, Some(127));
    assert_eq!(undaunted(&["run", "--", "/"]).code, Some(126));
}

fn signal() {
    for number in [1, 9, 11, 15, 34, 64] {
        assert_eq!(run(&[TWICE], &format!("kill -{number} $$")).code, Some(128 + number));
    }
    let mut command = command(&["run", "constant 1h cap 1h jitter none", "--", "sh", "-c", "exit 3"]);
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.ends_with("exit status 3; next in 1 h\n"), "{line}");
    assert_eq!(ended(child, SIGTERM), Some(143));
}

fn attempt() {
    let answer = run(&["-q", TWICE], "echo $UNDAUNTED_ATTEMPT; exit 1");
    assert_eq!(answer.out, "1\n2\n");
}

fn attempts() {
    let script = "echo ${UNDAUNTED_ATTEMPTS-absent}";
    let mut outer = command(&["run", "constant 1ms attempts unlimited", "--", "sh", "-c", script]);
    // One that is there already is somebody else's.
    let answer: Answer = outer.env("UNDAUNTED_ATTEMPTS", "7").output().unwrap().into();
    assert_eq!((&*run(&[TWICE], script).out, &*answer.out), ("2\n", "absent\n"));
}

fn time_left() {
    let script = "echo ${UNDAUNTED_TIME_LEFT-absent}";
    assert_eq!(run(&[TWICE], script).out, "absent\n");
    assert_eq!(run(&["--attempt-timeout", "2h", TWICE], script).out, "2h\n");
    // Of an hour the first attempt has all, less what it takes to begin.
    let out = run(&["constant 1ms within 1h"], script).out;
    assert!(out == "1h\n" || out.starts_with("35") && out.ends_with("s\n"), "{out}");
}

fn hint() {
    for (text, wait) in [("30ms", "next in 30 ms"), ("1us", "next in 1 ms"), ("soon", "next in 1 ms")] {
        let answer = run(&[TWICE], &format!("echo {text} > $UNDAUNTED_HINT_FILE; exit 1"));
        let events = answer.events();
        assert!(events.iter().any(|line| line.ends_with(wait)), "{events:?}");
        assert_eq!(
            events.iter().filter(|line| line.starts_with("the hint \"soon\"")).count() > 0,
            text == "soon"
        );
    }
    // Above the ceiling it gives up at once, rather than come back early. A file is new, and empty, each time.
    let answer = run(&[TWICE], "echo 3600 > $UNDAUNTED_HINT_FILE; exit 5");
    assert_eq!((answer.code, answer.events().len()), (Some(5), 1), "{answer:?}");
    let answer = run(&["-q", TWICE], "wc -c < $UNDAUNTED_HINT_FILE; echo 1us > $UNDAUNTED_HINT_FILE; exit 1");
    assert_eq!(answer.out, "0\n0\n");
}

fn notify() {
    let mut with = command(&["run", "--", "sh", "-c", "echo $NOTIFY_SOCKET; test -S $NOTIFY_SOCKET"]);
    let answer: Answer = with.env("NOTIFY_SOCKET", "/run/somewhere").output().unwrap().into();
    assert!(answer.code == Some(0) && answer.out.contains("/undaunted-notify-"), "{answer:?}");
    assert_eq!(run(&[], "echo ${NOTIFY_SOCKET-absent}").out, "absent\n");
}

fn watchdog() {
    let mut with = command(&["run", "--", "sh", "-c", "echo ${WATCHDOG_PID-absent}$WATCHDOG_USEC"]);
    with.env("NOTIFY_SOCKET", "/run/somewhere").env("WATCHDOG_PID", "1").env("WATCHDOG_USEC", "3");
    assert_eq!(Answer::from(with.output().unwrap()).out, "absent3\n");
}

fn folder() {
    let mut command = command(&["run", "--", "sh", "-c", "dirname $UNDAUNTED_HINT_FILE"]);
    let folder = env!("CARGO_TARGET_TMPDIR");
    assert_eq!(Answer::from(command.env("TMPDIR", folder).output().unwrap()).out, format!("{folder}\n"));
}

/// One whose command has said that it is ready.
fn waiting(args: &[&str], script: &str) -> std::process::Child {
    let path = fresh("row-ready");
    let script = script.replace("READY", &format!("echo ready > '{}'", path.display()));
    let mut command = command(&["run"]);
    command.args(args).args(["--", "bash", "-c", &script]).stdout(Stdio::null()).stderr(Stdio::null());
    let child = command.spawn().unwrap();
    listening(child.id());
    file(&path);
    child
}

fn ended(mut child: std::process::Child, signal: Signal) -> Option<i32> {
    send(&child, signal);
    end(&mut child).code()
}

fn ending() {
    for signal in [SIGTERM, SIGINT, SIGQUIT, SIGHUP] {
        let trap = format!("trap 'exit 42' {}; READY; while :; do sleep 0.01; done", signal.as_str());
        assert_eq!(ended(waiting(&[], &trap), signal), Some(42));
    }
}

fn again() {
    let told = fresh("row-told");
    let trap = format!("trap \"echo told > '{}'\" TERM; READY; while :; do sleep 0.01; done", told.display());
    let child = waiting(&["--grace", "1h"], &trap);
    send(&child, SIGTERM);
    file(&told);
    thread::sleep(Duration::from_millis(100));
    assert_eq!(ended(child, SIGINT), Some(137));
}

fn passed_on() {
    for signal in [SIGUSR1, SIGUSR2, SIGWINCH] {
        let trap = format!("trap 'exit 42' {}; READY; while :; do sleep 0.01; done", signal.as_str());
        // It ends nothing: 42 is a failure like another, and has another attempt.
        assert_eq!(ended(waiting(&["--stop-on", "42"], &trap), signal), Some(42));
    }
}

fn hangup() {
    let trap = "trap 'exit 42' HUP; READY; while :; do sleep 0.01; done";
    assert_eq!(ended(waiting(&["--supervise", "--stop-on", "42"], trap), SIGHUP), Some(42));
    let path = fresh("row-nohup");
    let mut nohup = Command::new("nohup");
    nohup.args([env!("CARGO_BIN_EXE_undaunted"), "run", "--", "sh", "-c"]);
    nohup.arg(format!("echo ready > '{}'; sleep 0.2", path.display()));
    let child = nohup.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    file(&path);
    assert_eq!(ended(child, SIGHUP), Some(0));
}

fn child() {
    // `env` sets what is inherited.
    let mut ignoring = Command::new("env");
    ignoring.args([
        "--ignore-signal=CHLD",
        env!("CARGO_BIN_EXE_undaunted"),
        "run",
        "-q",
        TWICE,
        "--",
        "sh",
        "-c",
        "exit 3",
    ]);
    let mut child = ignoring.stderr(Stdio::null()).spawn().unwrap();
    assert_eq!(end(&mut child).code(), Some(3));
}

fn killed() {
    let mark = Mark::of("row-killed");
    let path = fresh("row-killed");
    let mut command = command(&["run", "--", "sh", "-c"]);
    command.arg(format!("echo ready > '{}'; exec sleep 1000", path.display()));
    mark.put(&mut command);
    let mut child = command.spawn().unwrap();
    file(&path);
    send(&child, SIGKILL);
    end(&mut child);
    mark.nothing_left();
}
