//! Policies and recoveries in configuration files and messages: the one line of their text, or a map
//! with the same words. Reading a map is reading the same words in another order, so it is the same parser.

mod recovery;

use super::reader::{Fault, Reader};
use super::{Expected, Problem, field_at, shape_at};
use crate::backoff::Shape;
use crate::draft::Draft;
use crate::policy::Policy;
use crate::rule::Field;
use crate::said::Said;
use core::fmt;
use serde_core::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, Unexpected, Visitor};
use serde_core::ser::{Serialize, Serializer};

/// As the one line of its text, in every format.
impl Serialize for Policy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// From the one line of its text or, in formats for people, from a map with the same words.
///
/// In TOML, these two are equal:
///
/// ```toml
/// retry = "exponential 100ms x1.5 cap 40s jitter full attempts 8 within 2m"
///
/// [retry]
/// exponential = "100ms x1.5" # the shape, with the text that would follow it
/// cap = "40s"
/// jitter = "full"
/// attempts = 8               # or "8", or "unlimited"
/// within = "2m"
/// ```
///
/// The keys may come in any order; `immediate` has the value `true`. A key twice, an unknown key and
/// a second shape are errors. So is `schedule` in both forms, since its delays need a home
/// ([`Policy::parse_in`] takes one): it can be written, not read. Formats that are not for people
/// (postcard) have the line only.
///
/// ```
/// use serde_core::Deserialize;
/// use serde_core::de::value::{Error, MapDeserializer};
/// use undaunted_core::Policy;
///
/// let map = [("cap", "10s"), ("linear", "1s +500ms"), ("attempts", "unlimited")];
/// let policy = Policy::deserialize(MapDeserializer::<_, Error>::new(map.into_iter())).unwrap();
/// assert_eq!(policy.to_string(), "linear 1s +500ms cap 10s jitter full attempts unlimited");
/// ```
impl<'de> Deserialize<'de> for Policy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Policy, D::Error> {
        match deserializer.is_human_readable() {
            true => deserializer.deserialize_any(LineOrMap),
            false => deserializer.deserialize_str(LineOrMap),
        }
    }
}

struct LineOrMap;

impl<'de> Visitor<'de> for LineOrMap {
    type Value = Policy;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a policy, such as \"exponential 100ms x2 attempts 8\", or a map with the same words")
    }

    fn visit_str<E: Error>(self, line: &str) -> Result<Policy, E> {
        Policy::parse(line).map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Policy, A::Error> {
        let mut draft = Draft::new();
        while let Some(key) = map.next_key_seed(Key { of: "a word of a policy", keys: KEYS })? {
            map.next_value_seed(Value { key, said: &mut draft.said })?;
        }
        draft.build().map_err(A::Error::custom)
    }
}

/// The words that may be keys of a recovery; those of a policy come first. `x1.5` and `+500ms` follow the
/// shape's first delay in its value.
const ALL_KEYS: &[&str] = &[
    "constant",
    "decorrelated",
    "exponential",
    "fibonacci",
    "immediate",
    "linear",
    "cap",
    "floor",
    "jitter",
    "attempts",
    "within",
    "attempt_timeout",
    "hint_ceiling",
    "first_delay",
    "reset_after",
    "intensity",
];
const KEYS: &[&str] = ALL_KEYS.split_at(14).0;

/// One of these keys.
struct Key {
    of: &'static str,
    keys: &'static [&'static str],
}

impl<'de> DeserializeSeed<'de> for Key {
    type Value = &'static str;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<&'static str, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Key {
    type Value = &'static str;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.of)
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<&'static str, E> {
        match self.keys.iter().find(|key| **key == word) {
            Some(key) => Ok(key),
            None if word == "schedule" => Err(at_key(word, Problem::Expected(Expected::Home))),
            None => Err(E::unknown_field(word, self.keys)),
        }
    }
}

