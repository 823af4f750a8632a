//! The presets against the numbers of the systems that they come from (`tests/data/cases/seed-presets.json`).
//!
//! The expected totals are computed from the upstream code by others, in seconds; nothing here is
//! copied from the library's output.

mod polls;

use serde_json::Value;
use undaunted_core::presets::{self, ALL, named};
use undaunted_core::{Micros, Policy, Settings, Step};

type Check = fn(&Value, &Policy);

/// A row whose original is not copied to the letter: which one, and what the preset must do instead.
const DEVIATIONS: [(&str, Check); 3] = [
    ("azure.embedded.recommended", nearest_to_azure),
    ("paho_c_async", nearest_to_paho),
    ("rke2.flanneld.pr5703", with_a_delay),
];

#[test]
fn every_row_of_the_data_is_a_preset_with_its_numbers() {
    let (mut found, mut others) = (Vec::new(), 0);
    for row in rows() {
        let name = text(&row["id"]);
        if let Some(reason) = refused(&row["policy"]) {
            println!("{name}: not a preset: {reason}");
            assert!(named(name).is_none(), "{name}");
            others += 1;
            continue;
        }
        let preset = named(name).unwrap_or_else(|| panic!("{name} is missing"));
        match DEVIATIONS.iter().find(|(deviating, _)| *deviating == name) {
            Some((_, check)) => check(&row, &preset.policy),
            None if row["policy"]["model"] == "k8s-poll" => polls::agrees(&row, preset),
            None => agrees(&row, &preset.policy),
        }
        assert!(row["policy"]["model"] == "k8s-poll" || !preset.fixed_rate, "{name}");
        found.push(name.to_string());
    }
    println!("{} presets, {others} rows of other kinds", found.len());
    let without_a_row: Vec<_> =
        ALL.iter().map(|preset| preset.name).filter(|name| !found.iter().any(|f| f == name)).collect();
    assert_eq!(without_a_row, [""; 0]);
    assert_eq!((found.len(), ALL.len(), others), (59, 59, 2));
}

fn refused(policy: &Value) -> Option<&'static str> {
    match text(&policy["model"]) {
        "k8s-wait" | "fixed" | "vpc-cni-simple" | "aws-c-backoff" | "fixed-sleep-after-every-failure" => None,
        "azure-embedded-c" | "k8s-poll" | "paho" => None,
        "forever" if number(&policy["delay_s"]) > 0.0 => None,
        "forever" => Some("no delay for ever is a hot loop (law 4)"),
        "busy-poll" => Some("a poll without a pause is a hot loop (law 4)"),
        other => panic!("a model that this test does not know: {other}"),
    }
}

fn agrees(row: &Value, policy: &Policy) {
    let (name, expect) = (text(&row["id"]), &row["expect"]);
    let Settings { attempts, cap, .. } = policy.settings();
    assert_eq!(attempts.map(u64::from), calls(row), "{name}: attempts");
    if let Some(longest) = expect["max_single_s"].as_f64() {
        near(name, cap, longest);
        near(name, policy.plan().nth(20).unwrap().max, longest);
    }
    let Some(attempts) = attempts else {
        let delay = &row["policy"]["delay_s"];
        if delay.is_number() {
            let waits = policy.plan().take(1_000);
            waits.for_each(|step| {
                assert_eq!((step.min, step.max), (seconds(delay), seconds(delay)), "{name}")
            });
        }
        assert_eq!(policy.worst_case(), Micros::MAX, "{name}");
        return;
    };
    let last = policy.plan().last().unwrap();
    assert_eq!(policy.plan().count(), attempts as usize - 1, "{name}: waits");
    assert_eq!(policy.worst_case(), last.total_max, "{name}");
    let useless = expect["of_which_useless_s"].as_f64().unwrap_or(0.0);
    let longest = number(&expect["total_max_s"]) - useless;
    near(name, last.total_max, longest);
    near(name, last.total_min, shortest(row).unwrap_or(longest));
    if let Some(mean) = expect["total_mean_s"].as_f64() {
        near(name, last.total_mean, mean);
    }
    ceilings(name, expect, policy);
}

