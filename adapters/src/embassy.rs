//! Asynchronous calls on embassy's timer; feature `embassy`.
//!
//! A device has no operating system to ask for seeds, so every call takes an [`Embassy`], and that cannot be
//! made without one: the device's serial number, its unique id or a true random number. It is `Copy`: one is
//! made at the start and given to every task, and no two sessions of it draw the same jitter.
//!
//! ```
//! use std::time::Duration;
//! use undaunted::{GaveUp, Policy, embassy::{Embassy, retry}};
//!
//! const JOIN: Policy = Policy::exponential(Duration::from_millis(1)).attempts(4).attempt_timeout(Duration::from_secs(5));
//!
//! async fn join(embassy: Embassy, network: &Network) -> Result<u32, GaveUp<u32, &'static str>> {
//!     retry(embassy, &JOIN, || network.join()).when(|error| *error == "no answer").await
//! }
//!
//! # mod board { pub fn serial_number() -> u64 { 4711 } }
//! let embassy = Embassy::seeded(board::serial_number()); // once, in `main`; then a copy for each task
//! # struct Network;
//! # impl Network { async fn join(&self) -> Result<u32, &'static str> { Ok(1) } }
//! # let _ = join(embassy, &Network); // to run it takes a driver of the device's timer
//! ```
//!
//! A loop of your own lends `&mut` and uses `?`:
//!
//! ```
//! use std::{convert::Infallible, time::Duration};
//! use undaunted::{GaveUp, Outcome, Policy, embassy::{Embassy, Session}};
//!
//! const SEND: Policy = Policy::exponential(Duration::from_millis(100)).attempts(4);
//!
//! struct Radio(u32);
//!
//! impl Radio {
//!     async fn send(&mut self) -> Result<u32, &'static str> {
//!         self.0 += 1;
//!         if self.0 < 3 { Err("busy") } else { Ok(self.0) }
//!     }
//! }
//!
//! async fn send(embassy: Embassy, radio: &mut Radio) -> Result<u32, GaveUp<Infallible, &'static str>> {
//!     let mut session = Session::start_on(embassy, &SEND);
//!     loop {
//!         match radio.send().await {
//!             Ok(reply) => return Ok(reply),
//!             Err(error) => session.settle(Outcome::Fail).await.or_give_up(error)?,
//!         }
//!     }
//! }
//! ```
//!
//! A policy that is a type of its own is not read at run time, so that a compiler folds it into the future as it
//! does into a blocking call. On a Cortex-M0 such a loop takes less than half the flash (`tests/run size`, `loop_fixed`
//! and `loop_session`):
//!
//! ```
//! # use std::{borrow::Borrow, time::Duration};
//! # use undaunted::{Policy, embassy::{Embassy, Session}};
//! struct Status;
//!
//! impl Borrow<Policy> for Status {
//!     fn borrow(&self) -> &Policy {
//!         const { &Policy::exponential(Duration::from_millis(100)).attempts(4) }
//!     }
//! }
//!
//! # fn started(embassy: Embassy) {
//! let session = Session::start_on(embassy, Status);
//! # }
//! ```
//!
//! Without a seed it does not compile:
//!
//! ```compile_fail,E0599
//! const SEND: undaunted::Policy = undaunted::Policy::exponential(std::time::Duration::from_millis(100));
//! let session = undaunted::embassy::Session::start(&SEND);
//! ```
//!
//! An attempt is cut at the nearer of `attempt_timeout` and the time left: its future is dropped, it counts as a
//! failure, and at the deadline it is the end. Waits are whole ticks, rounded up, and one more: the tick under way
//! does not count, since nobody knows how much of it is over. So no wait is shorter than it was told, at any tick
//! rate, and at most two ticks longer. Waits beyond embassy's clock are never over, and panic no more than others.

use crate::asynch;
use crate::classify::Operation;
use crate::device;
use crate::poll::Says;
use crate::session::Runtime;
use core::borrow::Borrow;
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, ready};
use embassy_time::{TICK_HZ, Timer};
use undaunted_core::{Instant, Micros, Policy};

/// Retries `operation` under `policy`, waiting on embassy's timer.
///
/// Nothing is called before the future is polled. The jitter is seeded by `embassy` at the first failure,
/// unless a [`seed`](asynch::Retry::seed) is given.
#[inline]
pub fn retry<P: Borrow<Policy>, O: Operation<A, Output: Future>, A>(
    embassy: Embassy,
    policy: P,
    operation: O,
) -> Retry<P, O, A> {
    asynch::retry(embassy, policy, operation)
}

