//! The last failures, kept for whoever has to find out why.

use crate::time::{Instant, Micros};
use core::fmt;

/// One failure of a trail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Failure<E> {
    /// The number of the attempt, from 1, as [`Retry::attempts`](crate::Retry::attempts) says after it.
    pub attempt: u32,
    /// When it was reported.
    pub at: Instant,
    /// What went wrong: a code, or an error of the caller's.
    pub error: E,
}

/// The last `N` failures with attempt, time and error; no heap. Older ones are counted and not kept.
///
/// `E` is what is kept of an error: the code of a driver, as here without a word; a small `Copy` enum; or
/// an owned error, which is dropped when newer ones need its place. It takes `N` times `E` and 16 bytes, and 8.
///
/// `Display` is the post-mortem, the oldest first, with the time between: it needs `E: Display`, and adds
/// no end of line to its last.
///
/// ```
/// use undaunted_core::{Instant, Trail};
///
/// static EMPTY: Trail<2> = Trail::new();
///
/// let mut trail = EMPTY.clone();
/// for (attempt, millis, code) in [(1, 50, 11), (2, 180, 11), (3, 1_500, 107)] {
///     trail.push(attempt, Instant::from_micros(millis * 1_000), code);
/// }
/// assert_eq!(
///     trail.to_string(),
///     "3 failures, the last 2:\n\
///      attempt 2 at 180 ms: 11\n\
///      attempt 3 at 1.5 s, 1.32 s later: 107"
/// );
/// assert_eq!(trail.last().unwrap().error, 107);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trail<const N: usize, E = u32> {
    /// A ring: the oldest is at `next` once it is full.
    failures: [Option<Failure<E>>; N],
    /// Below `N`, or 0.
    next: u32,
    seen: u32,
}

impl<const N: usize, E> Trail<N, E> {
    /// Nothing has failed yet.
    pub const fn new() -> Trail<N, E> {
        const { assert!(N <= u32::MAX as usize, "a trail has room for 2^32 - 1 failures at most") }
        Trail { failures: [const { None }; N], next: 0, seen: 0 }
    }

    /// Notes a failure; the oldest makes room.
    pub fn push(&mut self, attempt: u32, at: Instant, error: E) {
        self.seen = self.seen.saturating_add(1);
        if let Some(place) = self.failures.get_mut(self.next as usize) {
            *place = Some(Failure { attempt, at, error });
            self.next = if self.next as usize + 1 < N { self.next + 1 } else { 0 };
        }
    }

    /// The failures that are kept, the oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Failure<E>> {
        // No `skip` and `take`: they count what is left, which is a division by the size of an entry.
        let (late, early) = self.failures.split_at_checked(self.next as usize).unwrap_or_default();
        early.iter().chain(late).flatten()
    }

    /// The latest failure.
    pub fn last(&self) -> Option<&Failure<E>> {
        let latest = (self.next as usize).checked_sub(1).or(N.checked_sub(1))?;
        self.failures.get(latest)?.as_ref()
    }

    /// How many are kept.
    pub fn len(&self) -> usize {
        self.seen.min(N as u32) as usize
    }

    /// Whether nothing has failed.
    pub const fn is_empty(&self) -> bool {
        self.seen == 0
    }

    /// How many there were in all, those included that are not kept any more; saturates at 2^32 - 1.
    pub const fn seen(&self) -> u32 {
        self.seen
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Trail::new();
    }
}

impl<const N: usize, E> Default for Trail<N, E> {
    fn default() -> Trail<N, E> {
        Trail::new()
    }
}

impl<const N: usize, E: fmt::Display> fmt::Display for Trail<N, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.seen {
            0 => return f.write_str("no failure"),
            1 => f.write_str("1 failure")?,
            seen => write!(f, "{seen} failures")?,
        }
        if self.seen as usize > self.len() {
            write!(f, ", the last {}", self.len())?;
        }
        f.write_str(":")?;
        let mut before = None;
        for Failure { attempt, at, error } in self.iter() {
            write!(f, "\nattempt {attempt} at {}", Micros(at.0).readable())?;
            if let Some(before) = before {
                write!(f, ", {} later", at.since(before).readable())?;
            }
            write!(f, ": {error}")?;
            before = Some(*at);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    extern crate std;
    use std::rc::Rc;
    use std::string::{String, ToString};
    use std::vec::Vec;

    /// Against a list of everything, of which the last are asked for.
    #[test]
    fn it_keeps_the_last() {
        fn check<const N: usize>() {
            let (mut trail, mut all) = (Trail::<N, u32>::new(), Vec::new());
            for n in 0..20_u32 {
                let kept = &all[all.len().saturating_sub(N)..];
                assert!(trail.iter().eq(kept), "{N}: {trail:?}");
                assert_eq!((trail.last(), trail.len()), (kept.last(), kept.len()));
                assert_eq!((trail.seen(), trail.is_empty()), (n, n == 0));
                let failure = Failure { attempt: n + 1, at: Instant(u64::from(n) * 7), error: n * n };
                trail.push(failure.attempt, failure.at, failure.error);
                all.push(failure);
            }
            trail.clear();
            assert_eq!(trail, Trail::default());
        }
        check::<0>();
        check::<1>();
        check::<2>();
        check::<3>();
        check::<19>();
        check::<20>();
    }

    #[test]
    fn owned_errors_are_dropped_when_they_make_room() {
        let errors: Vec<Rc<()>> = (0..3).map(|_| Rc::new(())).collect();
        let mut trail = Trail::<2, Rc<()>>::new();
        errors.iter().zip(1..).for_each(|(error, attempt)| trail.push(attempt, Instant(0), error.clone()));
        let held: Vec<usize> = errors.iter().map(Rc::strong_count).collect();
        assert_eq!(held, [1, 2, 2]);
    }

    #[test]
    fn the_count_saturates() {
        let mut trail = Trail::<1, u8> { seen: u32::MAX - 1, ..Trail::new() };
        for _ in 0..3 {
            trail.push(9, Instant(0), 1);
        }
        assert_eq!((trail.seen(), trail.len()), (u32::MAX, 1));
    }

    #[test]
    fn the_post_mortem() {
        let mut trail = Trail::<3, String>::new();
        assert_eq!(trail.to_string(), "no failure");
        trail.push(1, Instant(2_000_000), "refused".into());
        assert_eq!(trail.to_string(), "1 failure:\nattempt 1 at 2 s: refused");
        // A clock that goes back: no time passed.
        trail.push(2, Instant(1_000_000), "reset".into());
        assert_eq!(
            trail.to_string(),
            "2 failures:\nattempt 1 at 2 s: refused\nattempt 2 at 1 s, 0 us later: reset"
        );
        assert_eq!(Trail::<0>::new().to_string(), "no failure");
        let mut none = Trail::<0>::new();
        none.push(1, Instant(0), 5);
        assert_eq!(none.to_string(), "1 failure, the last 0:");
    }

    const _: () = assert!(size_of::<Trail<8, u16>>() <= 8 * 24 + 8);
}
