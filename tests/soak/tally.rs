//! What began, what ended, and what it took.

use crate::server::Counts;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Memory may grow by so much from the end of the first third to the end of the second: what an allocator keeps in
/// reserve goes up and down.
const GROWTH: f64 = 1.10;

pub(crate) struct Tally {
    count: u32,
    end: Instant,
    length: Duration,
    next: AtomicU64,
    attempts: AtomicU64,
    doubled: AtomicU64,
    ended: AtomicU64,
    foreign: AtomicU64,
    gave_up: AtomicU64,
    running: AtomicU64,
}

/// Kilobytes at the end of the first and of the second third.
pub(crate) struct Memory {
    first: u64,
    second: u64,
}

impl Tally {
    pub(crate) fn new(count: u32, length: Duration) -> Tally {
        let zero = || AtomicU64::new(0);
        let end = Instant::now() + length;
        Tally {
            count,
            end,
            length,
            next: zero(),
            attempts: zero(),
            doubled: zero(),
            ended: zero(),
            foreign: zero(),
            gave_up: zero(),
            running: AtomicU64::new(count.into()),
        }
    }

    /// The number of a new operation, until time is up.
    pub(crate) fn begin(&self) -> Option<u64> {
        (Instant::now() < self.end).then(|| self.next.fetch_add(1, Relaxed))
    }

    /// An attempt begins, of an operation that may have been answered already: then it is one too many.
    pub(crate) fn attempt(&self, answered: &AtomicBool) {
        self.attempts.fetch_add(1, Relaxed);
        self.doubled.fetch_add(answered.load(Relaxed).into(), Relaxed);
    }

    /// An operation ended: with this answer, or none.
    pub(crate) fn end(&self, operation: u64, answer: Option<u64>) {
        self.ended.fetch_add(1, Relaxed);
        match answer {
            None => drop(self.gave_up.fetch_add(1, Relaxed)),
            Some(answer) if answer == operation => {}
            Some(_) => drop(self.foreign.fetch_add(1, Relaxed)),
        }
    }

    /// A worker has nothing more to do.
    pub(crate) fn leave(&self) {
        self.running.fetch_sub(1, Relaxed);
    }

    /// Says how it goes, every ten seconds, and takes the memory's size.
    pub(crate) fn watch(self: Arc<Tally>) -> JoinHandle<Memory> {
        thread::spawn(move || {
            let (begun, mut last) = (Instant::now(), Instant::now());
            let mut memory = Memory { first: 0, second: 0 };
            while self.running.load(Relaxed) > 0 {
                thread::sleep(Duration::from_millis(200));
                let passed = begun.elapsed();
                if memory.first == 0 && passed >= self.length / 3 {
                    memory.first = resident();
                }
                if memory.second == 0 && passed >= self.length * 2 / 3 {
                    memory.second = resident();
                }
                if last.elapsed() >= Duration::from_secs(10) {
                    last = Instant::now();
                    self.say(passed);
                }
            }
            memory
        })
    }

    fn say(&self, passed: Duration) {
        println!(
            "{:>4} s: {} of {} at work, {} operations ended, {} attempts, {} MB",
            passed.as_secs(),
            self.running.load(Relaxed),
            self.count,
            self.ended.load(Relaxed),
            self.attempts.load(Relaxed),
            resident() / 1024
        );
    }

    /// Prints the sums; what is wrong with them, if anything is.
    pub(crate) fn verdict(&self, server: &Counts, memory: Memory) -> Result<(), String> {
        let [begun, ended, attempts] =
            [&self.next, &self.ended, &self.attempts].map(|count| count.load(Relaxed));
        let [foreign, gave_up, doubled] =
            [&self.foreign, &self.gave_up, &self.doubled].map(|count| count.load(Relaxed));
        let Memory { first, second } = memory;
        println!("{begun} operations by {} at once, {attempts} attempts; the server: {server:?}", self.count);
        println!("memory: {first} kB after a third of the time, {second} kB after two");
        let answered = server.answered.load(Relaxed);
        match () {
            () if ended != begun => Err(format!("{begun} operations began and {ended} ended")),
            () if doubled > 0 => Err(format!("{doubled} attempts of operations that had their answer")),
            () if foreign > 0 => Err(format!("{foreign} operations got the answer of another")),
            () if gave_up > 0 => Err(format!("{gave_up} operations gave up, and none may")),
            () if answered < ended => {
                Err(format!("{ended} succeeded, and the server answered {answered} times"))
            }
            () if attempts < ended => Err(format!("{ended} ended with {attempts} attempts")),
            () if ended < u64::from(self.count) => Err(format!("only {ended} operations: it was too short")),
            () if second as f64 > first as f64 * GROWTH => {
                Err(format!("memory grew: {first} kB, {second} kB"))
            }
            () => Ok(()),
        }
    }
}

/// What this process has in memory, in kilobytes.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux says how much memory is in use");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("VmRSS");
    line.trim().trim_end_matches(" kB").parse().expect("a number of kB")
}
