//! The twin of a table of keys: a map of twins of `Retry`, and one more for those that find no room.

use std::collections::HashMap;

use undaunted_core::{Instant, Keyed, Micros, Outcome, Reason, Recovery, Verdict};

use crate::recovery::RecoveryTwin;
use crate::script::{Report, TwinRetry};

/// The streak of one key.
#[derive(Clone, Debug)]
struct Kept<'a> {
    retry: TwinRetry<'a>,
    due: u64,
}

/// The twin of `Keyed`: as much room as it was told, and a crowd of those that find none.
#[derive(Clone, Debug)]
pub struct TwinKeyed<'a> {
    recovery: &'a RecoveryTwin,
    room: usize,
    keys: HashMap<u8, Kept<'a>>,
    crowd: Option<Kept<'a>>,
}

impl<'a> TwinKeyed<'a> {
    /// An empty table with room for so many.
    pub fn start(recovery: &'a RecoveryTwin, room: usize) -> TwinKeyed<'a> {
        TwinKeyed { recovery, room, keys: HashMap::new(), crowd: None }
    }

    fn is_over(&self, kept: &Kept<'_>, now: u64) -> bool {
        now.saturating_sub(kept.due) >= self.recovery.reset_after
    }

    /// What is to be done after this report of a key.
    pub fn next(&mut self, key: u8, report: Report) -> Verdict {
        if report.outcome == Outcome::Succeed {
            self.keys.remove(&key);
            return Verdict::Done;
        }
        let now = report.now;
        let kept = self.keys.remove(&key);
        let others = self.keys.values().filter(|kept| !self.is_over(kept, now)).count();
        let fits = others < self.room || kept.as_ref().is_some_and(|kept| !self.is_over(kept, now));
        if !fits && report.outcome == Outcome::Abort {
            return Verdict::GiveUp(Reason::Permanent);
        }
        let before = if fits { kept } else { self.crowd.take() };
        let fresh = Kept { retry: TwinRetry::start(&self.recovery.policy, now, u64::MAX), due: 0 };
        let mut kept = before.filter(|kept| !self.is_over(kept, now)).unwrap_or(fresh);
        let verdict = kept.retry.next(report);
        let due = match verdict {
            Verdict::RetryAfter(wait) => now.saturating_add(wait.as_micros()),
            _ => now,
        };
        kept.due = if fits { due } else { due.max(kept.due) };
        match fits {
            true => drop(self.keys.insert(key, kept)),
            false => self.crowd = Some(kept),
        }
        verdict
    }

    /// How long it must wait; nothing for ever if it gave up.
    fn wait_left(&self, key: u8, now: u64) -> Micros {
        let live = |kept: &&Kept<'_>| !self.is_over(kept, now);
        match self.keys.get(&key).filter(live).or(self.crowd.as_ref().filter(live)) {
            Some(kept) if kept.retry.stopped.is_some() => Micros::MAX,
            Some(kept) => Micros::new(kept.due.saturating_sub(now)),
            None => Micros::ZERO,
        }
    }

    /// As if it had never been reported.
    pub fn forget(&mut self, key: u8) {
        self.keys.remove(&key);
    }

    /// Drops what is over, which nobody can see.
    pub fn sweep(&mut self, now: u64) {
        let reset_after = self.recovery.reset_after;
        let over = |kept: &Kept<'_>| now.saturating_sub(kept.due) >= reset_after;
        self.keys.retain(|_, kept| !over(kept));
        self.crowd = self.crowd.take().filter(|kept| !over(kept));
    }

    /// The attempts of its streak.
    pub fn attempts(&self, key: u8, now: u64) -> u32 {
        self.keys.get(&key).filter(|kept| !self.is_over(kept, now)).map_or(0, |kept| kept.retry.attempts)
    }

    fn is_live(&self, key: u8, now: u64) -> bool {
        self.keys.get(&key).is_some_and(|kept| !self.is_over(kept, now))
    }

    fn is_crowded(&self, now: u64) -> bool {
        self.crowd.as_ref().is_some_and(|kept| !self.is_over(kept, now))
    }
}

/// Reports to both and compares all that can be seen of a key.
pub fn compare<const N: usize>(
    recovery: &Recovery,
    keyed: &mut Keyed<u8, N>,
    twin: &mut TwinKeyed<'_>,
    key: u8,
    report: Report,
) {
    let now = Instant::from_micros(report.now);
    let verdict = keyed.next(recovery, key, report.outcome, now, report.random);
    assert_eq!(verdict, twin.next(key, report), "{recovery}: key {key} at {report:?}");
    same(recovery, keyed, twin, report.now);
}

/// Nothing can be seen of any key that differs.
pub fn same<const N: usize>(recovery: &Recovery, keyed: &Keyed<u8, N>, twin: &TwinKeyed<'_>, now: u64) {
    let at = Instant::from_micros(now);
    for key in 0..KEYS {
        let left = keyed.wait_left(recovery, &key, at);
        assert_eq!(left, twin.wait_left(key, now), "{recovery}: key {key} at {now}");
        assert_eq!(keyed.is_due(recovery, &key, at), left == Micros::ZERO);
        assert_eq!(keyed.attempts(recovery, &key, at), twin.attempts(key, now));
    }
    let mut keys: Vec<u8> = keyed.keys(recovery, at).copied().collect();
    keys.sort_unstable();
    let live = (0..KEYS).filter(|key| twin.is_live(*key, now));
    assert!(keys.iter().copied().eq(live), "{keys:?}");
    assert_eq!(keyed.is_crowded(recovery, at), twin.is_crowded(now));
}

/// As many keys as the properties use.
pub const KEYS: u8 = 6;
