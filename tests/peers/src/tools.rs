//! A paused clock, and answers in words.

use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::Instant;

/// Runs on tokio's paused clock.
pub(crate) fn paused<F: Future>(future: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a runtime").block_on(future)
}

/// When an operation was called, since the start.
#[derive(Clone)]
pub(crate) struct Calls {
    start: Instant,
    at: Arc<Mutex<Vec<Duration>>>,
}

impl Calls {
    pub(crate) fn start() -> Calls {
        Calls { start: Instant::now(), at: Arc::default() }
    }

    /// One call now; how many there are with it.
    pub(crate) fn call(&self) -> usize {
        let mut at = self.at.lock().expect("no panic");
        at.push(self.start.elapsed());
        at.len()
    }

    pub(crate) fn count(&self) -> usize {
        self.at.lock().expect("no panic").len()
    }

    /// `calls at 0ns, 10s; ended at 20s`.
    pub(crate) fn spoken(&self) -> String {
        let at: Vec<_> = self.at.lock().expect("no panic").iter().map(|at| rounded(*at)).collect();
        format!("calls at {}; ended at {:?}", list(at), rounded(self.start.elapsed()))
    }

    /// The time between the calls.
    pub(crate) fn gaps(&self) -> Vec<Duration> {
        self.at.lock().expect("no panic").windows(2).map(|pair| pair[1] - pair[0]).collect()
    }
}

/// To the nearest millisecond, which is as exact as tokio's timer.
pub(crate) fn rounded(length: Duration) -> Duration {
    Duration::from_millis((length.as_micros() as u64 + 500) / 1_000)
}

/// `1s, 2s 3 times`.
pub(crate) fn list(lengths: impl IntoIterator<Item = Duration>) -> String {
    let lengths: Vec<_> = lengths.into_iter().collect();
    let words = lengths.chunk_by(|a, b| a == b).map(|same| match same.len() {
        1 => format!("{:?}", same[0]),
        n => format!("{:?} {n} times", same[0]),
    });
    words.collect::<Vec<_>>().join(", ")
}
