//! The emulated boards: a Cortex-M0 (micro:bit), M3 (LM3S6965), M4 and M33 (MPS2), and RISC-V (QEMU's `virt`).
//!
//! A program has `#[entry] fn main() -> !`, which calls [`run`] with the tasks that it begins with:
//!
//! ```ignore
//! #[undaunted_board::entry]
//! fn main() -> ! {
//!     undaunted_board::run(|spawner| spawner.spawn(blink().unwrap()))
//! }
//! ```
#![no_std]
// On the host there is nothing here.
#![cfg(target_os = "none")]

#[cfg(feature = "console")]
mod console;
#[cfg(feature = "embassy")]
mod executor;
pub mod semihosting;
#[cfg(feature = "embassy")]
mod time;
/// Of the boards that a peer is attached to.
#[cfg(all(feature = "embassy", any(machine = "lm3s6965evb", machine = "microbit", machine = "riscv-virt")))]
pub mod uart;

#[cfg(feature = "console")]
pub use console::print;
#[cfg(all(feature = "embassy", target_arch = "arm"))]
pub use cortex_m_rt::entry;
#[cfg(feature = "embassy")]
pub use executor::run;
#[cfg(all(feature = "embassy", target_arch = "riscv32"))]
pub use riscv_rt::entry;
#[cfg(feature = "embassy")]
pub use time::stopped;
