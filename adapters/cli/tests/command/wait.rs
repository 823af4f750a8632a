//! `undaunted wait`: what is ready, when it ends, and what it leaves behind.
//!
//! When it ended is what it says itself; the assertion allows for as much as the operating system was late
//! meanwhile.

mod limits;
mod namespace;
mod signals;
mod targets;
mod usage;

use crate::support::{Answer, command};
use std::io::{BufRead, BufReader, Lines};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// A `wait` that is under way.
struct Waiting {
    child: Child,
    lines: Lines<BufReader<ChildStderr>>,
}

impl Waiting {
    fn start(args: &[&str]) -> Waiting {
        Waiting::spawn(command(&["wait"]).args(args))
    }

    fn spawn(command: &mut Command) -> Waiting {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        Waiting { child, lines }
    }

    /// Its next line must be this one. It waits for it, so that what follows happens after.
    fn says(&mut self, line: &str) {
        assert_eq!(self.lines.next().unwrap().unwrap(), format!("undaunted: {line}"));
    }

    fn end(self) -> (Answer, Vec<String>) {
        let lines = self.lines.map(Result::unwrap).collect();
        (self.child.wait_with_output().unwrap().into(), lines)
    }
}

/// It waits for `target`, which is not ready and says `seen`; then it happens, and it ends well.
fn becomes_ready(target: &str, seen: &str, happen: impl FnOnce()) {
    let mut waiting = Waiting::start(&["-i", "5ms", target]);
    waiting.says(&format!("{target}: {seen}"));
    happen();
    let (answer, lines) = waiting.end();
    assert_eq!(answer.code, Some(0), "{lines:?}");
    assert!(lines[0].starts_with(&format!("undaunted: {target}: ready after ")), "{lines:?}");
}

/// The answer, and how late the operating system was at worst meanwhile.
fn timed(command: &mut Command) -> (Answer, Duration) {
    const NAP: Duration = Duration::from_millis(5);
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let late = scope.spawn(|| {
            let mut late = Duration::ZERO;
            while !over.load(Ordering::Relaxed) {
                let start = Instant::now();
                thread::sleep(NAP);
                late = late.max(start.elapsed() - NAP);
            }
            late
        });
        let answer = Answer::from(command.output().unwrap());
        over.store(true, Ordering::Relaxed);
        (answer, late.join().unwrap())
    })
}

/// It gave up when its time was up, to within 100 ms.
fn assert_over(limit: Duration, (answer, late): &(Answer, Duration)) {
    let tolerance = Duration::from_millis(100);
    assert_eq!(answer.code, Some(124), "{}", answer.err);
    let line = answer.events().into_iter().find_map(|line| line.strip_prefix("gave up after ")).unwrap();
    let (elapsed, reason) = line.split_once(": ").unwrap();
    assert_eq!(reason, "no time left");
    let elapsed = match elapsed.split_once(' ').unwrap() {
        (number, "ms") => Duration::from_secs_f64(number.parse::<f64>().unwrap() / 1e3),
        (number, "s") => Duration::from_secs_f64(number.parse().unwrap()),
        _ => panic!("{elapsed}"),
    };
    println!("of {limit:?} it took {elapsed:?}; the system was late by up to {late:?}");
    assert!(elapsed >= limit - tolerance, "{elapsed:?} of {limit:?}");
    assert!(
        elapsed <= limit + tolerance + *late,
        "{elapsed:?} of {limit:?}, the system was late by {late:?}"
    );
}
