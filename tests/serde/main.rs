//! Policies in JSON, TOML and postcard: the line in all of them, a map with the same words in the
//! formats for people. Maps are compared with the line that says the same.

mod recovery;

use serde_json::json;
use std::collections::BTreeMap;
use undaunted_core::{Micros, Policy};

fn line(text: &str) -> Policy {
    Policy::parse(text).unwrap()
}

fn json(text: &str) -> Result<Policy, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// Says that this JSON is refused with a message that has these parts.
#[track_caller]
fn refused(text: &str, parts: &[&str]) {
    let message = json(text).expect_err(text);
    assert!(parts.iter().all(|part| message.contains(part)), "{text}\n{message}\nexpected {parts:?}");
}

/// Every word of the language at once, and each shape.
const LINES: [&str; 9] = [
    "constant 5s cap 5s jitter none attempts 5",
    "decorrelated 100ms x3 cap 20s jitter none attempts 8",
    "exponential 100ms x1.5 cap 40s jitter full attempts 8 within 2m",
    "exponential 1s x2 cap 40s floor 500ms jitter +-20% attempts unlimited within 1h attempt_timeout 3s \
     hint_ceiling 1m first_delay 250ms",
    "fibonacci 1s cap 30s jitter equal attempts 6",
    "immediate cap 30s jitter full attempts 3",
    "immediate cap 30s floor 10ms jitter +100% attempts unlimited",
    "linear 1s +500ms cap 10s jitter +12.5% attempts 4",
    "linear 1us +1us cap 1d jitter none attempts 4294967295",
];

#[test]
fn a_policy_is_written_as_its_line() {
    for text in LINES {
        assert_eq!(serde_json::to_value(line(text)).unwrap(), json!(text));
        let document = BTreeMap::from([("retry", line(text))]);
        assert_eq!(toml::to_string(&document).unwrap(), format!("retry = \"{text}\"\n"));
    }
}

