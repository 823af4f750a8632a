//! A HAL's delay, blocking and asynchronous, on a clock that moves when it waits or something works.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;
use undaunted::{Instant, Micros};

/// The delay and its clock, shared by its clones.
#[derive(Clone, Debug, Default)]
pub struct Delay(Rc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    now: Cell<u64>,
    pieces: RefCell<Vec<u32>>,
}

impl Delay {
    /// The virtual time.
    pub fn now(&self) -> Instant {
        Instant::from_micros(self.0.now.get())
    }

    /// Time passes: an attempt works.
    pub fn pass(&self, length: Micros) {
        self.0.now.set(self.0.now.get().saturating_add(length.as_micros()));
    }

    /// The waits so far in microseconds, each as the HAL was told it.
    pub fn pieces(&self) -> Vec<u32> {
        self.0.pieces.borrow().clone()
    }

    fn wait(&self, us: u32) {
        assert!(self.0.pieces.borrow().len() < 10_000, "enough");
        self.0.pieces.borrow_mut().push(us);
        self.pass(Micros::new(us.into()));
    }
}

impl embedded_hal::delay::DelayNs for Delay {
    fn delay_ns(&mut self, ns: u32) {
        self.wait(ns.div_ceil(1_000));
    }

    fn delay_us(&mut self, us: u32) {
        self.wait(us);
    }
}

impl embedded_hal_async::delay::DelayNs for Delay {
    async fn delay_ns(&mut self, ns: u32) {
        self.delay_us(ns.div_ceil(1_000)).await;
    }

    /// Pending once, as a real one; its time passes then.
    async fn delay_us(&mut self, us: u32) {
        let mut waited = false;
        poll_fn(|_| match waited {
            true => Poll::Ready(()),
            false => {
                waited = true;
                self.wait(us);
                Poll::Pending
            }
        })
        .await;
    }
}
