//! `undaunted plan`: tables worked out by hand.

use crate::support::{Answer, undaunted};

fn plan(policy: &str) -> String {
    let answer = undaunted(&["plan", policy]);
    assert_eq!((answer.code, &*answer.err), (Some(0), ""));
    answer.out
}

/// Without a terminal a page has 80 columns; 4 are the margin of the bars. 150 ms stands at the last
/// of the other 76, so that 2 ms are one column.
#[test]
fn a_small_plan_to_the_letter() {
    let table = "\
schedule 20ms,60ms,150ms cap 30s jitter full attempts 4

  after  wait:                 in all:
attempt    min   mean     max      min    mean     max
      1      0  10 ms   20 ms        0   10 ms   20 ms
      2      0  30 ms   60 ms        0   40 ms   80 ms
      3      0  75 ms  150 ms        0  115 ms  230 ms

waits       3, between 4 attempts: 0 to 230 ms in all, 115 ms on average
worst case  230 ms of waiting; the time of the attempts comes on top

    the waits, linear scale: ├ min, ┼ mean, ┤ max
";
    let gaps = |count| " ".repeat(count);
    let axis = format!("    │0{}│37.5 ms{}│75 ms{}│113 ms{}150 ms│\n", gaps(17), gaps(11), gaps(12), gaps(6));
    let line = |count| "─".repeat(count);
    let bar = |number, left, right| format!(" {number}  ├{}┼{}┤\n", line(left), line(right));
    let bars = [bar(1, 4, 4), bar(2, 14, 14), bar(3, 37, 36)].concat();
    assert_eq!(plan("schedule 20ms,60ms,150ms attempts 4"), format!("{table}{axis}{bars}"));
}

/// 800 ms to 1.2 s each. The waits reach 10 s with the 9th, 10th and 13th: 8 x 1.2 s are 9.6 s,
/// 9 x 1 s are 9 s, 12 x 0.8 s are 9.6 s.
#[test]
fn within_says_where_it_ends_it() {
    let out = plan("constant 1s jitter +-20% attempts unlimited within 10s");
    let said = "\
within      10 s, work included; if the attempts take no time it ends after
            attempt 9 with the longest waits, after attempt 10 with mean waits,
            after attempt 13 with the shortest waits
";
    assert!(out.contains(said), "{out}");
    assert!(out.contains("\nwaits       as many as `within` allows: 10 s in all\n"));
    assert!(out.contains("\nworst case  10 s: `within` ends it, though the last attempt may take longer\n"));
}

/// The sums of the longest waits are 1 s, 3 s and 7 s; the third wait would end too late.
#[test]
fn within_ends_the_sums_in_the_table() {
    let out = plan("exponential 1s jitter none attempts 4 within 6s");
    let row =
        |number: usize| out.lines().nth(3 + number).unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(row(1), "1 1 s 1 s 1 s 1 s 1 s 1 s");
    assert_eq!(row(2), "2 2 s 2 s 2 s 3 s 3 s 3 s");
    // The shortest waits end it as well, so there is no third row.
    assert_eq!(row(3), "");
    assert!(out.contains("\nwaits       2, between 3 attempts: 3 s in all\n"), "{out}");
    assert!(out.contains(" it ends after\n            attempt 3\n"), "{out}");
}

/// The longest waits are 1, 2 and 4 s, the mean ones half of that, the shortest none.
#[test]
fn within_may_end_some_draws_and_not_others() {
    let out = plan("exponential 1s attempts 4 within 6s");
    assert!(out.contains("\nwaits       2 to 3, in 3 to 4 attempts: 0 to 6 s in all\n"), "{out}");
    assert!(out.contains(" it ends after\n            attempt 3 with the longest waits\n"), "{out}");
    let third = out.lines().nth(6).unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(third, "3 0 2 s 4 s 0 3.5 s ended");
}

#[test]
fn a_plan_without_end_is_shown_up_to_where_it_stands_still() {
    // 1, 2, 4, 8 and 10 s from the 5th on: one more row, then it goes on.
    let out = plan("exponential 1s cap 10s jitter none attempts unlimited");
    let rows: Vec<&str> = out.lines().skip(4).take_while(|line| !line.is_empty()).collect();
    assert_eq!(rows.len(), 7);
    assert!(rows[5].starts_with("      6  "));
    assert_eq!(rows[6], "    ...  and so on, the same each time, without end");
    assert!(out.contains("\nwaits       as many as it takes\n"));
    assert!(
        out.contains("\nworst case  without end: the attempts are unlimited, and there is no `within`\n")
    );
}

