//! As process 1 of a container.

use crate::process::{PATIENCE, end, file, listening, until};
use crate::support::fresh;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

/// A container around the command, where one can be made: in some, none can.
fn container(args: &[&str]) -> Option<Command> {
    let unshare = |what: &[&str]| {
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--pid", "--fork", "--mount-proc"]).args(what);
        command
    };
    let can = unshare(&["true"]).stderr(Stdio::null()).status().is_ok_and(|status| status.success());
    let privileged = || {
        let mut command = Command::new("unshare");
        command.args(["--pid", "--fork", "--mount-proc"]);
        command
    };
    let mut command = if can {
        unshare(&[])
    } else if privileged().arg("true").stderr(Stdio::null()).status().is_ok_and(|status| status.success()) {
        privileged()
    } else {
        println!("skipped: no container can be made here");
        return None;
    };
    command.arg(env!("CARGO_BIN_EXE_undaunted")).args(args).stdin(Stdio::null());
    Some(command)
}

#[test]
fn orphans_are_reaped() {
    // Twenty orphans end while the command runs; then no zombie is there, and it is the only child of process 1.
    let script = "for i in 1 2 3 4 5 6 7 8 9 10; do (sh -c 'exit 3' &) ; (setsid sh -c 'sleep 0.01' &) ; done
        sleep 0.5; [ $PPID -eq 1 ] || exit 50; cat /proc/[0-9]*/status > all; grep -c '^PPid:.1$' < all; grep '^State:.Z' < all && exit 51
        exit 0";
    let script = script.replace("all", &fresh("container-all").display().to_string());
    let Some(mut container) = container(&["run", "--supervise", "constant 1ms", "--", "sh", "-c", &script])
    else {
        return;
    };
    let output = container.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "1\n");
}

#[test]
fn signals_are_passed_on_and_end_it() {
    let (path, heard) = (fresh("container-ready"), fresh("container-heard"));
    let script = format!(
        "trap \"echo USR1 > '{0}'\" USR1; trap \"echo HUP > '{0}'\" HUP; trap 'exit 9' TERM
         echo ready > '{1}'; while :; do sleep 0.02; done",
        heard.display(),
        path.display()
    );
    let Some(mut container) = container(&["run", "--supervise", "constant 1ms", "--", "sh", "-c", &script])
    else {
        return;
    };
    let mut child = container.stderr(Stdio::piped()).spawn().unwrap();
    file(&path);
    let first = first(&child);
    for (signal, name) in [(Signal::SIGUSR1, "USR1\n"), (Signal::SIGHUP, "HUP\n")] {
        kill(Pid::from_raw(first), signal).unwrap();
        until("heard", || (file(&heard) == name).then_some(()));
    }
    let sent = Instant::now();
    kill(Pid::from_raw(first), Signal::SIGTERM).unwrap();
    assert_eq!(end(&mut child).code(), Some(9));
    println!("TERM ended process 1 after {:.1?}", sent.elapsed());
    assert!(sent.elapsed() < PATIENCE);
}

/// Process 1 is not ended by a signal that it does not expect.
#[test]
fn it_can_be_ended_while_input_is_read() {
    let Some(mut container) = container(&["run", "--stdin", "replay", "--", "false"]) else { return };
    let mut child = container.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let first = first(&child);
    listening(first as u32);
    kill(Pid::from_raw(first), Signal::SIGTERM).unwrap();
    // Its input stays open.
    assert_eq!(end(&mut child).code(), Some(143));
}

/// What we see as the child of `unshare` sees itself as process 1. Until it runs the command it is `unshare` yet, which
/// blocks the same signals and as process 1 forgets them.
fn first(unshare: &Child) -> i32 {
    let children = format!("/proc/{0}/task/{0}/children", unshare.id());
    until("process 1", || {
        let first = fs::read_to_string(&children).ok()?.trim().to_owned();
        let name = fs::read_to_string(format!("/proc/{first}/comm")).ok()?;
        (name == "undaunted\n").then(|| first.parse().unwrap())
    })
}

/// The numbers in a `/proc` of another container are not those that we know.
#[test]
fn without_a_proc_of_its_own_the_command_is_ended() {
    let args = ["run", "--grace", "50ms", "constant 1ms jitter none attempts 2 attempt_timeout 100ms"];
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--pid", "--fork", env!("CARGO_BIN_EXE_undaunted")]);
    let output = command.args(args).args(["--", "sleep", "1000"]).output().unwrap();
    if output.status.code() == Some(1) && !String::from_utf8_lossy(&output.stderr).contains("undaunted") {
        println!("skipped: no container can be made here");
        return;
    }
    assert_eq!(output.status.code(), Some(124), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said.lines().count(), 2, "{said}");
}