/// Calls that the original makes; `None` when without limit.
fn calls(row: &Value) -> Option<u64> {
    row["expect"]["attempts"].as_u64()
}

/// The shortest total: said, or zero where the jitter is full; `None` where there is no jitter.
fn shortest(row: &Value) -> Option<f64> {
    match text(&row["policy"]["model"]) {
        "aws-c-backoff" => Some(0.0),
        _ => row["expect"]["total_min_s"].as_f64(),
    }
}

fn ceilings(name: &str, expect: &Value, policy: &Policy) {
    if let Some(ceilings) = expect["ceilings_ms"].as_array() {
        let highest: Vec<Micros> = policy.plan().map(|step| step.max).collect();
        let expected: Vec<Micros> =
            ceilings.iter().map(|ms| Micros::from_millis(ms.as_u64().unwrap())).collect();
        assert_eq!(highest, expected, "{name}");
    }
}

/// No delay between five starts becomes the delay of its successor, row `rke2.flanneld.2025`.
fn with_a_delay(row: &Value, policy: &Policy) {
    assert_eq!(policy.settings().attempts.map(u64::from), calls(row));
    let successor = rows().into_iter().find(|row| row["id"] == "rke2.flanneld.2025").unwrap();
    let delay = seconds(&successor["policy"]["delay_s"]);
    assert!(policy.plan().all(|step| (step.min, step.max) == (delay, delay)));
    assert_eq!(policy.worst_case(), delay.saturating_mul(4));
}

/// The same curve and cap; the jitter, in all about theirs on the way up, is still there at the cap.
fn nearest_to_azure(row: &Value, policy: &Policy) {
    let ms = |key: &str| row["policy"][key].as_u64().unwrap();
    let (first, cap, jitter) = (ms("min_ms"), ms("max_ms"), ms("max_jitter_ms"));
    assert_eq!(policy.settings().attempts, None);
    assert_eq!(policy.settings().cap, Micros::from_millis(cap));
    let below_the_cap = row["expect"]["cap_reached_at_attempt"].as_u64().unwrap() as usize;
    let mut added = 0;
    for (n, Step { min, max, .. }) in policy.plan().take(below_the_cap).enumerate() {
        assert_eq!(min, Micros::from_millis(first << n));
        added += max.saturating_sub(min).as_micros() / 1_000;
    }
    let theirs = jitter * below_the_cap as u64;
    assert!(added.abs_diff(theirs) * 10 <= theirs, "{added} ms of jitter in all against {theirs}");
    for Step { min, max, .. } in policy.plan().skip(below_the_cap).take(100) {
        assert!(max <= Micros::from_millis(cap), "the cap is a cap");
        assert!(max.saturating_sub(min) > Micros::from_millis(jitter), "jitter survives at the cap");
    }
}

/// [x / 1.2, x * 1.2] in whole seconds against x - 20 % to x + 20 %: the same top, and a bottom that
/// is lower by 1/30 of x.
fn nearest_to_paho(row: &Value, policy: &Policy) {
    let (model, ranges) = (&row["policy"], row["expect"]["ranges_s"].as_array().unwrap());
    assert_eq!(policy.settings().attempts, None);
    let mut x = number(&model["min_s"]);
    for (step, range) in policy.plan().zip(ranges) {
        let top = step.max.as_micros() as f64 / 1e6;
        assert_eq!((top + 1e-5).floor(), number(&range[1]), "{step:?}");
        near("paho_c_async", step.min, x / 1.2 - x / 30.0);
        x = (x * number(&model["multiplier"])).min(number(&model["max_s"]));
    }
    assert_eq!(policy.plan().nth(100).unwrap().max, policy.plan().nth(ranges.len() - 1).unwrap().max);
}

