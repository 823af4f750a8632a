//! Loops that run something for ever: when the growth of their waits is forgotten.

use crate::ask::{START, spoken};
use std::iter::repeat_n;
use undaunted::{Instant, Keyed, Micros, Outcome, Recovery, Restarts, Verdict};

const NEVER_UP: Micros = Micros::ZERO;

/// The verdicts on runs that failed after so long a health, on a clock that passes with health and sleep.
fn verdicts(text: &str, healths: impl IntoIterator<Item = Micros>) -> Vec<Verdict> {
    let recovery = Recovery::parse(text).unwrap_or_else(|error| panic!("{}", error.caret(text)));
    let mut now: Instant = START;
    let mut restarts = Restarts::start(&recovery, now, []).unwrap();
    let mut report = |healthy| {
        now = now + healthy;
        let verdict = restarts.next(&recovery, Outcome::Fail, healthy, now, 0);
        if let Verdict::RetryAfter(wait) = verdict {
            now = now + wait;
        }
        verdict
    };
    healths.into_iter().map(&mut report).collect()
}

faults! {
    /// The backoff never resets after a success.
    #[seen("EmbarkStudios/quilkin#734", "base/base#912", "chainwayxyz/citrea#614")]
    #[law("10")]
    #[input("1 s x2, reset after 10 min: four failures, an hour of health, a failure")]
    #[no_peer("loops inside applications or clients, not to be called alone")]
    #[right("1s, 2s, 4s, 8s; after the hour 1s")]
    fn the_backoff_never_resets() -> String {
        let healths = repeat_n(NEVER_UP, 4).chain([Micros::from_secs(3_600)]);
        let text = "exponential 1s cap 5m jitter none attempts unlimited reset_after 10m";
        let verdicts = verdicts(text, healths);
        format!("{}; after the hour {}", spoken(&verdicts[..4]), spoken(&verdicts[4..]))
    }

    /// The backoff resets when a connection is made: a tight loop with a peer that accepts and closes.
    #[seen("FreeTAKTeam/LXMF-rs#493", "bitdriftlabs/pulse#52", "bitdriftlabs/shared-core#41")]
    #[law("10")]
    #[input("1 s x2 under a cap of 5 min, reset after 10 min: a health of 5 ms, 100 times")]
    #[no_peer("loops inside applications or clients, not to be called alone")]
    #[right("1s, 2s, 4s, 8s, 16s, 32s, 64s, 128s, 256s, 5m 91 times")]
    fn connecting_resets_the_backoff() -> String {
        let text = "exponential 1s cap 5m jitter none attempts unlimited reset_after 10m";
        spoken(&verdicts(text, repeat_n(Micros::from_millis(5), 100)))
    }

    /// Every success resets the backoff of a stream, so that it never grows. Here recovery is earned: an
    /// item is no health, only time is.
    #[seen("kube-runtime 5.0 StreamBackoff (run)")]
    #[law("10")]
    #[input("1 s x2; ok, error, five times in turn")]
    #[right("1s, 2s, 4s, 8s, 16s")]
    fn any_success_resets_the_stream() -> String {
        spoken(&verdicts("exponential 1s cap 5m jitter none attempts unlimited", repeat_n(Micros::ZERO, 5)))
    }

    /// The time slept in backoff counts as health, so that the backoff resets itself. Here the health is
    /// told with each end, and sleep cannot be in it.
    #[seen("kube-runtime 5.0 ResetTimerBackoff (run)")]
    #[law("10")]
    #[input("reset after 60 s; 25 s x2, failing at once six times")]
    #[right("25s, 50s, 100s, 200s, 400s, 800s")]
    fn its_own_sleep_counts_as_health() -> String {
        let text = "exponential 25s cap 1h jitter none attempts unlimited reset_after 60s";
        spoken(&verdicts(text, repeat_n(NEVER_UP, 6)))
    }

    /// There is no backoff for each key.
    #[seen("kube-rs/kube#1916", "kube-rs/kube#297")]
    #[law("10")]
    #[input("1 s x2 for each of 8 keys: key A fails five times, key B once; A succeeds and fails")]
    #[no_peer("not run here: the controller needs a cluster")]
    #[right("A 1s, 2s, 4s, 8s, 16s; B 1s; after its success A 1s")]
    fn all_keys_share_one_backoff() -> String {
        const EACH: Recovery = Recovery::parse_const("exponential 1s cap 5m jitter none attempts unlimited");
        let mut keys = Keyed::<char, 8>::start(&EACH).unwrap();
        let mut report = |key, outcome| keys.next(&EACH, key, outcome, START, 0);
        let a: Vec<Verdict> = repeat_n('A', 5).map(|key| report(key, Outcome::Fail)).collect();
        let b = report('B', Outcome::Fail);
        assert_eq!(report('A', Outcome::Succeed), Verdict::Done);
        let again = report('A', Outcome::Fail);
        assert!(!keys.is_due(&EACH, &'B', START) && keys.is_due(&EACH, &'C', START));
        format!("A {}; B {}; after its success A {}", spoken(&a), spoken(&[b]), spoken(&[again]))
    }
}
