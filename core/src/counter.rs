//! From the wrapping counter of a device to points in time.

use crate::time::Instant;
use core::num::NonZeroU32;

/// How fast a counter counts: any whole number of ticks in any whole number of microseconds, exactly.
///
/// The divisions are made here, at compile time in a constant, so that a reading needs none.
///
/// ```
/// use core::num::NonZeroU32;
/// use undaunted_core::TickRate;
///
/// const CRYSTAL: TickRate = TickRate::hertz(32_768);
/// // 8 MHz by a prescaler of 3: 8 ticks in 3 us, which is no whole number of hertz.
/// const EIGHT: NonZeroU32 = NonZeroU32::new(8).unwrap();
/// const THREE: NonZeroU32 = NonZeroU32::new(3).unwrap();
/// const SCALED: TickRate = TickRate::new(EIGHT, THREE);
/// assert_ne!(CRYSTAL, SCALED);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct TickRate {
    /// One tick is `whole + part / ticks` microseconds, and `share` is `part / ticks` in 2^-32, rounded down.
    ticks: u32,
    whole: u32,
    part: u32,
    share: u32,
}

impl TickRate {
    /// `hertz` ticks a second, from 1 to 4 294 967 295.
    ///
    /// # Panics
    /// When it is zero; in a constant, at compile time. For values that come at run time there is
    /// [`new`](TickRate::new).
    pub const fn hertz(hertz: u32) -> TickRate {
        assert!(hertz > 0, "a counter must count at least one tick a second");
        TickRate::exact(hertz, 1_000_000)
    }

    /// So many `ticks` in so many microseconds.
    pub const fn new(ticks: NonZeroU32, micros: NonZeroU32) -> TickRate {
        TickRate::exact(ticks.get(), micros.get())
    }

    /// `ticks` must not be zero.
    const fn exact(ticks: u32, micros: u32) -> TickRate {
        let part = micros % ticks;
        let share = (((part as u64) << 32) / ticks as u64) as u32;
        TickRate { ticks, whole: micros / ticks, part, share }
    }

    /// How long so many ticks are, with what is left of a microsecond from before; and what is left after.
    ///
    /// What is left is in `ticks`-ths of a microsecond. Nothing here can overflow: `delta * part` and `left`
    /// together are below 2^64. The estimate is below the quotient by 2 at most: less than one for the
    /// share that was rounded down, for the product that is, and for what was left, makes less than 3.
    #[inline]
    const fn length(&self, delta: u32, left: u32) -> (u64, u32) {
        let (delta, ticks) = (delta as u64, self.ticks as u64);
        let mut micros = (delta * self.share as u64) >> 32;
        let mut left = delta * self.part as u64 + left as u64 - micros * ticks;
        // Written out: a compiler may make a division of a loop that subtracts.
        if left >= ticks {
            (left, micros) = (left - ticks, micros + 1);
        }
        if left >= ticks {
            (left, micros) = (left - ticks, micros + 1);
        }
        // The sum is below 2^64: at most (2^32 - 1)^2, and a quotient below 2^32.
        (delta * self.whole as u64 + micros, left as u32)
    }
}

/// Makes points in time from a counter of 32 bits that wraps: 32 bytes.
///
/// Exact and without drift: after any readings whatever, the time since the first is the number of ticks times
/// their length, rounded down to a microsecond; the fraction is kept for the next. A reading costs some
/// multiplications of 32 by 32 bits and no division. At the end of 64 bits (584 000 years) it saturates.
///
/// The contract of what callers supply:
/// * The counter MUST be looked at at least once in 2^31 - 1 ticks (half of its range: 35 min at 1 MHz, 18 h at
///   32 768 Hz), by a timer's interrupt if nothing else does.
/// * It MUST count up. One that counts down is read as `!reading`.
/// * All 32 bits MUST count. A narrower counter of `n` bits is shifted to the top, and its rate with it: one of
///   24 bits at 64 MHz is `reading << 8`, at 64 << 8 ticks a microsecond.
/// * It MUST NOT stop. After a sleep in which it stood still, begin anew with [`start_at`](Counter::start_at).
///
/// A reading behind the latest is jitter and no wrap: an interrupt came between reading and reporting, or
/// two registers were not read at once. "Behind" is by up to 2^31 ticks, the other half of the range, so that
/// nothing can be both. The answer is then the latest point again, and time stands still until the counter has
/// caught up: it never goes back.
///
/// ```
/// use undaunted_core::{Counter, Instant, TickRate};
///
/// let mut counter = Counter::start(TickRate::hertz(32_768), 0xFFFF_FFF0);
/// assert_eq!(counter.read(0xFFFF_FFF1), Instant::from_micros(30)); // 30.5
/// assert_eq!(counter.read(0xFFFF_FFF2), Instant::from_micros(61)); // 61.03
/// assert_eq!(counter.read(0xFFFF_FFF1), Instant::from_micros(61)); // behind
/// assert_eq!(counter.read(0x0000_7FF0), Instant::from_micros(1_000_000)); // wrapped, and no drift
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Counter {
    now: u64,
    latest: u32,
    /// What of a microsecond has passed beyond `now`, in `ticks`-ths.
    left: u32,
    rate: TickRate,
}

