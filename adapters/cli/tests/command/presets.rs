//! `undaunted presets`.

use crate::support::{command, undaunted};
use std::io::pipe;
use std::process::Stdio;
use undaunted::presets::ALL;

#[test]
fn every_preset_is_listed_with_its_policy() {
    let answer = undaunted(&["presets"]);
    assert_eq!((answer.code, &*answer.err), (Some(0), ""));
    let mut lines = answer.out.lines();
    for preset in ALL {
        let found = lines.by_ref().find(|line| line.split(' ').next() == Some(preset.name));
        assert!(found.is_some(), "{}", preset.name);
        assert_eq!(lines.next(), Some(format!("  {}", preset.policy).as_str()));
    }
    assert!(answer.out.lines().all(|line| line.chars().count() <= 80), "{}", answer.out);
}

#[test]
fn the_worst_case_stands_beside_the_name() {
    let out = undaunted(&["presets"]).out;
    let row = |name: &str| {
        let line = out.lines().find(|line| line.split(' ').next() == Some(name)).unwrap();
        line.split_whitespace().skip(1).collect::<Vec<_>>().join(" ")
    };
    // Four waits of 3 s; waits of up to 500, 1 000, 2 000, 4 000 and 5 000 ms; unlimited attempts.
    assert_eq!(row("cni.linkbymac.now"), "12 s");
    assert_eq!(row("aws.iot.csdk"), "12.5 s");
    assert_eq!(row("rke2.confd"), "without end");
}

#[test]
fn one_preset_is_shown_with_its_source() {
    let out = undaunted(&["presets", "etcdadm.join"]).out;
    for said in [
        "etcdadm.join\n  Joins a member to an etcd cluster.\n",
        "\n  policy      exponential 1s x2 cap 8s jitter none attempts 5\n",
        "\n  worst case  15 s\n",
        "\n  source      kubernetes-retired/etcdadm PR 146\n",
    ] {
        assert!(out.contains(said), "{out}");
    }
}

#[test]
fn who_stops_reading_has_seen_enough() {
    for args in [&["presets"][..], &["plan"]] {
        let (reader, writer) = pipe().unwrap();
        drop(reader);
        let child = command(args).stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
    }
}
