//! Formatted output by semihosting, and a panic that is seen.

use crate::semihosting;
use core::fmt::{self, Write};
use core::panic::PanicInfo;

/// Prints formatted text and a line feed.
#[macro_export]
macro_rules! println {
    ($($arguments:tt)*) => {
        $crate::print(core::format_args!("{}\n", core::format_args!($($arguments)*)))
    };
}

/// What [`println!`] calls.
pub fn print(text: fmt::Arguments<'_>) {
    let mut line = Line { bytes: [0; 80], length: 0 };
    // Formatting fails only where writing does.
    let _ = line.write_fmt(text);
    line.flush();
}

/// A call to the emulator is dear, so text goes there by the line.
struct Line {
    /// The last is always zero.
    bytes: [u8; 80],
    length: usize,
}

impl Line {
    fn flush(&mut self) {
        self.bytes[self.length] = 0;
        semihosting::write0(&self.bytes[..=self.length]);
        self.length = 0;
    }
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for &byte in text.as_bytes() {
            self.bytes[self.length] = byte;
            self.length += 1;
            if byte == b'\n' || self.length == self.bytes.len() - 1 {
                self.flush();
            }
        }
        Ok(())
    }
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    crate::println!("{info}");
    semihosting::exit(false)
}
