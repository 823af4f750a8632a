//! Names, and those that come nearest to one that is wrong.

use crate::Trouble;
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command};
use std::ffi::OsStr;
use undaunted::presets::{self, Preset};

/// The preset of this name, or a word about those that come nearest.
pub(crate) fn preset(name: &str) -> Result<&'static Preset, Trouble> {
    presets::named(name).ok_or_else(|| {
        let meant = did_you_mean(name, presets::ALL.iter().map(|preset| preset.name));
        Trouble::Usage(format!("there is no preset {name:?}.{meant} `undaunted presets` lists them all"))
    })
}

/// Takes any name, so that [`preset`] can say which come nearest, and tells shells those that there are.
#[derive(Clone)]
pub(crate) struct Names;

impl TypedValueParser for Names {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(presets::ALL.iter().map(|preset| PossibleValue::new(preset.name))))
    }
}

/// A question about the names that come nearest, if any do.
pub(super) fn did_you_mean<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> String {
    match nearest(name, names)[..] {
        [] => "".into(),
        [one] => format!(" Did you mean {one}?"),
        [ref others @ .., last] => format!(" Did you mean {} or {last}?", others.join(", ")),
    }
}

/// Up to three names, the nearest first: by a part of the name, else by likeness.
fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let name = name.to_lowercase();
    let likeness = |other: &str| {
        let other = other.to_lowercase();
        let part = name.len() > 1 && other.contains(&name);
        strsim::jaro_winkler(&name, &other) + if part { 1.0 } else { 0.0 }
    };
    let mut names: Vec<_> = names.map(|name| (likeness(name), name)).collect();
    names.retain(|(likeness, _)| *likeness > 0.8);
    names.sort_by(|a, b| b.0.total_cmp(&a.0));
    names.into_iter().map(|(_, name)| name).take(3).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_names_come_first() {
        let nearest = |name| nearest(name, presets::ALL.iter().map(|preset| preset.name));
        assert_eq!(nearest("snap.promote").first(), Some(&"snap.etcd_promote"));
        assert_eq!(nearest("CLIENTGO.defaultretry").first(), Some(&"clientgo.DefaultRetry"));
        assert_eq!(nearest("2019").len(), 2);
        assert!(nearest("").is_empty() && nearest("zzz").is_empty());
    }
}