#[test]
fn constants_have_the_names_of_the_rows() {
    let by_path = [
        ("aws.iot.csdk", presets::aws::IOT_CSDK),
        ("azure.embedded.recommended", presets::azure::EMBEDDED_RECOMMENDED),
        ("capi.patch", presets::capi::PATCH),
        ("clientgo.DefaultRetry", presets::clientgo::DEFAULT_RETRY),
        ("clusterctl.write.2026", presets::clusterctl::WRITE_2026),
        ("cni.linkbymac.now", presets::cni::LINKBYMAC_NOW),
        ("esp_mqtt", presets::ESP_MQTT),
        ("etcdadm.join", presets::etcdadm::JOIN),
        ("flannel.host_network.now", presets::flannel::HOST_NETWORK_NOW),
        ("kubeadm.mutate_configmap.1_17", presets::kubeadm::MUTATE_CONFIGMAP_1_17),
        ("paho_c_async", presets::PAHO_C_ASYNC),
        ("rke2.kubelet_kubeproxy", presets::rke2::KUBELET_KUBEPROXY),
        ("snap.start", presets::snap::START),
    ];
    for (name, policy) in by_path {
        assert_eq!(named(name).unwrap().policy, policy, "{name}");
    }
}

#[test]
fn names_are_sorted_unique_and_exact() {
    assert!(ALL.windows(2).all(|pair| pair[0].name < pair[1].name));
    for preset in ALL {
        assert!(std::ptr::eq(named(preset.name).unwrap(), preset));
        assert!(named(&preset.name.to_uppercase()).is_none());
        assert!(named(&format!("{} ", preset.name)).is_none());
    }
    for wrong in ["", "a", "zzz", "clusterctl", "clientgo.defaultretry"] {
        assert!(named(wrong).is_none(), "{wrong:?}");
    }
}

#[test]
fn every_preset_says_its_cap_and_reads_back() {
    for preset in ALL {
        let text = preset.policy.to_string();
        assert_eq!(Policy::parse(&text), Ok(preset.policy), "{}", preset.name);
        assert!(text.contains(" cap ") && text.contains(" jitter ") && text.contains(" attempts "), "{text}");
        assert_ne!(preset.policy.settings().cap, Micros::from_secs(30), "{text}: the default cap, not said");
        assert!(!preset.about.is_empty() && preset.about.ends_with('.'), "{}", preset.name);
        assert!(!preset.source.is_empty(), "{}", preset.name);
    }
}

/// The cap of a preset without a cap upstream cuts nothing: a far higher one changes no wait.
#[test]
fn an_added_cap_cuts_nothing() {
    for row in rows().iter().filter(|row| row["policy"]["model"] == "k8s-wait") {
        let policy = named(text(&row["id"])).unwrap().policy;
        let uncapped = policy.cap(std::time::Duration::from_secs(86_400));
        assert!(policy.plan().eq(uncapped.plan()), "{policy}");
    }
}

/// Corrected and nearest presets tell what was wrong or different, in numbers.
#[test]
fn defects_are_told() {
    let told = [
        ("azure.embedded.recommended", ["overflow", "milliseconds"]),
        ("clusterctl.wait_move_unblocked", ["2 min", "6 to 7 min"]),
        ("kubeadm.etcd.2019", ["26 s", "12.75"]),
        ("kubeadm.etcd.2020a", ["106 s", "50 s"]),
        ("paho_c_async", ["whole seconds", "0.8"]),
        ("rke2.flanneld.pr5703", ["no delay", "silence"]),
    ];
    for (name, words) in told {
        let about = named(name).unwrap().about;
        assert!(words.iter().all(|word| about.contains(word)), "{name}: {about}");
    }
    for row in rows().iter().filter(|row| row["upstream_defect"].is_string()) {
        let name = text(&row["id"]);
        assert!(named(name).is_none() || told.iter().any(|(other, _)| *other == name), "{name}");
    }
}

fn rows() -> Vec<Value> {
    let data: Value = serde_json::from_str(include_str!("../data/cases/seed-presets.json")).unwrap();
    data["cases"].as_array().unwrap().clone()
}

/// Within 1 ms or 0.001 %, whichever is larger.
fn near(name: &str, length: Micros, expected_s: f64) {
    let length = length.as_micros() as f64 / 1e6;
    let tolerance = (expected_s * 1e-5).max(1e-3) + 1e-9;
    assert!((length - expected_s).abs() <= tolerance, "{name}: {length} s, expected {expected_s} s");
}

fn seconds(value: &Value) -> Micros {
    Micros::new((number(value) * 1e6).round() as u64)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}
