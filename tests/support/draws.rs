//! The generator once more, as the documentation of `Rng` writes it down: in 128 bits, with a modulus.

use undaunted_core::Outcome;

const M: u128 = 1 << 32;

/// What a session draws.
#[derive(Clone, Debug)]
pub struct Draws(u128);

impl Draws {
    /// From a seed of 64 bits.
    pub fn seeded(seed: u64) -> Draws {
        let seed = u128::from(seed);
        Draws((seed % M) ^ ((seed / M) * 0x85EB_CA6B % M))
    }

    /// The next number.
    pub fn draw(&mut self) -> u32 {
        self.0 = (self.0 + 0x9E37_79B9) % M;
        let mut z = self.0;
        z = (z ^ (z >> 16)) * 0x21F0_AAAD % M;
        z = (z ^ (z >> 15)) * 0x735A_2D97 % M;
        (z ^ (z >> 15)) as u32
    }

    /// One draw for each `Fail` or `Throttle`, needed or not, and none otherwise.
    pub fn for_outcome(&mut self, outcome: Outcome) -> u32 {
        match outcome {
            Outcome::Fail | Outcome::Throttle { .. } => self.draw(),
            Outcome::Abort | Outcome::Succeed => 0,
        }
    }
}
