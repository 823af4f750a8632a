//! The serial port of the board, as simply as it goes: no interrupt; whoever waits for a byte looks again.
//!
//! The emulator knows no speed of the line, so none is set.

#[cfg(machine = "riscv-virt")]
#[path = "uart/ns16550.rs"]
mod port;
#[cfg(machine = "microbit")]
#[path = "uart/nrf51.rs"]
mod port;
#[cfg(machine = "lm3s6965evb")]
#[path = "uart/pl011.rs"]
mod port;

use core::sync::atomic::{AtomicBool, Ordering};

static TAKEN: AtomicBool = AtomicBool::new(false);

/// The board's first serial port.
pub struct Uart(());

impl Uart {
    /// Enables the port and gives it out, once.
    ///
    /// # Panics
    /// If somebody has it.
    pub fn take() -> Uart {
        critical_section::with(|_| {
            assert!(!TAKEN.load(Ordering::Relaxed), "the serial port is taken");
            TAKEN.store(true, Ordering::Relaxed);
        });
        port::enable();
        Uart(())
    }

    /// Sends; waits while the port has no room.
    pub fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            port::put(byte);
        }
    }

    /// The next byte that has come.
    pub fn read(&mut self) -> Option<u8> {
        port::get()
    }

    /// The next byte, however long it takes to come.
    pub fn wait(&mut self) -> u8 {
        loop {
            if let Some(byte) = self.read() {
                return byte;
            }
        }
    }
}

/// A register of the port, by its address.
#[cfg(target_arch = "arm")]
struct Register(usize);

#[cfg(target_arch = "arm")]
impl Register {
    fn read(&self) -> u32 {
        // SAFETY: the addresses below are of this board's port, and `Uart` is its only user.
        unsafe { (self.0 as *const u32).read_volatile() }
    }

    fn write(&self, word: u32) {
        // SAFETY: as above.
        unsafe { (self.0 as *mut u32).write_volatile(word) }
    }
}