/// 1, 2 and 3 s, then 96 times 3.5 s: 342 s.
#[test]
fn a_linear_plan_stands_still_at_its_cap() {
    let out = plan("linear 1s +1s cap 3500ms jitter none attempts 100");
    assert!(out.lines().nth(8).unwrap().starts_with("      5  3.5 s  3.5 s  3.5 s  "), "{out}");
    assert_eq!(out.lines().nth(9), Some("    ...  and so on, the same each time, up to attempt 100"));
    assert!(out.contains("\nwaits       99, between 100 attempts: 5 min 42 s in all\n"), "{out}");
    // Beyond what is looked at one by one: 6 s and 4 294 967 291 times 3.5 s are 173 985 d 22.6 h.
    let out = plan("linear 1s +1s cap 3500ms jitter none attempts 4294967295");
    assert!(out.contains(" attempts: 173985 d 23 h in all\n"), "{out}");
    assert!(out.contains("\nworst case  173985 d 23 h of waiting; "), "{out}");
}

#[test]
fn a_long_plan_has_its_sums_without_its_rows() {
    // 4 294 967 294 waits of 1 s are 49 710 days, 6 hours, 28 minutes.
    let out = plan("constant 1s jitter none attempts 4294967295");
    assert!(out.contains("\n    ...  and so on, the same each time, up to attempt 4294967295\n"), "{out}");
    assert!(out.contains("\nworst case  49710 d 6 h of waiting; "), "{out}");
    assert!(out.lines().count() < 30);
}

/// Grows by 1 us up to a day: n waits are n (n + 1) / 2 us, which is 10 d first for n = 1 314 534.
#[test]
fn a_curve_that_grows_for_ever_says_so() {
    let out = plan("linear 1us +1us cap 1d jitter none attempts unlimited within 10d");
    assert!(out.contains("\n    ...  and so on, still changing, until `within` ends it\n"), "{out}");
    assert!(out.contains("attempt 1314534 with the longest waits"), "{out}");
    assert!(out.lines().count() < 70);
}

/// Beyond what is looked at one by one: 100 000 waits of 1 ms and 200 000 of 0.5 ms are 100 us short.
#[test]
fn where_within_ends_a_long_plan_is_rounded_up() {
    let out = plan("constant 1ms jitter full attempts unlimited within 100000100us");
    let out = out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(out.contains("attempt 100001 with the longest waits"), "{out}");
    assert!(out.contains("attempt 200001 with mean waits"), "{out}");
}

/// The draws are those of `a_seed_draws_the_same_waits_each_time`.
#[test]
fn a_seed_adds_the_waits_that_run_draws() {
    let answer: Answer = undaunted(&["plan", "constant 10ms jitter full attempts 4", "--seed", "1"]);
    let drawn: Vec<&str> =
        answer.out.lines().skip(2).take(5).map(|line| line[line.len() - 7..].trim()).collect();
    assert_eq!(drawn, ["seed", "1", "3.68 ms", "816 us", "8.21 ms"]);
    // 3 679 + 816 + 8 206 us.
    assert!(answer.out.contains("\ndrawn       3 waits with seed 1: 12.7 ms in all\n"), "{}", answer.out);
}

#[test]
fn means_of_decorrelated_are_bounds_beyond_the_cap() {
    // [1, 3], then [1, 4] at most: the cap cuts 3 x 3 s.
    let out = plan("decorrelated 1s cap 4s attempts 3");
    assert!(out.lines().nth(4).unwrap().contains("2 s"), "{out}");
    assert!(out.lines().nth(5).unwrap().contains("<= "), "{out}");
    assert!(out.contains("in all, at most "), "{out}");
}

#[test]
fn one_attempt_has_no_wait() {
    let said = "\
constant 1s cap 30s jitter full attempts 1

waits       none: there is one attempt
worst case  0 of waiting; the time of the attempts comes on top
";
    assert_eq!(plan("constant 1s attempts 1"), said);
}

#[test]
fn a_wide_range_has_a_logarithmic_scale() {
    let out = plan("exponential 1ms x10 jitter none cap 10s attempts 6");
    assert!(out.contains("the waits, logarithmic scale: "), "{out}");
    // A decade is as wide as another: 1 ms at the first of 76 columns, 10 s at the last.
    let columns: Vec<usize> =
        out.lines().filter(|line| line.ends_with('│')).map(|line| line.chars().count()).collect();
    assert_eq!(columns, [80, 5, 24, 43, 61, 80]);
}

