//! How often is looked, and for how long.

use super::Wait;
use crate::{Trouble, policy};
use undaunted::{Micros, Policy};

/// What holds when nothing is said.
const INTERVAL: &str = "1s";
const TIMEOUT: &str = "1m";
const REST: &str = "jitter none attempts unlimited attempt_timeout 10s";

/// The policy that the options say.
pub(crate) fn policy(args: &Wait) -> Result<Policy, Trouble> {
    for (option, length) in [("--interval", &args.interval), ("--timeout", &args.timeout)] {
        check(option, length.as_deref())?;
    }
    let interval = args.interval.as_deref().unwrap_or(INTERVAL);
    let text = match (&args.policy, &args.timeout) {
        (Some(text), Some(timeout)) => format!("{text} within {timeout}"),
        (Some(text), None) => text.clone(),
        (None, timeout) => {
            let timeout = timeout.as_deref().unwrap_or(TIMEOUT);
            format!("constant {interval} {REST} within {timeout}")
        }
    };
    policy::said(&[text])
}

/// A length on its own, so that what is wrong with it is said of the option.
fn check(option: &str, length: Option<&str>) -> Result<(), Trouble> {
    let Some(length) = length else { return Ok(()) };
    let read = |length: &str| Policy::parse(&format!("constant 1s within {length}")).ok()?.settings().within;
    match read(length) {
        Some(said) if said > Micros::ZERO && !length.contains(char::is_whitespace) => Ok(()),
        _ => Err(Trouble::Usage(format!(
            "{option} {length:?} is no length; expected one like 500ms, 30s, 1.5m or 2h"
        ))),
    }
}

/// What holds when nothing is said, as a policy.
pub(crate) fn default() -> String {
    format!("constant {INTERVAL} {REST} within {TIMEOUT}")
}
