//! Which policy is meant: the words on the command line, a preset, or the default.

use crate::Trouble;
use undaunted::presets::{self, Preset};
use undaunted::{Micros, Policy};

/// What holds when nothing is said: `exponential 1s` with the defaults of every policy.
pub(crate) const DEFAULT: Policy = Policy::parse_const("exponential 1s");

/// The policy of these words; the default one without any.
pub(crate) fn said(words: &[String]) -> Result<Policy, Trouble> {
    if words.is_empty() {
        return Ok(DEFAULT);
    }
    let text = words.join(" ");
    Policy::parse_in(&text, home(&text)).map_err(|error| {
        let caret = error.caret(&text).to_string();
        Trouble::Usage(format!("the policy cannot be read\n  {}", caret.replace('\n', "\n  ")))
    })
}

/// The same with this limit for each attempt, which must not be said twice.
pub(crate) fn with_timeout(policy: Policy, timeout: Micros) -> Result<Policy, Trouble> {
    let text = match (timeout, policy.settings().attempt_timeout) {
        (Micros::ZERO, _) => "--attempt-timeout must be at least 1us".into(),
        (_, Some(said)) => {
            format!("--attempt-timeout {timeout} was said, and attempt_timeout {said} in the policy: say one")
        }
        _ => return Ok(policy.attempt_timeout(timeout.as_duration())),
    };
    Err(Trouble::Usage(text))
}

/// Room for every delay of a `schedule`. It lives as long as the policy: to the end of the process.
fn home(text: &str) -> &'static mut [Micros] {
    Box::leak(vec![Micros::ZERO; text.split(',').count()].into_boxed_slice())
}

/// The preset of this name, or a word about those that come nearest.
pub(crate) fn preset(name: &str) -> Result<&'static Preset, Trouble> {
    presets::named(name).ok_or_else(|| {
        let nearest = match nearest(name)[..] {
            [] => "".into(),
            [one] => format!(" Did you mean {one}?"),
            [ref others @ .., last] => format!(" Did you mean {} or {last}?", others.join(", ")),
        };
        Trouble::Usage(format!("there is no preset {name:?}.{nearest} `undaunted presets` lists them all"))
    })
}

/// Up to three names, the nearest first: by a part of the name, else by likeness.
fn nearest(name: &str) -> Vec<&'static str> {
    let name = name.to_lowercase();
    let likeness = |other: &str| {
        let other = other.to_lowercase();
        let part = name.len() > 1 && other.contains(&name);
        strsim::jaro_winkler(&name, &other) + if part { 1.0 } else { 0.0 }
    };
    let mut names: Vec<_> = presets::ALL.iter().map(|preset| (likeness(preset.name), preset.name)).collect();
    names.retain(|(likeness, _)| *likeness > 0.8);
    names.sort_by(|a, b| b.0.total_cmp(&a.0));
    names.into_iter().map(|(_, name)| name).take(3).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_names_come_first() {
        assert_eq!(nearest("snap.promote").first(), Some(&"snap.etcd_promote"));
        assert_eq!(nearest("CLIENTGO.defaultretry").first(), Some(&"clientgo.DefaultRetry"));
        assert_eq!(nearest("2019").len(), 2);
        assert!(nearest("").is_empty() && nearest("zzz").is_empty());
    }
}
