//! A recovery in a configuration file: a policy with two keys more.

use super::super::recovery::{Limits, field_at};
use super::{ALL_KEYS, Key, Value, read_all};
use crate::draft::Draft;
use crate::recovery::Recovery;
use crate::rule::Field;
use crate::text::reader::Reader;
use core::fmt;
use serde_core::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use serde_core::ser::{Serialize, Serializer};

/// As the one line of its text, in every format.
impl Serialize for Recovery {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// From the one line of its text or, in formats for people, from a map with the same words: as a
/// [`Policy`](crate::Policy), with `reset_after` and `intensity` beside the policy's keys.
///
/// In TOML, these two are equal:
///
/// ```toml
/// uplink = "exponential 1s cap 5m attempts unlimited reset_after 10m intensity 5/1m"
///
/// [uplink]
/// exponential = "1s"
/// cap = "5m"
/// attempts = "unlimited"
/// reset_after = "10m"
/// intensity = "5/1m"
/// ```
impl<'de> Deserialize<'de> for Recovery {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Recovery, D::Error> {
        match deserializer.is_human_readable() {
            true => deserializer.deserialize_any(LineOrMap),
            false => deserializer.deserialize_str(LineOrMap),
        }
    }
}

struct LineOrMap;

impl<'de> Visitor<'de> for LineOrMap {
    type Value = Recovery;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a recovery, such as \"exponential 1s reset_after 10m\", or a map with the same words")
    }

    fn visit_str<E: Error>(self, line: &str) -> Result<Recovery, E> {
        Recovery::parse(line).map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Recovery, A::Error> {
        let (mut draft, mut limits) = (Draft::new(), Limits::nothing());
        while let Some(key) = map.next_key_seed(Key { of: "a word of a recovery", keys: ALL_KEYS })? {
            match field_at(&mut Reader::new(key)) {
                Some(field) => map.next_value_seed(Own { key, field, limits: &mut limits })?,
                None => map.next_value_seed(Value { key, said: &mut draft.said })?,
            }
        }
        let policy = draft.build().map_err(A::Error::custom)?;
        limits.recovery(policy).map_err(A::Error::custom)
    }
}

/// The value of a key that no policy has.
struct Own<'a> {
    key: &'static str,
    field: Field,
    limits: &'a mut Limits,
}

impl<'de> DeserializeSeed<'de> for Own<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Visitor<'_> for Own<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let example = if let Field::Intensity = self.field { "5/1m" } else { "10m" };
        write!(f, "for `{}` a value such as \"{example}\"", self.key)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        read_all(self.key, |reader| self.limits.read(self.field, reader), text)
    }
}
