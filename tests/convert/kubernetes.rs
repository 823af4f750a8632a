//! Kubernetes `wait.Backoff`.

use super::*;
use undaunted::convert::kubernetes::Backoff;
use undaunted::presets;

/// client-go's `retry.DefaultRetry` and `retry.DefaultBackoff`.
const RETRY: Backoff =
    Backoff { duration: Duration::from_millis(10), factor: 1.0, jitter: 0.1, steps: 5, cap: Duration::ZERO };
const BACKOFF: Backoff = Backoff { factor: 5.0, steps: 4, ..RETRY };
/// Another with a cap.
const CAPPED: Backoff = Backoff {
    duration: Duration::from_millis(50),
    factor: 2.0,
    jitter: 0.0,
    steps: 8,
    cap: Duration::from_secs(1),
};

#[test]
fn client_go() {
    says(RETRY.policy(), "constant 10ms cap 30s jitter +10% attempts 5");
    assert_eq!(totals(&RETRY.policy().unwrap()), (Micros::from_millis(40), Micros::from_millis(44)));
    says(BACKOFF.policy(), "exponential 10ms x5 cap 30s jitter +10% attempts 4");
    assert_eq!(totals(&BACKOFF.policy().unwrap()), (Micros::from_millis(310), Micros::from_millis(341)));
}

/// The presets were made from the same numbers by hand, with another cap that cuts nothing either.
#[test]
fn clusterctl_agrees_with_its_preset() {
    let write = Backoff { duration: 500 * MS, factor: 1.5, jitter: 0.4, steps: 13, cap: Duration::ZERO };
    says(write.policy(), "exponential 500ms x1.5 cap 61s jitter +40% attempts 13");
    assert_eq!(write.policy().unwrap(), presets::clusterctl::WRITE_2026);
    let crd = Backoff { duration: 250 * MS, factor: 1.4, jitter: 0.1, steps: 17, cap: Duration::ZERO };
    assert_eq!(totals(&crd.policy().unwrap()), totals(&presets::clusterctl::CRD_MIGRATION));
}

#[test]
fn all_steps_are_made_at_the_cap() {
    says(CAPPED.policy(), "exponential 50ms x2 cap 1s jitter none attempts 8");
    let waits = [50, 100, 200, 400, 800, 1_000, 1_000].map(|ms| ms * 1_000);
    assert_eq!(longest(&CAPPED.policy().unwrap()), waits);
}

/// Their loop in floats, without its early end: 0.001 % and 1 us a step are what rounding may cost.
#[test]
fn every_wait_is_theirs() {
    let caps = [Duration::ZERO, 400 * MS, 3 * S, 3_600 * S];
    for (duration, cap) in [7 * MS, 250 * MS, 3 * S].into_iter().flat_map(|d| caps.map(|cap| (d, cap))) {
        for (factor, jitter) in
            [0.0, 1.0, 1.01, 1.1, 1.5, 3.3].into_iter().flat_map(|f| [0.0, 0.1, 0.4, 4.0].map(|j| (f, j)))
        {
            let backoff = Backoff { duration, factor, jitter, steps: 14, cap };
            if cap > Duration::ZERO && cap < duration {
                assert_eq!(backoff.policy().unwrap_err().field, "duration");
                continue;
            }
            let policy = backoff.policy().unwrap();
            assert_eq!(policy.plan().count(), 13);
            let mut theirs = duration.as_micros() as f64;
            for step in policy.plan() {
                let near = |ours: Micros, theirs: f64| {
                    (ours.as_micros() as f64 - theirs).abs()
                        <= f64::from(step.attempt) * (1.0 + jitter) + theirs * 1e-5
                };
                assert!(
                    near(step.min, theirs) && near(step.max, theirs * (1.0 + jitter)),
                    "{backoff:?} {step:?} {theirs}"
                );
                theirs *= if factor == 0.0 { 1.0 } else { factor };
                if cap > Duration::ZERO {
                    theirs = theirs.min(cap.as_micros() as f64);
                }
            }
        }
    }
}

#[test]
fn the_curve_stops_at_their_cap_and_the_jitter_at_ours() {
    for (jitter, text) in [(0.5, "1500ms"), (0.1, "1100ms"), (0.4, "1400ms"), (1.0, "2s"), (255.0, "256s")] {
        let policy = Backoff { jitter, ..CAPPED }.policy().unwrap();
        assert_eq!(
            policy.settings().cap,
            Policy::parse(&format!("constant {text} cap {text}")).unwrap().settings().cap
        );
        let last = policy.plan().last().unwrap();
        assert!(last.min.as_micros().abs_diff(1_000_000) <= 1, "{jitter}: {last:?}");
    }
}

#[test]
fn without_a_cap_nothing_is_cut() {
    let minute = Backoff { duration: 60 * S, ..RETRY };
    says(minute.policy(), "constant 1m cap 67s jitter +10% attempts 5");
    says(Backoff { steps: 1, ..minute }.policy(), "constant 1m cap 67s jitter +10% attempts 1");
    let far = Backoff { jitter: 0.0, cap: Duration::ZERO, steps: 30, ..CAPPED }.policy().unwrap();
    assert_eq!(far.plan().last().unwrap().max, Micros::from_millis(50 << 28));
    says(
        Backoff { steps: u32::MAX, ..RETRY }.policy(),
        "constant 10ms cap 30s jitter +10% attempts 4294967295",
    );
}

