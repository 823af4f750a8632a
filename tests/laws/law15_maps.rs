//! Law 15 in configuration files and messages: a map says what the line says, and an error names the key.

use proptest::prelude::*;
use serde_core::de::DeserializeOwned;
use serde_core::de::value::MapDeserializer;
use serde_json::{Error, Value, json};
use undaunted_core::{Micros, Policy, Problem, Recovery};
use undaunted_tests::recovery::{RecoveryTwin, SaidRecovery};
use undaunted_tests::said::{Calls, Said, Shape};
use undaunted_tests::spell::text_setter;

use crate::generate::{config, mended, sound};
use crate::law10_recovery::recovery;
use crate::law15_texts::{PIECES, sayable};

/// A map with these entries in this order, twice the same key included.
fn read<T: DeserializeOwned>(entries: &[(String, Value)]) -> Result<T, String> {
    T::deserialize(MapDeserializer::<_, Error>::new(entries.iter().cloned()))
        .map_err(|error| error.to_string())
}

fn entry(key: &str, value: impl Into<Value>) -> (String, Value) {
    (key.to_string(), value.into())
}

/// A schedule has no map, for want of a home; an exponential curve stands in for it.
fn mappable(said: Said) -> Said {
    match said.shape {
        Shape::Schedule { steps } => {
            mended(Said { shape: Shape::Exponential { first: steps[0].as_micros() }, ..said })
        }
        _ => said,
    }
}

/// The words of a text as entries: the shape with its growth, then each setting. A number of attempts is a number
/// or its digits.
fn entries(said: Said, digits: bool) -> Vec<(String, Value)> {
    let shape = said.text_shape();
    let (name, first) = shape.split_once(' ').unwrap_or((&shape, ""));
    let settings: Vec<String> = said.setters().into_iter().map(text_setter).collect();
    let (growth, settings): (Vec<_>, Vec<_>) = settings.into_iter().partition(|words| words.starts_with('x'));
    let first = [vec![first.to_string()], growth].concat().join(" ");
    let shape = if name == "immediate" && !digits { entry(name, true) } else { entry(name, first) };
    let settings = settings.iter().map(|words| {
        let (key, value) = words.split_once(' ').expect("a word and its value");
        match said.attempts {
            Some(Calls::Limited(n)) if key == "attempts" && !digits => entry(key, n),
            _ => entry(key, value),
        }
    });
    std::iter::once(shape).chain(settings).collect()
}

/// Entries in any order, and the recovery that they say.
fn shuffled() -> impl Strategy<Value = (SaidRecovery, Vec<(String, Value)>)> {
    (recovery(sound()), any::<bool>()).prop_flat_map(|(said, digits)| {
        let said = SaidRecovery { policy: mappable(sayable(said.policy)), ..said };
        let own = said.words();
        let own =
            own.iter().map(|words| words.split_once(' ').map(|(key, value)| entry(key, value)).expect("two"));
        let all: Vec<_> = entries(said.policy, digits).into_iter().chain(own).collect();
        (Just(said), Just(all).prop_shuffle())
    })
}

const KEYS: [&str; 15] = [
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
];

proptest! {
    #![proptest_config(config())]

    /// In any order, and as a line in every format; both are written as the line.
    #[test]
    fn a_map_says_what_the_setters_say((said, all) in shuffled()) {
        let recovery = said.draft().unwrap();
        prop_assert_eq!(read::<Recovery>(&all), Ok(recovery), "{:?}", all);
        let own = |(key, _): &&(String, Value)| !["reset_after", "intensity"].contains(&key.as_str());
        let policys: Vec<_> = all.iter().filter(own).cloned().collect();
        prop_assert_eq!(read::<Policy>(&policys), Ok(*recovery.policy()), "{:?}", policys);
        prop_assert_eq!(read::<Policy>(&all).is_ok(), policys.len() == all.len(), "{:?}", all);
        assert_line(recovery, &RecoveryTwin::new(said).display());
        assert_line(*recovery.policy(), &RecoveryTwin::new(said).policy.display());
    }

    /// A map of words is read just when the line of the same words is; a broken rule is said alike.
    #[test]
    fn a_map_is_read_when_its_line_is(
        shape in prop::sample::subsequence(&KEYS[..6], 1),
        settings in prop::sample::subsequence(&KEYS[6..14], 0..4),
        values in prop::collection::vec(prop::sample::select(PIECES), 5), growth in 0..6_usize,
    ) {
        let word = |n: usize| Some(values[n]).filter(|word| !word.trim().is_empty()).unwrap_or("1s");
        let growth = ["", "", "", " x1.5", " +500ms", " +0s"][growth];
        let first = if shape[0] == "immediate" { String::new() } else { word(4).to_string() };
        let mut all = vec![entry(shape[0], format!("{first}{growth}"))];
        all.extend(settings.iter().enumerate().map(|(n, key)| entry(key, word(n))));
        let words = all.iter().map(|(key, value)| format!("{key} {}", value.as_str().expect("a text")));
        let line = words.collect::<Vec<_>>().join(" ");
        match (read::<Policy>(&all), Policy::parse(&line)) {
            (Ok(map), Ok(policy)) => prop_assert_eq!(map, policy, "{}", line),
            (Err(map), Err(error)) => {
                if let Problem::Invalid(invalid) = error.problem {
                    prop_assert_eq!(map, invalid.to_string(), "{}", line);
                }
            }
            (map, line) => prop_assert!(false, "{map:?}, and {line:?}"),
        }
    }
}

