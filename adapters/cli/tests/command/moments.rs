//! A signal at any moment: it ends, in time, and leaves nothing behind. What was measured is printed; what is asserted
//! is generous, since a machine may be busy.

use crate::process::{Mark, PATIENCE, end, file, listening, send, status, until};
use crate::support::{calls, command, counting, fresh};
use nix::sys::signal::Signal;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const SECOND: Duration = Duration::from_secs(1);

/// Within so long a second signal is an echo of the first.
const ECHO: Duration = Duration::from_millis(50);

/// A grace that no test waits for.
const LONG: [&str; 2] = ["--grace", "1h"];

struct Running {
    child: Child,
    mark: Mark,
}

impl Running {
    fn start(name: &str, args: &[&str], script: &str) -> Running {
        let mut command = command(&["run"]);
        command.args(args).args(["--", "bash", "-c", script]);
        Running::of(name, command)
    }

    fn of(name: &str, mut command: Command) -> Running {
        let mark = Mark::of(name);
        mark.put(&mut command);
        Running { child: command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap(), mark }
    }

    /// Waits for the next line about an attempt.
    fn line(&mut self) -> String {
        let mut line = String::new();
        BufReader::with_capacity(1, self.child.stderr.as_mut().unwrap()).read_line(&mut line).unwrap();
        line
    }

    /// Sends it, and answers how it ended and after how long. Nothing is left behind.
    fn stop(mut self, what: &str, signal: Signal) -> (Option<i32>, Duration) {
        let sent = Instant::now();
        send(&self.child, signal);
        // What nobody reads must not hold it up, nor kill a shell that has something to say.
        let said = self.child.stderr.take();
        std::thread::spawn(move || said.map(|mut said| std::io::copy(&mut said, &mut std::io::sink())));
        let code = end(&mut self.child).code();
        let took = sent.elapsed();
        println!("{what}: {signal} ended it after {took:.1?}");
        self.mark.nothing_left();
        (code, took)
    }
}

/// A test that fails leaves nothing behind either.
impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        for pid in self.mark.processes() {
            let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), Signal::SIGKILL);
        }
    }
}

/// A script that writes a line into this file, then goes on.
fn ready(path: &Path, then: &str) -> String {
    format!("echo ready > '{}'; {then}", path.display())
}

#[test]
fn during_an_attempt() {
    // The second has left the session, the third its parent too.
    let tree = "setsid sleep 1000 & (setsid sleep 1000 &) ; exec sleep 1000";
    // What a shell starts in the background ignores INT and QUIT, so that it would have to be killed.
    let alone = "exec sleep 1000";
    for (signal, script, sleeps) in [
        (Signal::SIGTERM, tree, 3),
        (Signal::SIGHUP, tree, 3),
        (Signal::SIGINT, alone, 1),
        (Signal::SIGQUIT, alone, 1),
    ] {
        let running = Running::start("attempt", &LONG, script);
        let sleeping = |pid: &i32| {
            fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|words| words == b"sleep\x001000\0")
        };
        let count = || running.mark.processes().iter().filter(|pid| sleeping(pid)).count();
        until("all sleep", || (count() == sleeps).then_some(()));
        let (code, took) = running.stop("during an attempt", signal);
        assert_eq!(code, Some(128 + signal as i32));
        assert!(took < SECOND, "{took:?}");
    }
}

#[test]
fn the_status_is_what_the_command_makes_of_the_signal() {
    let path = fresh("moment-status");
    let script = format!("trap 'exit 7' TERM; {}", ready(&path, "sleep 1000 & wait"));
    let running = Running::start("status", &LONG, &script);
    file(&path);
    let (code, took) = running.stop("who has a status of its own", Signal::SIGTERM);
    assert_eq!(code, Some(7));
    assert!(took < SECOND, "{took:?}");
}

/// What came last was a clean end, and not nothing.
#[test]
fn during_the_wait_after_a_clean_end() {
    let args = ["--supervise", "--restart", "always", "constant 1h cap 1h jitter none"];
    let mut running = Running::start("clean", &args, "exit 0");
    assert_eq!(running.line(), "undaunted: ended without an error; next in 1 h\n");
    send(&running.child, Signal::SIGTERM);
    let said = running.line();
    assert!(said.starts_with("undaunted: ended without an error; giving up after "), "{said}");
    assert!(said.ends_with(": cancelled\n"), "{said}");
    assert_eq!(running.stop("after a clean end", Signal::SIGTERM).0, Some(143));
}

#[test]
fn during_a_wait() {
    for signal in [Signal::SIGTERM, Signal::SIGINT] {
        let mut running = Running::start("wait", &["constant 1h cap 1h jitter none"], "exit 3");
        assert!(running.line().ends_with("exit status 3; next in 1 h\n"));
        let (code, took) = running.stop("during a wait", signal);
        assert_eq!(code, Some(128 + signal as i32));
        assert!(took < SECOND, "{took:?}");
    }
}

