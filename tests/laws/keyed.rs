//! A table of keys, against its twin: a map of twins of `Retry`, and one more for those that find no room.

use std::rc::Rc;

use proptest::prelude::*;
use undaunted_core::{Field, Instant, Invalid, Keyed, Micros, Outcome, Reason, Recovery, Rule, Verdict};
use undaunted_tests::keyed::{KEYS, TwinKeyed, compare, same};
use undaunted_tests::recovery::{RecoveryTwin, SaidRecovery};
use undaunted_tests::script::Report;

use crate::generate::{config, daily, length, outcome, random, sound};
use crate::law10_recovery::recovery;

fn calm(policy: impl Strategy<Value = undaunted_tests::said::Said>) -> impl Strategy<Value = SaidRecovery> {
    recovery(policy).prop_map(|said| SaidRecovery { intensity: None, ..said })
}

proptest! {
    #![proptest_config(config())]

    /// Room for all, any recovery, any outcomes, and a clock that jumps.
    #[test]
    fn a_table_is_a_map_of_retries(
        said in calm(sound()), probe in length(),
        reports in prop::collection::vec((0..KEYS, outcome(), length(), random()), 1..30),
    ) {
        let (built, twin) = (said.draft().unwrap(), RecoveryTwin::new(said));
        let mut keyed = Keyed::<u8, { KEYS as usize }>::start(&built).unwrap();
        let mut twin = TwinKeyed::start(&twin, KEYS.into());
        for (key, outcome, now, random) in reports {
            compare(&built, &mut keyed, &mut twin, key, Report { outcome, now, random });
            same(&built, &keyed, &twin, probe);
        }
    }

    /// Room for two of six, on a clock that moves on; a sweep changes nothing that can be seen.
    #[test]
    fn a_full_table_is_the_twins(
        said in calm(sound()),
        reports in prop::collection::vec((0..KEYS, outcome(), daily(), random(), 0..8_u8), 1..40),
    ) {
        let (built, twin) = (said.draft().unwrap(), RecoveryTwin::new(said));
        let mut keyed = Keyed::<u8, 2>::start(&built).unwrap();
        let mut twin = TwinKeyed::start(&twin, 2);
        let mut now = 0_u64;
        for (key, outcome, passed, random, also) in reports {
            now = now.saturating_add(passed >> 3);
            match also {
                0 => {
                    // Whether a row is still there whose streak is over, nobody promised.
                    let had = twin.attempts(key, now) > 0;
                    twin.forget(key);
                    prop_assert!(keyed.forget(&key) || !had);
                }
                1 => {
                    keyed.sweep(&built, Instant::from_micros(now));
                    twin.sweep(now);
                }
                _ => compare(&built, &mut keyed, &mut twin, key, Report { outcome, now, random }),
            }
            same(&built, &keyed, &twin, now);
        }
    }
}

const fn secs(secs: u64) -> Micros {
    Micros::from_secs(secs)
}

fn at(seconds: u64) -> Instant {
    Instant::default() + secs(seconds)
}

fn wait(seconds: u64) -> Verdict {
    Verdict::RetryAfter(secs(seconds))
}

const PEERS: Recovery =
    Recovery::parse_const("exponential 1s cap 5m jitter none attempts unlimited reset_after 10m");

/// Four peers fail for an hour while as many others as anybody likes pass by: nobody is put out, and those without
/// room back off together.
#[test]
fn no_key_in_backoff_is_put_out() {
    let mut keyed = Keyed::<u16, 4>::start(&PEERS).unwrap();
    for failures in 0..8 {
        for peer in 0..4 {
            assert_eq!(keyed.next(&PEERS, peer, Outcome::Fail, at(0), 0), wait(1 << failures));
        }
    }
    assert!(!keyed.is_crowded(&PEERS, at(0)));
    for stranger in 100..1_000 {
        let expected = if stranger < 109 { 1 << (stranger - 100) } else { 300 };
        assert_eq!(keyed.next(&PEERS, stranger, Outcome::Fail, at(0), 0), wait(expected));
    }
    assert!(keyed.is_crowded(&PEERS, at(0)));
    // A success of one of them changes nothing for the others, and who was never seen waits with them.
    assert_eq!(keyed.next(&PEERS, 100, Outcome::Succeed, at(0), 0), Verdict::Done);
    assert_eq!((keyed.is_due(&PEERS, &7_777, at(299)), keyed.is_due(&PEERS, &7_777, at(300))), (false, true));
    for peer in 0..4 {
        assert_eq!(keyed.attempts(&PEERS, &peer, at(0)), 8);
        assert_eq!(keyed.next(&PEERS, peer, Outcome::Fail, at(128), 0), wait(256));
    }
    // Room again: a streak of its own, from the first delay.
    assert!(keyed.forget(&3) && !keyed.forget(&3));
    assert_eq!(keyed.next(&PEERS, 500, Outcome::Fail, at(300), 0), wait(1));
    // The crowd is over ten minutes after its wait.
    assert_eq!((keyed.is_crowded(&PEERS, at(899)), keyed.is_crowded(&PEERS, at(900))), (true, false));
}

