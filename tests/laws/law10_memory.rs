//! Law 10. A memory that is not what was promised allows no restart more than the intensity, and nothing panics.

use std::cell::Cell;

use proptest::prelude::*;
use undaunted_core::{Instant, Micros, Outcome, Policy, Reason, Recovery, Restarts, Verdict};
use undaunted_tests::spell::duration;

use crate::generate::config;

const GIVEN_UP: Verdict = Verdict::GiveUp(Reason::Intensity);
const AGAIN: Verdict = Verdict::RetryAfter(Micros::ZERO);

/// Eight places, of which only the first are lent.
struct Shrinking<'a> {
    points: [Instant; 8],
    room: &'a Cell<usize>,
}

impl AsMut<[Instant]> for Shrinking<'_> {
    fn as_mut(&mut self) -> &mut [Instant] {
        &mut self.points[..self.room.get()]
    }
}

fn intensity(restarts: u32, window: u64) -> Recovery {
    Recovery::new(Policy::immediate().attempts(u32::MAX)).intensity(restarts, duration(window))
}

fn at(micros: u64) -> Instant {
    Instant::from_micros(micros)
}

fn start<'a>(recovery: &Recovery, room: &'a Cell<usize>) -> Restarts<Shrinking<'a>> {
    Restarts::start(recovery, at(0), Shrinking { points: [at(0); 8], room }).expect("room enough")
}

proptest! {
    #![proptest_config(config())]

    /// It shrinks as it likes: whatever is allowed, no window holds more than the intensity.
    #[test]
    fn a_memory_that_shrinks_allows_no_restart_more(
        allowed in 1..8_u32, window in 1..40_u64,
        steps in prop::collection::vec((0..30_u64, prop_oneof![4 => Just(0), 1 => 0..4_usize]), 1..60),
    ) {
        let (recovery, room) = (intensity(allowed, window), Cell::new(8));
        let mut restarts = start(&recovery, &room);
        let (mut now, mut made) = (0, Vec::<u64>::new());
        for (step, lost) in steps {
            now += step;
            room.set(room.get().saturating_sub(lost));
            let verdict = restarts.next(&recovery, Outcome::Fail, Micros::ZERO, at(now), 0);
            let inside = made.iter().filter(|&&made| made + window >= now).count();
            match verdict {
                AGAIN => prop_assert!(inside < allowed as usize, "{inside} restarts before {now}"),
                verdict => prop_assert_eq!(verdict, GIVEN_UP),
            }
            if verdict != AGAIN {
                prop_assert!(inside >= allowed as usize || room.get() < allowed as usize);
                return Ok(());
            }
            made.push(now);
        }
    }
}

/// A place that is gone when a restart is to be noted in it: refused, and it stays so.
#[test]
fn a_restart_that_cannot_be_noted_is_refused() {
    let (recovery, room) = (intensity(3, 10), Cell::new(3));
    let mut restarts = start(&recovery, &room);
    assert_eq!(restarts.again(&recovery, Micros::ZERO, at(1), 0), AGAIN);
    room.set(1);
    assert_eq!(restarts.again(&recovery, Micros::ZERO, at(100), 0), GIVEN_UP);
    room.set(3);
    assert_eq!(restarts.again(&recovery, Micros::ZERO, at(200), 0), GIVEN_UP);
}

/// A memory that was full and is empty: nothing is known of the window any more.
#[test]
fn a_memory_that_is_gone_refuses() {
    let (recovery, room) = (intensity(2, 10), Cell::new(2));
    let mut restarts = start(&recovery, &room);
    for now in [1, 2, 100] {
        assert_eq!(restarts.next(&recovery, Outcome::Fail, Micros::ZERO, at(now), 0), AGAIN);
    }
    room.set(0);
    assert_eq!(restarts.next(&recovery, Outcome::Fail, Micros::ZERO, at(1_000), 0), GIVEN_UP);
}

/// Another recovery than it was started with, against the contract: one with an intensity, and no memory for it.
#[test]
fn another_recovery_than_at_the_start_is_refused() {
    let endless = Recovery::new(Policy::immediate().attempts(u32::MAX));
    let mut restarts = Restarts::start(&endless, at(0), []).unwrap();
    assert_eq!(restarts.next(&endless, Outcome::Fail, Micros::ZERO, at(0), 0), AGAIN);
    let limited = intensity(5, 1);
    assert_eq!(restarts.next(&limited, Outcome::Fail, Micros::ZERO, at(9), 0), GIVEN_UP);
    assert_eq!(restarts.stopped(), Some(GIVEN_UP));
}
