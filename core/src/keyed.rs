//! A backoff for each of many keys, without a heap.

use crate::outcome::Outcome;
use crate::recovery::{Intensity, Recovery};
use crate::retry::Retry;
use crate::rule::{Field, Invalid, Rule};
use crate::time::{Instant, Micros};
use crate::verdict::{Reason, Verdict};

/// Backoff for up to `N` keys at once: peers, objects, topics. Each takes 32 bytes and `K`.
///
/// A key that fails has a streak of its own: attempts, waits that grow, `within` from its first report. What ends
/// a streak: a success, [`forget`](Keyed::forget), or that nobody reported the key for the recovery's `reset_after`
/// (twice the cap unless it says otherwise), counted from the end of its wait: time slept is not health (law 10).
/// A key whose policy gave up is refused until then.
///
/// # When the table is full
/// A key in backoff is never put out: else whoever brings enough keys, or is met by enough failing peers, would
/// reset all of them. First a key whose streak is over makes room. Where there is none, the new key shares one
/// further streak with all others that found no room, the crowd: their failures add up, so that the waits
/// grow as the pressure does, and a limit of attempts holds for all of them together. Their successes reset
/// nothing. While the crowd waits, every key that is not in the table waits with it, for it may be one of the crowd:
/// a wait may come out too long, and never too short. [`is_crowded`](Keyed::is_crowded) tells.
///
/// The contract of what callers supply:
/// * `recovery` MUST be the one it was started with. Its `reset_after` should be longer than an attempt takes: a
///   key whose attempt is under way is not told from one that nobody uses.
/// * `now` should be of a monotonic clock. When it is not, everything saturates: a key whose wait ends in what
///   is now the future waits until then.
///
/// Each call looks at every key once; a table is meant for tens of keys, or some hundreds.
///
/// ```
/// use undaunted_core::{Instant, Keyed, Micros, Outcome, Recovery, Verdict};
///
/// const PEERS: Recovery = Recovery::parse_const("exponential 1s cap 5m jitter none attempts unlimited");
///
/// let mut peers = Keyed::<u8, 8>::start(&PEERS).unwrap();
/// let random = 0; // without jitter any will do
/// let now = Instant::from_micros(0);
/// for wait in [1, 2, 4].map(Micros::from_secs) {
///     assert_eq!(peers.next(&PEERS, 7, Outcome::Fail, now, random), Verdict::RetryAfter(wait));
/// }
/// assert!(!peers.is_due(&PEERS, &7, now)); // four seconds from now
/// assert!(peers.is_due(&PEERS, &9, now)); // another key
/// assert_eq!(peers.next(&PEERS, 7, Outcome::Succeed, now, random), Verdict::Done);
/// assert!(peers.is_due(&PEERS, &7, now));
/// ```
///
/// As `Backoff` of Kubernetes' client-go (`util/flowcontrol/backoff.go`) and its `ItemExponentialFailureRateLimiter`
/// (`util/workqueue`), whose tests this passes. It differs: the former counts being unused from the latest failure, its
/// own wait included; neither has a limit of keys.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Keyed<K, const N: usize> {
    rows: [Option<(K, Streak)>; N],
    /// The one streak of all keys that found no room.
    crowd: Option<Streak>,
}

/// One key's failures in a row.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
struct Streak {
    retry: Retry,
    /// The end of its wait; once it has stopped, its latest report.
    due: Instant,
}

impl<K: PartialEq, const N: usize> Keyed<K, N> {
    /// Starts without a key.
    ///
    /// # Errors
    /// When the recovery has an intensity, for which a table has no memory: [`Rule::MemoryTooShort`], with 0 as
    /// the value.
    pub const fn start(recovery: &Recovery) -> Result<Keyed<K, N>, Invalid> {
        match recovery.intensity {
            Some(Intensity { .. }) => {
                Err(Invalid { field: Field::Intensity, value: 0, rule: Rule::MemoryTooShort })
            }
            None => Ok(Keyed { rows: [const { None }; N], crowd: None }),
        }
    }

