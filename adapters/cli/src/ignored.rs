//! What was ignored when we were started: `nohup` and the background jobs of a shell rely on it.

use std::fs;

/// The signals that are ignored now: signal N is bit N - 1. None where there is no `/proc`.
pub(crate) fn signals() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
