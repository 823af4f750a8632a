//! Law 10 on the cases from the field, with numbers by hand.

use undaunted_core::{
    Field, Instant, Invalid, Micros, Outcome, Policy, Reason, Recovery, Restarts, Rule, Verdict,
};

const fn secs(secs: u64) -> Micros {
    Micros::from_secs(secs)
}

fn at(seconds: u64) -> Instant {
    Instant::default() + secs(seconds)
}

fn wait(seconds: u64) -> Verdict {
    Verdict::RetryAfter(secs(seconds))
}

const INTENSE: Verdict = Verdict::GiveUp(Reason::Intensity);

/// `1 s x2 cap 5 min`, as reconnect loops do, without jitter so that each wait is a number.
const LOOP: Recovery =
    Recovery::parse_const("exponential 1s cap 5m jitter none attempts unlimited reset_after 10m");

/// A peer that accepts and closes after 5 ms, a hundred times: by failures, by clean ends, and by both.
#[test]
fn a_peer_that_accepts_and_closes_keeps_backing_off() {
    let brief = Micros::from_millis(5);
    for kind in 0..3 {
        let mut now = at(0);
        let mut restarts = Restarts::start(&LOOP, now, []).unwrap();
        for n in 0..100 {
            now = now + brief;
            let verdict = match kind {
                0 => restarts.next(&LOOP, Outcome::Fail, brief, now, n),
                1 => restarts.again(&LOOP, brief, now, n),
                _ if n % 3 == 0 => restarts.next(&LOOP, Outcome::Fail, brief, now, n),
                _ => restarts.again(&LOOP, brief, now, n),
            };
            // 1, 2, 4, ... 256 s, then the cap of 300 s.
            let expected = if n < 9 { 1 << n } else { 300 };
            assert_eq!(verdict, wait(expected), "end {n}");
            now = now + secs(expected);
        }
        assert_eq!(restarts.attempts(), [100, 0, 34][kind]);
    }
}

/// Four failures, an hour of health, a failure: the first delay. One microsecond too little: the fifth.
#[test]
fn a_healthy_run_resets_and_not_a_microsecond_less() {
    for (healthy, expected) in [
        (secs(3_600), 1),
        (secs(600), 1),
        (secs(600).saturating_sub(Micros::new(1)), 16),
        (Micros::ZERO, 16),
        (Micros::MAX, 1),
    ] {
        let mut restarts = Restarts::start(&LOOP, at(0), []).unwrap();
        for expected in [1, 2, 4, 8] {
            assert_eq!(restarts.next(&LOOP, Outcome::Fail, Micros::ZERO, at(0), 0), wait(expected));
        }
        let mut clean = restarts.clone();
        assert_eq!(restarts.next(&LOOP, Outcome::Fail, healthy, at(9_999), 0), wait(expected));
        assert_eq!(restarts.attempts(), if expected == 1 { 1 } else { 5 });
        assert_eq!(clean.again(&LOOP, healthy, at(9_999), 0), wait(expected));
        assert_eq!(clean.attempts(), if expected == 1 { 0 } else { 4 });
    }
}

/// A crash every 2 s under a reset after 10 s: the attempts are used up. Every 10 s: never.
#[test]
fn a_crash_loop_uses_up_its_attempts() {
    const DAEMON: Recovery = Recovery::parse_const("constant 1s jitter none attempts 5 reset_after 10s");
    let mut restarts = Restarts::start(&DAEMON, at(0), []).unwrap();
    let mut patient = restarts.clone();
    for crash in 1..5 {
        assert_eq!(restarts.next(&DAEMON, Outcome::Fail, secs(2), at(crash * 3), 0), wait(1));
    }
    let end = Verdict::GiveUp(Reason::Attempts);
    assert_eq!(restarts.next(&DAEMON, Outcome::Fail, secs(2), at(15), 0), end);
    assert_eq!(restarts.attempts(), 5);
    for crash in 1..1_000 {
        assert_eq!(patient.next(&DAEMON, Outcome::Fail, secs(10), at(crash * 11), 0), wait(1));
        assert_eq!(patient.attempts(), 1);
    }
}