/// A wait that a server asked one of the crowd for holds for all of it, though a shorter one comes after.
#[test]
fn one_of_a_crowd_does_not_shorten_the_wait_of_another() {
    let mut keyed = Keyed::<u8, 0>::start(&PEERS).unwrap();
    let told = Outcome::Throttle { retry_after: secs(60) };
    assert_eq!(keyed.next(&PEERS, 1, told, at(0), 0), wait(60));
    assert_eq!(keyed.next(&PEERS, 2, Outcome::Fail, at(0), 0), wait(2));
    assert_eq!(keyed.wait_left(&PEERS, &1, at(10)), secs(50));
    assert_eq!(keyed.next(&PEERS, 3, Outcome::Abort, at(0), 0), Verdict::GiveUp(Reason::Permanent));
    assert_eq!(keyed.wait_left(&PEERS, &2, at(10)), secs(50));
}

/// The time slept is not health: ten minutes count from the end of a wait, however long a server made it.
#[test]
fn a_key_is_forgotten_after_its_wait_and_not_during_it() {
    let mut keyed = Keyed::<&str, 2>::start(&PEERS).unwrap();
    let told = Outcome::Throttle { retry_after: secs(599) };
    assert_eq!(keyed.next(&PEERS, "a", told, at(0), 0), wait(599));
    assert_eq!(keyed.attempts(&PEERS, &"a", at(599 + 599)), 1);
    let mut idle = keyed.clone();
    assert_eq!(keyed.next(&PEERS, "a", Outcome::Fail, at(599 + 599), 0), wait(2));
    assert_eq!(idle.attempts(&PEERS, &"a", at(599 + 600)), 0);
    assert_eq!(idle.next(&PEERS, "a", Outcome::Fail, at(599 + 600), 0), wait(1));
}

/// Who gave up is refused until nobody has reported it for long enough.
#[test]
fn a_key_that_gave_up_is_refused_until_it_is_idle() {
    const THREE: Recovery = Recovery::parse_const("constant 1s jitter none attempts 3 reset_after 1m");
    let mut keyed = Keyed::<u8, 2>::start(&THREE).unwrap();
    let end = Verdict::GiveUp(Reason::Attempts);
    for (second, expected) in [(0, wait(1)), (1, wait(1)), (2, end), (3, end), (62, end), (122, wait(1))] {
        assert_eq!(keyed.next(&THREE, 1, Outcome::Fail, at(second), 0), expected, "at {second} s");
        if expected == end {
            assert!(!keyed.is_due(&THREE, &1, at(second + 59)) && keyed.is_due(&THREE, &1, at(second + 60)));
            assert_eq!(keyed.wait_left(&THREE, &1, at(second + 59)), Micros::MAX);
        }
    }
    assert_eq!(keyed.next(&THREE, 2, Outcome::Abort, at(0), 0), Verdict::GiveUp(Reason::Permanent));
    assert!(!keyed.is_due(&THREE, &2, at(59)));
}

#[test]
fn an_intensity_is_refused() {
    let five = Recovery::parse("constant 1s intensity 5/1m").unwrap();
    let refused = Invalid { field: Field::Intensity, value: 0, rule: Rule::MemoryTooShort };
    assert_eq!(Keyed::<u8, 9>::start(&five).unwrap_err(), refused);
}

/// What a key owns is let go by a sweep, just when its streak is over; a clock that goes back does not bring it back.
#[test]
fn a_sweep_lets_go_of_what_is_over_and_of_nothing_else() {
    let (early, late, crowd) = (Rc::new(1), Rc::new(2), Rc::new(3));
    let mut keyed = Keyed::<Rc<u8>, 2>::start(&PEERS).unwrap();
    for (key, seconds) in [(&early, 0), (&late, 1), (&crowd, 0)] {
        assert_eq!(keyed.next(&PEERS, key.clone(), Outcome::Fail, at(seconds), 0), wait(1));
    }
    let owners = || (Rc::strong_count(&early), Rc::strong_count(&late));
    keyed.sweep(&PEERS, at(600));
    assert_eq!((owners(), keyed.is_crowded(&PEERS, at(0))), ((2, 2), true));
    // Both of those that failed at 0 are over ten minutes after their wait of a second.
    keyed.sweep(&PEERS, at(601));
    assert_eq!((owners(), keyed.is_crowded(&PEERS, at(0))), ((1, 2), false));
    assert_eq!((keyed.attempts(&PEERS, &early, at(0)), keyed.attempts(&PEERS, &late, at(0))), (0, 1));
}