#[test]
fn delays_that_outgrow_every_length_need_a_cap() {
    let words = "cap is 0ns: the delays grow beyond what can be waited; say a cap";
    for steps in [100, u32::MAX] {
        refuses(Backoff { steps, ..BACKOFF }.policy(), words);
        refuses(Backoff { steps, factor: 1.01, duration: LONGEST - US, ..BACKOFF }.policy(), words);
    }
    // Within the last doubling, and only by their jitter.
    refuses(Backoff { duration: LONGEST / 2, steps: 2, jitter: 1.0, ..RETRY }.policy(), words);
    refuses(Backoff { duration: LONGEST, ..RETRY }.policy(), words);
    let capped = Backoff { steps: u32::MAX, cap: S, ..BACKOFF };
    says(capped.policy(), "exponential 10ms x5 cap 1100ms jitter +10% attempts 4294967295");
}

#[test]
fn zero_is_what_it_is_there() {
    says(Backoff { factor: 0.0, ..RETRY }.policy(), "constant 10ms cap 30s jitter +10% attempts 5");
    says(Backoff { factor: -0.0, ..RETRY }.policy(), "constant 10ms cap 30s jitter +10% attempts 5");
    says(
        Backoff { duration: Duration::ZERO, ..BACKOFF }.policy(),
        "immediate cap 30s jitter none attempts 4",
    );
    says(Backoff { steps: 1, ..RETRY }.policy(), "constant 10ms cap 30s jitter +10% attempts 1");
    let words = "steps is 0: attempts must be at least 1 (an attempt is a call, the first included)";
    refuses(Backoff { steps: 0, ..RETRY }.policy(), words);
    refuses(Backoff::default().policy(), words);
}

#[test]
fn factors() {
    for factor in NO_FACTORS {
        let words = format!("factor is {factor:?}: factor must be exactly 1 or from 1.01 to 255");
        for duration in [Duration::ZERO, 10 * MS] {
            refuses(Backoff { factor, duration, ..BACKOFF }.policy(), &words);
            refuses(Backoff { factor, duration, cap: S, ..BACKOFF }.policy(), &words);
        }
    }
    says(Backoff { factor: 1.01, ..CAPPED }.policy(), "exponential 50ms x1.01 cap 1s jitter none attempts 8");
    says(Backoff { factor: 255.0, ..CAPPED }.policy(), "exponential 50ms x255 cap 1s jitter none attempts 8");
    // What sums of decimals leave behind.
    says(
        Backoff { factor: 0.7 + 0.1 + 0.2, ..CAPPED }.policy(),
        "constant 50ms cap 1s jitter none attempts 8",
    );
    says(
        Backoff { factor: 1.1 + 0.1, ..CAPPED }.policy(),
        "exponential 50ms x1.2 cap 1s jitter none attempts 8",
    );
}

#[test]
fn jitter() {
    for jitter in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 255.000_1, 1e300, f64::MIN_POSITIVE, 1e-8] {
        let words =
            format!("jitter is {jitter:?}: additive jitter must be above 0 and at most 255 times the delay");
        for duration in [Duration::ZERO, 10 * MS] {
            refuses(Backoff { jitter, duration, ..BACKOFF }.policy(), &words);
            refuses(Backoff { jitter, duration, cap: S, ..BACKOFF }.policy(), &words);
        }
    }
    for jitter in [0.0, -0.0, -1.0, -1e300, f64::MIN] {
        says(Backoff { jitter, ..RETRY }.policy(), "constant 10ms cap 30s jitter none attempts 5");
    }
    says(Backoff { jitter: 255.0, ..RETRY }.policy(), "constant 10ms cap 30s jitter +25500% attempts 5");
    says(Backoff { jitter: 4.0, ..RETRY }.policy(), "constant 10ms cap 30s jitter +400% attempts 5");
}

#[test]
fn lengths() {
    let words = "duration is 10s: must not be longer than cap, which is 1s";
    refuses(Backoff { duration: 10 * S, ..CAPPED }.policy(), words);
    says(Backoff { duration: S, ..CAPPED }.policy(), "exponential 1s x2 cap 1s jitter none attempts 8");
    let part = Duration::from_nanos(1_500);
    refuses(
        Backoff { duration: part, ..RETRY }.policy(),
        "duration is 1.5µs: must be a whole number of microseconds",
    );
    refuses(
        Backoff { cap: S + part, ..RETRY }.policy(),
        "cap is 1.0000015s: must be a whole number of microseconds",
    );
    let words = "cap is 36028797018.963969s: must not be longer than 2^55 us (1142 years)";
    refuses(Backoff { cap: LONGER, ..RETRY }.policy(), words);
    let words = "duration is 18446744073709551615.999999999s: must not be longer than 2^55 us (1142 years)";
    refuses(Backoff { duration: Duration::MAX, ..RETRY }.policy(), words);
    // The longest cap leaves no room for its jitter.
    let words = "cap is 36028797018.963968s: must not be longer than 2^55 us (1142 years)";
    refuses(Backoff { cap: LONGEST, ..RETRY }.policy(), words);
    says(
        Backoff { cap: LONGEST, ..CAPPED }.policy(),
        "exponential 50ms x2 cap 36028797018963968us jitter none attempts 8",
    );
    let words = "cap is 1µs: cap must leave at least 1 us below the jitter";
    refuses(Backoff { duration: US, cap: US, ..RETRY }.policy(), words);
}
