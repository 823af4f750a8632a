//! Recoveries: a policy's line and map with two words more.

use serde_json::json;
use std::collections::BTreeMap;
use undaunted_core::Recovery;

const LINES: [&str; 3] = [
    "exponential 1s x2 cap 5m jitter full attempts unlimited reset_after 10m intensity 5/1m",
    "linear 1s +500ms cap 10s jitter +12.5% attempts 4 reset_after 1us",
    "immediate cap 30s jitter full attempts 3 within 1h reset_after 1m intensity 65535/1d",
];

fn line(text: &str) -> Recovery {
    Recovery::parse(text).unwrap()
}

fn json(text: &str) -> Result<Recovery, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

#[track_caller]
fn refused(text: &str, parts: &[&str]) {
    let message = json(text).expect_err(text);
    assert!(parts.iter().all(|part| message.contains(part)), "{text}\n{message}\nexpected {parts:?}");
}

#[test]
fn a_line_and_its_map_say_the_same() {
    for text in LINES {
        assert_eq!(serde_json::to_value(line(text)).unwrap(), json!(text));
        assert_eq!(json(&json!(text).to_string()), Ok(line(text)));
        let map = crate::as_map(text);
        assert_eq!(json(&serde_json::to_string(&map).unwrap()), Ok(line(text)), "{map:?}");
        let table = toml::to_string(&BTreeMap::from([("uplink", &map)])).unwrap();
        let document: BTreeMap<String, Recovery> = toml::from_str(&table).unwrap();
        assert_eq!(document["uplink"], line(text), "{table}");
        let mut buffer = [0; 256];
        let bytes = postcard::to_slice(&line(text), &mut buffer).unwrap();
        assert_eq!(postcard::from_bytes::<Recovery>(bytes), Ok(line(text)));
    }
    assert_eq!(json(r#"{"constant": "1s", "attempts": 7}"#), Ok(line("constant 1s attempts 7")));
}

#[test]
fn what_cannot_be_read_says_where() {
    refused(r#""constant 1s intensity 5""#, &["at byte 22: expected a number up to 65535 and a window"]);
    refused(r#"{"constant": "1s", "intensity": "5"}"#, &["intensity: at byte 0: expected a number"]);
    refused(r#"{"constant": "1s", "intensity": "5/1"}"#, &["intensity: at byte 3: expected a unit"]);
    refused(r#"{"constant": "1s", "intensity": "5/1m x"}"#, &["intensity: at byte 5: expected nothing more"]);
    refused(r#"{"constant": "1s", "intensity": "0/1m"}"#, &["intensity must allow from 1 to 65535 restarts"]);
    refused(r#"{"constant": "1s", "reset_after": "0s"}"#, &["reset_after must be at least 1 us"]);
    refused(r#"{"constant": "1s", "reset_after": 5}"#, &["for `reset_after` a value such as \"10m\""]);
    refused(r#"{"constant": "1s", "intensity": 5}"#, &["for `intensity` a value such as \"5/1m\""]);
    refused(
        r#"{"constant": "1s", "reset_after": "5s", "reset_after": "5s"}"#,
        &["duplicate field `reset_after`"],
    );
    refused(
        r#"{"constant": "1s", "reset": "5s"}"#,
        &["unknown field `reset`", "`reset_after`", "`intensity`"],
    );
    refused(r#"{"reset_after": "5s"}"#, &["a policy must name a shape"]);
    refused(r#"{"schedule": "1s"}"#, &["schedule: expected another shape"]);
    refused("8", &["expected a recovery, such as \"exponential 1s reset_after 10m\", or a map"]);
    // A policy has no such keys.
    let policy = serde_json::from_str::<undaunted_core::Policy>(r#"{"constant": "1s", "reset_after": "5s"}"#);
    assert!(policy.unwrap_err().to_string().starts_with("unknown field `reset_after`, expected one of"));
}

/// The words of the language and the keys of a map are the same ones.
#[test]
fn every_word_is_a_key() {
    let unknown = json(r#"{"?": ""}"#).unwrap_err();
    let message = Recovery::parse("constant 1s ?").unwrap_err().to_string();
    let words = message.split_once("one of x1.5, ").unwrap().1.split_once(", and").unwrap().0;
    assert_eq!(words.split(", ").count(), 10);
    for word in words.split(", ") {
        assert!(unknown.contains(&format!("`{word}`")), "{word}: {unknown}");
    }
}
