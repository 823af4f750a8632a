//! What each type reads as on the host, by hand; the device's program `frames` sends them in this order.

use crate::device::Device;
use defmt_decoder::Table;
use std::path::Path;

/// Compares what the device sends with what must be read.
///
/// # Errors
/// The first line that differs.
pub fn check(elf: &Path, table: &Table) -> Result<usize, String> {
    let failed = |error: std::io::Error| format!("frames: {error}");
    let mut device = Device::start(elf, table, &[]).map_err(failed)?;
    let expected = expected();
    let mut lines = Vec::new();
    while let Some(line) = device.line().map_err(failed)? {
        lines.push(line.text);
    }
    let pairs = expected.iter().zip(&lines);
    if let Some((expected, line)) = pairs.into_iter().find(|(expected, line)| expected != line) {
        return Err(format!("frames:\n   {line}\nbut must be\n   {expected}"));
    }
    match (device.code().map_err(failed)?, lines.len()) {
        (0, sent) if sent == expected.len() => Ok(sent),
        (code, sent) => {
            Err(format!("frames: {sent} lines and exit code {code}, not {} and 0", expected.len()))
        }
    }
}

fn expected() -> Vec<String> {
    let values = VALUES.iter().map(ToString::to_string);
    let rest = STATES.iter().chain(&REPORTS).map(ToString::to_string);
    values.chain(policies()).chain(rest).collect()
}

const VALUES: [&str; 10] = [
    "1500 us unlimited 2000 us",
    "1.500000 s",
    "1.500000",
    "Full Proportional { share: 0.250000 }",
    "Linear { first: 7 us, step: 9 us }",
    "Fail Throttle { retry_after: 5000000 us }",
    "RetryAfter(740 us) GiveUp(Deadline)",
    "Rng(5)",
    // 10^6 / 2^15 is 30 and 16 960 / 32 768, and that is 2 222 981 120 / 2^32.
    "TickRate { ticks: 32768, whole: 30, part: 16960, share: 2222981120 }",
    "Counter { now: 0, latest: 77, left: 0, rate: TickRate { ticks: 1000000, whole: 1, part: 0, share: 0 } }",
];

fn policies() -> Vec<String> {
    let backoff = "Exponential { first: 1000000 us, factor: 1.500000 }";
    let policy = settings(backoff, "Full", 60, "Some(8)", "Some(120000000 us)", "None");
    let schedule = "Schedule { steps: [1000000 us, 5000000 us] }";
    let step = "Some(Step { attempt: 1, min: 0 us, mean: 500000 us, max: 1000000 us, \
                total_min: 0 us, total_mean: 500000 us, total_max: 1000000 us, mean_is_bound: false })";
    let invalid = "Invalid { field: Attempts, value: 0, rule: AttemptsZero }";
    let unlimited = settings(backoff, "Full", 60, "None", "Some(120000000 us)", "None");
    let recovery = format!(
        "RecoverySettings {{ policy: {unlimited}, reset_after: 120000000 us, \
         intensity: Some(Intensity {{ restarts: 5, window: 60000000 us }}) }}"
    );
    let draft = format!("RecoverySettings {{ policy: {policy}, reset_after: 9000000 us, intensity: None }}");
    let error = "ParseError { at: 10, problem: Expected(Unit) }";
    let backoff = "Exponential { first: 500000 us, factor: 1.500000 }";
    let preset = settings(backoff, "Additive { share: 0.400000 }", 61, "Some(13)", "None", "None");
    vec![
        policy.clone(),
        policy.clone(),
        settings(schedule, "None", 30, "None", "None", "Some(3000000 us)"),
        step.into(),
        step.into(),
        format!("Err({invalid})"),
        format!("Some({invalid})"),
        recovery.clone(),
        recovery,
        format!("RecoveryDraft {{ recovery: {draft} }}"),
        error.into(),
        format!("Caret {{ error: {error}, text: \"constant 1 s\" }}"),
        format!(
            "Some(Preset {{ name: \"clusterctl.write.2026\", policy: {preset}, fixed_rate: false, \
             about: \"Writes to a management cluster: about 2.5 min.\", \
             source: \"kubernetes-sigs/cluster-api cmd/clusterctl/client/cluster/client.go @260bd07655\" }})"
        ),
    ]
}

/// A policy, with its cap in seconds, and without a floor, a first delay and a ceiling of its own.
fn settings(backoff: &str, jitter: &str, cap: u32, attempts: &str, within: &str, timeout: &str) -> String {
    format!(
        "Settings {{ backoff: {backoff}, jitter: {jitter}, cap: {cap}000000 us, floor: 0 us, attempts: {attempts}, \
         within: {within}, attempt_timeout: {timeout}, hint_ceiling: 600000000 us, first_delay: 0 us }}"
    )
}

const STATES: [&str; 8] = [
    "Retry { attempts: 0, deadline: None, stopped: None }",
    "Retry { attempts: 1, deadline: None, stopped: Some(GiveUp(Permanent)) }",
    "Pending { retry: Retry { attempts: 1, deadline: Some(10.500000 s), stopped: None }, due: 2.500000 s }",
    "Ok(Restarts { retry: Retry { attempts: 0, deadline: None, stopped: None }, clean: 0, remembered: 0, \
     memory: [1.500000 s] })",
    "Ok(Keyed { rows: [Some((7, Streak { retry: Retry { attempts: 1, deadline: None, stopped: None }, \
     due: 2.500000 s })), None], crowd: None })",
    "0 failures",
    "3 failures, the last 2; attempt 2 at 0.002000 s: Hint; attempt 3 at 0.003000 s: Breaker",
    "Some(Failure { attempt: 3, at: 0.003000 s, error: Breaker })",
];

const REPORTS: [&str; 11] = [
    "attempt 2/5 failed: NoAnswer; next in 740000 us",
    "attempt 2 was cut at its limit; next in 740000 us",
    "attempt 3/5 not yet; next in 740000 us",
    "attempt 5/5 failed: NoAnswer; giving up after 812000 us: Attempts",
    "attempt 1 was cut; giving up after 812000 us: Cancelled",
    "no attempt made; giving up after 812000 us: Deadline",
    "attempt 4/5 succeeded after 812000 us",
    "ended without an error; next in 740000 us",
    "GaveUp { last: Error(NoAnswer), reason: Permanent, attempts: 3, elapsed: 812000 us }",
    "Report { value: 21, attempts: 3, elapsed: 812000 us }",
    "Settled { verdict: RetryAfter(740000 us), attempts: 3, elapsed: 812000 us }",
];
