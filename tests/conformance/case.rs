//! Reading: a directory of suites, a suite of cases, and the keys of a case.

use crate::findings::{Checked, End, failed};
use serde_json::{Map, Value};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// One file of cases.
pub(crate) struct Suite {
    pub(crate) name: String,
    pub(crate) cases: Vec<Value>,
}

/// The files of a directory that are named `*.json`, by name.
pub(crate) fn files(directory: &Path) -> Result<Vec<PathBuf>, String> {
    let unreadable = |error| format!("{}: {error}", directory.display());
    let mut files = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            files.push(path);
        }
    }
    files.sort();
    if files.is_empty() { Err(format!("{}: no *.json in it", directory.display())) } else { Ok(files) }
}

/// A suite; nothing where the file is about something else; or what is wrong with it.
pub(crate) fn read(file: &Path) -> Result<Option<Suite>, String> {
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    let json: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    match json["schema"].as_str() {
        Some("retry-cases/1") => {}
        Some(other) => return Err(format!("schema {other:?} is not retry-cases/1")),
        None if json["cases"].is_null() => return Ok(None),
        None => return Err("no schema; a suite says retry-cases/1".to_string()),
    }
    let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let name = json["suite"].as_str().map(str::to_string).or(stem).unwrap_or_default();
    match json["cases"].as_array() {
        Some(cases) if !cases.is_empty() => Ok(Some(Suite { name, cases: cases.clone() })),
        _ => Err("no cases in it".to_string()),
    }
}

/// The keys of an object, and which of them were looked at: what nobody looked at was not checked.
#[derive(Clone)]
pub(crate) struct Fields<'a> {
    map: &'a Map<String, Value>,
    path: String,
    seen: Rc<RefCell<BTreeSet<String>>>,
    scale: f64,
}

impl<'a> Fields<'a> {
    /// The keys of a whole case. Lengths come in nanoseconds, times `scale`.
    pub(crate) fn of_case(case: &'a Value) -> Checked<Fields<'a>> {
        let Some(map) = case.as_object() else { return failed("a case must be an object") };
        let parted = |key| {
            case.get(key).and_then(Value::as_u64).is_some_and(|nanos: u64| !nanos.is_multiple_of(1_000))
        };
        let small = below_a_microsecond(&case["policy"]) || parted("timeout_ns") || parted("work_ns");
        let scale = if small { 1_000.0 } else { 1.0 };
        Ok(Fields { map, path: String::new(), seen: Rc::default(), scale })
    }

    /// Without any key.
    pub(crate) fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// Whether 1 ns is run as 1 us.
    pub(crate) fn is_scaled(&self) -> bool {
        self.scale > 1.0
    }

    /// The factor of every length.
    pub(crate) fn scale(&self) -> f64 {
        self.scale
    }

    fn named(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_string() } else { format!("{}.{key}", self.path) }
    }