impl Counter {
    /// Starts with a reading, which becomes the epoch: the point zero.
    pub const fn start(rate: TickRate, reading: u32) -> Counter {
        Counter::start_at(rate, reading, Instant::from_micros(0))
    }

    /// Starts with a reading that is this point: after a deep sleep, the point before it and the time slept by
    /// another clock; or the time that a network told, so that devices share an epoch.
    pub const fn start_at(rate: TickRate, reading: u32, now: Instant) -> Counter {
        Counter { now: now.0, latest: reading, left: 0, rate }
    }

    /// The point at which the counter shows `reading`.
    #[inline]
    pub const fn read(&mut self, reading: u32) -> Instant {
        let delta = reading.wrapping_sub(self.latest);
        if delta < HALF {
            let (micros, left) = self.rate.length(delta, self.left);
            self.now = self.now.saturating_add(micros);
            (self.latest, self.left) = (reading, left);
        }
        Instant(self.now)
    }
}

/// From here on a difference is a step back.
const HALF: u32 = 1 << 31;

/// Sizes are part of the promise.
const _: () = assert!(size_of::<Counter>() == 32);

#[cfg(test)]
mod tests {
    use super::*;

    fn micros(counter: &mut Counter, reading: u32) -> u64 {
        counter.read(reading).as_micros()
    }

    #[test]
    fn a_megahertz_is_a_microsecond_a_tick() {
        let mut counter = Counter::start(TickRate::hertz(1_000_000), u32::MAX);
        assert_eq!(micros(&mut counter, u32::MAX), 0);
        assert_eq!(micros(&mut counter, 0), 1);
        assert_eq!(micros(&mut counter, HALF - 1), u64::from(HALF));
    }

    /// Half the range ahead is the most, and half behind the most.
    #[test]
    fn half_the_range_is_jitter() {
        let start = Counter::start(TickRate::hertz(1_000_000), 7);
        for (reading, expected) in [(6, 0), (7 + HALF, 0), (7 + HALF - 1, u64::from(HALF - 1)), (u32::MAX, 0)]
        {
            assert_eq!(micros(&mut start.clone(), reading), expected, "{reading}");
        }
        // It stands still until the counter has caught up with the latest.
        let mut counter = start;
        for (reading, expected) in [(100, 93), (90, 93), (99, 93), (101, 94)] {
            assert_eq!(micros(&mut counter, reading), expected);
        }
    }

    /// By hand: 4 294 967 295 Hz is 1 us in 4 294.967295 ticks; one tick in 71 min is 2^32 - 1 us.
    #[test]
    fn the_fastest_and_the_slowest() {
        let mut fast = Counter::start(TickRate::hertz(u32::MAX), 0);
        for (reading, expected) in [(4_294, 0), (4_295, 1), (8_589, 1), (8_590, 2), (2_147_483_647, 499_999)]
        {
            assert_eq!(micros(&mut fast, reading), expected);
        }
        let one = NonZeroU32::new(1).unwrap();
        let mut slow = Counter::start(TickRate::new(one, NonZeroU32::MAX), 0);
        assert_eq!(micros(&mut slow, 1), 4_294_967_295);
        assert_eq!(micros(&mut slow, HALF - 1), 2_147_483_647 * 4_294_967_295);
        assert_eq!(micros(&mut slow, u32::MAX - 1), 4_294_967_294 * 4_294_967_295);
        // The next two halves are beyond 64 bits.
        assert_eq!(micros(&mut slow, HALF - 3), u64::MAX);
    }

    /// A day of single ticks of a crystal is a day to the microsecond, and so is a day in big steps.
    #[test]
    fn there_is_no_drift() {
        let crystal = TickRate::hertz(32_768);
        let (mut single, mut big) = (Counter::start(crystal, 0), Counter::start(crystal, 0));
        let day = 86_400 * 32_768_u64;
        for tick in 1..=day / 1_000 {
            let _ = single.read(tick as u32);
        }
        assert_eq!(micros(&mut single, (day / 1_000) as u32), 86_399_993);
        for step in 1..=4 {
            let _ = big.read((day / 4 * step) as u32);
        }
        assert_eq!(micros(&mut big, day as u32), 86_400_000_000);
    }

    #[test]
    fn a_narrow_counter_is_shifted_to_the_top() {
        let (ticks, micro) = (NonZeroU32::new(64 << 8).unwrap(), NonZeroU32::new(1).unwrap());
        let mut counter = Counter::start(TickRate::new(ticks, micro), 0xFF_FFFF << 8);
        assert_eq!(micros(&mut counter, 63 << 8), 1);
        assert_eq!(micros(&mut counter, 0x7F_FFFF << 8), 131_072);
    }
}