#[test]
fn during_the_first_delay() {
    let path = fresh("moment-first");
    let policy = "constant 1s jitter none first_delay 1h";
    let running = Running::start("first", &[policy], &ready(&path, "exit 0"));
    listening(running.child.id());
    let (code, took) = running.stop("during the first delay", Signal::SIGTERM);
    assert_eq!(code, Some(143));
    assert!(took < SECOND && !path.exists(), "{took:?}");
}

#[test]
fn during_the_grace() {
    let path = fresh("moment-grace");
    let script = format!("trap \"echo told > '{}'\" TERM; while :; do sleep 0.02; done", path.display());
    // Told at its limit; from then on it has 400 ms, and the signal gives it no more.
    let policy = "constant 1h cap 1h jitter none attempt_timeout 300ms";
    let running = Running::start("grace", &["--grace", "400ms", policy], &script);
    file(&path);
    let (code, took) = running.stop("during the grace of 400 ms", Signal::SIGTERM);
    assert_eq!(code, Some(124));
    assert!(took < SECOND, "{took:?}");
}

#[test]
fn who_does_not_obey_is_killed_after_the_grace() {
    let path = fresh("moment-disobeys");
    let script = format!("trap '' TERM INT; {}", ready(&path, "sleep 1000 & exec sleep 1000"));
    let running = Running::start("disobeys", &["--grace", "300ms"], &script);
    file(&path);
    let (code, took) = running.stop("who does not obey in a grace of 300 ms", Signal::SIGINT);
    assert_eq!(code, Some(137));
    assert!((SECOND * 3 / 10..SECOND * 2).contains(&took), "{took:?}");
}

#[test]
fn a_second_signal_kills_at_once() {
    for signal in [Signal::SIGTERM, Signal::SIGINT] {
        let (path, told) = (fresh("moment-second"), fresh("moment-second-told"));
        let trap = format!("trap \"echo told > '{}'\" TERM INT", told.display());
        let script = format!("{trap}; {}", ready(&path, "while :; do sleep 0.02; done"));
        let running = Running::start("second", &LONG, &script);
        file(&path);
        send(&running.child, signal);
        file(&told);
        sleep(ECHO * 2);
        let (code, took) = running.stop("the second", Signal::SIGTERM);
        assert_eq!(code, Some(137));
        assert!(took < SECOND, "{took:?}");
    }
}

/// `timeout` tells its child, and then its whole group.
#[test]
fn an_echo_is_no_second_signal() {
    let path = fresh("moment-echo");
    // Of two that are there the kernel tells the lower number first; and what is in the background ignores INT.
    let trap = "trap 'kill $!; sleep 0.2; exit 7' TERM INT";
    let script = format!("{trap}; {}", ready(&path, "sleep 1000 & wait"));
    let running = Running::start("echo", &LONG, &script);
    file(&path);
    send(&running.child, Signal::SIGTERM);
    let (code, _) = running.stop("an echo", Signal::SIGINT);
    assert_eq!(code, Some(7));
}

#[test]
fn while_the_gate_is_asked_and_between() {
    let path = fresh("moment-gate");
    let gates = [ready(&path, "sleep 1000"), ready(&path, "exit 1")];
    for (gate, signal) in gates.iter().zip([Signal::SIGTERM, Signal::SIGINT]) {
        let _ = fs::remove_file(&path);
        let args = ["--supervise", "--gate", gate, "constant 1ms", "--gate-policy", "constant 1h cap 1h"];
        let running = Running::start("gate", &args, "exit 3");
        file(&path);
        let (code, took) = running.stop("at the gate", signal);
        assert_eq!(code, Some(128 + signal as i32));
        assert!(took < SECOND, "{took:?}");
    }
}

/// A signal that ends nothing is for the command, and not for the shell that asks the gate.
#[test]
fn what_is_passed_on_does_not_end_the_gate() {
    let (path, open) = (fresh("moment-news"), fresh("moment-news-open"));
    let gate = ready(&path, &format!("sleep 0.3; [ -e '{}' ]", open.display()));
    let args = ["--supervise", "--gate", &gate, "constant 1ms attempts 2"];
    let mut running = Running::start("news", &args, "exit 3");
    file(&path);
    fs::write(&open, "").unwrap();
    for signal in [Signal::SIGUSR1, Signal::SIGHUP] {
        send(&running.child, signal);
    }
    assert_eq!(end(&mut running.child).code(), Some(3));
    let mut said = String::new();
    std::io::Read::read_to_string(&mut running.child.stderr.take().unwrap(), &mut said).unwrap();
    assert!(!said.contains("gate"), "{said}");
}