    /// Whether the key is there, `null` included; it counts as looked at.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.seen.borrow_mut().insert(self.named(key));
        self.map.contains_key(key)
    }

    /// The value; `null` counts as absent.
    pub(crate) fn value(&self, key: &str) -> Option<&'a Value> {
        self.seen.borrow_mut().insert(self.named(key));
        self.map.get(key).filter(|value| !value.is_null())
    }

    /// Keys that say something to people or about the peer's insides only.
    pub(crate) fn informative(&self, keys: &[&str]) {
        for key in keys {
            self.value(key);
        }
    }

    pub(crate) fn text(&self, key: &str) -> Option<&'a str> {
        self.value(key).and_then(Value::as_str)
    }

    pub(crate) fn flag(&self, key: &str) -> bool {
        self.value(key).and_then(Value::as_bool).unwrap_or(false)
    }

    /// Of these, what is said must be true.
    pub(crate) fn all_true(&self, keys: &[&str]) -> Checked {
        match keys.iter().find(|key| self.value(key).is_some_and(|value| value.as_bool() != Some(true))) {
            Some(key) => failed(format!("{} is true", self.named(key))),
            None => Ok(()),
        }
    }

    pub(crate) fn object(&self, key: &str) -> Option<Fields<'a>> {
        let map = self.value(key)?.as_object()?;
        Some(Fields { map, path: self.named(key), ..self.clone() })
    }

    /// The objects of a list; what is no object makes it unreadable.
    pub(crate) fn objects(&self, key: &str) -> Checked<Vec<Fields<'a>>> {
        let Some(list) = self.value(key) else { return Ok(Vec::new()) };
        let of = |(n, value): (usize, &'a Value)| match value.as_object() {
            Some(map) => Ok(Fields { map, path: format!("{}[{n}]", self.named(key)), ..self.clone() }),
            None => failed(format!("{}[{n}] must be an object", self.named(key))),
        };
        match list.as_array() {
            Some(list) => list.iter().enumerate().map(of).collect(),
            None => failed(format!("{} must be a list", self.named(key))),
        }
    }

    pub(crate) fn number(&self, key: &str) -> Checked<Option<f64>> {
        self.value(key).map(|value| number(value, &self.named(key))).transpose()
    }

    pub(crate) fn number_or(&self, key: &str, otherwise: f64) -> Checked<f64> {
        Ok(self.number(key)?.unwrap_or(otherwise))
    }

    /// A number that must be there.
    pub(crate) fn needed(&self, key: &str) -> Checked<f64> {
        match self.number(key)? {
            Some(number) => Ok(number),
            None => failed(format!("{} is missing", self.named(key))),
        }
    }

    /// A whole number of at least zero.
    pub(crate) fn count(&self, key: &str) -> Checked<Option<u32>> {
        match self.value(key) {
            None => Ok(None),
            Some(value) => match value.as_u64() {
                Some(n) => Ok(Some(u32::try_from(n).unwrap_or(u32::MAX))),
                None => failed(format!("{} must be a whole number, not {value}", self.named(key))),
            },
        }
    }

    /// A length by its name without the unit, in nanoseconds.
    pub(crate) fn length(&self, name: &str) -> Checked<Option<f64>> {
        for (unit, nanos) in UNITS {
            if let Some(length) = self.number(&format!("{name}{unit}"))? {
                return Ok(Some(length * nanos * self.scale));
            }
        }
        Ok(None)
    }

    /// A length that must be there.
    pub(crate) fn needed_length(&self, name: &str) -> Checked<f64> {
        match self.length(name)? {
            Some(length) => Ok(length),
            None => failed(format!("{}_ns, _ms or _s is missing", self.named(name))),
        }
    }

    /// A value whose name ends in a unit, with what one unit is in nanoseconds.
    pub(crate) fn with_unit(&self, name: &str) -> Option<(&'a Value, f64)> {
        let found =
            |(unit, nanos): (&str, f64)| Some((self.value(&format!("{name}{unit}"))?, nanos * self.scale));
        UNITS.into_iter().find_map(found)
    }

    /// A value whose unit is in the middle of its name, with what one unit is in nanoseconds.
    pub(crate) fn with_unit_between(&self, name: &str, end: &str) -> Option<(&'a Value, f64)> {
        let found = |(unit, nanos): (&str, f64)| {
            Some((self.value(&format!("{name}{unit}{end}"))?, nanos * self.scale))
        };
        UNITS.into_iter().find_map(found)
    }

    /// A list of lengths by its name without the unit.
    pub(crate) fn lengths(&self, name: &str) -> Checked<Option<Vec<f64>>> {
        let Some((value, nanos)) = self.with_unit(name) else { return Ok(None) };
        let path = self.named(name);
        let Some(list) = value.as_array() else { return failed(format!("{path} must be a list")) };
        let lengths: Checked<Vec<f64>> = list.iter().map(|v| Ok(number(v, &path)? * nanos)).collect();
        lengths.map(Some)
    }

    /// The keys, here and below, that nobody looked at.
    pub(crate) fn unread(&self) -> Vec<String> {
        let mut unread = Vec::new();
        collect_unread(self.map, &self.path, &self.seen.borrow(), &mut unread);
        unread
    }
}

/// By the ends of their names; without a unit it is nanoseconds.
const UNITS: [(&str, f64); 6] =
    [("_ns", 1.0), ("_us", 1e3), ("_ms", 1e6), ("_s", 1e9), ("_sec", 1e9), ("_s_9dp", 1e9)];

/// Integers are read as 64 bits; they become floating point only to be compared within a tolerance.
pub(crate) fn number(value: &Value, path: &str) -> Checked<f64> {
    match (value.as_u64(), value.as_i64(), value.as_f64()) {
        (Some(n), _, _) => Ok(n as f64),
        (_, Some(n), _) => Ok(n as f64),
        (_, _, Some(n)) => Ok(n),
        _ => Err(End::Failed(format!("{path} must be a number, not {value}"))),
    }
}

fn collect_unread(map: &Map<String, Value>, path: &str, seen: &BTreeSet<String>, unread: &mut Vec<String>) {
    for (key, value) in map {
        let named = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        if !seen.contains(&named) {
            unread.push(named);
            continue;
        }
        if let Some(map) = value.as_object() {
            collect_below(map, &named, seen, unread);
        }
        for (n, item) in value.as_array().into_iter().flatten().enumerate() {
            if let Some(map) = item.as_object() {
                collect_below(map, &format!("{named}[{n}]"), seen, unread);
            }
        }
    }
}

/// An object none of whose keys was looked at was taken as a whole.
fn collect_below(map: &Map<String, Value>, path: &str, seen: &BTreeSet<String>, unread: &mut Vec<String>) {
    let below = format!("{path}.");
    if seen.iter().any(|key| key.starts_with(&below)) {
        collect_unread(map, path, seen, unread);
    }
}

/// Whether a length of the policy is no whole microsecond because it is less than one.
fn below_a_microsecond(value: &Value) -> bool {
    let small = |(key, value): (&String, &Value)| {
        let nanos = value.as_u64().filter(|_| key.ends_with("_ns"));
        nanos.is_some_and(|n| n > 0 && n < 1_000) || below_a_microsecond(value)
    };
    match value {
        Value::Object(map) => map.iter().any(small),
        Value::Array(list) => list.iter().any(below_a_microsecond),
        _ => false,
    }
}
