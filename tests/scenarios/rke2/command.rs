//! With the command: `undaunted run --supervise --gate link:fl0`.

use crate::node::{Node, bring_back};
use crate::story::{CLEAN, CRASH, NEVER, STAYS, Story};
use nix::sys::signal::{Signal, kill};
use std::process::{Command, Stdio};
use std::time::Instant;
use undaunted::{Reason, Stop};
use undaunted_scenarios::{Report, Started};

/// The status, what it said without its name, and how often the daemon was started.
struct Told {
    code: Option<i32>,
    lines: Vec<String>,
    starts: u32,
}

fn command(story: &Story, node: &Node) -> Command {
    let mut command = Command::new("undaunted");
    command.args(["run", "--supervise", &story.recovery.to_string()]);
    command.args(["--gate", "link:fl0", "--gate-policy", &story.gate.to_string()]);
    if story.always {
        command.args(["--restart", "always"]);
    }
    let daemon = node.daemon(story.how);
    command.arg("--").arg(daemon.get_program()).args(daemon.get_args());
    command
}

/// Runs it until it ends, or is told to once the daemon stays.
fn tell(story: &Story) -> Told {
    let (node, stop, begun) = (Node::new(), Stop::new(), Instant::now());
    let mut started = Started::start(command(story, &node).stderr(Stdio::piped())).unwrap();
    let pid = started.pid();
    let stopper = node.once_it_stays(&stop, move || kill(pid, Signal::SIGTERM).unwrap());
    let (mut lines, mut report) = (Vec::new(), Report::new());
    for line in started.errors() {
        report.say(&line);
        if story
            .back_at
            .is_some_and(|look| line.starts_with(&format!("undaunted: gate: attempt {look} failed")))
        {
            bring_back();
        }
        lines.push(line.strip_prefix("undaunted: ").expect("a line of undaunted").to_string());
    }
    report.end();
    stop.stop();
    stopper.join().unwrap();
    let (code, starts) = (started.wait().unwrap().code(), node.starts());
    println!("   {starts} starts in {:.2} s; exit status {code:?}", begun.elapsed().as_secs_f64());
    Told { code, lines, starts }
}

/// The one line about an end is the last.
fn assert_gave_up(lines: &[String], reason: Reason) {
    let ends = lines.iter().filter(|line| line.contains("; giving up after ")).count();
    assert_eq!(ends, 1, "{lines:?}");
    assert!(lines.last().unwrap().ends_with(&format!(": {reason}")), "{lines:?}");
}

/// A TERM ends it, so that its status is that of the daemon, 128 + 15.
pub(crate) fn second_start_stays() {
    let Told { code, lines, starts } = tell(&STAYS);
    assert_eq!((code, starts), (Some(143), 2));
    assert_eq!(lines[0], "attempt 1/5 failed: exit status 1; next in 1 h");
    assert_eq!(lines[1], "gate: attempt 1 failed: the link is down; next in 20 ms");
    let opened = &lines[lines.len() - 2];
    assert!(opened.starts_with("gate: attempt ") && opened.contains(" succeeded after "), "{lines:?}");
    assert_gave_up(&lines, Reason::Cancelled);
}

pub(crate) fn never_back() {
    let Told { code, lines, starts } = tell(&NEVER);
    assert_eq!((code, starts), (Some(1), 1));
    assert!(lines.last().unwrap().starts_with("gate: "), "{lines:?}");
    assert_gave_up(&lines, Reason::Deadline);
}

pub(crate) fn clean_exits() {
    let Told { code, lines, starts } = tell(&CLEAN);
    assert_eq!((code, starts), (Some(143), 5));
    assert_eq!(lines[..4], ["ended without an error; next in 20 ms"; 4]);
    assert_gave_up(&lines, Reason::Cancelled);
}

pub(crate) fn crash_loop() {
    let Told { code, lines, starts } = tell(&CRASH);
    assert_eq!((code, starts), (Some(3), 7));
    assert_gave_up(&lines, Reason::Intensity);
}
