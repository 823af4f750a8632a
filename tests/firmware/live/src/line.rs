//! The wire to the peer on the host.

use crate::frame::{Fault, Frame};
use core::cell::RefCell;
use embassy_time::{Duration, Instant, Timer};
use undaunted_board::uart::Uart;

/// A serial line, shared by whoever speaks on it.
///
/// The emulator's time runs ahead of the host's, so the two take turns: after each frame of ours, and while our clock is
/// stopped, the peer says for how long its answer is on the way (milliseconds, two bytes, the low one first), how
/// long it is (two bytes), and the answer. What of it is a frame is another matter.
pub struct Line(RefCell<Port>);

struct Port {
    uart: Uart,
    /// What has come and was not read: `bytes[from..to]`, from `due` on.
    bytes: [u8; 512],
    from: usize,
    to: usize,
    due: Instant,
}

impl Line {
    pub fn new(uart: Uart) -> Line {
        Line(RefCell::new(Port { uart, bytes: [0; 512], from: 0, to: 0, due: Instant::MIN }))
    }

    /// Sends a frame, and lets the peer have its turn.
    pub fn send(&self, kind: u8, payload: &[u8]) {
        let mut port = self.0.borrow_mut();
        undaunted_board::stopped(|| {
            Frame::write(kind, payload, |bytes| port.uart.write(bytes));
            port.listen();
        });
    }

    /// The next frame. After one that is none, nothing that came with it is trusted.
    ///
    /// Dropped before it is ready, what it has read is gone.
    pub async fn receive(&self) -> Result<Frame, Fault> {
        let frame = Frame::read(async || self.byte().await).await;
        if frame.is_err() {
            self.0.borrow_mut().forget();
        }
        frame
    }

    /// Looks again each millisecond, as the port has no interrupt here.
    async fn byte(&self) -> u8 {
        loop {
            let byte = self.0.borrow_mut().next();
            match byte {
                Some(byte) => return byte,
                None => Timer::after_millis(1).await,
            }
        }
    }
}

impl Port {
    /// The peer's turn. What finds no room is lost, as on any port.
    fn listen(&mut self) {
        let [delay, length] = [self.number(), self.number()];
        if self.from == self.to {
            self.forget();
        }
        for _ in 0..length {
            let byte = self.uart.wait();
            if let Some(room) = self.bytes.get_mut(self.to) {
                *room = byte;
                self.to += 1;
            }
        }
        if length > 0 {
            self.due = self.due.max(Instant::now() + Duration::from_millis(delay.into()));
        }
    }

    fn number(&mut self) -> u16 {
        u16::from_le_bytes([self.uart.wait(), self.uart.wait()])
    }

    fn next(&mut self) -> Option<u8> {
        if self.from == self.to || Instant::now() < self.due {
            return None;
        }
        self.from += 1;
        Some(self.bytes[self.from - 1])
    }

    fn forget(&mut self) {
        (self.from, self.to, self.due) = (0, 0, Instant::MIN);
    }
}
