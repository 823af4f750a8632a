//! Law 10. Recovery is earned: only a healthy run resets the growth, and restarts have their limit.

use proptest::prelude::*;
use undaunted_core::{Instant, Micros, Outcome, Policy, Reason, Recovery, Restarts, Rule, Verdict};
use undaunted_tests::recovery::{Ended, How, RecoveryTwin, SaidRecovery, TwinRestarts};
use undaunted_tests::said::{Calls, Said, Shape, Spread};
use undaunted_tests::spell::duration;

use crate::generate::{EDGES, RANDOMS, config, daily, length, outcome, random, sound, timeless, wait_of};

/// What can be said of a recovery without breaking a rule.
pub(crate) fn recovery(policy: impl Strategy<Value = Said>) -> impl Strategy<Value = SaidRecovery> {
    let intensity = (prop_oneof![4 => 1..6_u32, 1 => 1..40_u32], prop_oneof![length(), daily()]);
    let intensity = intensity.prop_map(|(restarts, window)| (restarts, window.max(1)));
    let reset_after = prop_oneof![length(), daily()].prop_map(|healthy| healthy.max(1));
    (policy, proptest::option::of(reset_after), proptest::option::of(intensity))
        .prop_map(|(policy, reset_after, intensity)| SaidRecovery { policy, reset_after, intensity })
}

fn how() -> impl Strategy<Value = How> {
    prop_oneof![1 => Just(How::Again), 3 => outcome().prop_map(How::With)]
}

/// The same that never stops by itself.
fn failing() -> impl Strategy<Value = How> {
    prop_oneof![Just(How::Again), Just(How::With(Outcome::Fail))]
}

fn ended(how: impl Strategy<Value = How>) -> impl Strategy<Value = Ended> {
    (how, length(), length(), random()).prop_map(|(how, healthy, now, random)| Ended {
        how,
        healthy,
        now,
        random,
    })
}

/// Restarts and their twin side by side, which must never differ.
struct Pair<'a> {
    recovery: &'a Recovery,
    restarts: Restarts<Vec<Instant>>,
    twin: TwinRestarts<'a>,
}

impl<'a> Pair<'a> {
    /// The memory is full of something else, and `spare` longer than it must be.
    fn start(recovery: &'a Recovery, twin: &'a RecoveryTwin, start: u64, spare: usize) -> Pair<'a> {
        let needed = twin.intensity.map_or(0, |(restarts, _)| restarts as usize);
        let memory = vec![Instant::from_micros(start); needed + spare];
        let restarts = Restarts::start(recovery, Instant::from_micros(start), memory).unwrap();
        Pair { recovery, restarts, twin: TwinRestarts::start(twin, start) }
    }

    /// Reports to both and compares all that can be seen.
    fn report(&mut self, ended: Ended) -> Verdict {
        let verdict = report(&mut self.restarts, self.recovery, ended);
        let now = Instant::from_micros(ended.now);
        assert_eq!(verdict, self.twin.report(ended), "{} at {ended:?}", self.recovery);
        assert_eq!(self.restarts.attempts(), self.twin.attempts, "{} at {ended:?}", self.recovery);
        assert_eq!(self.restarts.stopped(), self.twin.stopped);
        assert_eq!(self.restarts.deadline().map(Instant::as_micros), self.twin.deadline());
        let left = self.restarts.time_left(self.recovery, now).as_micros();
        assert_eq!(left, self.twin.time_left(ended.now));
        verdict
    }
}

fn report<M: AsMut<[Instant]>>(restarts: &mut Restarts<M>, recovery: &Recovery, ended: Ended) -> Verdict {
    let Ended { how, healthy, now, random } = ended;
    let (healthy, now) = (Micros::new(healthy), Instant::from_micros(now));
    match how {
        How::Again => restarts.again(recovery, healthy, now, random),
        How::With(outcome) => restarts.next(recovery, outcome, healthy, now, random),
    }
}

fn both(said: SaidRecovery) -> (Recovery, RecoveryTwin) {
    let recovery = said.draft().unwrap_or_else(|error| panic!("{error} for {said:?}"));
    (recovery, RecoveryTwin::new(said))
}

