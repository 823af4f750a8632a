//! What is said of a command line that is wrong, and of the policy.

use crate::support::{fresh, undaunted};

#[test]
fn what_is_wrong_is_said_with_what_was_expected() {
    for (args, said) in [
        (
            &["tpc:db:5432"][..],
            "the target \"tpc:db:5432\" cannot be read: there is no kind \"tpc\"; expected tcp, udp",
        ),
        (&["db:0"], "the target \"db:0\" cannot be read: \"0\" is no port; expected 1 to 65535"),
        (&["https://a/"], "the target \"https://a/\" cannot be read: there is no TLS here; expected http"),
        (
            &["--timeout", "10", "/"],
            "--timeout \"10\" is no length; expected one like 500ms, 30s, 1.5m or 2h",
        ),
        (&["--interval", "0s", "/"], "--interval \"0s\" is no length; expected one like 500ms"),
        // A word of a policy is no part of it.
        (
            &["--timeout", "1s attempts 1", "/"],
            "--timeout \"1s attempts 1\" is no length; expected one like 500ms",
        ),
        (&["--policy", "constant 1x", "/"], "the policy cannot be read"),
        (&["--policy", "constant 1s within 5s", "-t", "5s", "/"], "the policy cannot be read"),
        (&["--status", "200", "/"], "--status is for http targets, and there is none"),
    ] {
        let answer = undaunted(&[&["wait"], args].concat());
        assert_eq!(answer.code, Some(2), "{args:?}: {}", answer.err);
        assert!(answer.err.starts_with(&format!("undaunted: {said}")), "{}", answer.err);
    }
    for args in [&["wait"][..], &["wait", "--all", "--any", "/"], &["wait", "--status", "99", "http://a/"]] {
        assert_eq!(undaunted(args).code, Some(2), "{args:?}");
    }
}

#[test]
fn attempts_can_be_the_limit() {
    let path = fresh("wait.attempts").display().to_string();
    let answer = undaunted(&["wait", "-q", "--policy", "constant 1ms attempts 3", &path]);
    assert_eq!(answer.code, Some(124));
    let events = answer.events();
    assert!(events[0].ends_with(": no attempts left"), "{events:?}");
    assert!(
        events[1].starts_with(&format!("{path}: no such file or directory (3 attempts in ")),
        "{events:?}"
    );
}

#[test]
fn the_help_teaches() {
    let help = undaunted(&["wait", "--help"]).out;
    for word in ["tcp:HOST:PORT", "not:TARGET", "Exit status:", "Examples:", "attempt_timeout 10s within 1m"]
    {
        assert!(help.contains(word), "{word}");
    }
    assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
}
