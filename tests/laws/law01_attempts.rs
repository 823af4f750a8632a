//! Law 1. Attempts are calls: n calls, n - 1 waits, none after the last.

use proptest::prelude::*;
use undaunted_core::{Reason, Verdict};
use undaunted_tests::said::{Calls, Said};

use crate::generate::{Pair, both, config, fail, random, timeless};

proptest! {
    #![proptest_config(config())]

    #[test]
    fn n_attempts_are_n_calls_and_one_wait_fewer(said in timeless(), n in 1..60_u32, randoms in prop::collection::vec(random(), 60)) {
        let (policy, twin) = both(Said { attempts: Some(Calls::Limited(n)), ..said });
        let mut pair = Pair::start(&policy, &twin, 0, u64::MAX);
        for call in 1..n {
            let verdict = pair.next(fail(randoms[call as usize]));
            prop_assert!(matches!(verdict, Verdict::RetryAfter(_)), "call {call} of {n}: {verdict:?}");
        }
        prop_assert_eq!(pair.next(fail(randoms[0])), Verdict::GiveUp(Reason::Attempts));
        prop_assert_eq!(pair.retry.attempts(), n);
    }

    #[test]
    fn retries_are_attempts_without_the_first(said in timeless(), n in random()) {
        let (policy, _) = both(Said { attempts: Some(Calls::Limited(n.saturating_add(1))), ..said });
        prop_assert_eq!(said.policy().retries(n), policy);
        prop_assert_eq!(undaunted_tests::spell::draft_shape(undaunted_core::Policy::draft(), said.shape)
            .retries(n).build().map(|policy| policy.settings().attempts), Ok(Some(n.saturating_add(1))));
        prop_assert_eq!(policy.settings().attempts, Some(n.saturating_add(1)));
    }

    #[test]
    fn unlimited_attempts_do_not_end(said in timeless(), randoms in prop::collection::vec(random(), 1..60)) {
        let floor = said.floor.map(|floor| floor.max(1)).or(Some(1));
        let (policy, twin) = both(Said { attempts: Some(Calls::Unlimited), floor, ..said });
        let mut pair = Pair::start(&policy, &twin, 0, u64::MAX);
        for &random in &randoms {
            prop_assert!(matches!(pair.next(fail(random)), Verdict::RetryAfter(_)));
        }
    }
}