/// Written as this line, and read from it, by formats for people and for machines.
fn assert_line<T: serde_core::Serialize + DeserializeOwned + PartialEq + core::fmt::Debug>(
    value: T,
    line: &str,
) {
    assert_eq!(serde_json::to_value(&value).unwrap(), json!(line));
    assert_eq!(serde_json::from_value::<T>(json!(line)).unwrap(), value);
    let mut buffer = [0; 512];
    let bytes = postcard::to_slice(&value, &mut buffer).unwrap();
    assert!(bytes.ends_with(line.as_bytes()));
    assert_eq!(postcard::from_bytes::<T>(bytes).unwrap(), value);
}

/// What no map may say, by hand: the whole message.
#[test]
fn what_is_refused() {
    let one = |key: &str, value: Value| vec![entry(key, value)];
    let two = |key: &str, value: Value| vec![entry("constant", "1s"), entry(key, value)];
    for (all, message) in [
        (vec![], "a policy must name a shape, such as exponential"),
        (one("constant", json!("1")), "constant: at byte 1: expected a unit (us, ms, s, m, h or d)"),
        (one("constant", json!("1s cap 5s")), "constant: at byte 3: expected nothing more"),
        (one("linear", json!("1s")), "linear: at byte 2: expected the step of linear, such as +500ms"),
        (one("linear", json!("1s x2")), "linear: at byte 3: expected the step of linear, such as +500ms"),
        (
            one("linear", json!(["1s"])),
            "invalid type: sequence, expected for `linear` a value such as \"1s +500ms\"",
        ),
        (
            one("decorrelated", json!(1)),
            "invalid type: integer `1`, expected for `decorrelated` a value such as \"100ms x3\"",
        ),
        (
            one("exponential", json!(-1)),
            "invalid value: integer `-1`, expected for `exponential` a value such as \"100ms x1.5\"",
        ),
        (
            one("immediate", json!(false)),
            "invalid value: boolean `false`, expected for `immediate` a value such as true",
        ),
        (one("immediate", json!("1s")), "immediate: at byte 0: expected nothing more"),
        (
            one("schedule", json!("1s")),
            "schedule: expected another shape (a schedule needs a home for its delays: `parse_in`)",
        ),
        (two("linear", json!("1s +1s")), "linear: a policy has only one shape"),
        (two("cap", json!("5s floor 1s")), "cap: at byte 3: expected nothing more"),
        (
            two("cap", json!(true)),
            "invalid value: boolean `true`, expected for `cap` a value such as \"30s\"",
        ),
        (
            two("jitter", json!(0.5)),
            "invalid type: floating point `0.5`, expected for `jitter` a value such as \"full\"",
        ),
        (
            two("attempts", json!(-1)),
            "invalid value: integer `-1`, expected for `attempts` a value such as 8 or \"unlimited\"",
        ),
        (
            two("attempts", json!(4_294_967_296_u64)),
            "invalid value: integer `4294967296`, expected for `attempts` a value such as 8 or \"unlimited\"",
        ),
        (
            two("attempts", json!(0)),
            "attempts must be at least 1 (an attempt is a call, the first included); got 0",
        ),
        (vec![entry("attempts", 4), entry("attempts", "4")], "duplicate field `attempts`"),
        (vec![entry("attempts", "4"), entry("attempts", 4)], "duplicate field `attempts`"),
        (vec![entry("cap", "4s"), entry("cap", "4s")], "duplicate field `cap`"),
    ] {
        assert_eq!(read::<Policy>(&all), Err(message.into()), "{all:?}");
        assert_eq!(read::<Recovery>(&all), Err(message.into()), "{all:?}");
    }
}

