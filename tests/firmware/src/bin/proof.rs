//! What `prove` executes symbolically: the decision of the core behind functions whose arguments are plain
//! words, so that a prover can make each of them an unknown. Nothing here decides anything.
//!
//! `proof_next_...` is `Retry::next` under a policy that is data, and under two that are constants; the others
//! are all else that makes or changes a `Retry`.
#![cfg_attr(target_os = "none", no_std, no_main)]

use core::hint::black_box;
use core::mem::MaybeUninit;
use core::time::Duration;
use undaunted_core::{Instant, Micros, Outcome, Policy, Reason, Retry, Verdict};

const CONSTANT: Policy =
    Policy::exponential(Duration::from_millis(500)).cap(Duration::from_secs(60)).attempts(10).full_jitter();

const LIMITS: Policy = Policy::exponential(Duration::from_millis(500))
    .cap(Duration::from_secs(60))
    .proportional_jitter(1, 5)
    .attempts(10)
    .floor(Duration::from_millis(700))
    .within(Duration::from_secs(150))
    .hint_ceiling(Duration::from_secs(600));

/// What goes in beside the state and the policy.
#[repr(C)]
pub struct Report {
    now: u64,
    hint: u64,
    random: u32,
    /// 0 `Abort`, 1 `Fail`, 2 `Succeed`, else `Throttle` with the hint.
    outcome: u32,
}

/// What comes out: 0 to wait so long, 1 done, from 2 on the reasons in their order.
#[repr(C)]
pub struct Answer {
    wait: u64,
    ending: u32,
}

fn answer(verdict: Verdict) -> Answer {
    match verdict {
        Verdict::RetryAfter(wait) => Answer { wait: wait.as_micros(), ending: 0 },
        Verdict::Done => Answer { wait: 0, ending: 1 },
        Verdict::GiveUp(reason) => Answer { wait: 0, ending: 2 + reason as u32 },
    }
}

#[inline(always)]
fn next(retry: &mut Retry, policy: &Policy, report: &Report) -> Answer {
    let outcome = match report.outcome {
        0 => Outcome::Abort,
        1 => Outcome::Fail,
        2 => Outcome::Succeed,
        _ => Outcome::Throttle { retry_after: Micros::new(report.hint) },
    };
    answer(retry.next(policy, outcome, Instant::from_micros(report.now), report.random))
}

#[unsafe(no_mangle)]
extern "C" fn proof_next_runtime(retry: &mut Retry, policy: &Policy, report: &Report, out: &mut Answer) {
    *out = next(retry, policy, report);
}

#[unsafe(no_mangle)]
extern "C" fn proof_next_constant(retry: &mut Retry, _: &Policy, report: &Report, out: &mut Answer) {
    *out = next(retry, &CONSTANT, report);
}

#[unsafe(no_mangle)]
extern "C" fn proof_next_limits(retry: &mut Retry, _: &Policy, report: &Report, out: &mut Answer) {
    *out = next(retry, &LIMITS, report);
}

#[unsafe(no_mangle)]
extern "C" fn proof_start(retry: &mut MaybeUninit<Retry>, policy: &Policy, now: &u64, deadline: &u64) {
    let (now, deadline) = (Instant::from_micros(*now), Instant::from_micros(*deadline));
    retry.write(Retry::start_before(policy, now, deadline));
}

#[unsafe(no_mangle)]
extern "C" fn proof_inherit(retry: &mut Retry, _: &Policy, now: &u64, deadline: &u64) {
    retry.inherit(Instant::from_micros(*deadline), Instant::from_micros(*now));
}

#[unsafe(no_mangle)]
extern "C" fn proof_give_up(retry: &mut Retry, _: &Policy, _: &u64, _: &u64) {
    let _ = retry.give_up(Reason::Cancelled);
}

type Next = extern "C" fn(&mut Retry, &Policy, &Report, &mut Answer);
type Other = extern "C" fn(&mut Retry, &Policy, &u64, &u64);

/// Nothing to run: named here, so that the linker keeps them.
fn keep() {
    let _ = black_box::<[Next; 3]>([proof_next_runtime, proof_next_constant, proof_next_limits]);
    let _ = black_box::<[Other; 2]>([proof_inherit, proof_give_up]);
    let _ = black_box::<extern "C" fn(&mut MaybeUninit<Retry>, &Policy, &u64, &u64)>(proof_start);
}

#[cfg(target_os = "none")]
#[undaunted_firmware::entry]
fn main() -> ! {
    keep();
    undaunted_firmware::device::exit(true)
}

#[cfg(not(target_os = "none"))]
fn main() {
    keep();
}
