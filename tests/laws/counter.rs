//! A counter that wraps, against its twin: all ticks in one sum, and one division by 128 bits.

use proptest::prelude::*;
use std::num::NonZeroU32;
use undaunted_core::{Counter, Instant, TickRate};

use crate::generate::{config, length, random};

/// The ticks since the start, and where the counter stands.
struct TwinCounter {
    ticks: u128,
    per: (u32, u32),
    latest: u32,
    start: u64,
}

impl TwinCounter {
    fn read(&mut self, reading: u32) -> u64 {
        let ahead = (u64::from(reading) + (1 << 32) - u64::from(self.latest)) % (1 << 32);
        if ahead < 1 << 31 {
            self.ticks += u128::from(ahead);
            self.latest = reading;
        }
        let (ticks, micros) = self.per;
        let passed = self.ticks * u128::from(micros) / u128::from(ticks);
        u64::try_from(u128::from(self.start) + passed).unwrap_or(u64::MAX)
    }
}

/// A rate at a boundary, of daily life, or any.
fn rate() -> impl Strategy<Value = (u32, u32)> {
    prop_oneof![
        proptest::sample::select(&[32_768, 1_000_000, 16_000_000, 12_500_000, 999_999, 1_000_001, 1, 3][..])
            .prop_map(|hertz| (hertz, 1_000_000)),
        random().prop_map(|hertz| (hertz.max(1), 1_000_000)),
        (random(), random()).prop_map(|(ticks, micros)| (ticks.max(1), micros.max(1))),
    ]
}

/// A small step, a step back, or anywhere.
fn step() -> impl Strategy<Value = u32> {
    prop_oneof![0..100_u32, (0..100_u32).prop_map(u32::wrapping_neg), random(), Just(u32::MAX >> 1)]
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_counter_is_its_twin(
        per in rate(), reading in random(), start in length(), steps in prop::collection::vec(step(), 1..60),
    ) {
        let [ticks, micros] = [per.0, per.1].map(|count| NonZeroU32::new(count).unwrap());
        let mut counter = Counter::start_at(TickRate::new(ticks, micros), reading, Instant::from_micros(start));
        let mut twin = TwinCounter { ticks: 0, per, latest: reading, start };
        let (mut reading, mut before) = (reading, start);
        for step in steps {
            reading = reading.wrapping_add(step);
            let now = counter.read(reading).as_micros();
            prop_assert_eq!(now, twin.read(reading), "{:?} at {:#x}", per, reading);
            prop_assert!(now >= before);
            before = now;
        }
    }
}
