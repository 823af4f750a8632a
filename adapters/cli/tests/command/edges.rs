//! Where it must not stumble: no folder for files, no streams, no `/proc`, no processes, a parent that hears nothing.

use crate::process::{Mark, end, file};
use crate::support::{Answer, alone, calls, command, counting, fresh, undaunted};
use std::fs::{self, File};
use std::io::{self, Read, Write, pipe};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::Instant;

const TWICE: &str = "constant 1ms jitter none attempts 2";
const BINARY: &str = env!("CARGO_BIN_EXE_undaunted");

/// The answer to `undaunted run` with these words, called by a shell that has it as `$U`.
fn shell(script: &str) -> Answer {
    Command::new("bash").args(["-c", script]).env("U", BINARY).env("P", TWICE).output().unwrap().into()
}

#[test]
fn without_a_folder_it_says_what_for() {
    let without = |args: &[&str]| -> Answer {
        let mut command = command(&["run"]);
        command.args(args).args([TWICE, "--", "sh", "-c", "echo ${UNDAUNTED_HINT_FILE-none}"]);
        command.env("TMPDIR", "/no/such/folder").output().unwrap().into()
    };
    let answer = without(&["--stdin", "replay"]);
    let said = "undaunted: cannot keep the input for --stdin replay in /no/such/folder: No such file";
    assert!(answer.code == Some(125) && answer.err.starts_with(said), "{answer:?}");
    let answer = without(&["--output", "last"]);
    let said = "undaunted: cannot hold back output in /no/such/folder: No such file";
    assert!(answer.code == Some(125) && answer.err.starts_with(said), "{answer:?}");
    // A hint is no condition.
    let answer = without(&[]);
    assert_eq!((answer.code, &*answer.out, &*answer.err), (Some(0), "none\n", ""));
    let mut command = command(&["run", "--", "true"]);
    let answer: Answer =
        command.env("TMPDIR", "/no/such").env("NOTIFY_SOCKET", "/run/x").output().unwrap().into();
    let said = "undaunted: no socket for NOTIFY_SOCKET in /no/such: No such file";
    assert!(answer.code == Some(125) && answer.err.starts_with(said), "{answer:?}");
    let mut command = self::command(&["run", "--", "true"]);
    let answer: Answer = command.env("NOTIFY_SOCKET", "/x".repeat(100)).output().unwrap().into();
    assert_eq!(answer.err, "undaunted: NOTIFY_SOCKET: path must be shorter than SUN_LEN\n");
}

#[test]
fn input_that_cannot_be_read_is_said() {
    let answer: Answer = command(&["run", "--stdin", "replay", "--", "true"])
        .stdin(File::open("/").unwrap())
        .output()
        .unwrap()
        .into();
    assert_eq!(answer.code, Some(125));
    assert!(answer.err.contains(": Is a directory"), "{}", answer.err);
}

