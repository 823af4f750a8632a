//! `undaunted plan`, for programs and as drawings: numbers worked out by hand.

use crate::support::{fresh, undaunted};
use serde_json::{Value, json};
use std::fs;

fn policies(args: &[&str]) -> Vec<Value> {
    let answer = undaunted(&[&["plan", "--format", "json"], args].concat());
    assert_eq!((answer.code, &*answer.err), (Some(0), ""));
    let mut value: Value = serde_json::from_str(&answer.out).unwrap();
    value["policies"].as_array_mut().unwrap().drain(..).collect()
}

/// Waits of up to 1, 2 and 4 s; the means are the halves.
#[test]
fn json_has_every_wait_and_the_sums() {
    let wait = |after: u32, [mean, max, total_mean, total_max]: [u64; 4]| {
        json!({
            "after_attempt": after, "min_us": 0, "mean_us": mean, "max_us": max,
            "total_min_us": 0, "total_mean_us": total_mean, "total_max_us": total_max,
            "mean_is_upper_bound": false,
        })
    };
    let expected = json!({
        "name": null,
        "policy": "exponential 1s x2 cap 30s jitter full attempts 4",
        "fixed_rate": false,
        "attempts": 4,
        "within_us": null,
        "first_delay_us": 0,
        "worst_case_us": 7_000_000,
        "total_min_us": 0,
        "total_mean_us": 3_500_000,
        "total_max_us": 7_000_000,
        "waits": [
            wait(1, [500_000, 1_000_000, 500_000, 1_000_000]),
            wait(2, [1_000_000, 2_000_000, 1_500_000, 3_000_000]),
            wait(3, [2_000_000, 4_000_000, 3_500_000, 7_000_000]),
        ],
        "then": null,
    });
    assert_eq!(policies(&["exponential 1s attempts 4"]), [expected]);
}

#[test]
fn json_says_what_has_no_end() {
    let plan = &policies(&["exponential 1s cap 4s jitter none attempts unlimited"])[0];
    assert_eq!(plan["worst_case_us"], Value::Null);
    assert_eq!(plan["total_max_us"], Value::Null);
    // 1, 2, 4 and once more 4 s: then it stands still.
    assert_eq!((plan["waits"].as_array().unwrap().len(), &plan["then"]), (4, &json!("the same")));
    // A plan with an end is listed whole up to 1 000 waits.
    for (attempts, listed, then) in [("1001", 1_000, Value::Null), ("1002", 4, json!("the same"))] {
        let plan = &policies(&["constant", "1s", "jitter", "none", "attempts", attempts])[0];
        assert_eq!((plan["waits"].as_array().unwrap().len(), &plan["then"]), (listed, &then));
        assert_eq!(plan["total_max_us"], json!((attempts.parse::<u64>().unwrap() - 1) * 1_000_000));
    }
}

/// The longest waits end it after 2, the shortest after 3: what is cut off has a mean of its own.
#[test]
fn json_does_not_guess_a_mean() {
    let plan = &policies(&["exponential 1s attempts 4 within 6s"])[0];
    assert_eq!((&plan["total_mean_us"], &plan["total_max_us"]), (&Value::Null, &json!(6_000_000)));
}

/// The draws are those of `a_seed_draws_the_same_waits_each_time`.
#[test]
fn json_has_draws_names_and_recoveries() {
    let plans = policies(&[
        "constant 10ms attempts 4 reset_after 1s intensity 5/1m",
        "--preset",
        "etcdadm.join",
        "--seed",
        "1",
    ]);
    assert_eq!(plans[0]["drawn"], json!({"seed": 1, "first_delay_us": 0, "waits_us": [3_679, 816, 8_206]}));
    let text = "constant 10ms cap 30s jitter full attempts 4 reset_after 1s intensity 5/1m";
    let intensity = json!({"restarts": 5, "window_us": 60_000_000});
    let recovery = json!({"text": text, "reset_after_us": 1_000_000, "intensity": intensity});
    assert_eq!(plans[0]["recovery"], recovery);
    assert_eq!((&plans[1]["name"], &plans[1]["fixed_rate"]), (&json!("etcdadm.join"), &json!(false)));
    assert_eq!(policies(&["-p", "flannel.host_network.now"])[0]["fixed_rate"], json!(true));
    assert_eq!(plans[1]["drawn"]["waits_us"], json!([1_000_000, 2_000_000, 4_000_000, 8_000_000]));
}

