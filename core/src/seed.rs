//! Seeds for devices: from what differs between them, and between their starts.

use crate::rng::Rng;

/// # Where a seed comes from on a device
/// Two things must differ: devices that fail together, and the starts of one device.
///
/// | there is | seed |
/// | --- | --- |
/// | a true random generator | `Rng::seeded(u64::from(word))`, or two words as one `u64`; nothing else is needed |
/// | a unique id and a counter that survives a reset | `Rng::from_id(&id).and(boots)` |
/// | a unique id only | `Rng::from_id(&id)`: devices differ, the starts of each are alike |
/// | a serial number | `Rng::seeded(serial)`; consecutive ones are fine |
///
/// A counter of starts alone is no seed: after a power cut all devices of a fleet count alike. Nor is the time
/// since start, nor a constant: there is no `Default`.
impl Rng {
    /// A generator seeded with a unique id of any length: the 96 bits of a microcontroller, a MAC address, a
    /// serial number as text. All bytes count, and so does their number.
    ///
    /// The id MUST differ between devices: an empty id, or memory that nobody programmed, is one and the same
    /// seed for all.
    ///
    /// # The algorithm, for other languages
    /// From the bytes four at a time, the first the lowest, the last word filled up with zeros; then their number,
    /// in 32 bits:
    ///
    /// ```text
    /// state = 0
    /// for each word:  state = the next draw of the generator in state (state ^ word)
    /// ```
    ///
    /// Each step is a bijection, so that two ids of one length that differ in four aligned bytes only never collide;
    /// any two others do with a chance of 2^-32, as a generator has so many states. It is no hash for secrets.
    ///
    /// ```
    /// use undaunted_core::Rng;
    ///
    /// let id = *b"\x39\x00\x2A\x00\x0B\x51633743"; // 96 bits, read from the chip
    /// let mut this = Rng::from_id(&id).and(17); // its 17th start
    /// let mut next = Rng::from_id(&id).and(18);
    /// assert_ne!(this.draw(), next.draw());
    /// ```
    pub const fn from_id(id: &[u8]) -> Rng {
        let (mut rng, mut rest) = (Rng(0), id);
        while let Some((word, after)) = first_word(rest) {
            rng = rng.and(word);
            rest = after;
        }
        rng.and(id.len() as u32)
    }

    /// The same with this `word` mixed in: a counter of starts, noise of a converter, whatever else differs.
    ///
    /// Different words give different generators, and a constant takes nothing away. The order of several words
    /// counts. Draws made before count too: mix first, draw then.
    pub const fn and(self, word: u32) -> Rng {
        let mut mixed = Rng(self.0 ^ word);
        Rng(mixed.draw())
    }
}

/// Up to four bytes as a word, the first the lowest, and what comes after them.
const fn first_word(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (four, rest) = match *bytes {
        [] => return None,
        [a] => ([a, 0, 0, 0], [].as_slice()),
        [a, b] => ([a, b, 0, 0], [].as_slice()),
        [a, b, c] => ([a, b, c, 0], [].as_slice()),
        [a, b, c, d, ref rest @ ..] => ([a, b, c, d], rest),
    };
    Some((u32::from_le_bytes(four), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(mut rng: Rng) -> [u32; 3] {
        [rng.draw(), rng.draw(), rng.draw()]
    }

    /// By this Python, from the documentation and with its big integers:
    ///
    /// ```text
    /// M = 2**32
    /// def draw(s):
    ///     s = (s + 0x9E3779B9) % M
    ///     z = (s ^ s >> 16) * 0x21F0AAAD % M
    ///     z = (z ^ z >> 15) * 0x735A2D97 % M
    ///     return s, z ^ z >> 15
    /// def mixed(s, word): return draw(s ^ word)[1]
    /// def from_id(id):
    ///     s = 0
    ///     for i in range(0, len(id), 4): s = mixed(s, int.from_bytes(id[i:i+4], 'little'))
    ///     return mixed(s, len(id))
    /// ```
    #[test]
    fn vectors() {
        for (id, expected) in IDS {
            assert_eq!(draws(Rng::from_id(id)), expected, "{id:?}");
        }
        for (boots, expected) in BOOTS {
            assert_eq!(draws(Rng::from_id(UID).and(boots)), expected, "boot {boots}");
        }
    }

    const UID: &[u8] = b"\x39\x00\x2A\x00\x0B\x51\x36\x33\x33\x37\x34\x33";

    const IDS: [(&[u8], [u32; 3]); 8] = [
        (b"", [0xC9CC_980C, 0x553D_E739, 0xCD4C_BCA2]),
        (b"\0", [0xF831_3B94, 0x5DB4_79F0, 0x2543_2D6C]),
        (b"\0\0\0\0", [0x6463_B580, 0x9D9F_3141, 0x62EC_95BE]),
        (b"A", [0xB4DA_0DED, 0x57DB_D5A9, 0xB41E_8265]),
        (b"ABCD", [0xEE01_6FB2, 0x4631_CEB9, 0x8206_F98A]),
        (b"ABCDE", [0xAE73_26FD, 0x3B07_984F, 0xE743_D72C]),
        (b"\x02\x00\x5E\x10\x00\x01", [0xCD2D_44AF, 0xD6FC_1CA7, 0xF355_AE88]),
        (UID, [0x4D48_EE58, 0xF0A3_D63B, 0x0363_B136]),
    ];

    const BOOTS: [(u32, [u32; 3]); 4] = [
        (0, [0x4D82_E991, 0x22D5_32BA, 0xA917_DBAA]),
        (1, [0x084C_DC9A, 0x4719_3C36, 0xF46D_2EB9]),
        (2, [0x42EC_BD66, 0x5AE1_7394, 0xC73F_FE49]),
        (u32::MAX, [0x987A_D433, 0xE66E_37D3, 0x9FE5_C3FA]),
    ];
}
