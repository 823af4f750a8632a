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
        // On one line, or on two where the page is too narrow.
        let policy = preset.policy.to_string();
        let mut said = lines.next().unwrap().trim().to_string();
        if said.len() < policy.len() {
            said = format!("{said} {}", lines.next().unwrap().trim());
        }
        assert_eq!(said, policy);
        let about = lines.next().unwrap().trim();
        assert!(!about.is_empty() && preset.about.starts_with(about), "{about:?}");
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
    // A poll: until its limit, which the first delay is no part of.
    assert_eq!(row("rke2.calico.node"), "5 min");
    assert_eq!(row("rke2.interface_back"), "28 s");
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
fn a_poll_is_shown_with_its_pace() {
    let out = undaunted(&["presets", "flannel.host_network.now"]).out;
    for said in [
        "\n  policy      constant 5s cap 5s jitter none attempts unlimited within 45s\n",
        "\n  pace        a fixed rate: waits count from the beginning of an attempt\n",
        "\n  worst case  45 s\n",
    ] {
        assert!(out.contains(said), "{out}");
    }
    assert!(!undaunted(&["presets", "snap.wait_until_ready"]).out.contains("fixed rate"));
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
