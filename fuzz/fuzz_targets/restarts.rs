//! Any list of ends: law 10, each verdict against the naive twin of the tests.

#![no_main]
use libfuzzer_sys::fuzz_target;
use undaunted_core::{Instant, Micros, Outcome, Restarts};
use undaunted_fuzz::recovery::{Ended, How, RecoveryTwin, SaidRecovery, TwinRestarts};
use undaunted_fuzz::said::{Calls, Said, Shape, Spread};

fuzz_target!(|bytes: &[u8]| {
    let Some((head, ends)) = bytes.split_first_chunk::<8>() else { return };
    let said = said_by(head);
    let (recovery, twin) = (said.draft().expect("it is sound"), RecoveryTwin::new(said));
    let room = vec![Instant::MAX; said.intensity.map_or(0, |(restarts, _)| restarts as usize)];
    let mut restarts = Restarts::start(&recovery, Instant::default(), room).expect("there is room");
    let mut naive = TwinRestarts::start(&twin, 0);
    for end in ends.chunks_exact(8) {
        let ended = ended_by(end);
        let (healthy, now) = (Micros::new(ended.healthy), Instant::from_micros(ended.now));
        let verdict = match ended.how {
            How::Again => restarts.again(&recovery, healthy, now, ended.random),
            How::With(outcome) => restarts.next(&recovery, outcome, healthy, now, ended.random),
        };
        assert_eq!(verdict, naive.report(ended), "{recovery} at {ended:?}");
        assert_eq!((restarts.attempts(), restarts.stopped()), (naive.attempts, naive.stopped), "{recovery}");
        assert_eq!(restarts.deadline().map(Instant::as_micros), naive.deadline(), "{recovery}");
    }
});

/// A sound recovery with small numbers, so that ends meet its limits.
fn said_by(&[shape, jitter, attempts, within, allowed, window, reset, first]: &[u8; 8]) -> SaidRecovery {
    let first = u64::from(first) + 1;
    let shape = match shape % 6 {
        0 => Shape::Constant { delay: first },
        1 => Shape::Decorrelated { first },
        2 => Shape::Exponential { first },
        3 => Shape::Fibonacci { first },
        4 => Shape::Immediate,
        _ => Shape::Linear { first, step: 3 },
    };
    let jitter = match (shape, jitter % 4) {
        (Shape::Decorrelated { .. }, _) | (_, 0) => Spread::None,
        (_, 1) => Spread::Full,
        (_, 2) => Spread::Equal,
        _ => Spread::Proportional(1, 5),
    };
    let policy = Said {
        jitter: Some(jitter),
        cap: Some(1_000),
        floor: Some(1),
        attempts: Some(match attempts {
            0 => Calls::Unlimited,
            attempts => Calls::Limited(attempts.into()),
        }),
        within: (within > 0).then(|| u64::from(within) * 64),
        hint_ceiling: Some(50),
        ..Said::only(shape)
    };
    let intensity = (allowed > 0).then(|| (u32::from(allowed % 16 + 1), u64::from(window) * 8 + 1));
    SaidRecovery { policy, reset_after: Some(u64::from(reset) + 1), intensity }
}

/// One end; the clock may go back.
fn ended_by(bytes: &[u8]) -> Ended {
    let byte = |at: usize| bytes.get(at).copied().unwrap_or_default();
    let how = match byte(0) % 16 {
        0 => How::With(Outcome::Succeed),
        1 => How::With(Outcome::Abort),
        2..5 => How::With(Outcome::Throttle { retry_after: Micros::new(byte(1).into()) }),
        5..9 => How::Again,
        _ => How::With(Outcome::Fail),
    };
    let now = u64::from(u16::from_le_bytes([byte(2), byte(3)]));
    let random = u32::from_le_bytes([byte(5), byte(6), byte(7), byte(5)]);
    Ended { how, healthy: byte(4).into(), now, random }
}
