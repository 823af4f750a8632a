//! A trail of failures against a list of all of them, of which the last are asked for.

use proptest::prelude::*;
use undaunted_core::{Failure, Instant, Trail};

use crate::generate::{config, length};
use crate::readable::said;

/// The post-mortem of all failures, of which `room` are kept.
fn told(all: &[Failure<i16>], room: usize) -> String {
    let kept = &all[all.len().saturating_sub(room)..];
    let mut text = match all.len() {
        0 => return "no failure".into(),
        1 => "1 failure".to_string(),
        n => format!("{n} failures"),
    };
    if kept.len() < all.len() {
        text += &format!(", the last {}", kept.len());
    }
    text += ":";
    for (i, failure) in kept.iter().enumerate() {
        let at = failure.at.as_micros();
        text += &format!("\nattempt {} at {}", failure.attempt, said(at));
        if i > 0 {
            text += &format!(", {} later", said(at.saturating_sub(kept[i - 1].at.as_micros())));
        }
        text += &format!(": {}", failure.error);
    }
    text
}

/// Pushes them one by one, and compares all that can be seen after each.
fn check<const N: usize>(failures: &[Failure<i16>]) {
    let mut trail = Trail::<N, i16>::new();
    assert_seen(&trail, &[]);
    for n in 0..failures.len() {
        let Failure { attempt, at, error } = failures[n];
        trail.push(attempt, at, error);
        assert_seen(&trail, &failures[..=n]);
    }
    trail.clear();
    assert_seen(&trail, &[]);
    assert_eq!(trail, Trail::default());
}

fn assert_seen<const N: usize>(trail: &Trail<N, i16>, all: &[Failure<i16>]) {
    let kept = &all[all.len().saturating_sub(N)..];
    assert!(trail.iter().eq(kept), "{N}: {trail:?}, not {kept:?}");
    assert_eq!((trail.last(), trail.len()), (kept.last(), kept.len()));
    assert_eq!((trail.seen() as usize, trail.is_empty()), (all.len(), all.is_empty()));
    assert_eq!(trail.to_string(), told(all, N));
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_trail_is_the_end_of_the_list(
        failures in prop::collection::vec((any::<u32>(), length(), any::<i16>()), 0..8),
    ) {
        let failure = |(attempt, at, error)| Failure { attempt, at: Instant::from_micros(at), error };
        let failures: Vec<_> = failures.into_iter().map(failure).collect();
        check::<0>(&failures);
        check::<1>(&failures);
        check::<2>(&failures);
        check::<3>(&failures);
        check::<7>(&failures);
        check::<9>(&failures);
    }
}
