//! The one epoch of this process, and seeds from the operating system.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::OnceLock;
use std::time::Instant as StdInstant;
use undaunted_core::{Instant, Micros};

/// Where the epoch stands on our clock: 35 years after zero, since a paused clock of a test may stand
/// before the moment at which the epoch was taken.
const EPOCH: u64 = 1 << 50;

/// A point of the standard library's clock on the epoch of this process.
pub(crate) fn on_epoch(point: StdInstant) -> Instant {
    static START: OnceLock<StdInstant> = OnceLock::new();
    let start = *START.get_or_init(StdInstant::now);
    // Rounded down on both sides of the epoch, so that a length between two points keeps its microseconds.
    match point.checked_duration_since(start) {
        Some(after) => Instant::from_micros(EPOCH.saturating_add(after.as_micros() as u64)),
        None => {
            let before = Micros::from_duration(start.duration_since(point)).as_micros();
            Instant::from_micros(EPOCH.saturating_sub(before))
        }
    }
}

/// A seed that differs between processes and between calls: the standard library's hash keys, which
/// come from the operating system and change with each use.
pub(crate) fn seed() -> u64 {
    RandomState::new().hash_one(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn lengths_across_the_epoch_are_kept() {
        let now = StdInstant::now();
        let here = on_epoch(now);
        for micros in [1, 999_999, 3_600_000_001] {
            let before = now.checked_sub(Duration::from_micros(micros)).unwrap();
            assert_eq!(here.since(on_epoch(before)), Micros::new(micros), "{micros}");
            assert_eq!(
                on_epoch(now + Duration::from_micros(micros)).since(here),
                Micros::new(micros),
                "{micros}"
            );
        }
    }

    #[test]
    fn no_two_seeds_are_alike() {
        assert_ne!(seed(), seed());
    }
}
