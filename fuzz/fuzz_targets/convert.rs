//! Any numbers of other projects: what becomes a policy waits as they do, by their own formula written out here.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::time::Duration;
use undaunted::convert::{aws, freertos, grpc, kubernetes, retry_go};
use undaunted::{Micros, Policy, Settings};
use undaunted_fuzz::bytes::Bytes;

/// How many waits of each are compared.
const MOST: usize = 70;

fuzz_target!(|input: &[u8]| {
    let mut bytes = Bytes::new(input);
    match bytes.byte() % 5 {
        0 => aws(&mut bytes),
        1 => freertos(&mut bytes),
        2 => kubernetes(&mut bytes),
        3 => retry_go(&mut bytes),
        _ => grpc(input.get(1..).unwrap_or_default()),
    }
});

fn duration(bytes: &mut Bytes<'_>) -> Duration {
    // Nanoseconds that are no whole microsecond are to be refused.
    let odd = u64::from(bytes.byte() == 255);
    Duration::from_micros(bytes.length()).saturating_add(Duration::from_nanos(odd))
}

/// The longest waits of a policy, and what holds for any.
fn longest(policy: &Policy) -> Vec<Micros> {
    let text = policy.to_string();
    assert_eq!(Policy::parse(&text).as_ref(), Ok(policy), "{text:?} reads back as another");
    policy.plan().take(MOST).map(|step| step.max).collect()
}

fn calls(policy: &Policy) -> Option<u32> {
    let Settings { attempts, .. } = policy.settings();
    attempts
}

/// first * 2^k, at most `max`.
fn doubled(first: Duration, k: usize, max: Duration) -> u128 {
    let grown = first.as_micros().checked_shl(k as u32).filter(|grown| grown >> k == first.as_micros());
    grown.unwrap_or(u128::MAX).min(max.as_micros())
}

fn aws(bytes: &mut Bytes<'_>) {
    let said = aws::RetryConfig {
        max_attempts: bytes.byte().into(),
        initial_backoff: duration(bytes),
        max_backoff: duration(bytes),
    };
    let Ok(policy) = said.policy() else { return };
    assert_eq!(calls(&policy), Some(said.max_attempts), "{said:?}");
    for (k, wait) in longest(&policy).into_iter().enumerate() {
        let expected = doubled(said.initial_backoff, k, said.max_backoff);
        assert_eq!(u128::from(wait.as_micros()), expected, "{said:?}: wait {k} of {policy}");
    }
}

fn freertos(bytes: &mut Bytes<'_>) {
    let short = |bytes: &mut Bytes<'_>| (bytes.u32() >> (bytes.byte() % 32)) as u16;
    let said = freertos::BackoffAlgorithm {
        back_off_base: short(bytes),
        max_back_off: short(bytes),
        max_attempts: bytes.u32() >> (bytes.byte() % 32),
    };
    let Ok(policy) = said.policy() else { return };
    let [base, max] = [said.back_off_base, said.max_back_off].map(|ms| Duration::from_millis(ms.into()));
    for (k, wait) in longest(&policy).into_iter().enumerate() {
        assert_eq!(u128::from(wait.as_micros()), doubled(base, k, max), "{said:?}: wait {k} of {policy}");
    }
}