#[test]
fn other_limits_are_said_too() {
    let out = plan("constant 1s attempts 3 attempt_timeout 5s first_delay 10s");
    // Two waits of 1 s and three attempts of 5 s.
    assert!(out.contains("\nwith work   17 s at worst, if each attempt takes its 5 s\n"), "{out}");
    assert!(
        out.contains("\nfirst delay 10 s before the first attempt, jittered; not counted above\n"),
        "{out}"
    );
}

#[test]
fn presets_are_shown_one_after_another() {
    let answer = undaunted(&["plan", "--preset", "cni.linkbymac.now", "--preset", "cni.linkbymac.2019"]);
    let first = "cni.linkbymac.now:\nconstant 3s cap 3s jitter none attempts 5\n";
    let second = "\n\ncni.linkbymac.2019:\nconstant 5s cap 5s jitter none attempts 5\n";
    assert!(answer.out.starts_with(first) && answer.out.contains(second), "{}", answer.out);
}

/// Means of 1 ms and 100 ms: 1 ms is the beginning, 2 ms at column 75 x log 2 / log 200 = 9.8 and 100 ms at 65.2.
#[test]
fn bars_on_a_logarithmic_scale_come_from_zero() {
    let out = plan("schedule 2ms,200ms attempts 3");
    let bars: Vec<&str> = out.lines().skip_while(|line| !line.contains("(◄ 0)")).skip(2).collect();
    let line = |count| "─".repeat(count);
    assert_eq!(bars, [format!(" 1  ◄{}┤", line(9)), format!(" 2  ◄{}┼{}┤", line(64), line(9))]);
}

/// 750 ms stand at column 75, so 28.8, 36 and 43.2 ms at 2.88, 3.6 and 4.32: the mean is where the longest is.
#[test]
fn an_end_of_a_bar_hides_its_mean() {
    let out = plan("schedule 36ms,625ms jitter +-20% attempts 3");
    assert!(out.contains("\n 1     ├┤\n"), "{out}");
}

/// Two waits of 1 s, far from an hour.
#[test]
fn a_limit_that_is_not_reached_is_said_too() {
    let out = plan("constant 1s jitter none attempts 3 within 1h");
    assert!(out.contains("\nworst case  2 s of waiting; the time of the attempts comes on top\n"), "{out}");
    assert!(out.contains("\nwithin      1 h, work included; the waits alone do not reach it\n"), "{out}");
}

/// More rows than a page has, and each wait another: 1 to 29 s, in all 435 s.
#[test]
fn a_plan_that_has_an_end_may_be_too_long_for_a_page() {
    let out = plan("linear 1s +1s cap 1h jitter none attempts 30");
    let rows: Vec<&str> = out.lines().skip(4).take_while(|line| !line.is_empty()).collect();
    assert_eq!(rows.len(), 25);
    assert!(rows[23].starts_with("     24   24 s  24 s  24 s  "), "{out}");
    assert_eq!(rows[24], "    ...  and so on, still changing, up to attempt 30");
    assert!(out.contains("\nwaits       29, between 30 attempts: 7 min 15 s in all\n"), "{out}");
}

/// 1 us to 4 294 967 294 us: n (n + 1) / 2 us are 106 751 991 d 2.2 h; too many to look at each.
#[test]
fn a_plan_that_changes_for_long_is_as_long_as_its_worst_case() {
    let out = plan("linear 1us +1us cap 1d jitter none attempts 4294967295");
    assert!(out.contains("\n    ...  and so on, still changing, up to attempt 4294967295\n"), "{out}");
    assert!(out.contains(" attempts: up to 106751991 d 2 h in\n            all\n"), "{out}");
}

/// Seed 1 draws 0.3679, 0.0816 and 0.8206 of the longest wait; see `a_seed_adds_the_waits_that_run_draws`.
#[test]
fn draws_end_where_within_ends_them_or_with_the_rows() {
    let drawn = |policy: &str| {
        let out = undaunted(&["plan", policy, "--seed", "1"]).out;
        out.lines().find_map(|line| line.strip_prefix("drawn ")).unwrap().trim().to_string()
    };
    // 368 + 82 ms are less than a second, and 821 ms more are not.
    let ended = drawn("constant 1s jitter full attempts unlimited within 1s");
    assert!(ended.starts_with("2 waits with seed 1: 4"), "{ended}");
    assert_eq!(
        drawn("constant 1s jitter none attempts unlimited"),
        "the first 4 waits with seed 1: 4 s in all"
    );
    let one = drawn("constant 1s jitter none attempts 2 first_delay 2s");
    assert!(one.starts_with("1 wait with seed 1: 1 s in all, after "), "{one}");
}
