//! A runtime whose clock moves only when something sleeps or works, and which writes down what happens.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use undaunted::{Instant, Micros, Runtime, asynch, blocking};

/// One thing that happened, with the virtual time at which it did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Happened {
    /// The operation was called, at this time.
    Called(u64),
    /// A hook was told this line, at this time.
    Told(String, u64),
    /// This long was slept, from this time on.
    Slept(u64, u64),
}

/// The clock and the journal, shared by runtime, operation and hook.
#[derive(Clone, Default)]
pub struct World(Rc<Inner>);

#[derive(Default)]
struct Inner {
    now: Cell<u64>,
    seeds: Cell<u32>,
    clock_reads: Cell<u32>,
    journal: RefCell<Vec<Happened>>,
}

impl World {
    /// The virtual time, in microseconds.
    pub fn now(&self) -> u64 {
        self.0.now.get()
    }

    /// Time passes: an attempt works, or a sleep goes by.
    pub fn pass(&self, micros: u64) {
        self.0.now.set(self.now().saturating_add(micros));
    }

    /// Writes down a call of the operation.
    pub fn call(&self) {
        self.0.journal.borrow_mut().push(Happened::Called(self.now()));
    }

    /// Writes down what a hook was told.
    pub fn tell(&self, line: &impl std::fmt::Display) {
        self.0.journal.borrow_mut().push(Happened::Told(line.to_string(), self.now()));
    }

    /// What happened so far.
    pub fn journal(&self) -> Vec<Happened> {
        self.0.journal.borrow().clone()
    }

    /// How often a seed was asked for.
    pub fn seeds(&self) -> u32 {
        self.0.seeds.get()
    }

    /// How often the clock was read.
    pub fn clock_reads(&self) -> u32 {
        self.0.clock_reads.get()
    }
}

impl Runtime for World {
    fn now(&self) -> Instant {
        self.0.clock_reads.set(self.clock_reads() + 1);
        Instant::from_micros(World::now(self))
    }

    fn seed(&self) -> u64 {
        self.0.seeds.set(self.seeds() + 1);
        7
    }
}

impl blocking::Sleep for World {
    fn sleep(&self, length: Micros) {
        self.0.journal.borrow_mut().push(Happened::Slept(length.as_micros(), World::now(self)));
        self.pass(length.as_micros());
    }
}

/// A sleep that is pending once, and lets its time pass then.
pub struct VirtualSleep {
    world: World,
    length: Option<Micros>,
}

impl Future for VirtualSleep {
    type Output = ();

    fn poll(mut self: std::pin::Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        match self.length.take() {
            None => Poll::Ready(()),
            Some(length) => {
                blocking::Sleep::sleep(&self.world, length);
                Poll::Pending
            }
        }
    }
}

impl asynch::Timer for World {
    type Sleep = VirtualSleep;

    fn sleep(&self, length: Micros) -> VirtualSleep {
        VirtualSleep { world: self.clone(), length: Some(length) }
    }
}

/// Polls until it is ready.
pub fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return output;
        }
    }
}
