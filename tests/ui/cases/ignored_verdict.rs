// says: unused `Verdict` that must be used
// says: a verdict that is not read
#![deny(unused_must_use)]
use undaunted::{Instant, Outcome, Policy, Retry};

pub fn forget(retry: &mut Retry, policy: &Policy, now: Instant) {
    retry.next(policy, Outcome::Fail, now, 0);
}
