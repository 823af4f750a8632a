//! The frame that every program here shares, so that the difference of two images is what differs in
//! what they decide with.
//!
//! The same programs run on a device and on the host, and must print the same. The frame has no
//! formatting, no division and no panic of its own.

#![cfg_attr(target_os = "none", no_std)]

#[cfg(target_os = "none")]
pub mod device;
pub mod scripts;
pub mod vectors;

use core::hint::black_box;
use core::mem::MaybeUninit;
use undaunted_core::{Outcome, Retry, Verdict};

#[cfg(all(target_os = "none", target_arch = "arm"))]
pub use cortex_m_rt::entry;
#[cfg(all(target_os = "none", target_arch = "riscv32"))]
pub use riscv_rt::entry;

/// What a program decides with. The measuring script finds the first two by name.
pub struct Functions<State> {
    /// Makes the state from a seed.
    pub init: extern "C" fn(&mut MaybeUninit<State>, u32),
    /// The state, what happened, the time: the wait in microseconds, or `u64::MAX` for no more.
    pub next: extern "C" fn(&mut State, &Outcome, u64) -> u64,
    /// Why it stopped; see [`ending`].
    pub ending: extern "C" fn(&State) -> u32,
    /// The bytes of a policy that lives in the image or in RAM, for the table.
    pub policy_bytes: usize,
}

/// Plays all scripts and prints: sizes, then for each script every answer (two words) and the ending.
#[inline(always)]
pub fn play<State>(functions: Functions<State>, print: impl Fn(u32)) {
    // By pointers that the compiler cannot follow, so that it assumes nothing about the calls.
    let functions = black_box(functions);
    print(size_of::<State>() as u32);
    print(functions.policy_bytes as u32);
    let mut state = MaybeUninit::uninit();
    let mut seed = black_box(0x1234_5678);
    for script in black_box(&scripts::SCRIPTS) {
        (functions.init)(&mut state, seed);
        // SAFETY: every `init` writes the whole state.
        let state = unsafe { state.assume_init_mut() };
        let mut now = scripts::START;
        for outcome in script {
            let wait = (functions.next)(state, outcome, now);
            print((wait >> 32) as u32);
            print(wait as u32);
            now = now.wrapping_add(wait).wrapping_add(scripts::WORK);
        }
        print((functions.ending)(state));
        seed += 1;
    }
}

/// The wait, or `u64::MAX` for no more: what a device's loop makes of a verdict.
#[inline(always)]
pub fn wait(verdict: Verdict) -> u64 {
    match verdict {
        Verdict::RetryAfter(wait) => wait.as_micros(),
        Verdict::Done | Verdict::GiveUp(_) => u64::MAX,
    }
}

/// A number for how it ended: 0 not yet, 1 done, from 2 on the reasons in their order.
#[inline(always)]
pub fn ending(retry: &Retry) -> u32 {
    ended(retry.stopped())
}

/// The same of anything that stops.
#[inline(always)]
pub fn ended(stopped: Option<Verdict>) -> u32 {
    match stopped {
        None | Some(Verdict::RetryAfter(_)) => 0,
        Some(Verdict::Done) => 1,
        Some(Verdict::GiveUp(reason)) => 2 + reason as u32,
    }
}

/// The program: three functions that nothing is inlined across, and a `main` that plays the scripts.
#[macro_export]
macro_rules! program {
    (
        state: $state:ty,
        policy_bytes: $bytes:expr,
        init: |$seed:ident| $init:expr,
        next: |$next_state:ident, $outcome:ident, $now:ident| $next:expr,
        ending: |$end_state:ident| $end:expr $(,)?
    ) => {
        #[unsafe(no_mangle)]
        #[inline(never)]
        extern "C" fn policy_init(state: &mut core::mem::MaybeUninit<$state>, $seed: u32) {
            state.write($init);
        }

        #[unsafe(no_mangle)]
        #[inline(never)]
        extern "C" fn policy_next(
            $next_state: &mut $state,
            $outcome: &undaunted_core::Outcome,
            $now: u64,
        ) -> u64 {
            $next
        }

        #[unsafe(no_mangle)]
        #[inline(never)]
        extern "C" fn policy_ending($end_state: &$state) -> u32 {
            $end
        }

        const FUNCTIONS: $crate::Functions<$state> = $crate::Functions {
            init: policy_init,
            next: policy_next,
            ending: policy_ending,
            policy_bytes: $bytes,
        };

        #[cfg(target_os = "none")]
        #[$crate::entry]
        fn main() -> ! {
            $crate::play(FUNCTIONS, $crate::device::print);
            $crate::device::exit(true)
        }

        #[cfg(not(target_os = "none"))]
        fn main() {
            $crate::play(FUNCTIONS, |word| println!("{word:08x}"));
        }
    };
}

/// Ends the program with exit code 1.
pub fn fail() -> ! {
    #[cfg(target_os = "none")]
    device::exit(false);
    #[cfg(not(target_os = "none"))]
    std::process::exit(1)
}
