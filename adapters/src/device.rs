//! What devices without an operating system share: seeds for their sessions, and a HAL's delay as a runtime.

#[cfg(any(feature = "embedded-hal", feature = "embedded-hal-async"))]
pub use hal::{Clock, Hal, Slept};

use core::sync::atomic::{AtomicUsize, Ordering};
use undaunted_core::Rng;

/// The seed of this device's next session. Sessions are numbered, whichever runtime they are on, and the
/// number goes through the generator into the upper half: so neither the sessions of one device nor the same
/// sessions of neighbouring serial numbers are alike.
pub(crate) fn seed(serial: u64) -> u64 {
    serial ^ u64::from(Rng::seeded(next_session() as u64).draw()) << 32
}

static SESSIONS: AtomicUsize = AtomicUsize::new(0);

#[cfg(target_has_atomic = "ptr")]
fn next_session() -> usize {
    SESSIONS.fetch_add(1, Ordering::Relaxed)
}

/// A Cortex-M0 can load and store at once, but not add: of two sessions whose first failures interrupt each
/// other between these two lines, both may have one number.
#[cfg(not(target_has_atomic = "ptr"))]
fn next_session() -> usize {
    let number = SESSIONS.load(Ordering::Relaxed);
    SESSIONS.store(number.wrapping_add(1), Ordering::Relaxed);
    number
}

#[cfg(any(feature = "embedded-hal", feature = "embedded-hal-async"))]
mod hal {
    use crate::session::Runtime;
    use core::cell::{Cell, RefCell};
    use undaunted_core::{Instant, Micros};

    /// A device: the delay of its HAL, its serial number as a seed, and a clock if it has one.
    ///
    /// It takes a delay by value or by `&mut`. Without a clock, time is what was waited: work does not count then, so
    /// that `within` limits the sum of the waits alone, `elapsed` is that sum, and no attempt has a deadline in real
    /// time. A deadline holds for calls on the same value, as its time begins at zero.
    ///
    /// Two values of one serial number give different seeds too: sessions are counted by the program. (On processors
    /// without atomic addition, such as the Cortex-M0, two sessions may be given one seed, if an interrupt's session
    /// fails for the first time within two instructions of another's.)
    #[derive(Debug)]
    pub struct Hal<D, C = Slept> {
        pub(crate) delay: RefCell<D>,
        clock: C,
        slept: Cell<Micros>,
        serial: u64,
    }

    impl<D> Hal<D> {
        /// A device whose sessions draw their jitter from its serial number, its unique id or a true random number.
        /// It must differ from device to device: a fleet that shares it retries in step. Consecutive numbers are
        /// fine; of an id longer than 64 bits take `id_low ^ id_high`.
        pub const fn seeded(serial: u64, delay: D) -> Hal<D> {
            Hal { delay: RefCell::new(delay), clock: Slept, slept: Cell::new(Micros::ZERO), serial }
        }
    }

    impl<D, C> Hal<D, C> {
        /// The same with a clock, so that work counts: a counter of the board, in microseconds since any epoch. To be
        /// right with other clocks about nested deadlines, all must be on one epoch.
        ///
        /// ```
        /// # #[cfg(feature = "embedded-hal")] {
        /// use undaunted::{Instant, embedded_hal::Hal};
        ///
        /// # mod board { pub fn delay() {} pub fn serial_number() -> u64 { 1 } pub fn micros() -> u64 { 0 } }
        /// let hal = Hal::seeded(board::serial_number(), board::delay()).clock(|| Instant::from_micros(board::micros()));
        /// # }
        /// ```
        pub fn clock<N: Fn() -> Instant>(self, now: N) -> Hal<D, N> {
            Hal { delay: self.delay, clock: now, slept: self.slept, serial: self.serial }
        }

        /// Gives the delay back.
        pub fn release(self) -> D {
            self.delay.into_inner()
        }

        /// So much of a wait is over.
        #[inline]
        pub(crate) fn waited(&self, length: Micros) {
            self.slept.set(self.slept.get().saturating_add(length));
        }
    }

    impl<D, C: Clock> Runtime for &Hal<D, C> {
        #[inline]
        fn now(&self) -> Instant {
            self.clock.now(self.slept.get())
        }

        fn seed(&self) -> u64 {
            super::seed(self.serial)
        }
    }

    /// What time it is: a closure that reads a counter, or [`Slept`].
    pub trait Clock {
        /// The time now; `slept` is what was waited so far.
        fn now(&self, slept: Micros) -> Instant;
    }

    impl<N: Fn() -> Instant> Clock for N {
        #[inline]
        fn now(&self, _: Micros) -> Instant {
            self()
        }
    }

    /// No clock: the time is what was waited.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct Slept;

    impl Clock for Slept {
        #[inline]
        fn now(&self, slept: Micros) -> Instant {
            Instant::default() + slept
        }
    }

    /// The next piece of a wait that a HAL can express, and its length: up to 71 minutes.
    #[inline]
    pub(crate) fn piece(left: Micros) -> (u32, Micros) {
        let micros = u32::try_from(left.as_micros()).unwrap_or(u32::MAX);
        (micros, Micros::new(micros.into()))
    }
}

#[cfg(any(feature = "embedded-hal", feature = "embedded-hal-async"))]
pub(crate) use hal::piece;

#[cfg(test)]
mod tests {
    use super::*;
    extern crate std;
    use std::collections::BTreeSet;
    use std::vec::Vec;

    #[test]
    fn no_two_sessions_of_one_device_have_one_seed() {
        let seeds: BTreeSet<u64> = (0..1_000).map(|_| seed(4_711)).collect();
        assert_eq!(seeds.len(), 1_000);
    }

    /// A fleet with consecutive serial numbers, whose devices are all at the same session: 256 cells, chi-square.
    #[test]
    fn the_sessions_of_a_fleet_are_spread() {
        let draws: Vec<u32> = (0..10_000).map(|serial| Rng::seeded(seed(serial)).draw()).collect();
        let expected = 10_000.0 / 256.0;
        let chi_square: f64 = (0..256)
            .map(|cell| draws.iter().filter(|&&draw| draw >> 24 == cell).count() as f64)
            .map(|count| (count - expected) * (count - expected) / expected)
            .sum();
        assert!(chi_square < 341.0, "{chi_square}"); // the 0.9998 quantile for 255 degrees of freedom
    }
}