/// The run that fails after its health is the first attempt of the new streak.
#[test]
fn the_healthy_run_is_the_first_attempt() {
    const ONCE: Recovery = Recovery::parse_const("constant 1s jitter none attempts 1 reset_after 10s");
    let mut restarts = Restarts::start(&ONCE, at(0), []).unwrap();
    let end = Verdict::GiveUp(Reason::Attempts);
    assert_eq!(restarts.next(&ONCE, Outcome::Fail, secs(99), at(99), 0), end);
    // Clean ends do not end it, and what has ended is not woken by health.
    let mut restarts = Restarts::start(&ONCE, at(0), []).unwrap();
    for n in 1..100 {
        assert_eq!(restarts.again(&ONCE, Micros::ZERO, at(n), 0), wait(1));
    }
    assert_eq!(restarts.next(&ONCE, Outcome::Fail, Micros::ZERO, at(100), 0), end);
    assert_eq!(restarts.again(&ONCE, secs(99), at(200), 0), end);
    assert_eq!(restarts.next(&ONCE, Outcome::Succeed, secs(99), at(300), 0), end);
    assert_eq!((restarts.stopped(), restarts.attempts()), (Some(end), 1));
}

/// `within` counts from the start, and from the end of a healthy run anew.
#[test]
fn time_counts_anew_after_health() {
    const SHORT: Recovery =
        Recovery::parse_const("constant 4s jitter none attempts unlimited within 10s reset_after 1m");
    let mut restarts = Restarts::start(&SHORT, at(0), []).unwrap();
    assert_eq!(restarts.deadline(), Some(at(10)));
    assert_eq!(restarts.next(&SHORT, Outcome::Fail, secs(60), at(60), 0), wait(4));
    assert_eq!((restarts.deadline(), restarts.time_left(&SHORT, at(64))), (Some(at(70)), secs(6)));
    assert_eq!(restarts.again(&SHORT, secs(1), at(65), 0), wait(4));
    assert_eq!(restarts.again(&SHORT, secs(1), at(66), 0), Verdict::GiveUp(Reason::Deadline));
}

/// OTP's supervisor with its defaults, intensity 1 in 5 s: at 0 and 5 s too many, at 0 and 6 s not.
#[test]
fn the_cases_of_otp() {
    const OTP: Recovery = Recovery::parse_const("immediate attempts 4294967295 intensity 1/5s");
    for (second, expected) in [(at(5), INTENSE), (at(6), wait(0)), (Instant::from_micros(5_000_001), wait(0))]
    {
        let mut restarts = Restarts::start(&OTP, at(0), [Instant::MAX; 1]).unwrap();
        assert_eq!(restarts.next(&OTP, Outcome::Fail, Micros::ZERO, at(0), 0), wait(0));
        assert_eq!(restarts.next(&OTP, Outcome::Fail, Micros::ZERO, second, 0), expected);
        assert_eq!(restarts.stopped(), Some(expected).filter(|verdict| *verdict == INTENSE));
    }
}

/// Three in the window are allowed; the fourth is refused, a microsecond after the first has left it is not.
#[test]
fn the_edges_of_a_window() {
    const THREE: Recovery =
        Recovery::parse_const("immediate attempts 4294967295 reset_after 1s intensity 3/10s");
    let mut memory = [Instant::MAX; 3];
    let mut restarts = Restarts::start(&THREE, at(0), memory.as_mut_slice()).unwrap();
    // Health resets the curve and the attempts, not the restarts.
    for second in [0, 4, 9] {
        assert_eq!(restarts.again(&THREE, secs(99), at(second), 0), wait(0));
    }
    let after = |micros| at(10) + Micros::new(micros);
    // The first leaves at 10.000001 s, the second at 14.000001 s.
    assert_eq!(restarts.again(&THREE, secs(99), after(1), 0), wait(0));
    assert_eq!(restarts.again(&THREE, secs(99), after(4_000_001), 0), wait(0));
    assert_eq!(restarts.next(&THREE, Outcome::Fail, secs(99), after(9_000_000), 0), INTENSE);
    assert_eq!(restarts.again(&THREE, secs(99), at(1_000), 0), INTENSE);
}

