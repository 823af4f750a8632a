//! What a text may say: a policy, a recovery, or for `plan` either.

use serde::Deserialize;
use toml::de::{DeTable, Error, ValueDeserializer};
use undaunted::presets::Preset;
use undaunted::{Micros, ParseError, Policy, Recovery};

/// Something that is read from the text of a policy, or from a table with the same words.
pub(crate) trait Kind: Sized {
    /// From one line.
    fn parse_in(text: &str, home: &'static mut [Micros]) -> Result<Self, ParseError>;
    /// From a table: `keys` are those of the value that is read.
    fn from_table(keys: &DeTable<'_>, value: ValueDeserializer<'_>) -> Result<Self, Error>;
    /// By this policy, with the defaults for the rest.
    fn of(policy: Policy) -> Self;
    /// By this preset.
    fn of_preset(preset: &Preset) -> Self {
        Self::of(preset.policy)
    }
}

impl Kind for Policy {
    fn parse_in(text: &str, home: &'static mut [Micros]) -> Result<Policy, ParseError> {
        Policy::parse_in(text, home)
    }

    fn from_table(_: &DeTable<'_>, value: ValueDeserializer<'_>) -> Result<Policy, Error> {
        Policy::deserialize(value)
    }

    fn of(policy: Policy) -> Policy {
        policy
    }
}

impl Kind for Recovery {
    fn parse_in(text: &str, home: &'static mut [Micros]) -> Result<Recovery, ParseError> {
        Recovery::parse_in(text, home)
    }

    fn from_table(_: &DeTable<'_>, value: ValueDeserializer<'_>) -> Result<Recovery, Error> {
        Recovery::deserialize(value)
    }

    fn of(policy: Policy) -> Recovery {
        Recovery::new(policy)
    }
}

/// A policy with what belongs to it where it comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meant {
    pub(crate) policy: Policy,
    /// Of a preset that counts its waits from the beginning of an attempt.
    pub(crate) fixed_rate: bool,
    /// The recovery that the policy is a part of, if one of a recovery's own words is said.
    pub(crate) recovery: Option<Recovery>,
}

/// The words that no policy has.
const OWN: [&str; 2] = ["reset_after", "intensity"];

impl Kind for Meant {
    fn parse_in(text: &str, home: &'static mut [Micros]) -> Result<Meant, ParseError> {
        match text.split_whitespace().any(|word| OWN.contains(&word)) {
            true => Recovery::parse_in(text, home).map(Meant::from),
            false => Policy::parse_in(text, home).map(Meant::of),
        }
    }

    fn from_table(keys: &DeTable<'_>, value: ValueDeserializer<'_>) -> Result<Meant, Error> {
        match OWN.iter().any(|word| keys.contains_key(*word)) {
            true => Recovery::deserialize(value).map(Meant::from),
            false => Policy::deserialize(value).map(Meant::of),
        }
    }

    fn of(policy: Policy) -> Meant {
        Meant { policy, fixed_rate: false, recovery: None }
    }

    fn of_preset(preset: &Preset) -> Meant {
        Meant { fixed_rate: preset.fixed_rate, ..Meant::of(preset.policy) }
    }
}

impl From<Recovery> for Meant {
    fn from(recovery: Recovery) -> Meant {
        Meant { recovery: Some(recovery), ..Meant::of(*recovery.policy()) }
    }
}