#[test]
fn a_fleet_without_jitter_calls_all_at_once() {
    let plan = &policies(&["constant 1s jitter none attempts 3", "--fleet", "7"])[0];
    // 2 s in at most 100 parts of 20 001 us: 1 s is in part 49, 2 s in part 99.
    let calls = plan["fleet"]["calls_per_part"].as_array().unwrap();
    assert_eq!((&plan["fleet"]["devices"], &plan["fleet"]["part_us"]), (&json!(7), &json!(20_001)));
    let at: Vec<(usize, &Value)> = calls.iter().enumerate().filter(|(_, calls)| **calls != 0).collect();
    assert_eq!((at, calls.len()), (vec![(49, &json!(7)), (99, &json!(7))], 100));
}

/// Seed 1 draws 3 679 us, so one device in two; each is alone in its part.
#[test]
fn each_device_of_a_fleet_has_its_serial_number_as_the_seed() {
    let drawn = |seed: &str| {
        let plan = &policies(&["constant 10ms attempts 2", "--seed", seed])[0];
        plan["drawn"]["waits_us"][0].as_u64().unwrap()
    };
    let (first, second) = (drawn("0"), drawn("1"));
    assert_eq!(second, 3_679);
    let fleet = &policies(&["constant 10ms attempts 2", "--fleet", "2"])[0]["fleet"];
    let part = first.max(second) / 100 + 1;
    assert_eq!(fleet["part_us"], json!(part));
    let calls = fleet["calls_per_part"].as_array().unwrap();
    for wait in [first, second] {
        assert_eq!(calls[(wait / part) as usize], json!(1));
    }
    assert_eq!(calls.iter().map(|calls| calls.as_u64().unwrap()).sum::<u64>(), 2);
}

/// A `first_delay` spreads the first calls too, so they are counted.
#[test]
fn first_calls_that_are_spread_are_counted() {
    for (words, calls) in [("constant 1s attempts 3", 20), ("constant 1s attempts 3 first_delay 1s", 30)] {
        let fleet = &policies(&[words, "--fleet", "10"])[0]["fleet"];
        let counted = fleet["calls_per_part"].as_array().unwrap().iter().map(|calls| calls.as_u64().unwrap());
        assert_eq!(counted.sum::<u64>(), calls, "{words}");
    }
}

/// 76 parts of 26 316 us on 80 columns: the calls at 1 s and 2 s are in the parts 37 and 75.
#[test]
fn a_fleet_is_drawn_as_columns() {
    let answer = undaunted(&["plan", "constant 1s jitter none attempts 3", "--fleet", "7"]);
    let lines: Vec<&str> = answer.out.lines().collect();
    let said = "    7 devices (seeds 0 to 6) that begin together and always fail: calls in each";
    let at = lines.iter().position(|line| *line == said).unwrap();
    assert_eq!(lines[at + 1], "    26.3 ms, without the first ones at 0");
    let column = |label: &str| format!("{label:>3}┤{}█{}█", " ".repeat(37), " ".repeat(37));
    assert_eq!(lines[at + 2], column("7"));
    assert!(lines[at + 3..at + 10].iter().all(|line| *line == column("")), "{}", answer.out);
    assert!(lines[at + 10].starts_with("    │0") && lines[at + 10].ends_with(" 2 s│"), "{}", answer.out);
}