#[test]
fn every_attempt_reads_all_of_the_input() {
    // None, and a hundred million bytes.
    let answer = shell(r#"printf '' | "$U" run -q --stdin replay "$P" -- sh -c 'wc -c; exit 1'"#);
    assert_eq!((answer.code, &*answer.out), (Some(1), "0\n0\n"));
    let answer =
        shell(r#"head -c 100000000 /dev/zero | "$U" run -q --stdin replay "$P" -- sh -c 'wc -c; exit 1'"#);
    assert_eq!((answer.code, &*answer.out), (Some(1), "100000000\n100000000\n"));
    // The first reads but a line, and cannot write.
    let answer = shell(
        r#"printf 'a\nb\n' | "$U" run -q --stdin replay "$P" -- sh -c 'read x; echo $x; { echo y >&0; } 2>/dev/null; exit 1'"#,
    );
    assert_eq!((answer.code, &*answer.out), (Some(1), "a\na\n"));
}

#[test]
fn streams_may_be_closed() {
    let answer = shell(r#""$U" run --stdin replay "$P" -- cat <&-"#);
    assert_eq!((answer.code, &*answer.out, &*answer.err), (Some(0), "", ""));
    let answer = shell(r#""$U" run --output last "$P" -- sh -c 'echo x; echo y >&2; exit 4' <&- >&- 2>&-"#);
    assert_eq!((answer.code, &*answer.out, &*answer.err), (Some(4), "", ""));
    // What it opens for itself takes the place of none of them.
    let answer = shell(r#""$U" run "$P" -- sh -c 'readlink /proc/self/fd/0' <&-"#);
    assert_eq!((answer.code, &*answer.out), (Some(0), "/dev/null\n"));
}

#[test]
fn the_command_has_no_descriptor_of_ours() {
    for option in ["--stdin=replay", "--output=last", "--supervise"] {
        let script = "cd /proc/self/fd; for n in ?*; do [ -e $n ] && [ $n -gt 2 ] && readlink $n; done; true";
        let mut command = command(&["run", option, TWICE, "--", "bash", "-c", script]);
        let answer: Answer = alone(command.env("NOTIFY_SOCKET", "/run/nobody")).output().unwrap().into();
        // The shell itself holds the folder that it lists, or nothing.
        let others: Vec<&str> = answer.out.lines().filter(|line| !line.starts_with("/proc/")).collect();
        assert!(others.is_empty() && answer.code == Some(0), "{option}: {answer:?}");
    }
}

#[test]
fn output_that_nobody_reads_does_not_change_the_status() {
    let (reader, writer) = pipe().unwrap();
    drop(reader);
    let mut command = command(&["run", "-q", "--output", "last", TWICE, "--", "sh", "-c", "echo x; exit 3"]);
    assert_eq!(command.stdout(writer).status().unwrap().code(), Some(3));
    let answer = shell(r#""$U" run --output last "$P" -- echo x >/dev/full"#);
    assert_eq!(answer.code, Some(125));
    assert_eq!(answer.err, "undaunted: cannot show the output: No space left on device (os error 28)\n");
}

/// Who still writes into what was held back neither holds it up nor damages it.
#[test]
fn output_of_the_last_attempt_is_whole() {
    let mark = Mark::of("last");
    let script = "yes first | head -c 30000000; setsid sh -c 'while :; do echo X; done' & sleep 0.02";
    let mut command = command(&["run", "--output", "last", TWICE, "--", "sh", "-c", script]);
    mark.put(&mut command);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut shown = Vec::new();
    let mut out = child.stdout.take().unwrap();
    out.by_ref().take(30_000_000).read_to_end(&mut shown).unwrap();
    assert!(shown.chunks(6).all(|line| line == b"first\n"), "somebody wrote over it");
    // It ends although somebody writes for ever.
    let rest = io::copy(&mut out, &mut io::sink()).unwrap();
    assert_eq!(end(&mut child).code(), Some(0));
    println!("{rest} bytes of who went on");
    for pid in mark.processes() {
        let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), nix::sys::signal::Signal::SIGKILL);
    }
    mark.nothing_left();
}

/// An attempt ends when its command ends, whoever holds the pipe.
#[test]
fn a_pipe_that_is_held_open_holds_nothing_up() {
    let mark = Mark::of("pipe");
    let script = counting("pipe", "(setsid sleep 1000 &) ; [ $n -eq 3 ]");
    let mut command = command(&["run", "constant 1ms attempts 5", "--", "sh", "-c", &script]);
    mark.put(&mut command);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    assert_eq!((end(&mut child).code(), calls("pipe")), (Some(0), 3));
    // What failed attempts left is gone; what the one that succeeded left is a daemon, and lives.
    let [pid] = mark.processes()[..] else { panic!("{:?}", mark.processes()) };
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), nix::sys::signal::Signal::SIGKILL).unwrap();
}

/// A shell that starts something and then becomes us by `exec` keeps it.
#[test]
fn what_was_there_before_is_left_alone() {
    let mark = Mark::of("stranger");
    let mut command = Command::new("sh");
    let script = "sleep 1000 & exec \"$U\" run -q \"$P\" -- sh -c 'sleep 2000 & exit 3'";
    command.args(["-c", script]).env("U", BINARY).env("P", TWICE).stdin(Stdio::null());
    mark.put(&mut command);
    let mut child = command.stdout(Stdio::null()).spawn().unwrap();
    assert_eq!(end(&mut child).code(), Some(3));
    let [pid] = mark.processes()[..] else { panic!("{:?}", mark.processes()) };
    assert_eq!(fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap(), "sleep\x001000\0");
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), nix::sys::signal::Signal::SIGKILL).unwrap();
}

#[test]
fn a_name_may_hold_spaces() {
    let path = fresh("a name with spaces");
    fs::write(&path, "#!/bin/sh\nexit 3\n").unwrap();
    fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    let answer = undaunted(&["run", TWICE, "--", path.to_str().unwrap()]);
    assert_eq!((answer.code, answer.events().len()), (Some(3), 2));
    let answer = undaunted(&["run", TWICE, "--", "no such"]);
    assert_eq!(
        (answer.code, &*answer.err),
        (Some(127), "undaunted: cannot run no such: command not found\n")
    );
}

#[test]
fn without_a_grace_it_is_killed_at_once() {
    let path = fresh("grace");
    let script = format!("trap \"echo polite > '{}'\" TERM; while :; do sleep 0.01; done", path.display());
    let policy = "constant 1ms jitter none attempts 2 attempt_timeout 100ms";
    let answer = undaunted(&["run", "--grace", "0s", policy, "--", "bash", "-c", &script]);
    assert_eq!((answer.code, path.exists()), (Some(124), false), "{answer:?}");
}

/// The grace comes after the deadline: a command is never killed without it.
#[test]
fn a_deadline_shorter_than_the_grace_lets_it_end_politely() {
    let path = fresh("polite");
    let script =
        format!("trap \"sleep 0.3; echo polite > '{}'; exit 0\" TERM; sleep 1000 & wait", path.display());
    let args = ["run", "--grace", "1h", "constant 1ms jitter none attempts 9 within 200ms", "--"];
    let answer = undaunted(&[&args[..], &["bash", "-c", &script]].concat());
    assert_eq!((answer.code, &*file(&path)), (Some(124), "polite\n"));
    assert!(answer.events()[0].ends_with(": no time left") && answer.events().len() == 1, "{}", answer.err);
}