/// What a recovery alone may say, and what it may not.
#[test]
fn what_is_refused_of_a_recovery() {
    let two = |key: &str, value: Value| vec![entry("constant", "1s"), entry(key, value)];
    for (all, message) in [
        (two("reset_after", json!("0s")), "reset_after must be at least 1 us; got 0s"),
        (
            two("reset_after", json!(5)),
            "invalid type: integer `5`, expected for `reset_after` a value such as \"10m\"",
        ),
        (two("reset_after", json!("5s 5s")), "reset_after: at byte 3: expected nothing more"),
        (
            two("intensity", json!(true)),
            "invalid type: boolean `true`, expected for `intensity` a value such as \"5/1m\"",
        ),
        (
            two("intensity", json!("5")),
            "intensity: at byte 0: expected a number up to 65535 and a window, such as 5/1m",
        ),
        (two("intensity", json!("0/1m")), "intensity must allow from 1 to 65535 restarts; got 0"),
        (vec![entry("reset_after", "5s"), entry("reset_after", "5s")], "duplicate field `reset_after`"),
    ] {
        assert_eq!(read::<Recovery>(&all), Err(message.into()), "{all:?}");
    }
}

/// Formats whose numbers have a sign: TOML. By hand.
#[test]
fn a_number_with_a_sign_is_a_number() {
    let read = |text: &str| toml::from_str::<Policy>(text).map_err(|error| error.message().to_string());
    for attempts in ["1", "8", "4294967295", "+8"] {
        let policy = Policy::parse(&format!("constant 1s attempts {}", attempts.trim_start_matches('+')));
        assert_eq!(read(&format!("constant = \"1s\"\nattempts = {attempts}")), policy.map_err(|_| "".into()));
    }
    for (line, message) in [
        (
            "attempts = -1",
            "invalid value: integer `-1`, expected for `attempts` a value such as 8 or \"unlimited\"",
        ),
        (
            "attempts = 4294967296",
            "invalid value: integer `4294967296`, expected for `attempts` a value such as 8 or \"unlimited\"",
        ),
        ("cap = 40", "invalid type: integer `40`, expected for `cap` a value such as \"30s\""),
    ] {
        assert_eq!(read(&format!("constant = \"1s\"\n{line}")), Err(message.into()), "{line}");
    }
}

/// What is no policy and no recovery says what one is; a key that is none is answered with those there are.
#[test]
fn what_is_another_thing() {
    let other = |value: Value| serde_json::from_value::<Policy>(value).unwrap_err().to_string();
    assert_eq!(
        other(json!(8)),
        "invalid type: integer `8`, expected a policy, such as \"exponential 100ms x2 attempts 8\", or a map with the same words"
    );
    let other = |value: Value| serde_json::from_value::<Recovery>(value).unwrap_err().to_string();
    assert_eq!(
        other(json!(null)),
        "invalid type: null, expected a recovery, such as \"exponential 1s reset_after 10m\", or a map with the same words"
    );
    let words = |keys: &[&str]| keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
    let unknown = [entry("caps", "1s")];
    let policys = format!("unknown field `caps`, expected one of {}", words(&KEYS[..14]));
    assert_eq!(read::<Policy>(&unknown), Err(policys));
    let recoverys = format!("unknown field `caps`, expected one of {}, `intensity`", words(&KEYS));
    assert_eq!(read::<Recovery>(&unknown), Err(recoverys));
}

/// Keys that are no words at all, as a format may have them.
#[test]
fn a_key_is_a_word() {
    let numbered = || MapDeserializer::<_, Error>::new([(1_u32, json!("1s"))].into_iter());
    use serde_core::Deserialize;
    let message = Policy::deserialize(numbered()).unwrap_err().to_string();
    assert_eq!(message, "invalid type: integer `1`, expected a word of a policy");
    let message = Recovery::deserialize(numbered()).unwrap_err().to_string();
    assert_eq!(message, "invalid type: integer `1`, expected a word of a recovery");
}

/// A schedule is written as its line; that line is refused, since its delays would need a home.
#[test]
fn a_schedule_is_written_and_not_read() {
    static STEPS: [Micros; 2] = [Micros::from_secs(1), Micros::from_secs(5)];
    let line = json!("schedule 1s,5s cap 30s jitter full attempts 5");
    assert_eq!(serde_json::to_value(Policy::schedule(&STEPS)).unwrap(), line);
    let refused = serde_json::from_value::<Policy>(line).unwrap_err().to_string();
    assert_eq!(
        refused,
        "at byte 0: expected another shape (a schedule needs a home for its delays: `parse_in`)"
    );
}