#[test]
fn while_input_is_read_for_replay() {
    let path = fresh("moment-replay");
    let mut command = command(&["run", "--stdin", "replay", "--", "touch"]);
    command.arg(&path).stdin(Stdio::piped());
    let running = Running::of("replay", command);
    // It has a file to keep the input in, so that it reads.
    let fd = format!("/proc/{}/fd", running.child.id());
    until("it reads", || {
        let links = fs::read_dir(&fd).ok()?.flatten().filter_map(|entry| fs::read_link(entry.path()).ok());
        links.into_iter().any(|link| link.to_string_lossy().contains("undaunted-input-")).then_some(())
    });
    let (code, took) = running.stop("while input is read", Signal::SIGTERM);
    assert_eq!(code, Some(143));
    assert!(took < SECOND && !path.exists(), "{took:?}");
}

/// The moments that nobody thought of: a hundred of them, over attempts that end, hang and fork.
#[test]
fn at_any_moment() {
    let script = "sleep 0.01 & (setsid sleep 1000 &) ; case $((RANDOM % 3)) in 0) exit 3;; 1) sleep 1000;; 2) wait; exit 4;; esac";
    let policy = "constant 2ms jitter full floor 1ms attempts unlimited attempt_timeout 30ms";
    let mut longest = Duration::ZERO;
    for moment in 0..100 {
        let mut running = Running::start("any", &["-q", "--grace", "1h", policy], script);
        listening(running.child.id());
        sleep(Duration::from_micros(moment * 1_171 % 90_000));
        let sent = Instant::now();
        send(&running.child, if moment % 2 == 0 { Signal::SIGTERM } else { Signal::SIGHUP });
        end(&mut running.child);
        longest = longest.max(sent.elapsed());
        running.mark.nothing_left();
    }
    println!("at any of 100 moments: at most {longest:.1?}");
    assert!(longest < SECOND * 2, "{longest:?}");
}

/// Nobody can catch it, so that only the kernel can help: the command is killed, what it started is not.
#[test]
fn a_kill_takes_the_command_along() {
    let path = fresh("moment-kill");
    let mut running =
        Running::start("kill", &[], &format!("echo $$ > '{}'; exec sleep 1000", path.display()));
    let pid: u32 = file(&path).trim().parse().unwrap();
    send(&running.child, Signal::SIGKILL);
    end(&mut running.child);
    until("the command is gone", || {
        status(pid, "State").is_none_or(|state| state.starts_with('Z')).then_some(())
    });
    running.mark.nothing_left();
}

#[test]
fn a_trap_may_clean_up_with_commands() {
    let (path, clean) = (fresh("moment-trap"), fresh("moment-trap-clean"));
    let trap = format!("trap \"sleep 0.2 && echo clean > '{}'; exit 5\" TERM", clean.display());
    let script = format!("{trap}; {}", ready(&path, "sleep 1000 & wait"));
    let running = Running::start("trap", &LONG, &script);
    file(&path);
    let (code, _) = running.stop("a trap of 200 ms", Signal::SIGTERM);
    assert_eq!((code, &*file(&clean)), (Some(5), "clean\n"));
}

/// What was ignored when it was started stays ignored.
#[test]
fn nohup_is_obeyed() {
    let path = fresh("moment-nohup");
    let mut nohup = Command::new("nohup");
    nohup.args([env!("CARGO_BIN_EXE_undaunted"), "run", "--", "sh", "-c"]);
    nohup.arg(ready(&path, "sleep 0.3; exit 0")).stdin(Stdio::null());
    let running = Running::of("nohup", nohup);
    file(&path);
    let (code, took) = running.stop("under nohup, which is to let it be", Signal::SIGHUP);
    assert_eq!(code, Some(0));
    assert!(took < PATIENCE);
}

/// As a script starts what is in its background. It goes on, also with another attempt.
#[test]
fn what_is_ignored_stays_ignored() {
    for (name, signal) in [("INT", Signal::SIGINT), ("QUIT", Signal::SIGQUIT), ("TERM", Signal::SIGTERM)] {
        let (path, count) =
            (fresh(&format!("moment-ignored-{name}")), format!("moment-ignored-{name}-count"));
        let mut bash = Command::new("bash");
        bash.args(["-c", &format!("trap '' {name}; exec \"$@\""), "bash", env!("CARGO_BIN_EXE_undaunted")]);
        bash.args(["run", "constant 1ms attempts 2", "--", "sh", "-c"]).stdin(Stdio::null());
        bash.arg(counting(&count, &ready(&path, "sleep 0.3; [ $n -eq 2 ]")));
        let running = Running::of(name, bash);
        file(&path);
        assert_eq!(running.stop("what ignores it", signal).0, Some(0));
        assert_eq!(calls(&count), 2);
    }
}