/// Three of them inside each other: nobody is told twice, which would mean at once.
#[test]
fn one_inside_another_ends_as_one() {
    let (path, told) = (fresh("inside"), fresh("inside-told"));
    let script = format!(
        "trap \"echo TERM >> '{}'\" TERM; echo ready > '{}'; until [ -e '{0}' ]; do sleep 0.01; done; sleep 0.3; exit 7",
        told.display(),
        path.display()
    );
    let inner = ["run", "-q", "--grace", "1h", "--"];
    let mark = Mark::of("inside");
    let mut command = command(&inner);
    command.arg(BINARY).args(inner).arg(BINARY).args(inner).args(["bash", "-c", &script]);
    mark.put(&mut command);
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    file(&path);
    crate::process::send(&child, nix::sys::signal::Signal::SIGTERM);
    assert_eq!(end(&mut child).code(), Some(7));
    assert_eq!(file(&told), "TERM\n");
    mark.nothing_left();
}

/// A crash that leaves somebody behind who does not obey: to end it takes the grace, and that is no health.
#[test]
fn the_time_of_the_grace_is_not_health() {
    let script = "trap '' TERM; sleep 1000 & exit 3";
    let policy = "exponential 1ms x2 cap 1h jitter none attempts 4";
    let args = ["run", "--supervise", "--healthy-after", "150ms", "--grace", "200ms", policy, "--"];
    let answer = undaunted(&[&args[..], &["bash", "-c", script]].concat());
    let waits: Vec<&str> = answer.events().iter().filter_map(|line| line.split("next in ").nth(1)).collect();
    assert_eq!((answer.code, waits), (Some(3), vec!["1 ms", "2 ms", "4 ms"]), "{}", answer.err);
}

#[test]
fn a_command_may_exec_another() {
    let policy = "constant 1ms jitter none attempts 2 attempt_timeout 100ms";
    let answer = undaunted(&["run", policy, "--", "sh", "-c", "exec sleep 1000"]);
    assert_eq!((answer.code, answer.events().len()), (Some(124), 2));
    let answer = undaunted(&["run", TWICE, "--", "sh", "-c", "exec sh -c 'exit 9'"]);
    assert_eq!(answer.code, Some(9));
}

/// Where no more processes may be made the next attempt may find room.
#[test]
fn no_process_left_is_tried_again() {
    let mut command = Command::new("setpriv");
    command.args([
        "--reuid",
        "65533",
        "--clear-groups",
        "prlimit",
        "--nproc=1:1",
        BINARY,
        "run",
        TWICE,
        "--",
        "true",
    ]);
    let answer: Answer = command.output().unwrap().into();
    if !answer.err.contains("undaunted") {
        return println!("skipped: it takes the rights of root to become somebody else: {}", answer.err);
    }
    assert_eq!((answer.code, answer.events().len()), (Some(126), 2));
    let said =
        "attempt 1/2 failed: cannot run true: Resource temporarily unavailable (os error 11); next in 1 ms";
    assert_eq!(answer.events()[0], said);
}

/// With no `/proc`, and with one that hides the processes of others.
#[test]
fn the_command_is_ended_whatever_proc_shows() {
    for mount in ["mount -t tmpfs none /proc", "mount -t proc -o hidepid=2 proc /proc"] {
        let policy = "constant 1ms jitter none attempts 2 attempt_timeout 100ms";
        let script = format!("{mount} || exit 77; exec '{BINARY}' run --grace 50ms '{policy}' -- sleep 1000");
        let mark = Mark::of("proc");
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount", "--pid", "--fork", "sh", "-c", &script]);
        mark.put(&mut command);
        let began = Instant::now();
        let answer: Answer = command.output().unwrap().into();
        if !answer.err.contains("undaunted") {
            println!("skipped: nothing can be mounted here: {}", answer.err);
            continue;
        }
        assert_eq!((answer.code, answer.events().len()), (Some(124), 2), "{mount}: {}", answer.err);
        println!("{mount}: {:?}", began.elapsed());
        mark.nothing_left();
    }
}

/// The file may be gone, or be something else that would be waited for.
#[test]
fn a_hint_file_that_is_no_file_holds_nothing_up() {
    for script in
        ["rm $UNDAUNTED_HINT_FILE; exit 3", "rm $UNDAUNTED_HINT_FILE; mkfifo $UNDAUNTED_HINT_FILE; exit 3"]
    {
        let mut child = command(&["run", "-q", TWICE, "--", "sh", "-c", script]);
        let mut child = child.stderr(Stdio::null()).spawn().unwrap();
        assert_eq!(end(&mut child).code(), Some(3), "{script}");
    }
}

/// What it has read, and did not: nothing of the input is lost to us.
#[test]
fn inherited_input_goes_on_where_the_last_attempt_stopped() {
    let mut child = command(&["run", "-q", TWICE, "--", "sh", "-c", "read x; echo $x; [ $x = two ]"]);
    let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"one\ntwo\n").unwrap();
    let mut said = String::new();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!((end(&mut child).code(), &*said), (Some(0), "one\ntwo\n"));
}
