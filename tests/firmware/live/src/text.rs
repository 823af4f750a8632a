//! Text made on the device, without a heap.

use core::fmt::{self, Display, Write};

/// What something says, as far as there is room for `N` bytes.
pub struct Text<const N: usize> {
    bytes: [u8; N],
    length: usize,
}

impl<const N: usize> Text<N> {
    pub fn of(what: &impl Display) -> Text<N> {
        let mut text = Text { bytes: [0; N], length: 0 };
        // It fails only where writing does, and what finds no room is left out.
        let _ = write!(text, "{what}");
        text
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

impl<const N: usize> Write for Text<N> {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        let room = &mut self.bytes[self.length..];
        let length = more.len().min(room.len());
        room[..length].copy_from_slice(&more.as_bytes()[..length]);
        self.length += length;
        Ok(())
    }
}
