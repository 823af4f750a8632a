//! Any list of reports of some keys, to tables with room and without: against a map of twins.

#![no_main]

use libfuzzer_sys::fuzz_target;
use undaunted_core::{Instant, Keyed, Recovery};
use undaunted_fuzz::bytes::Bytes;
use undaunted_fuzz::keyed::{KEYS, TwinKeyed, compare, same};
use undaunted_fuzz::recovery::{RecoveryTwin, SaidRecovery};

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = Bytes::new(bytes);
    let said = SaidRecovery { policy: bytes.said(), reset_after: Some(bytes.length()), intensity: None };
    let Ok(recovery) = said.draft() else { return };
    let twin = RecoveryTwin::new(said);
    match bytes.byte() % 3 {
        0 => play::<0>(bytes, &recovery, &twin),
        1 => play::<2>(bytes, &recovery, &twin),
        _ => play::<{ KEYS as usize }>(bytes, &recovery, &twin),
    }
});

fn play<const N: usize>(mut bytes: Bytes<'_>, recovery: &Recovery, twin: &RecoveryTwin) {
    let mut keyed = Keyed::<u8, N>::start(recovery).expect("it has no intensity");
    let mut twin = TwinKeyed::start(twin, N);
    let mut now = 0_u64;
    while !bytes.is_empty() {
        let (what, key, passed) = (bytes.byte(), bytes.byte() % KEYS, bytes.length());
        // A clock that moves on, and for a table with room for all also one that jumps.
        now = if what >= 128 && N >= KEYS.into() { passed } else { now.saturating_add(passed >> 8) };
        match what % 8 {
            0 => {
                // Whether a row is still there whose streak is over, nobody promised.
                let had = twin.attempts(key, now) > 0;
                twin.forget(key);
                assert!(keyed.forget(&key) || !had, "{recovery}: key {key} was there");
            }
            1 => {
                keyed.sweep(recovery, Instant::from_micros(now));
                twin.sweep(now);
            }
            _ => compare(
                recovery,
                &mut keyed,
                &mut twin,
                key,
                undaunted_fuzz::script::Report { now, ..bytes.report() },
            ),
        }
        same(recovery, &keyed, &twin, now);
    }
}
