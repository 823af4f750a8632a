//! The example daemon lives an hour, and its lines are those that the README shows.

#[path = "../../adapters/examples/daemon.rs"]
mod example;

#[tokio::test(start_paused = true)]
async fn an_hour_of_the_daemon_is_as_the_readme_shows() {
    let lines = example::hour().await;
    let readme = include_str!("../../README.md");
    assert!(readme.contains(&lines.join("\n")), "the README shows other lines than:\n{}", lines.join("\n"));

    // Law 10: to be accepted and closed at once is no health, so that the waits grow; a healthy time brings
    // them back to the first, here three times. The seconds are those of the script.
    let waits =
        |from: &str| lines.iter().filter(|line| line.starts_with(from) && line.contains("next in")).count();
    assert_eq!((waits("10:"), waits("25:"), waits("40:")), (6, 5, 4));
    assert_eq!(lines.iter().filter(|line| line.contains("attempt 1 failed")).count(), 3);
    // Equal jitter on 1, 2, 4, .. s: each wait lies in the upper half of its step.
    for outage in ["10:", "25:", "40:"] {
        let waits = lines.iter().filter(|line| line.starts_with(outage)).filter_map(|line| millis(line));
        for (number, wait) in waits.enumerate() {
            let step = 1_000.0 * f64::from(1 << number);
            assert!((step / 2.0..=step).contains(&wait), "{outage} wait {number}: {wait} ms");
        }
    }
    assert!(
        lines.iter().all(|line| !line.contains(" error ") && !line.contains(" warn ")),
        "nobody is alarmed"
    );
}

/// The wait that a line tells, rounded as there.
fn millis(line: &str) -> Option<f64> {
    let (number, unit) = line.rsplit_once("; next in ")?.1.split_once(' ')?;
    let number: f64 = number.parse().unwrap();
    Some(if unit == "ms" { number } else { number * 1_000.0 })
}
