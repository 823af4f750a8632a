//! Asks other crates what they answer to the inputs of `tests/faults`, one JSON object a line.
//!
//! Each question runs on a thread of its own: a panic is an answer, and so is never to return.
//! Nothing sleeps for real: delays are asked for, or slept on tokio's paused clock. What draws
//! randomly is either seeded or answered as a count that does not depend on the draws.

mod breakers;
mod curves;
mod hints;
mod jitter;
mod limits;
mod order;
mod tools;

use std::sync::mpsc;
use std::time::Duration;

/// One input, for one peer.
pub(crate) struct Question {
    /// The name of the fault's test.
    pub(crate) id: &'static str,
    /// The crate that is asked.
    pub(crate) peer: &'static str,
    pub(crate) ask: fn() -> String,
}

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let subjects: [&[Question]; 6] =
        [curves::ALL, jitter::ALL, hints::ALL, limits::ALL, order::ALL, breakers::ALL];
    for question in subjects.into_iter().flatten() {
        let line = serde_json::json!({
            "id": question.id,
            "peer": question.peer,
            "version": version(question.peer),
            "answer": answer(question.ask),
        });
        println!("{line}");
    }
    // A thread that never returns ends with the process.
    std::process::exit(0);
}

/// All others answer within milliseconds.
const PATIENCE: Duration = Duration::from_secs(10);

fn answer(ask: fn() -> String) -> String {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let answer = std::panic::catch_unwind(ask).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
            format!("panics: {}", text.unwrap_or_default())
        });
        sender.send(answer)
    });
    receiver.recv_timeout(PATIENCE).unwrap_or_else(|_| format!("never returns (stopped after {PATIENCE:?})"))
}

/// As this program was built.
fn version(peer: &str) -> &'static str {
    let entry = format!("name = \"{peer}\"\nversion = \"");
    let lock = include_str!("../Cargo.lock");
    let start = lock.find(&entry).expect("in the lock file") + entry.len();
    lock[start..].split('"').next().unwrap_or_default()
}
