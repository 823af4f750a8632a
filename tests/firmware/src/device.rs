//! Output and exit code by semihosting, without formatting.

pub use undaunted_board::semihosting::exit;

use undaunted_board::semihosting::write0;

/// Prints eight hexadecimal digits and a line feed.
#[inline(never)]
pub fn print(word: u32) {
    let mut line = *b"00000000\n\0";
    let mut rest = word;
    for byte in line[..8].iter_mut().rev() {
        let digit = (rest & 15) as u8;
        *byte = if digit < 10 { b'0' + digit } else { b'a' - 10 + digit };
        rest >>= 4;
    }
    write0(&line);
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    exit(false)
}
