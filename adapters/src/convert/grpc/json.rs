//! A retry policy from the JSON of a service config. Reads what is there; the rules between numbers are
//! [`RetryPolicy::policy`]'s.

use super::{RetryPolicy, StatusCode, StatusCodes};
use core::{fmt, time::Duration};
use serde_core::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Unexpected, Visitor};

const FIELDS: &[&str] =
    &["maxAttempts", "initialBackoff", "maxBackoff", "backoffMultiplier", "retryableStatusCodes"];

/// The object after the key `retryPolicy`, with its names and forms.
impl<'de> Deserialize<'de> for RetryPolicy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RetryPolicy, D::Error> {
        deserializer.deserialize_map(Object)
    }
}

struct Object;

impl<'de> Visitor<'de> for Object {
    type Value = RetryPolicy;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the retryPolicy of a service config, an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RetryPolicy, A::Error> {
        let (mut attempts, mut initial, mut max, mut multiplier, mut codes) = (None, None, None, None, None);
        while let Some(Key(key)) = map.next_key()? {
            match key {
                0 => once(&mut attempts, key, map.next_value()?)?,
                1 => once(&mut initial, key, map.next_value::<Seconds>()?.0)?,
                2 => once(&mut max, key, map.next_value::<Seconds>()?.0)?,
                3 => once(&mut multiplier, key, map.next_value()?)?,
                _ => once(&mut codes, key, map.next_value()?)?,
            }
        }
        Ok(RetryPolicy {
            max_attempts: required(attempts, 0)?,
            initial_backoff: required(initial, 1)?,
            max_backoff: required(max, 2)?,
            backoff_multiplier: required(multiplier, 3)?,
            retryable_status_codes: required(codes, 4)?,
        })
    }
}

fn once<T, E: Error>(field: &mut Option<T>, key: usize, value: T) -> Result<(), E> {
    match field.replace(value) {
        None => Ok(()),
        Some(_) => Err(E::duplicate_field(FIELDS[key])),
    }
}

fn required<T, E: Error>(field: Option<T>, key: usize) -> Result<T, E> {
    field.ok_or_else(|| E::missing_field(FIELDS[key]))
}

/// A key, by its place among the fields.
struct Key(usize);

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Key, D::Error> {
        deserializer.deserialize_identifier(AnyKey)
    }
}

struct AnyKey;

impl Visitor<'_> for AnyKey {
    type Value = Key;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a field of a retryPolicy")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Key, E> {
        let place = FIELDS.iter().position(|field| *field == name);
        place.map(Key).ok_or_else(|| E::unknown_field(name, FIELDS))
    }
}

/// A duration in proto3's JSON.
struct Seconds(Duration);

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Seconds, D::Error> {
        deserializer.deserialize_str(AnySeconds)
    }
}

struct AnySeconds;

impl Visitor<'_> for AnySeconds {
    type Value = Seconds;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("seconds such as \"0.1s\", with at most nine decimals")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Seconds, E> {
        seconds(text).map(Seconds).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }
}

fn seconds(text: &str) -> Option<Duration> {
    let number = text.strip_suffix('s')?;
    let (whole, part) = match number.split_once('.') {
        Some((_, "")) => return None,
        Some(("", part)) => ("0", part),
        Some(parts) => parts,
        None => (number, "0"),
    };
    // `parse` alone would let a sign through.
    if part.len() > 9 || !whole.bytes().chain(part.bytes()).all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let nanos = part.parse::<u32>().ok()? * 10_u32.pow(9 - part.len() as u32);
    Some(Duration::new(whole.parse().ok()?, nanos))
}

impl<'de> Deserialize<'de> for StatusCodes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<StatusCodes, D::Error> {
        deserializer.deserialize_seq(Array)
    }
}

struct Array;

impl<'de> Visitor<'de> for Array {
    type Value = StatusCodes;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of status codes")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<StatusCodes, A::Error> {
        let mut codes = StatusCodes::default();
        while let Some(code) = array.next_element()? {
            codes = codes.or(StatusCodes::of(&[code]));
        }
        Ok(codes)
    }
}

impl<'de> Deserialize<'de> for StatusCode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<StatusCode, D::Error> {
        deserializer.deserialize_any(AnyCode)
    }
}

struct AnyCode;

impl Visitor<'_> for AnyCode {
    type Value = StatusCode;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a status code of a failure, such as \"UNAVAILABLE\" or 14")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<StatusCode, E> {
        StatusCode::named(name).ok_or_else(|| E::invalid_value(Unexpected::Str(name), &self))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<StatusCode, E> {
        let code = i32::try_from(number).ok().and_then(StatusCode::numbered);
        code.ok_or_else(|| E::invalid_value(Unexpected::Signed(number), &self))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<StatusCode, E> {
        let code = i32::try_from(number).ok().and_then(StatusCode::numbered);
        code.ok_or_else(|| E::invalid_value(Unexpected::Unsigned(number), &self))
    }
}
