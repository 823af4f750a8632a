//! Two hundred runs of a command that does at random what commands do: ends, crashes, hangs, forks, leaves its session,
//! ignores what it is told, stops itself, holds or fills its output. `UNDAUNTED_CHAOS` chooses the seed.

use crate::process::{Mark, end, holds, monotonic};
use crate::support::{alone, command, fresh};
use serde_json::Value;
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::Stdio;
use std::{env, fs, thread};

const RUNS: usize = 200;
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/chaos.py");

#[test]
fn chaos_under_a_policy() {
    chaos("run", &["--grace", "40ms"], "attempt_timeout 500ms", true);
}

#[test]
fn chaos_under_supervision() {
    chaos("supervise", &["--supervise", "--grace", "40ms", "--healthy-after", "1h"], "", false);
}

fn chaos(name: &str, args: &[&str], more: &str, hangs: bool) {
    let seed = env::var("UNDAUNTED_CHAOS").unwrap_or_else(|_| "1".into());
    println!("{name}: UNDAUNTED_CHAOS={seed}");
    let (log, mark) = (fresh(&format!("chaos-{name}")), Mark::of(name));
    let policy = format!("constant 10ms jitter full floor 1ms attempts unlimited {more}");
    let mut command = command(&["run", "--events", "json"]);
    command.args(args).args([&policy, "--", "python3", "-ISE", SCRIPT]);
    command.env("CHAOS_SEED", seed).env("CHAOS_LOG", &log).env("CHAOS_LAST", RUNS.to_string());
    command.env("CHAOS_HANGS", if hangs { "yes" } else { "no" });
    mark.put(&mut command);
    let started = monotonic();
    let mut child = alone(&command).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut out = child.stdout.take().unwrap();
    let filled = thread::spawn(move || {
        let mut bytes = Vec::new();
        out.read_to_end(&mut bytes).unwrap();
        bytes.len()
    });
    let (mut events, mut held) = (Vec::new(), Vec::new());
    for line in BufReader::new(child.stderr.take().unwrap()).lines() {
        let line = line.unwrap();
        events.push(serde_json::from_str(&line).unwrap_or_else(|_| panic!("no event: {line}")));
        held.extend(holds(child.id()));
    }
    assert_eq!(end(&mut child).code(), Some(0));
    mark.nothing_left();
    check(&events, &log, started);
    steady(&held);
    println!("{name}: {RUNS} runs in {} ms", (monotonic() - started) / 1_000_000);
    println!(
        "{name}: {} bytes of output; at first and last {:?} and {:?} KiB and descriptors",
        filled.join().unwrap(),
        held[10],
        held[held.len() - 1]
    );
}

/// Every restart that was due happened, none of them early, and none beside a process of the run before.
fn check(events: &[Value], log: &Path, started: u64) {
    assert_eq!(events.len(), RUNS);
    let (mut begins, mut ends, mut behaviours) = (HashMap::new(), HashMap::new(), HashMap::<_, u32>::new());
    for line in fs::read_to_string(log).unwrap().lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let (attempt, at): (usize, u64) = (words[1].parse().unwrap(), words[2].parse().unwrap());
        if words[0] == "end" {
            ends.insert(attempt, at);
            continue;
        }
        assert_eq!(words[4], "-", "{line}");
        assert!(begins.insert(attempt, at).is_none(), "began twice: {line}");
        *behaviours.entry(words[3].to_owned()).or_default() += 1;
    }
    println!("{behaviours:?}");
    for (event, attempt) in events.iter().zip(1..) {
        assert_eq!(event["attempt"], attempt, "{event}");
        let Some(wait) = event["wait_us"].as_u64() else {
            assert_eq!((attempt, &event["verdict"]), (RUNS, &"done".into()), "{event}");
            continue;
        };
        assert!((1_000..=10_000).contains(&wait), "{event}");
        let elapsed = event["elapsed_us"].as_u64().unwrap();
        // One that was ended at once may not have come to write.
        let Some(next) = begins.get(&(attempt + 1)) else { continue };
        assert!(next - started >= (elapsed + wait) * 1_000, "early: {event}");
        if let Some(end) = ends.get(&attempt) {
            assert!(next - end >= wait * 1_000, "early: {event}");
        }
    }
    assert!(begins.len() > RUNS / 2, "only {} began", begins.len());
}

/// Neither memory nor descriptors grow, once it has met the most of what there is.
fn steady(held: &[(u64, usize)]) {
    let (early, late) = held.split_at(held.len() / 4);
    let most = |held: &[(u64, usize)]| {
        (held.iter().map(|held| held.0).max().unwrap(), held.iter().map(|held| held.1).max().unwrap())
    };
    let (early, late) = (most(early), most(late));
    assert!(late.0 <= early.0 + 1_024, "memory grows: {early:?} to {late:?}");
    // Some are open for a moment, while a command is started; one lost in each run would be many.
    assert!(late.1 <= early.1 + 8, "descriptors grow: {early:?} to {late:?}");
}

/// A supervisor runs for years.
#[test]
fn ten_thousand_quick_restarts_leave_nothing() {
    let policy = "constant 1us jitter none attempts 10000";
    let mut child = command(&["run", "--supervise", "--events", "json", policy, "--", "false"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut held = Vec::new();
    let events = BufReader::new(child.stderr.take().unwrap()).lines();
    let count = events
        .enumerate()
        .map(|(n, _)| {
            if n % 100 == 99 {
                held.extend(holds(child.id()))
            }
        })
        .count();
    assert_eq!((count, end(&mut child).code()), (10_000, Some(1)));
    println!("at first and last {:?} and {:?} KiB and descriptors", held[0], held[held.len() - 1]);
    steady(&held);
}
