//! embassy's clock on the timer that the board has.

#[cfg(target_arch = "riscv32")]
mod clint;
#[cfg(target_arch = "arm")]
mod systick;

#[cfg(target_arch = "riscv32")]
use clint as timer;
#[cfg(target_arch = "arm")]
use systick as timer;

pub(crate) use timer::start;

/// Runs `wait` with embassy's clock stopped and interrupts masked: what it takes is no time.
///
/// The emulator skips the time in which the device sleeps, and knows nothing of a peer on the host that is about to
/// answer. So whoever waits for such a peer stops the clock meanwhile.
pub fn stopped<T>(wait: impl FnOnce() -> T) -> T {
    timer::stopped(wait)
}
