//! Plan against run: every wait that `next` gives lies in the plan's range, and every sum in the plan's sums.

#![no_main]

use libfuzzer_sys::fuzz_target;
use undaunted_core::{Instant, Micros, Outcome, Retry, Verdict};
use undaunted_fuzz::bytes::Bytes;

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = Bytes::new(bytes);
    let Ok(policy) = bytes.said().draft() else { return };
    // Work takes no time here, and the clock is right: the plan is of waits alone.
    let mut retry = Retry::start(&policy, Instant::from_micros(0));
    let (mut plan, mut waited) = (policy.plan(), Micros::ZERO);
    while !bytes.is_empty() {
        let now = Instant::from_micros(waited.as_micros());
        let step = plan.next();
        let Verdict::RetryAfter(wait) = retry.next(&policy, Outcome::Fail, now, bytes.random()) else {
            break;
        };
        let step = step.unwrap_or_else(|| panic!("{policy}: a wait of {wait} after the plan's end"));
        waited = waited.saturating_add(wait);
        assert_eq!(step.attempt, retry.attempts(), "{policy}");
        assert!((step.min..=step.max).contains(&wait), "{policy}: {wait} is not in {step:?}");
        assert!(
            (step.total_min..=step.total_max).contains(&waited),
            "{policy}: {waited} in all is not in {step:?}"
        );
        assert!(waited <= policy.worst_case(), "{policy}: {waited} is worse than {}", policy.worst_case());
        assert!(wait <= policy.settings().cap && wait >= policy.settings().floor, "{policy}: {wait}");
    }
});