/// Asks `probe` until it says ready or never, or the policy says stop, waiting on embassy's timer.
///
/// The same as [`retry`], with a probe that gives a [`Probe`](crate::Probe), `bool` or `Option`.
/// The first probe is made at once, or after the policy's `first_delay`; waits are gaps between probes, or
/// with [`fixed_rate`](asynch::Retry::fixed_rate) intervals; `within` and `attempts` are the limits.
///
/// ```
/// use std::time::Duration;
/// use undaunted::{NotReady, Policy, GaveUp, embassy::{Embassy, poll}};
///
/// const LINK: Policy =
///     Policy::constant(Duration::from_millis(200)).no_jitter().unlimited_attempts().within(Duration::from_secs(30));
///
/// async fn link_up(embassy: Embassy, is_up: impl Fn() -> bool) -> Result<(), GaveUp<(), NotReady>> {
///     poll(embassy, &LINK, async || is_up()).fixed_rate().await
/// }
/// ```
#[inline]
pub fn poll<P: Borrow<Policy>, O: Operation<A, Output: Future<Output: Says>>, A>(
    embassy: Embassy,
    policy: P,
    probe: O,
) -> Retry<P, O, A> {
    asynch::retry(embassy, policy, probe)
}

/// The future of a retry on embassy.
pub type Retry<P, O, A> = asynch::Retry<Embassy, P, O, A>;

/// A deadline for a phase, on embassy's clock: `Deadline::after_on(embassy, length)`.
pub type Deadline = crate::Deadline<Embassy>;

/// One operation's life on embassy, for a loop of your own: `Session::start_on(embassy, &POLICY)`.
pub type Session<P = &'static Policy> = asynch::Session<Embassy, P>;

/// embassy's clock and timer, and the seeds of this device.
///
/// Two of one serial number give different seeds too: sessions are counted by the program, not by the value.
/// (On processors without atomic addition, such as the Cortex-M0, two sessions may be given one seed, if an
/// interrupt's session fails for the first time within two instructions of another's.)
#[derive(Clone, Copy, Debug)]
pub struct Embassy {
    serial: u64,
}

impl Embassy {
    /// A runtime whose sessions draw their jitter from this device's serial number, unique id or a true random
    /// number. It must differ from device to device: a fleet that shares it retries in step. Consecutive
    /// numbers are fine; of an id longer than 64 bits take `id_low ^ id_high`.
    pub const fn seeded(serial: u64) -> Embassy {
        Embassy { serial }
    }
}

// Inlined, so that a program which has this feature and no driver of embassy's links if it never waits.
impl Runtime for Embassy {
    #[inline]
    fn now(&self) -> Instant {
        Instant::from_micros(micros(embassy_time::Instant::now().as_ticks(), RATE))
    }

    #[inline]
    fn seed(&self) -> u64 {
        device::seed(self.serial)
    }
}

impl asynch::Timer for Embassy {
    type Sleep = Sleep;

    #[inline]
    fn sleep(&self, length: Micros) -> Sleep {
        let now = embassy_time::Instant::now().as_ticks();
        let until = due(now, length, RATE);
        Sleep { until, timer: alarm(until, now) }
    }
}

/// A wait on embassy's timer; from [`Timer::sleep`](asynch::Timer::sleep).
#[derive(Debug)]
#[must_use = "it waits when it is awaited"]
pub struct Sleep {
    until: u64,
    timer: Timer,
}

impl Future for Sleep {
    type Output = ();

    #[inline]
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        loop {
            ready!(Pin::new(&mut self.timer).poll(context));
            let now = embassy_time::Instant::now().as_ticks();
            if now >= self.until {
                return Poll::Ready(());
            }
            self.timer = alarm(self.until, now);
        }
    }
}

/// A timer for `until`, or for a day from now: drivers convert these points for their hardware, and one that is
/// far off has overflowed in some. To be woken once a day costs nothing.
#[inline]
fn alarm(until: u64, now: u64) -> Timer {
    const DAY: u64 = TICK_HZ.saturating_mul(86_400);
    Timer::at(embassy_time::Instant::from_ticks(until.min(now.saturating_add(DAY))))
}

/// Ticks and microseconds in the same length of time, in lowest terms. Below 2^44 Hz no product below overflows,
/// and at the powers of ten one of the two is 1.
#[derive(Clone, Copy)]
struct Rate {
    ticks: u64,
    micros: u64,
}

const RATE: Rate = Rate::of(TICK_HZ);

