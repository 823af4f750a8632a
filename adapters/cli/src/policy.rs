//! Which policy is meant, the same for every verb: words on the line, a preset, an entry of a file, the
//! environment, or the default. A mistake in any of them is an error and never the default.

mod file;
mod kind;
mod preset;

pub(crate) use kind::{Kind, Meant};
pub(crate) use preset::{Names, preset};

use crate::Trouble;
use clap::ValueHint;
use std::env::{self, VarError};
use undaunted::{Micros, Policy};

/// What holds when nothing is said: `exponential 1s` with the defaults of every policy.
pub(crate) const DEFAULT: Policy = Policy::parse_const("exponential 1s");

/// Holds when the command line says nothing.
pub(crate) const VARIABLE: &str = "UNDAUNTED_POLICY";

/// Where one policy comes from; a verb flattens it among its arguments.
#[derive(Debug, Default, clap::Args)]
#[group(multiple = false)]
pub(crate) struct Source {
    /// How to retry, as one quoted text or as several words.
    #[arg(value_name = "POLICY")]
    pub(crate) policy: Vec<String>,
    /// The policy of that name (see `undaunted presets`).
    #[arg(short, long, value_name = "NAME", value_parser = Names, hide_possible_values = true)]
    pub(crate) preset: Option<String>,
    /// From a TOML file: its `policy`, or the one of that name in its `[policies]`.
    #[arg(short, long, value_name = "FILE[#NAME]", value_hint = ValueHint::FilePath)]
    pub(crate) file: Option<String>,
}

/// Where several policies come from, for a verb that compares.
#[derive(Debug, clap::Args)]
pub(crate) struct Sources {
    /// The policy, as one quoted text or as several words; or several quoted texts, to compare.
    #[arg(value_name = "POLICY")]
    policy: Vec<String>,
    /// The policy of that name; may be repeated, to compare.
    #[arg(short, long, value_name = "NAME", value_parser = Names, hide_possible_values = true)]
    preset: Vec<String>,
    /// From a TOML file: its `policy`, or else all of its `[policies]`; with a name, that one.
    #[arg(short, long, value_name = "FILE[#NAME]", value_hint = ValueHint::FilePath)]
    file: Vec<String>,
}

/// A policy with the name it goes by; words on the line have none.
#[derive(Debug)]
pub(crate) struct Named<K> {
    pub(crate) name: Option<String>,
    pub(crate) meant: K,
}

impl<K> Named<K> {
    fn new(name: &str, meant: K) -> Named<K> {
        Named { name: Some(name.into()), meant }
    }
}

/// The policy of these words, else the one in the environment, else the default one.
pub(crate) fn said(words: &[String]) -> Result<Policy, Trouble> {
    policy(&Source { policy: words.to_vec(), ..Source::default() })
}

/// The policy that is meant.
pub(crate) fn policy(source: &Source) -> Result<Policy, Trouble> {
    one(source)
}

/// What is meant, where the words of a recovery may stand beside those of a policy.
pub(crate) fn meant(source: &Source) -> Result<Meant, Trouble> {
    one(source)
}

/// All that are meant, in the order words, presets, files.
pub(crate) fn all<K: Kind>(sources: &Sources) -> Result<Vec<Named<K>>, Trouble> {
    let mut all = Vec::new();
    for text in texts(&sources.policy) {
        all.push(Named { name: None, meant: read(&text, "the policy")? });
    }
    for name in &sources.preset {
        all.push(Named::new(name, K::of_preset(preset(name)?)));
    }
    for said in &sources.file {
        all.extend(file::all(said)?);
    }
    if all.is_empty() {
        all.push(unsaid()?);
    }
    Ok(all)
}

fn one<K: Kind>(source: &Source) -> Result<K, Trouble> {
    match (&source.policy[..], &source.preset, &source.file) {
        ([], None, None) => Ok(unsaid()?.meant),
        ([], Some(name), _) => Ok(K::of_preset(preset(name)?)),
        ([], None, Some(said)) => file::one(said),
        (words, ..) => read(&words.join(" "), "the policy"),
    }
}

/// What holds when the command line says nothing.
fn unsaid<K: Kind>() -> Result<Named<K>, Trouble> {
    match env::var(VARIABLE) {
        Err(VarError::NotPresent) => Ok(Named { name: None, meant: K::of(DEFAULT) }),
        Err(VarError::NotUnicode(_)) => Err(Trouble::Usage(format!("{VARIABLE} is not UTF-8"))),
        Ok(text) => Ok(Named::new(VARIABLE, read(&text, &format!("the policy in {VARIABLE}"))?)),
    }
}

/// One text for each policy: several where each argument is a whole text, else all words are one.
fn texts(words: &[String]) -> Vec<String> {
    let is_whole = |text: &String| text.split_whitespace().next().is_some_and(is_shape);
    match words {
        [] => Vec::new(),
        words if words.iter().all(is_whole) => words.to_vec(),
        words => vec![words.join(" ")],
    }
}

/// Whether a policy's text may begin with this word.
fn is_shape(word: &str) -> bool {
    matches!(
        word,
        "constant" | "decorrelated" | "exponential" | "fibonacci" | "immediate" | "linear" | "schedule"
    )
}

/// Reads a text; `what` is how people call it.
fn read<K: Kind>(text: &str, what: &str) -> Result<K, Trouble> {
    K::parse_in(text, home(text)).map_err(|error| {
        let caret = error.caret(text).to_string();
        Trouble::Usage(format!("{what} cannot be read\n  {}", caret.replace('\n', "\n  ")))
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

#[cfg(test)]
mod tests {
    use super::*;
    use undaunted::Recovery;

    fn words(text: &str) -> Source {
        Source { policy: vec![text.into()], ..Source::default() }
    }

    #[test]
    fn a_recovery_has_two_words_more() {
        let text = "exponential 1s reset_after 10m intensity 5/1m";
        assert_eq!(meant(&words(text)).unwrap().recovery, Some(Recovery::parse(text).unwrap()));
        let Trouble::Usage(said) = policy(&words(text)).unwrap_err() else { unreachable!() };
        assert!(said.contains("\n                 ^ expected one of x1.5, cap, "), "{said}");
        assert_eq!(meant(&words("constant 1s")).unwrap().recovery, None);
    }

    #[test]
    fn several_texts_are_several_policies() {
        let said = |words: &[&str]| texts(&words.iter().map(|word| word.to_string()).collect::<Vec<_>>());
        assert_eq!(said(&["constant 1s", "immediate"]), ["constant 1s", "immediate"]);
        assert_eq!(said(&["constant", "1s", "attempts 3"]), ["constant 1s attempts 3"]);
        assert_eq!(said(&["constant 1s", "constant"]), ["constant 1s", "constant"]);
        assert_eq!(said(&["constant 1s", "attempts 3", "linear 1s +1s"]).len(), 1);
        assert!(said(&[]).is_empty());
    }

    /// A shape that is missing in the list would make two policies of it and another one unreadable.
    #[test]
    fn every_shape_may_begin_a_text() {
        let error = Policy::parse("").unwrap_err().to_string();
        let (_, list) = error.split_once('(').unwrap();
        let shapes = list.trim_end_matches(')').replace(" or ", ", ");
        assert_eq!(shapes.split(", ").filter(|shape| is_shape(shape)).count(), 7);
        assert_eq!(shapes.split(", ").count(), 7);
    }
}