/// Both on the scale of the longest wait, 3 s at the last of 74 columns, 73 from 0: 1 s is 24.3 from it,
/// 750 ms 18.3, 1.5 s 36.5 and 2.25 s 54.8.
#[test]
fn several_policies_are_drawn_on_one_scale() {
    let answer =
        undaunted(&["plan", "constant 3s jitter none attempts 3", "linear 1s +1s jitter none attempts 2"]);
    let (_, drawing) = answer.out.split_once("the waits, ").unwrap();
    let expected = format!(
        "linear scale: ├ min, ┼ mean, ┤ max
   a  constant 3s cap 30s jitter none attempts 3
   b  linear 1s +1s cap 30s jitter none attempts 2
      │0{0:16}│750 ms{0:12}│1.5 s{0:12}│2.25 s{0:8}3 s│
 1 a  {0:73}│
   b  {0:24}│
 2 a  {0:73}│
",
        ""
    );
    assert_eq!(drawing, expected);
    assert!(answer.out.lines().all(|line| line.chars().count() <= 80));
}

#[test]
fn a_drawing_has_its_policies_axes_and_both_schemes() {
    let path = fresh("plan.svg");
    let file = path.to_str().unwrap();
    let answer = undaunted(&[
        "plan",
        "exponential 1s",
        "-p",
        "etcdadm.join",
        "--seed",
        "7",
        "--fleet",
        "50",
        "--svg",
        file,
    ]);
    assert_eq!((answer.code, &*answer.err), (Some(0), ""));
    let svg = fs::read_to_string(&path).unwrap();
    for said in [
        "<title>The waits of exponential 1s x2 cap 30s jitter full attempts 5, etcdadm.join</title>",
        "etcdadm.join:  exponential 1s x2 cap 8s jitter none attempts 5",
        "bands: shortest to longest wait; lines: means; rings: what seed 7 draws",
        "after attempt",
        "wait (linear scale)",
        "50 devices (seeds 0 to 49) that begin together and always fail",
        "@media (prefers-color-scheme: dark)",
    ] {
        assert!(svg.contains(said), "{said}");
    }
    // The panel comes first and is as large as the drawing.
    let size = svg.split_once(" viewBox").unwrap().0.trim_start_matches("<svg ");
    assert!(svg.contains(&format!("<rect x=\"0\" y=\"0\" {size} opacity=\"1\" fill=\"#FFFFFF\"")), "{size}");
    // 4 waits each: a ring for each, and a dot for each call of each device.
    let circles = |radius: u32| svg.matches(&format!(" r=\"{radius}\" ")).count();
    assert_eq!((circles(8), circles(3)), (8, 2 * 4 * 50));
}

fn drawn(policy: &str) -> String {
    let path = fresh("drawn.svg");
    assert_eq!(undaunted(&["plan", policy, "--svg", path.to_str().unwrap()]).code, Some(0));
    fs::read_to_string(&path).unwrap()
}

#[test]
fn without_waits_there_is_nothing_to_draw() {
    assert!(drawn("constant 1s").contains("after attempt"));
    assert!(!drawn("immediate attempts 4").contains("after attempt"));
}

/// 120 characters fit beside a marker.
#[test]
fn a_policy_that_is_too_long_for_its_line_is_cut_there() {
    let words = "exponential 100ms x1.5 cap 30s jitter +-20% attempts 8";
    let more = " within 2m floor 50ms attempt_timeout 5s first_delay 1s hint_ceiling 1h reset_after 11m intensity 5/1m";
    let text = format!("{words}{more}");
    let whole = undaunted(&["plan", &text]).out.lines().next().unwrap().to_string();
    assert_eq!(whole.len(), text.len());
    let cut: String = whole.chars().take(119).collect();
    let svg = drawn(&text);
    assert!(svg.contains(&format!("{cut}…\n")) && !svg.contains(&format!("{whole}\n")), "{svg}");
}

/// Four calls each: from 501 dots on they are smaller, from 1 501 on smaller yet, and 4 000 are enough.
#[test]
fn many_calls_are_small_dots_of_some_devices() {
    for (devices, radius, dots, name) in [
        (125, 3, 500, "devices"),
        (126, 2, 504, "devices"),
        (375, 2, 1_500, "devices"),
        (376, 1, 1_504, "devices"),
        (1_000, 1, 4_000, "devices"),
        (1_001, 1, 2_004, "1 of 2 devices"),
    ] {
        let path = fresh("cloud.svg");
        let count = devices.to_string();
        let args = ["plan", "constant 1s", "--fleet", &count, "--svg", path.to_str().unwrap()];
        assert_eq!(undaunted(&args).code, Some(0));
        let svg = fs::read_to_string(&path).unwrap();
        assert_eq!(svg.matches(&format!(" r=\"{radius}\" ")).count(), dots, "{devices}");
        assert!(svg.contains(&format!("\n{name}\n")), "{devices}");
    }
}