/// The value of one key, read into what was said.
struct Value<'a> {
    key: &'static str,
    said: &'a mut Said,
}

impl<'de> DeserializeSeed<'de> for Value<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Visitor<'_> for Value<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let example = match self.key {
            "attempts" => "8 or \"unlimited\"",
            "decorrelated" => "\"100ms x3\"",
            "exponential" => "\"100ms x1.5\"",
            "immediate" => "true",
            "jitter" => "\"full\"",
            "linear" => "\"1s +500ms\"",
            _ => "\"30s\"",
        };
        write!(f, "for `{}` a value such as {example}", self.key)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        match (self.key, value) {
            ("immediate", true) => self.visit_str(""),
            _ => Err(E::invalid_value(Unexpected::Bool(value), &self)),
        }
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        match u64::try_from(value) {
            Ok(value) => self.visit_u64(value),
            Err(_) => Err(E::invalid_value(Unexpected::Signed(value), &self)),
        }
    }

    fn visit_u64<E: Error>(mut self, value: u64) -> Result<(), E> {
        match (self.key, u32::try_from(value)) {
            ("attempts", Ok(attempts)) => {
                // In digits, so that one place knows what was said already.
                self.read(|said, reader| said.read(Field::Attempts, reader), "1")?;
                self.said.say(Field::Attempts, attempts as u64);
                Ok(())
            }
            ("attempts", Err(_)) => Err(E::invalid_value(Unexpected::Unsigned(value), &self)),
            _ => Err(E::invalid_type(Unexpected::Unsigned(value), &self)),
        }
    }

    fn visit_str<E: Error>(mut self, text: &str) -> Result<(), E> {
        match (shape_at(&mut Reader::new(self.key)), field_at(&mut Reader::new(self.key))) {
            (Some(_), _) if self.said.has(Field::Backoff) => {
                Err(at_key(self.key, "a policy has only one shape"))
            }
            (Some(shape), _) => self.read(|said, reader| said.read_shape_with_growth(shape, reader), text),
            (None, Some(field)) => self.read(|said, reader| said.read(field, reader), text),
            (None, None) => Err(E::unknown_field(self.key, KEYS)),
        }
    }
}

impl Value<'_> {
    /// Reads a value, all of it.
    fn read<E: Error>(&mut self, read: impl FnOnce(&mut Said, &mut Reader<'_>), text: &str) -> Result<(), E> {
        read_all(self.key, |reader| read(self.said, reader), text)
    }
}

/// Reads the value of a key, all of it.
fn read_all<E: Error>(key: &'static str, read: impl FnOnce(&mut Reader<'_>), text: &str) -> Result<(), E> {
    let mut reader = Reader::new(text);
    reader.more();
    read(&mut reader);
    match (reader.fault, reader.more()) {
        (None, true) => Err(at_key(key, format_args!("at byte {}: expected nothing more", reader.at))),
        (None, false) => Ok(()),
        (Some(fault), _) => Err(wrong(key, fault)),
    }
}

impl Said {
    /// The first delay of a shape, and the factor or the step that may follow it.
    fn read_shape_with_growth(&mut self, shape: Shape, reader: &mut Reader<'_>) {
        self.say(Field::Backoff, 0);
        self.read_first(shape, reader, None);
        let follows = reader.more();
        let growth = reader.at;
        if follows && matches!(reader.byte(), b'x' | b'+') {
            self.read_setting(reader);
        }
        reader.start = growth;
        self.read_end(reader);
    }
}

/// What is wrong with the value of a key; positions count from the start of the value.
fn wrong<E: Error>(key: &'static str, fault: Fault) -> E {
    match fault.expected {
        Expected::Once => E::duplicate_field(key),
        _ => at_key(key, fault.error()),
    }
}

fn at_key<E: Error>(key: &str, problem: impl fmt::Display) -> E {
    E::custom(format_args!("{key}: {problem}"))
}
