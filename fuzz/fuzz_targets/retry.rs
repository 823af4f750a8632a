//! Any policy that can be said, any list of reports with clocks and hints as they come: every answer against the naive twin.

#![no_main]

use libfuzzer_sys::fuzz_target;
use undaunted_core::{Instant, Policy, Retry};
use undaunted_fuzz::bytes::Bytes;
use undaunted_fuzz::said::Said;
use undaunted_fuzz::script::TwinRetry;
use undaunted_fuzz::twin::Twin;

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = Bytes::new(bytes);
    let Some((policy, twin)) = both(bytes.said()) else { return };
    let (start, inherited) = (bytes.length(), bytes.length());
    // The highest point is no deadline, and the usual case.
    let inherited = if inherited == 0 { u64::MAX } else { inherited };
    let mut retry =
        Retry::start_before(&policy, Instant::from_micros(start), Instant::from_micros(inherited));
    let mut naive = TwinRetry::start(&twin, start, inherited);
    while !bytes.is_empty() {
        let report = bytes.report();
        let now = Instant::from_micros(report.now);
        let verdict = retry.next(&policy, report.outcome, now, report.random);
        assert_eq!(verdict, naive.next(report), "{policy} at {report:?}");
        assert_eq!((retry.attempts(), retry.stopped()), (naive.attempts, naive.stopped), "{policy}");
        assert_eq!(retry.deadline().map(Instant::as_micros), naive.deadline(), "{policy}");
        assert_eq!(retry.time_left(&policy, now).as_micros(), naive.time_left(report.now), "{policy}");
        assert_eq!(retry.attempt_time(&policy, now).as_micros(), naive.attempt_time(report.now), "{policy}");
    }
});

/// The policy and its twin, or neither, for a reason that both give.
fn both(said: Said) -> Option<(Policy, Twin)> {
    match (said.draft(), Twin::new(said)) {
        (Ok(policy), Ok(twin)) => Some((policy, twin)),
        (Err(invalid), Err(broken)) => {
            assert!(broken.contains(&invalid), "{invalid} for {said:?}, but {broken:?}");
            None
        }
        (Ok(policy), Err(broken)) => panic!("{policy} is built in spite of {broken:?}"),
        (Err(invalid), Ok(_)) => panic!("{invalid} for {said:?}, and the twin is content"),
    }
}