/// More than three are filled more lightly. The third has a square of 8, around its place in the legend: 30 from the
/// left, and as many lines of 22 from the top as it is the third.
#[test]
fn several_policies_can_be_told_apart() {
    let policies = ["constant 1s", "constant 2s", "constant 3s", "constant 4s"];
    for (count, light) in [(3, "0.16"), (4, "0.06")] {
        let path = fresh("several.svg");
        let args = [&["plan"], &policies[..count], &["--svg", path.to_str().unwrap()]].concat();
        assert_eq!(undaunted(&args).code, Some(0));
        let svg = fs::read_to_string(&path).unwrap();
        assert_eq!(svg.matches(&format!(" opacity=\"{light}\" ")).count(), count);
        assert!(svg.contains("<rect x=\"26\" y=\"62\" width=\"8\" height=\"8\" "), "{svg}");
    }
}

/// On a page of 80 columns a title that is too long ends at the last of them, beside bars and columns alike.
#[test]
fn titles_are_as_long_as_the_page_is_wide() {
    let long = |attempts: u32| {
        format!(
            "constant 1s jitter +-20% attempts {attempts} within 2m floor 50ms attempt_timeout 5s hint_ceiling 1h"
        )
    };
    let out = undaunted(&["plan", &long(3), &long(4), "--fleet", "2"]).out;
    let cut: Vec<usize> =
        out.lines().filter(|line| line.ends_with('…')).map(|line| line.chars().count()).collect();
    assert_eq!(cut, [80; 4], "{out}");
}

/// The README shows the command that draws it anew.
#[test]
fn the_drawing_in_the_readme_is_what_is_drawn() {
    let path = fresh("readme.svg");
    let policies = ["exponential 1s jitter none attempts 6", "exponential 1s attempts 6"];
    let args = [&["plan"], &policies[..], &["--fleet", "40", "--svg", path.to_str().unwrap()]].concat();
    assert_eq!(undaunted(&args).code, Some(0));
    let shown = concat!(env!("CARGO_MANIFEST_DIR"), "/plan.svg");
    assert!(fs::read_to_string(&path).unwrap() == fs::read_to_string(shown).unwrap(), "{shown} is old");
}

#[test]
fn a_drawing_that_cannot_be_written_is_said() {
    let answer = undaunted(&["plan", "--svg", "no/such.svg"]);
    let said = "undaunted: cannot write: no/such.svg: No such file or directory (os error 2)\n";
    assert_eq!((answer.code, &*answer.out, &*answer.err), (Some(1), "", said));
}

#[test]
fn plans_of_every_kind_can_be_drawn() {
    let path = fresh("kinds.svg");
    for policy in [
        "constant 1s attempts 1",
        "immediate attempts 4",
        "constant 1us jitter none attempts 2",
        "exponential 1us x255 cap 400000d attempts unlimited",
        "constant 1s attempts unlimited within 1d",
        "linear 1us +1us cap 1d attempts 4294967295",
        "decorrelated 1s cap 4s attempts 9 first_delay 1h",
    ] {
        for count in ["1", "60"] {
            let args = ["plan", policy, "--fleet", count, "--seed", "1", "--svg", path.to_str().unwrap()];
            let answer = undaunted(&args);
            assert_eq!((answer.code, &*answer.err), (Some(0), ""), "{policy}");
            let mut drawn = answer.out.lines().filter(|line| line.contains(['│', '┤']));
            assert!(drawn.all(|line| line.chars().count() <= 80), "{}", answer.out);
            assert!(fs::read_to_string(&path).unwrap().ends_with("</svg>\n"));
        }
    }
}
