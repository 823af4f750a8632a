//! What goes over the wire: `A5`, a kind, the payload's length (two bytes, the low one first), the payload, and a CRC-16
//! of all but the first byte (CCITT, from FFFF, the low byte first).

use core::fmt;

/// The longest payload.
pub const MOST: usize = 240;

pub const START: u8 = 0xA5;

/// A frame that came whole.
pub struct Frame {
    pub kind: u8,
    length: usize,
    bytes: [u8; MOST],
}

/// Why what came is no frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    Checksum,
    /// It says that it is so long.
    Length(u16),
}

impl Frame {
    /// Reads one by the byte; what comes before the start is noise.
    pub async fn read(mut next: impl AsyncFnMut() -> u8) -> Result<Frame, Fault> {
        while next().await != START {}
        let head = [next().await, next().await, next().await];
        let length = u16::from_le_bytes([head[1], head[2]]);
        let mut frame = Frame { kind: head[0], length: length.into(), bytes: [0; MOST] };
        let payload = frame.bytes.get_mut(..frame.length).ok_or(Fault::Length(length))?;
        for byte in payload.iter_mut() {
            *byte = next().await;
        }
        let expected = crc(crc(CRC, &head), payload);
        match u16::from_le_bytes([next().await, next().await]) == expected {
            true => Ok(frame),
            false => Err(Fault::Checksum),
        }
    }

    /// Writes one.
    ///
    /// # Panics
    /// If the payload is longer than [`MOST`].
    pub fn write(kind: u8, payload: &[u8], mut put: impl FnMut(&[u8])) {
        assert!(payload.len() <= MOST, "longer than any frame");
        let [low, high] = (payload.len() as u16).to_le_bytes();
        let head = [kind, low, high];
        put(&[START]);
        put(&head);
        put(payload);
        put(&crc(crc(CRC, &head), payload).to_le_bytes());
    }

    pub fn payload(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

const CRC: u16 = 0xFFFF;

fn crc(mut crc: u16, bytes: &[u8]) -> u16 {
    for &byte in bytes {
        crc ^= u16::from(byte) << 8;
        for _ in 0..8 {
            crc = if crc & 0x8000 == 0 { crc << 1 } else { crc << 1 ^ 0x1021 };
        }
    }
    crc
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Checksum => f.write_str("wrong checksum"),
            Fault::Length(length) => write!(f, "a frame of {length} bytes, more than {MOST}"),
        }
    }
}
