//! On a terminal: `script` makes one, and gives it what it reads.

use crate::process::{end, file};
use crate::support::{fresh, undaunted};
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};

/// A terminal on which this runs, and nothing else: a shell that stayed would be interrupted too.
fn terminal(words: &str) -> Child {
    shell(&format!("exec {} {words}", env!("CARGO_BIN_EXE_undaunted")))
}

/// A terminal for a line of the shell, always of the same one: `script` asks the environment else.
fn shell(line: &str) -> Child {
    let mut script = Command::new("script");
    script.args(["-qec", line, "/dev/null"]).env("SHELL", "/bin/sh");
    script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
}

fn said(child: &mut Child) -> String {
    let mut said = Vec::new();
    child.stdout.take().unwrap().read_to_end(&mut said).unwrap();
    String::from_utf8_lossy(&said).into_owned()
}

#[test]
fn waits_are_counted_down_on_a_terminal_alone() {
    let policy = "constant 1200ms jitter none attempts 2";
    let mut child = terminal(&format!("run '{policy}' -- false"));
    let shown = said(&mut child);
    assert_eq!(end(&mut child).code(), Some(1));
    assert!(shown.contains("\r\x1b[Kundaunted: next attempt in 1 s"), "{shown:?}");
    // A second or less is over before it is read.
    let mut child = terminal("run 'constant 100ms jitter none attempts 2' -- false");
    assert!(!said(&mut child).contains("next attempt in"));
    assert_eq!(end(&mut child).code(), Some(1));
    let answer = undaunted(&["run", policy, "--", "false"]);
    assert!(!answer.err.contains('\x1b') && answer.events().len() == 2, "{}", answer.err);
}

/// The terminal tells its whole foreground. To tell it again would be a second time to most programs: at once.
#[test]
fn an_interrupt_by_the_keyboard_comes_once() {
    // In a session of its own the terminal does not reach it, and we do.
    for (name, before) in [("group", ""), ("session", "setsid -w ")] {
        let (path, count) = (fresh(&format!("terminal-{name}")), fresh(&format!("terminal-{name}-count")));
        let python = format!(
            "import signal, time; signal.signal(signal.SIGINT, lambda *_: open('{}', 'a').write('INT\\n')); \
             open('{}', 'w').write('ready\\n'); end = time.monotonic() + 1; \
             [time.sleep(0.01) for _ in iter(lambda: time.monotonic() < end, False)]; raise SystemExit(7)",
            count.display(),
            path.display(),
        );
        let mut child = terminal(&format!("run --grace 1h -- {before}python3 -ISEc \"{python}\""));
        file(&path);
        child.stdin.as_mut().unwrap().write_all(b"\x03").unwrap();
        let shown = said(&mut child);
        assert_eq!(end(&mut child).code(), Some(7), "{shown}");
        assert_eq!(file(&count), "INT\n");
    }
}

/// Ctrl-Z stops the command with us, and the shell's `fg` lets both go on.
#[test]
fn it_can_be_stopped_and_go_on() {
    let path = fresh("terminal-stop");
    let line = format!(
        "set -m; {} run 'constant 1ms attempts 1' -- sh -c 'kill -TSTP 0; echo on > {}; exit 6'; fg",
        env!("CARGO_BIN_EXE_undaunted"),
        path.display(),
    );
    let mut child = shell(&format!("exec bash -c \"{line}\""));
    let shown = said(&mut child);
    assert_eq!(end(&mut child).code(), Some(6), "{shown}");
    assert_eq!(file(&path), "on\n");
}