impl Rate {
    const fn of(hz: u64) -> Rate {
        let (mut divisor, mut rest) = (hz, 1_000_000);
        while rest != 0 {
            (divisor, rest) = (rest, divisor % rest);
        }
        Rate { ticks: hz / divisor, micros: 1_000_000 / divisor }
    }
}

/// The tick at which a wait is over that begins somewhere in the tick `now`, which therefore does not count; saturates.
/// (embassy adds without saturating, and panics or wraps.)
#[inline(always)]
const fn due(now: u64, length: Micros, rate: Rate) -> u64 {
    match length {
        Micros::ZERO => now,
        _ => now.saturating_add(ticks(length, rate)).saturating_add(1),
    }
}

/// The least number of ticks that are as long as `length`; saturates.
#[inline(always)]
const fn ticks(length: Micros, rate: Rate) -> u64 {
    let (whole, rest) = (length.as_micros() / rate.micros, length.as_micros() % rate.micros);
    whole.saturating_mul(rate.ticks).saturating_add((rest * rate.ticks).div_ceil(rate.micros))
}

/// The whole microseconds in so many ticks; saturates.
#[inline(always)]
const fn micros(ticks: u64, rate: Rate) -> u64 {
    let (whole, rest) = (ticks / rate.ticks, ticks % rate.ticks);
    whole.saturating_mul(rate.micros).saturating_add(rest * rate.micros / rate.ticks)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The usual ones, and the slowest and the fastest that embassy has.
    const RATES: [u64; 12] = [
        1,
        10,
        1_000,
        32_768,
        48_000,
        1_000_000,
        1_048_576,
        2_560_000,
        10_000_000,
        64_000_000,
        133_000_000,
        5_242_880_000,
    ];

    /// Both ends, and 100 000 lengths of all magnitudes in between.
    fn numbers() -> impl Iterator<Item = u64> {
        let mut rng = undaunted_core::Rng::seeded(1);
        let drawn = (0..100_000).map(move |i| {
            let number = u64::from(rng.draw()) << 32 | u64::from(rng.draw());
            number >> (i % 64)
        });
        [0, 1, 29, 30, 31, 999, 1_000, 1_001, u64::MAX - 1, u64::MAX].into_iter().chain(drawn)
    }

    #[test]
    fn a_length_is_rounded_up_to_ticks_at_every_rate() {
        for hz in RATES {
            for us in numbers() {
                let exact = (u128::from(us) * u128::from(hz)).div_ceil(1_000_000);
                let expected = u64::try_from(exact).unwrap_or(u64::MAX);
                assert_eq!(ticks(Micros::new(us), Rate::of(hz)), expected, "{us} us at {hz} Hz");
            }
        }
    }

    #[test]
    fn ticks_are_whole_microseconds_rounded_down_at_every_rate() {
        for hz in RATES {
            for n in numbers() {
                let exact = u128::from(n) * 1_000_000 / u128::from(hz);
                assert_eq!(
                    micros(n, Rate::of(hz)),
                    u64::try_from(exact).unwrap_or(u64::MAX),
                    "{n} ticks at {hz} Hz"
                );
            }
        }
    }

    /// Begun at the last moment of its tick, a wait is as long as told, and under two ticks longer; what has no tick is
    /// at the last one.
    #[test]
    fn a_wait_is_long_enough_at_every_rate_and_time() {
        for hz in RATES {
            let hz_wide = u128::from(hz);
            for now in [0, 86_400 * hz, u64::MAX / 2, u64::MAX - 1, u64::MAX] {
                for us in numbers().step_by(10) {
                    let due = due(now, Micros::new(us), Rate::of(hz));
                    // In millionths of a tick.
                    let told = u128::from(us) * hz_wide;
                    let slept =
                        (u128::from(due) * 1_000_000).saturating_sub((u128::from(now) + 1) * 1_000_000);
                    assert!(slept >= told || due == u64::MAX, "{us} us at {hz} Hz from {now}");
                    assert!(slept < told + 1_000_000, "{us} us at {hz} Hz from {now}");
                    assert!(due >= now, "{us} us at {hz} Hz from {now}");
                }
                assert_eq!(due(now, Micros::ZERO, Rate::of(hz)), now);
            }
        }
    }

    #[test]
    fn at_the_powers_of_ten_one_factor_is_one() {
        let rate = |hz| (Rate::of(hz).ticks, Rate::of(hz).micros);
        assert_eq!([rate(1_000), rate(1_000_000), rate(10_000_000)], [(1, 1_000), (1, 1), (10, 1)]);
        assert_eq!(rate(32_768), (512, 15_625));
    }
}
