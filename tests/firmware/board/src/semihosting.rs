//! Calls to the emulator: output and exit code. No formatting, no panic.

use core::arch::asm;

const WRITE0: u32 = 0x04;
const EXIT: u32 = 0x18;

/// Prints a line that ends in a zero.
///
/// # Panics
/// Never: what has no zero is not printed.
#[inline(always)]
pub fn write0(line: &[u8]) {
    if let [.., 0] = line {
        call(WRITE0, line.as_ptr() as u32);
    }
}

/// Ends the emulator, with exit code 0 or 1.
#[allow(clippy::empty_loop, reason = "the emulator has ended, and a sleep would be code in what is measured")]
pub fn exit(success: bool) -> ! {
    call(EXIT, if success { 0x2_0026 } else { 0x2_0023 });
    loop {}
}

#[cfg(target_arch = "riscv32")]
fn call(operation: u32, argument: u32) {
    // SAFETY: semihosting reads the line that `argument` points to and changes nothing but a0. The two shifts that do
    // nothing are how it is told from a breakpoint; they must not be compressed.
    unsafe {
        asm!(
            ".balign 16",
            ".option push",
            ".option norvc",
            "slli x0, x0, 0x1f",
            "ebreak",
            "srai x0, x0, 7",
            ".option pop",
            inlateout("a0") operation => _,
            in("a1") argument,
        )
    };
}

#[cfg(target_arch = "arm")]
fn call(operation: u32, argument: u32) {
    // SAFETY: semihosting reads the line that `argument` points to and changes nothing but r0.
    unsafe { asm!("bkpt #0xAB", inlateout("r0") operation => _, in("r1") argument) };
}
