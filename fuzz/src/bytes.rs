//! Bytes as numbers, and numbers as policies and reports: any that can be said, the unsound ones too.

use crate::said::{Calls, Said, Shape, Spread};
use crate::script::Report;
use undaunted_core::{Micros, Outcome};

/// Reads from the front; what is missing is zero.
pub struct Bytes<'a>(&'a [u8]);

/// Static, since a leak for each input would fill the memory.
static SCHEDULES: [&[Micros]; 4] = [
    &[Micros::new(1)],
    &[Micros::new(9), Micros::new(2), Micros::new(30)],
    &[Micros::new(1 << 55), Micros::new(7)],
    &[],
];

impl<'a> Bytes<'a> {
    pub fn new(bytes: &'a [u8]) -> Bytes<'a> {
        Bytes(bytes)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn byte(&mut self) -> u8 {
        let (byte, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *byte
    }

    pub fn u32(&mut self) -> u32 {
        u32::from_le_bytes([(); 4].map(|()| self.byte()))
    }

    pub fn u64(&mut self) -> u64 {
        u64::from(self.u32()) << 32 | u64::from(self.u32())
    }

    /// A length or a point of any magnitude, most often a small one: of the first byte the low bits say how many bytes
    /// follow, the high ones where the number is near to: zero, or the end of all lengths.
    pub fn length(&mut self) -> u64 {
        let head = self.byte();
        let number = (0..head % 9).fold(0, |number, _| number << 8 | u64::from(self.byte()));
        if head < 224 { number } else { u64::MAX - number }
    }

    /// Nothing, or this.
    fn maybe<T>(&mut self, this: fn(&mut Self) -> T) -> Option<T> {
        (self.byte() % 2 == 1).then(|| this(self))
    }

    /// Whatever somebody may say about a policy.
    pub fn said(&mut self) -> Said {
        let shape = match self.byte() % 7 {
            0 => Shape::Constant { delay: self.length() },
            1 => Shape::Decorrelated { first: self.length() },
            2 => Shape::Exponential { first: self.length() },
            3 => Shape::Fibonacci { first: self.length() },
            4 => Shape::Immediate,
            5 => Shape::Linear { first: self.length(), step: self.length() },
            _ => Shape::Schedule { steps: SCHEDULES[self.byte() as usize % SCHEDULES.len()] },
        };
        Said {
            shape,
            factor: self.maybe(|bytes| (bytes.u32() >> 20, u32::from(bytes.byte()))),
            jitter: self.maybe(Bytes::spread),
            cap: self.maybe(Bytes::length),
            floor: self.maybe(Bytes::length),
            attempts: self.maybe(|bytes| match bytes.byte() {
                255 => Calls::Unlimited,
                254 => Calls::Limited(u32::MAX),
                attempts => Calls::Limited(attempts.into()),
            }),
            within: self.maybe(Bytes::length),
            attempt_timeout: self.maybe(Bytes::length),
            hint_ceiling: self.maybe(Bytes::length),
            first_delay: self.maybe(Bytes::length),
        }
    }

    fn spread(&mut self) -> Spread {
        match self.byte() % 5 {
            0 => Spread::None,
            1 => Spread::Full,
            2 => Spread::Equal,
            3 => Spread::Proportional(self.u32() >> 16, u32::from(self.byte())),
            _ => Spread::Additive(self.u32() >> 16, u32::from(self.byte())),
        }
    }

    pub fn outcome(&mut self) -> Outcome {
        match self.byte() % 16 {
            0 => Outcome::Succeed,
            1 => Outcome::Abort,
            2..6 => Outcome::Throttle { retry_after: Micros::new(self.length()) },
            _ => Outcome::Fail,
        }
    }

    /// The number at hand, often an extreme.
    pub fn random(&mut self) -> u32 {
        match self.byte() {
            0 => 0,
            255 => u32::MAX,
            byte => u32::from_le_bytes([self.byte(), self.byte(), self.byte(), byte]),
        }
    }

    /// A report at a time that has nothing to do with the one before.
    pub fn report(&mut self) -> Report {
        Report { outcome: self.outcome(), now: self.length(), random: self.random() }
    }
}