    /// Reports how an attempt for `key` came out, and learns what to do, as [`Retry::next`].
    ///
    /// A success forgets the key. Any other outcome of a key without a streak begins one: that attempt is its
    /// first. An abort of a key for which there is no room is answered and not kept.
    ///
    /// Everything saturates and nothing panics, for every input.
    pub fn next(
        &mut self,
        recovery: &Recovery,
        key: K,
        outcome: Outcome,
        now: Instant,
        random: u32,
    ) -> Verdict {
        if let Outcome::Succeed = outcome {
            self.forget(&key);
            return Verdict::Done;
        }
        let (streak, is_crowd) = match self.place_of(recovery, &key, now) {
            Some(place) => match place {
                Some((_, streak)) if !streak.is_over(recovery, now) => (streak, false),
                place => (&mut place.insert((key, Streak::start(recovery, now))).1, false),
            },
            None if matches!(outcome, Outcome::Abort) => return Verdict::GiveUp(Reason::Permanent),
            None => {
                self.crowd.take_if(|crowd| crowd.is_over(recovery, now));
                (self.crowd.get_or_insert_with(|| Streak::start(recovery, now)), true)
            }
        };
        let verdict = streak.retry.next(&recovery.policy, outcome, now, random);
        let due = match verdict {
            Verdict::RetryAfter(wait) => now.after(wait),
            Verdict::Done | Verdict::GiveUp(_) => now,
        };
        // One of a crowd must not shorten the wait of another.
        streak.due = if is_crowd && due.0 < streak.due.0 { streak.due } else { due };
        verdict
    }

    /// Whether nothing keeps `key` from an attempt at `now`: it has no streak, or its wait is over and it has
    /// not given up. For a key that is not in the table the crowd is asked.
    pub fn is_due(&self, recovery: &Recovery, key: &K, now: Instant) -> bool {
        self.wait_left(recovery, key, now) == Micros::ZERO
    }

    /// How long `key` must still wait at `now`: zero if it is due, [`Micros::MAX`] if its policy gave up.
    pub fn wait_left(&self, recovery: &Recovery, key: &K, now: Instant) -> Micros {
        let crowd = || self.crowd.as_ref().filter(|crowd| !crowd.is_over(recovery, now));
        match self.streak_of(recovery, key, now).or_else(crowd) {
            Some(streak) if streak.retry.stopped().is_some() => Micros::MAX,
            Some(streak) => streak.due.since(now),
            None => Micros::ZERO,
        }
    }

    /// The attempts of the present streak of `key`; 0 if it has none of its own.
    pub fn attempts(&self, recovery: &Recovery, key: &K, now: Instant) -> u32 {
        self.streak_of(recovery, key, now).map_or(0, |streak| streak.retry.attempts())
    }

    /// Ends the streak of `key`, and answers whether it was there.
    pub fn forget(&mut self, key: &K) -> bool {
        let row = self.rows.iter_mut().find(|row| matches!(row, Some((own, _)) if own == key));
        row.is_some_and(|row| row.take().is_some())
    }

    /// Drops the keys whose streaks are over. They count as absent anyway: it is for keys that own something, and
    /// for clocks that go back.
    pub fn sweep(&mut self, recovery: &Recovery, now: Instant) {
        for row in &mut self.rows {
            row.take_if(|(_, streak)| streak.is_over(recovery, now));
        }
        self.crowd.take_if(|crowd| crowd.is_over(recovery, now));
    }

    /// The keys that have a streak at `now`.
    pub fn keys(&self, recovery: &Recovery, now: Instant) -> impl Iterator<Item = &K> {
        self.rows
            .iter()
            .flatten()
            .filter(move |(_, streak)| !streak.is_over(recovery, now))
            .map(|(key, _)| key)
    }

    /// Whether keys that found no room share a streak at `now`: the table is too small for what fails.
    pub fn is_crowded(&self, recovery: &Recovery, now: Instant) -> bool {
        self.crowd.as_ref().is_some_and(|crowd| !crowd.is_over(recovery, now))
    }

    /// The row of `key`, or else an empty one, or else one whose streak is over.
    fn place_of(&mut self, recovery: &Recovery, key: &K, now: Instant) -> Option<&mut Option<(K, Streak)>> {
        let (mut place, mut best) = (None, 0);
        for row in &mut self.rows {
            let fitness = match row {
                Some((own, _)) if own == key => 3,
                None => 2,
                Some((_, streak)) if streak.is_over(recovery, now) => 1,
                Some(_) => 0,
            };
            if fitness > best {
                (place, best) = (Some(row), fitness);
            }
        }
        place
    }

    /// The streak of `key`, unless it is over: then it is as if the key were not in the table, where its row may
    /// have been given away or not.
    fn streak_of(&self, recovery: &Recovery, key: &K, now: Instant) -> Option<&Streak> {
        let (_, streak) = self.rows.iter().flatten().find(|(own, _)| own == key)?;
        (!streak.is_over(recovery, now)).then_some(streak)
    }
}

impl Streak {
    fn start(recovery: &Recovery, now: Instant) -> Streak {
        Streak { retry: Retry::start(&recovery.policy, now), due: now }
    }

    /// Whether nobody reported it for so long that the next failure is a first one.
    fn is_over(&self, recovery: &Recovery, now: Instant) -> bool {
        now.since(self.due) >= recovery.reset_after
    }
}

/// Sizes are part of the promise.
const _: () = assert!(size_of::<Keyed<u64, 8>>() <= 8 * 40 + 32);