fn kubernetes(bytes: &mut Bytes<'_>) {
    let any = |bytes: &mut Bytes<'_>| match bytes.byte() % 4 {
        0 => f64::from_bits(bytes.u64()),
        1 => f64::from(bytes.byte()) / 100.0,
        _ => f64::from(bytes.byte() % 8),
    };
    let said = kubernetes::Backoff {
        duration: duration(bytes),
        factor: any(bytes),
        jitter: any(bytes),
        steps: bytes.byte().into(),
        cap: duration(bytes),
    };
    let Ok(policy) = said.policy() else { return };
    assert_eq!(calls(&policy), Some(said.steps), "{said:?}");
    let share = said.jitter.max(0.0);
    let factor = said.factor.max(1.0);
    let most = said.cap.as_micros() as f64 * (1.0 + share);
    for (k, wait) in longest(&policy).into_iter().enumerate() {
        let (wait, times) = (wait.as_micros() as f64, factor.powi(k as i32));
        let grown = said.duration.as_micros() as f64 * times * (1.0 + share);
        // Each step is rounded, or grows by 1 us at least, and what is rounded grows from there; the factor and the
        // share are multiples of 2^-24.
        let steps = if factor > 1.0 { (times - 1.0) / (factor - 1.0) } else { 0.0 };
        let slack = 2.0 + share + steps * (1.0 + share) + grown * (k as f64 + 2.0) * 1e-7;
        assert!(said.cap.is_zero() || wait <= most + slack, "{said:?}: {wait} us of {policy} passes the cap");
        assert!(wait <= grown + slack, "{said:?}: wait {k} of {policy} is {wait} us, not {grown}");
    }
}

fn retry_go(bytes: &mut Bytes<'_>) {
    use retry_go::DelayType::{BackOff, Combine, Fixed, FullJitterBackoff, Random};
    let types =
        [BackOff, Fixed, FullJitterBackoff, Random, Combine(&[Fixed, Random]), Combine(&[BackOff, Random])];
    let said = retry_go::Options {
        attempts: bytes.byte().into(),
        delay: duration(bytes),
        max_delay: duration(bytes),
        max_jitter: duration(bytes),
        delay_type: types[bytes.byte() as usize % types.len()],
    };
    let Ok(policy) = said.policy() else { return };
    assert_eq!(calls(&policy), (said.attempts > 0).then_some(said.attempts), "{said:?}");
    // Of a sum the jitter is a share of the delay, in 2^-24 parts, and the curve stops where its jitter meets the
    // cap, less rounding (law 3: under 2 + p us).
    let slack = match said.delay_type {
        Combine(_) => {
            let share = said.max_jitter.as_micros().checked_div(said.delay.as_micros()).unwrap_or(0);
            3 + share + (said.delay.as_micros() >> 24)
        }
        _ => 0,
    };
    for (k, wait) in longest(&policy).into_iter().enumerate() {
        let Some(expected) = retry_go_wait(&said, k) else { continue };
        assert!(
            expected.abs_diff(wait.as_micros().into()) <= slack,
            "{said:?}: wait {k} of {policy} is {wait}, not {expected} us"
        );
    }
}

/// Its longest wait in microseconds; nothing where it has an end of its own, which is in the documentation.
fn retry_go_wait(said: &retry_go::Options, k: usize) -> Option<u128> {
    use retry_go::DelayType::{BackOff, Combine, Fixed, FullJitterBackoff, Random};
    let max = if said.max_delay.is_zero() { Duration::MAX } else { said.max_delay };
    // A sum with nothing is no sum.
    let delay_type = match said.delay_type {
        Combine([one, Random]) if said.max_jitter.is_zero() => *one,
        other => other,
    };
    match delay_type {
        BackOff if said.max_delay.is_zero() => None,
        BackOff => Some(doubled(said.delay, k, max)),
        // Its first window is twice the delay.
        FullJitterBackoff => Some(doubled(said.delay, k + 1, max)),
        Fixed => Some(said.delay.min(max).as_micros()),
        Random => Some(said.max_jitter.as_micros()),
        Combine(_) => Some(said.delay.as_micros() + said.max_jitter.as_micros()),
    }
}

/// Whatever JSON: read or refused, and what is read is a policy or refused.
fn grpc(json: &[u8]) {
    let Ok(said) = serde_json::from_slice::<grpc::RetryPolicy>(json) else { return };
    let Ok(policy) = said.policy() else { return };
    assert_eq!(calls(&policy), Some(said.max_attempts.min(5)), "{said:?}");
    let most = said.max_backoff.as_micros() as f64 * 1.2 + 3.0;
    for wait in longest(&policy) {
        assert!(wait.as_micros() as f64 <= most, "{said:?}: {wait} of {policy}");
    }
}