proptest! {
    #![proptest_config(config())]

    /// Any recovery, any ends, and a clock that jumps.
    #[test]
    fn restarts_are_the_twins(
        said in recovery(sound()), start in length(), spare in 0..3_usize,
        ends in prop::collection::vec(ended(how()), 1..30),
    ) {
        let (recovery, twin) = both(said);
        let mut pair = Pair::start(&recovery, &twin, start, spare);
        for &ended in &ends {
            let _ = pair.report(ended);
        }
    }

    /// A clock that moves on and sleeps as told, and health that is often just enough or just too short.
    #[test]
    fn a_supervisors_life_is_the_twins(
        said in recovery(timeless()), start in daily(),
        runs in prop::collection::vec((failing(), 0..4_u8, daily(), random()), 1..40),
    ) {
        let (recovery, twin) = both(said);
        let mut pair = Pair::start(&recovery, &twin, start, 0);
        let mut now = start;
        for &(how, kind, some, random) in &runs {
            let healthy = match kind {
                0 => twin.reset_after,
                1 => twin.reset_after - 1,
                _ => some,
            };
            now = now.saturating_add(healthy);
            let Some(wait) = wait_of(pair.report(Ended { how, healthy, now, random })) else { return Ok(()) };
            now = now.saturating_add(wait);
        }
    }

    /// No window holds more restarts than are allowed, and none that was due is refused while there is room.
    #[test]
    fn the_intensity_is_exact(
        allowed in 1..8_u32, window in 1..40_u64,
        steps in prop::collection::vec((0..12_u64, any::<bool>()), 1..60),
    ) {
        let recovery = Recovery::new(Policy::immediate().attempts(u32::MAX))
            .intensity(allowed, duration(window));
        let mut restarts = Restarts::start(&recovery, Instant::default(), [Instant::default(); 8]).unwrap();
        let (mut now, mut made) = (0, Vec::<u64>::new());
        for (step, clean) in steps {
            now += step;
            let how = if clean { How::Again } else { How::With(Outcome::Fail) };
            let verdict = report(&mut restarts, &recovery, Ended { how, healthy: 0, now, random: 0 });
            made.push(now);
            let inside = made.iter().filter(|&&at| at + window >= now).count();
            match verdict {
                Verdict::RetryAfter(_) => prop_assert!(inside <= allowed as usize),
                verdict => {
                    prop_assert_eq!(verdict, Verdict::GiveUp(Reason::Intensity));
                    prop_assert_eq!(inside, allowed as usize + 1);
                    return Ok(());
                }
            }
        }
    }

    /// Clean ends are no attempts, however many there are.
    #[test]
    fn clean_ends_use_up_no_attempt(
        said in recovery(timeless()), attempts in 1..5_u32, clean in prop::collection::vec(0..9_u8, 4),
    ) {
        let policy = Said { attempts: Some(Calls::Limited(attempts)), ..said.policy };
        let (recovery, twin) = both(SaidRecovery { policy, intensity: None, ..said });
        // Where nothing waits they are attempts, lest they loop.
        prop_assume!(twin.policy.first() > 0 || twin.policy.floor > 0);
        let mut restarts = Restarts::start(&recovery, Instant::default(), []).unwrap();
        for attempt in 1..=attempts {
            for _ in 0..clean.get(attempt as usize).copied().unwrap_or(0) {
                let verdict = restarts.again(&recovery, Micros::ZERO, Instant::default(), 0);
                prop_assert!(wait_of(verdict).is_some(), "{verdict:?} of {recovery}");
                prop_assert_eq!(restarts.attempts(), attempt - 1);
            }
            let verdict = restarts.next(&recovery, Outcome::Fail, Micros::ZERO, Instant::default(), 0);
            let last = attempt == attempts;
            prop_assert_eq!(verdict == Verdict::GiveUp(Reason::Attempts), last, "{}", recovery);
        }
    }

    /// The draft and the setters of a constant say the same, in whichever order.
    #[test]
    fn a_draft_says_what_the_setters_say(said in recovery(sound())) {
        let (recovery, twin) = both(said);
        prop_assert_eq!(recovery, said.constant());
        let settings = recovery.settings();
        prop_assert_eq!(settings.reset_after.as_micros(), twin.reset_after);
        prop_assert_eq!(settings.intensity.map(|i| (i.restarts, i.window.as_micros())), twin.intensity);
        prop_assert_eq!(settings.policy, recovery.policy().settings());
    }
}

/// Boundary clocks, healths and windows: every combination, two ends each.
#[test]
fn boundaries_multiplied() {
    for (window, within) in EDGES.into_iter().flat_map(|window| [None, Some(50)].map(|w| (window, w))) {
        let policy =
            Said { jitter: Some(Spread::None), within, ..Said::only(Shape::Exponential { first: 1 }) };
        let said = SaidRecovery { policy, reset_after: Some(1 << 32), intensity: Some((1, window.max(1))) };
        let (recovery, twin) = both(said);
        for (healthy, start) in EDGES.into_iter().flat_map(|healthy| EDGES.map(|start| (healthy, start))) {
            for (first, second) in EDGES.into_iter().flat_map(|first| EDGES.map(|second| (first, second))) {
                let mut pair = Pair::start(&recovery, &twin, start, 0);
                let ended = |how, now| Ended { how, healthy, now, random: RANDOMS[1] };
                let _ = pair.report(ended(How::With(Outcome::Fail), first));
                let _ = pair.report(ended(How::Again, second));
            }
        }
    }
}

/// What breaks a rule of a recovery, in a draft.
#[test]
fn what_is_refused() {
    let draft = Recovery::draft(Policy::constant(duration(1)));
    let rule = |draft: undaunted_core::RecoveryDraft| draft.build().unwrap_err().rule;
    assert_eq!(rule(draft.reset_after(duration(0))), Rule::ResetAfterZero);
    assert_eq!(rule(draft.intensity(0, duration(1))), Rule::RestartsRange);
    assert_eq!(rule(draft.intensity(1, duration(0))), Rule::WindowZero);
    assert_eq!(rule(draft.intensity(0, duration(0)).reset_after(duration(0))), Rule::ResetAfterZero);
    assert!(draft.reset_after(duration(1)).intensity(1, duration(1)).build().is_ok());
}
