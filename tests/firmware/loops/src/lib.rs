//! The frame of the loops: one operation's whole life, its waits included, on a clock that jumps.
//!
//! A program is a `life`: it calls [`attempt`] until it works or its policy gives up. The bare programs call it, wait
//! once for a fixed time, and call it again; they contain the same executor, timer or delay, so that the difference is
//! what the adapter and the core add.

#![cfg_attr(target_os = "none", no_std)]

pub mod runtime;

use core::hint::black_box;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use core::time::Duration;
use undaunted::{GaveUp, Policy};

/// What every loop retries under: the policy of the other constant programs.
pub const POLICY: Policy =
    Policy::exponential(Duration::from_millis(500)).cap(Duration::from_secs(60)).attempts(10).full_jitter();

/// The length of every attempt.
const WORK: u32 = 100_000;

/// Past 2^31 us, so that no word that is printed is zero by chance. No life reaches the end of this counter.
const START: u32 = 0x8765_4321;

/// The virtual time in microseconds; 32 bits, since a Cortex-M0 has no atomics of 64.
static NOW: AtomicU32 = AtomicU32::new(START);
static CALLS: AtomicU32 = AtomicU32::new(0);
static WORKS_AT: AtomicU32 = AtomicU32::new(0);
static WAITS: AtomicU32 = AtomicU32::new(0);
static WAITED: [AtomicU32; 16] = [const { AtomicU32::new(0) }; 16];

/// What an attempt fails with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoAnswer;

/// The operation: it works at the call that the round says. The measuring script finds it by name.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn operation() -> bool {
    NOW.store(now().wrapping_add(WORK), Relaxed);
    let call = CALLS.load(Relaxed).wrapping_add(1);
    CALLS.store(call, Relaxed);
    call == WORKS_AT.load(Relaxed)
}

/// The operation as an adapter calls it.
#[inline(always)]
pub fn attempt() -> Result<(), NoAnswer> {
    if operation() { Ok(()) } else { Err(NoAnswer) }
}

/// The virtual time.
#[inline]
pub fn now() -> u32 {
    NOW.load(Relaxed)
}

/// The clock jumps over a wait, which is noted.
#[inline]
pub fn jump(micros: u32) {
    let waits = WAITS.load(Relaxed);
    WAITS.store(waits.wrapping_add(1), Relaxed);
    WAITED[waits as usize & 15].store(micros, Relaxed);
    NOW.store(now().wrapping_add(micros), Relaxed);
}

/// How it ended, as a number.
#[inline(always)]
pub fn ending<T>(result: Result<(), GaveUp<T, NoAnswer>>) -> u32 {
    match result {
        Ok(()) => 1,
        Err(gave_up) => 2 + gave_up.reason as u32 + (gave_up.attempts << 8),
    }
}

/// Two rounds: one that never works, one that works at the sixth call. Prints the size of what lives across a wait, for
/// each round the waits and the ending, with their number first.
#[inline(always)]
pub fn play(state_bytes: usize, life: extern "C" fn(u64) -> u32, print: impl Fn(u32)) {
    let life = black_box(life);
    print(state_bytes as u32);
    print(0);
    for (round, works_at) in [u32::MAX, 6].into_iter().enumerate() {
        NOW.store(START, Relaxed);
        CALLS.store(0, Relaxed);
        WAITS.store(0, Relaxed);
        WORKS_AT.store(works_at, Relaxed);
        let ending = life(black_box(0x1234_5678 + round as u64));
        let waits = WAITS.load(Relaxed);
        print(waits);
        WAITED.iter().take(waits as usize).for_each(|wait| print(wait.load(Relaxed)));
        print(ending);
    }
}

/// The program: a life from a serial number that nothing is inlined across, and a `main` that plays it.
#[macro_export]
macro_rules! program {
    (state_bytes: $bytes:expr, life: |$serial:ident| $life:expr $(,)?) => {
        #[unsafe(no_mangle)]
        #[inline(never)]
        extern "C" fn life($serial: u64) -> u32 {
            $life
        }

        #[cfg(target_os = "none")]
        #[undaunted_firmware::entry]
        fn main() -> ! {
            $crate::play($bytes, life, undaunted_firmware::device::print);
            undaunted_firmware::device::exit(true)
        }

        #[cfg(not(target_os = "none"))]
        fn main() {
            $crate::play($bytes, life, |word| println!("{word:08x}"));
        }
    };
}