#[test]
fn a_line_reads_back() {
    for text in LINES {
        assert_eq!(json(&json!(text).to_string()), Ok(line(text)));
        let document: BTreeMap<String, Policy> = toml::from_str(&format!("retry = \"{text}\"")).unwrap();
        assert_eq!(document["retry"], line(text));
    }
    // An escape in JSON: the reader lends no slice of the document.
    assert_eq!(json(r#""constant\u00201s""#), Ok(line("constant 1s")));
}

#[test]
fn every_line_has_a_map() {
    for text in LINES {
        let map = as_map(text);
        assert_eq!(json(&serde_json::to_string(&map).unwrap()), Ok(line(text)), "{map:?}");
        let table = toml::to_string(&BTreeMap::from([("retry", &map)])).unwrap();
        let document: BTreeMap<String, Policy> = toml::from_str(&table).unwrap();
        assert_eq!(document["retry"], line(text), "{table}");
    }
}

/// The words of a canonical line as keys, with what follows them as values. Sorted by key, so that the
/// shape comes at any place.
fn as_map(line: &str) -> BTreeMap<String, String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (shape, mut rest) = (words[0], &words[1..]);
    let first = rest.iter().position(|word| *word == "cap").unwrap();
    let mut map = BTreeMap::from([(shape.to_string(), rest[..first].join(" "))]);
    rest = &rest[first..];
    for pair in rest.chunks(2) {
        map.insert(pair[0].to_string(), pair[1].to_string());
    }
    map
}

#[test]
fn a_table_as_people_write_it() {
    let document: BTreeMap<String, Policy> = toml::from_str(
        r#"
            inline = { exponential = "100ms x1.5", cap = "40s", jitter = "full", attempts = 8, within = "2m" }
            line = "exponential 100ms x1.5 cap 40s attempts 8 within 2m"

            [table]
            attempts = 8
            within = "2m"
            cap = "40s"
            exponential = "100ms x1.5"
        "#,
    )
    .unwrap();
    let expected = line("exponential 100ms x1.5 cap 40s jitter full attempts 8 within 2m");
    assert!(document.values().all(|policy| *policy == expected), "{document:?}");
    assert_eq!(document.len(), 3);
    // The map as the whole document.
    assert_eq!(
        toml::from_str::<Policy>("constant = \"1s\"\nattempts = 2").unwrap(),
        line("constant 1s attempts 2")
    );
}

#[test]
fn values_have_defaults_and_spellings() {
    for (map, text) in [
        (r#"{"exponential": "1s"}"#, "exponential 1s x2"),
        (r#"{"exponential": " 1s  x3 "}"#, "exponential 1s x3"),
        (r#"{"decorrelated": "1s"}"#, "decorrelated 1s x3"),
        (r#"{"immediate": true}"#, "immediate"),
        (r#"{"attempts": 2, "immediate": ""}"#, "immediate attempts 2"),
        (r#"{"constant": "1s", "attempts": "unlimited"}"#, "constant 1s attempts unlimited"),
        (r#"{"constant": "1s", "attempts": "7"}"#, "constant 1s attempts 7"),
        (r#"{"constant": "1s", "attempts": 4294967295}"#, "constant 1s attempts 4294967295"),
        (r#"{"floor": "0s", "constant": "1s"}"#, "constant 1s"),
        (r#"{"con\u0073tant": "1\u0073"}"#, "constant 1s"),
    ] {
        assert_eq!(json(map), Ok(line(text)), "{map}");
    }
}

#[test]
fn a_line_that_cannot_be_read_says_where() {
    refused(r#""exponential 100""#, &["at byte 15: expected a unit (us, ms, s, m, h or d)"]);
    refused(r#""exponential 1s cap 5s cap 6s""#, &["at byte 22: expected each word only once"]);
    refused(r#""schedule 1s,5s""#, &["at byte 0: expected another shape", "home", "parse_in"]);
    refused(r#""""#, &["at byte 0: expected a shape"]);
    refused(r#""constant 1s attempts 0""#, &["attempts must be at least 1"]);
}

#[test]
fn what_is_no_policy_says_what_one_is() {
    for text in ["8", "true", "null", "1.5", r#"["constant 1s"]"#] {
        refused(text, &["expected a policy, such as \"exponential 100ms x2 attempts 8\", or a map"]);
    }
}

#[test]
fn a_map_that_cannot_be_read_names_the_key() {
    refused(r#"{"exponential": "100"}"#, &["exponential: at byte 3: expected a unit"]);
    refused(r#"{"constant": "1s", "cap": "1m30s"}"#, &["cap: at byte 1: expected one unit", "90s"]);
    refused(r#"{"constant": "1s", "cap": ""}"#, &["cap: at byte 0: expected a length"]);
    refused(r#"{"constant": ""}"#, &["constant: at byte 0: expected a length"]);
    refused(
        r#"{"constant": "1s", "jitter": "some"}"#,
        &["jitter: at byte 0: expected a jitter (full, equal"],
    );
    refused(r#"{"constant": "1s", "attempts": "many"}"#, &["attempts: at byte 0: expected a number"]);
    refused(r#"{"exponential": "1s xx"}"#, &["exponential: at byte 4: expected a factor"]);
    refused(r#"{"linear": "1s"}"#, &["linear: at byte 2: expected the step of linear, such as +500ms"]);
    refused(r#"{"linear": "1s x2"}"#, &["linear: at byte 3: expected the step of linear"]);
    refused(r#"{"exponential": "1s +1s"}"#, &["exponential: at byte 3: expected one of x1.5, cap"]);
}

#[test]
fn a_value_holds_no_second_word() {
    refused(r#"{"constant": "1s", "cap": "40s floor 1s"}"#, &["cap: at byte 4: expected nothing more"]);
    refused(r#"{"constant": "1s cap 5s"}"#, &["constant: at byte 3: expected nothing more"]);
    refused(r#"{"exponential": "1s x2 x3"}"#, &["exponential: at byte 6: expected nothing more"]);
    refused(r#"{"immediate": "1s"}"#, &["immediate: at byte 0: expected nothing more"]);
    refused(r#"{"linear": "1s +1s +1s"}"#, &["linear: at byte 7: expected nothing more"]);
}

#[test]
fn keys_are_known_and_said_once() {
    refused(r#"{"constant": "1s", "caps": "4s"}"#, &["unknown field `caps`", "`cap`", "`hint_ceiling`"]);
    refused(r#"{"exponential": "1s", "x1.5": ""}"#, &["unknown field `x1.5`"]);
    refused(r#"{"Constant": "1s"}"#, &["unknown field `Constant`", "`constant`"]);
    refused(r#"{"constant": "1s", "cap": "4s", "cap": "4s"}"#, &["duplicate field `cap`"]);
    refused(r#"{"constant": "1s", "attempts": 4, "attempts": "4"}"#, &["duplicate field `attempts`"]);
    refused(r#"{"attempts": "4", "attempts": 4}"#, &["duplicate field `attempts`"]);
    refused(r#"{"constant": "1s", "linear": "1s +1s"}"#, &["linear: a policy has only one shape"]);
    refused(r#"{"constant": "1s", "constant": "1s"}"#, &["constant: a policy has only one shape"]);
    refused(r#"{"immediate": true, "immediate": true}"#, &["immediate: a policy has only one shape"]);
}

/// The words of the language and the keys of a map are the same ones.
#[test]
fn every_word_is_a_key() {
    let unknown = json(r#"{"?": ""}"#).unwrap_err();
    let message = Policy::parse("constant 1s ?").unwrap_err().to_string();
    let words = message.split_once("one of x1.5, ").unwrap().1.split_once(", and").unwrap().0;
    assert_eq!(words.split(", ").count(), 8);
    for word in words.split(", ") {
        assert!(unknown.contains(&format!("`{word}`")), "{word}: {unknown}");
    }
    let message = Policy::parse("?").unwrap_err().to_string();
    let shapes = message.split_once("a shape (").unwrap().1.trim_end_matches(')').replace(" or ", ", ");
    assert_eq!(shapes.split(", ").count(), 7);
    for shape in shapes.split(", ").filter(|shape| *shape != "schedule") {
        assert!(unknown.contains(&format!("`{shape}`")), "{shape}: {unknown}");
    }
}

#[test]
fn values_of_another_type_say_what_is_expected() {
    refused(r#"{"constant": "1s", "cap": 40}"#, &["integer `40`", "for `cap` a value such as \"30s\""]);
    refused(r#"{"constant": 1}"#, &["integer `1`", "for `constant` a value such as \"30s\""]);
    refused(r#"{"constant": "1s", "cap": -40}"#, &["integer `-40`", "for `cap`"]);
    refused(r#"{"attempts": -1}"#, &["integer `-1`", "for `attempts` a value such as 8 or \"unlimited\""]);
    refused(r#"{"attempts": 4294967296}"#, &["integer `4294967296`", "for `attempts`"]);
    refused(r#"{"attempts": 8.0}"#, &["floating point `8.0`", "for `attempts`"]);
    refused(r#"{"attempts": true}"#, &["boolean `true`", "for `attempts`"]);
    refused(r#"{"immediate": false}"#, &["boolean `false`", "for `immediate` a value such as true"]);
    refused(r#"{"immediate": null}"#, &["null", "for `immediate`"]);
    refused(r#"{"linear": ["1s"]}"#, &["sequence", "for `linear` a value such as \"1s +500ms\""]);
    refused(r#"{"exponential": {}}"#, &["map", "such as \"100ms x1.5\""]);
    refused(r#"{"decorrelated": 0.5}"#, &["such as \"100ms x3\""]);
    refused(r#"{"jitter": 0.2}"#, &["for `jitter` a value such as \"full\""]);
}

#[test]
fn rules_hold_in_maps_too() {
    refused("{}", &["a policy must name a shape, such as exponential"]);
    refused(r#"{"cap": "1s"}"#, &["a policy must name a shape"]);
    refused(r#"{"constant": "1s", "attempts": 0}"#, &["attempts must be at least 1", "got 0"]);
    refused(
        r#"{"constant": "50s", "cap": "40s"}"#,
        &["the first delay must not be longer than the cap; got 50s"],
    );
    refused(
        r#"{"floor": "2s", "cap": "1s", "constant": "1s"}"#,
        &["floor must not be longer than the cap; got 2s"],
    );
    refused(r#"{"immediate": true, "attempts": "unlimited"}"#, &["needs a floor"]);
    refused(r#"{"constant": "1s x2"}"#, &["factor belongs to exponential and decorrelated only"]);
    refused(r#"{"exponential": "1s x0.5"}"#, &["factor must be exactly 1 or from 1.01 to 255"]);
    refused(r#"{"decorrelated": "1s", "jitter": "full"}"#, &["decorrelated has its own jitter"]);
}

/// A schedule can be written; to be read, its delays would need a home.
#[test]
fn a_schedule_is_written_and_refused() {
    static STEPS: [Micros; 2] = [Micros::from_secs(1), Micros::from_secs(5)];
    let policy = Policy::schedule(&STEPS);
    let text = serde_json::to_string(&policy).unwrap();
    assert_eq!(text, r#""schedule 1s,5s cap 30s jitter full attempts 5""#);
    refused(&text, &["expected another shape (a schedule needs a home for its delays: `parse_in`)"]);
    for value in [r#""1s,5s""#, r#"["1s", "5s"]"#, "1"] {
        let map = format!(r#"{{"schedule": {value}}}"#);
        refused(
            &map,
            &["schedule: expected another shape (a schedule needs a home for its delays: `parse_in`)"],
        );
    }
}

/// postcard writes a string as its length (one byte up to 127) and its bytes.
#[test]
fn postcard_has_the_line() {
    for text in LINES {
        let mut buffer = [0; 256];
        let bytes = postcard::to_slice(&line(text), &mut buffer).unwrap();
        assert_eq!(&bytes[bytes.len() - text.len()..], text.as_bytes());
        assert_eq!(postcard::from_bytes::<Policy>(bytes), Ok(line(text)));
    }
    let mut buffer = [0; 256];
    let bytes = postcard::to_slice("constant 1", &mut buffer).unwrap();
    assert!(postcard::from_bytes::<Policy>(bytes).is_err());
}