/// Attempts, hint and deadline come before the intensity; an end that is no restart counts for none.
#[test]
fn the_intensity_is_decided_last() {
    const EACH: Recovery = Recovery::parse_const(
        "constant 4s jitter none attempts 2 within 10s hint_ceiling 5s reset_after 1m intensity 1/1h",
    );
    let full = || {
        let mut restarts = Restarts::start(&EACH, at(0), [at(0)]).unwrap();
        assert_eq!(restarts.again(&EACH, Micros::ZERO, at(0), 0), wait(4));
        restarts
    };
    let told = Outcome::Throttle { retry_after: secs(6) };
    assert_eq!(full().next(&EACH, told, Micros::ZERO, at(0), 0), Verdict::GiveUp(Reason::Hint));
    let late = full().next(&EACH, Outcome::Fail, Micros::ZERO, at(6), 0);
    assert_eq!(late, Verdict::GiveUp(Reason::Deadline));
    assert_eq!(full().next(&EACH, Outcome::Fail, Micros::ZERO, at(5), 0), INTENSE);
    assert_eq!(full().next(&EACH, Outcome::Succeed, Micros::ZERO, at(5), 0), Verdict::Done);
    let permanent = full().next(&EACH, Outcome::Abort, Micros::ZERO, at(5), 0);
    assert_eq!(permanent, Verdict::GiveUp(Reason::Permanent));
    assert_eq!(full().give_up(Reason::Cancelled), Verdict::GiveUp(Reason::Cancelled));
}

/// A clock that goes back allows no restart more; one that jumps ahead forgets what has left the window.
#[test]
fn hostile_clocks() {
    const TWO: Recovery = Recovery::parse_const("immediate attempts 4294967295 intensity 2/10s");
    let life = |points: &[u64]| -> Vec<bool> {
        let mut restarts = Restarts::start(&TWO, at(0), vec![at(7); 2]).unwrap();
        points.iter().map(|&point| restarts.again(&TWO, Micros::ZERO, at(point), 0) == wait(0)).collect()
    };
    assert_eq!(life(&[100, 5, 5]), [true, true, false]);
    // The restart at 100 s lies ahead and is inside; that at 5 s has left.
    assert_eq!(life(&[100, 5, 30, 33]), [true, true, true, false]);
    assert_eq!(life(&[100, 5, 30, 111]), [true, true, true, true]);
    assert_eq!(life(&[u64::MAX / 1_000_000, 0, 11, 11]), [true, true, true, false]);
}

/// A memory that is too short is refused, with its length.
/// Nothing waits under `immediate` without a floor, so that clean ends without end would be a hot loop: they are attempts.
#[test]
fn clean_ends_are_attempts_where_nothing_waits() {
    let again = |recovery: &str| {
        let recovery = Recovery::parse(recovery).unwrap();
        let mut restarts = Restarts::start(&recovery, at(0), []).unwrap();
        let mut ends = 1;
        while ends < 100
            && restarts.again(&recovery, Micros::ZERO, at(0), 0) == Verdict::RetryAfter(Micros::ZERO)
        {
            ends += 1;
        }
        (ends, restarts.stopped())
    };
    let out_of_attempts = Some(Verdict::GiveUp(Reason::Attempts));
    assert_eq!(again("immediate attempts 5"), (5, out_of_attempts));
    // With a floor there is a wait, and no limit.
    assert_eq!(again("immediate floor 1us attempts 5"), (1, None));
}

#[test]
fn a_short_memory_is_refused() {
    let five = Recovery::parse("constant 1s intensity 5/1m").unwrap();
    let refused = Invalid { field: Field::Intensity, value: 4, rule: Rule::MemoryTooShort };
    assert_eq!(Restarts::start(&five, at(0), [at(0); 4]).unwrap_err(), refused);
    assert_eq!(
        refused.to_string(),
        "the memory must have room for as many restarts as the intensity allows; got 4"
    );
    assert!(Restarts::start(&five, at(0), [at(0); 5]).is_ok());
    let most = Recovery::new(Policy::constant(core::time::Duration::from_secs(1)))
        .intensity(65_535, core::time::Duration::from_secs(1));
    assert!(Restarts::start(&most, at(0), []).is_err());
}
