//! What happens to the operation in each run; the same for every program, device and host.

use undaunted_core::{Micros, Outcome};

/// The time of the first attempt: past 2^32 us, so that no half of it is zero.
pub const START: u64 = 0x12_3456_789A;

/// The length of every attempt.
pub const WORK: u64 = 100_000;

const ENDS: Outcome = Outcome::Abort;
const FAIL: Outcome = Outcome::Fail;
const DONE: Outcome = Outcome::Succeed;

const fn told(millis: u64) -> Outcome {
    Outcome::Throttle { retry_after: Micros::from_millis(millis) }
}

/// Attempts to the end; hints, some of them zero; a hint above every ceiling; a success; an abort.
pub static SCRIPTS: [[Outcome; 12]; 5] = [
    [FAIL; 12],
    [
        FAIL,
        told(0),
        told(1),
        told(2_000),
        FAIL,
        told(20_000),
        told(60_000),
        FAIL,
        told(30_000),
        FAIL,
        FAIL,
        FAIL,
    ],
    [FAIL, told(5_000), FAIL, told(90_000_000), FAIL, FAIL, FAIL, FAIL, FAIL, FAIL, FAIL, FAIL],
    [FAIL, FAIL, FAIL, FAIL, FAIL, DONE, FAIL, FAIL, FAIL, FAIL, FAIL, FAIL],
    [FAIL, FAIL, FAIL, FAIL, ENDS, FAIL, FAIL, FAIL, FAIL, FAIL, FAIL, FAIL],
];
