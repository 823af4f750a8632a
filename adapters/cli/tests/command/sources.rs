//! Where a policy comes from, and what is said when it cannot come from there.

use crate::support::{Answer, command, undaunted, written};

/// The heading, if there is one, and the text of the policy.
fn heads(answer: &Answer) -> (&str, &str) {
    let mut lines = answer.out.lines();
    (lines.next().unwrap_or_default(), lines.next().unwrap_or_default())
}

/// The only lines of a refusal.
fn refused(answer: &Answer, said: &str) {
    assert_eq!((answer.code, &*answer.out, &*answer.err), (Some(2), "", said));
}

const FILE: &str = "\
# of a machine with one uplink
policy = \"constant 1s\"
speed = 9600

[policies]
uplink = \"exponential 1s cap 5m attempts unlimited\"
boot = 'schedule 1s,5s,30s attempts 4'

[policies.write]
within = \"2m\"
linear = \"1s +500ms\"
attempts = 3
";

#[test]
fn a_file_has_one_policy_and_others_by_name() {
    let file = written("sources.toml", FILE);
    for (name, text) in [
        ("", "constant 1s cap 30s jitter full attempts 5"),
        ("#uplink", "exponential 1s x2 cap 5m jitter full attempts unlimited"),
        ("#boot", "schedule 1s,5s,30s cap 30s jitter full attempts 4"),
        ("#write", "linear 1s +500ms cap 30s jitter full attempts 3 within 2m"),
    ] {
        let said = format!("{file}{name}");
        let answer = undaunted(&["plan", "--file", &said]);
        assert_eq!(heads(&answer), (&*format!("{said}:"), text));
    }
}

#[test]
fn a_file_of_names_only_is_planned_whole() {
    let file = written("names.toml", "[policies]\nb = 'constant 2s'\na = 'constant 1s'\n");
    let answer = undaunted(&["plan", "-f", &file]);
    let headings: Vec<&str> =
        answer.out.lines().filter(|line| line.ends_with(':') && line.contains('#')).collect();
    assert_eq!(headings, [format!("{file}#a:"), format!("{file}#b:")]);
}

#[test]
fn the_environment_holds_when_nothing_is_said() {
    let with = |text: &str, args: &[&str]| -> Answer {
        command(args).env("UNDAUNTED_POLICY", text).output().unwrap().into()
    };
    let answer = with("linear 1s +1s", &["plan"]);
    assert_eq!(heads(&answer), ("UNDAUNTED_POLICY:", "linear 1s +1s cap 30s jitter full attempts 5"));
    let answer = with("linear 1s +1s", &["plan", "immediate"]);
    assert_eq!(heads(&answer).0, "immediate cap 30s jitter full attempts 5");
    let answer = with("immediate attempts 3", &["run", "--", "false"]);
    assert_eq!((answer.code, answer.events().len()), (Some(1), 3));
    // Not the default.
    refused(
        &with("linear 1s", &["plan"]),
        "\
undaunted: the policy in UNDAUNTED_POLICY cannot be read
  linear 1s
           ^ expected the step of linear, such as +500ms
",
    );
    assert!(with("", &["run", "--", "true"]).err.ends_with("\n  ^ expected a shape (constant, decorrelated, exponential, fibonacci, immediate, linear or schedule)\n"));
}

#[test]
fn a_mistake_in_a_file_is_shown_where_it_is() {
    for (name, text, place, caret) in [
        // A line of text: the caret points into it.
        (
            "line.toml",
            "policy = 'exponential 100 x2'",
            ", line 1, column 26: `policy` cannot be read\n",
            "  policy = 'exponential 100 x2'\n                           ^ expected a unit (us, ms, s, m, h or d)\n",
        ),
        // With an escape it cannot; the position counts from the start of the text.
        (
            "escape.toml",
            "a = 1\npolicy = \"constant\\t1\"",
            ", line 2, column 10: `policy` cannot be read\n",
            "  policy = \"constant\\t1\"\n           ^ at byte 10: expected a unit (us, ms, s, m, h or d)\n",
        ),
        (
            "toml.toml",
            "a = 1\npolicy = ",
            ", line 2, column 10: the file cannot be read\n",
            "  policy = \n           ^ string values must be quoted, expected literal string\n",
        ),
        (
            "number.toml",
            "policy = 5",
            ", line 1, column 10: `policy` cannot be read\n",
            "  policy = 5\n           ^ expected a text or a table with the words of a policy\n",
        ),
        (
            "value.toml",
            "[policy]\nconstant = '1s'\ncap = '5x'\n",
            ", line 3, column 7: `policy` cannot be read\n",
            "  cap = '5x'\n        ^ cap: at byte 1: expected a unit (us, ms, s, m, h or d)\n",
        ),
        (
            "shape.toml",
            "[policy]\ncap = '5s'\n",
            ", line 1, column 1: `policy` cannot be read\n",
            "  [policy]\n  ^ a policy must name a shape, such as exponential\n",
        ),
        (
            "schedule.toml",
            "[policy]\nschedule = '1s'\n",
            ", line 2, column 1: `policy` cannot be read\n",
            "  schedule = '1s'\n  ^ expected another shape: a schedule is written as one text, \"schedule 1s,5s,30s\"\n",
        ),
        (
            "list.toml",
            "policies = []",
            ", line 1, column 12: `policies` cannot be read\n",
            "  policies = []\n             ^ expected a table of policies\n",
        ),
    ] {
        let file = written(name, text);
        refused(&undaunted(&["plan", "-f", &file]), &format!("undaunted: {file}{place}{caret}"));
    }
}

#[test]
fn what_a_file_does_not_have_is_no_default() {
    let file = written("missing.toml", FILE);
    let said = format!(
        "undaunted: {file} has no \"uplnk\" in `[policies]`: it has boot, uplink, write. Did you mean uplink?\n"
    );
    refused(&undaunted(&["plan", "-f", &format!("{file}#uplnk")]), &said);
    let said = format!("undaunted: expected FILE or FILE#NAME after --file, not \"{file}#\"\n");
    refused(&undaunted(&["plan", "-f", &format!("{file}#")]), &said);
    let other = written("other.toml", "polcy = 'constant 1s'\n");
    let said = format!("undaunted: {other} has neither a `policy` nor `[policies]`: it has polcy\n");
    refused(&undaunted(&["plan", "-f", &other]), &said);
    let said = "undaunted: cannot read no/such.toml: No such file or directory (os error 2)\n";
    refused(&undaunted(&["plan", "-f", "no/such.toml"]), said);
}

#[test]
fn a_recovery_is_planned_with_its_two_words() {
    let text = "exponential 1s cap 5m attempts unlimited intensity 5/1m";
    let answer = undaunted(&["plan", text]);
    let first = "exponential 1s x2 cap 5m jitter full attempts unlimited reset_after 10m intensity 5/1m";
    assert_eq!(answer.out.lines().next(), Some(first));
    let said = "
healthy     a run of 10 min begins anew with the first wait; at most 5 restarts
            in any 1 min, then it gives up
";
    assert!(answer.out.contains(said), "{}", answer.out);
    let file = written("recovery.toml", "[policies.up]\nconstant = '1s'\nreset_after = '3s'\n");
    let answer = undaunted(&["plan", "-f", &file]);
    assert_eq!(heads(&answer).1, "constant 1s cap 30s jitter full attempts 5 reset_after 3s");
    // What is only retried has no run that could be healthy.
    let said = "              ^ expected one of x1.5, cap, ";
    assert!(undaunted(&["run", "constant 1s reset_after 3s", "--", "true"]).err.contains(said));
}

/// One attempt, then two restarts are allowed: three runs.
#[test]
fn a_supervised_command_has_its_recovery_from_any_source() {
    let text = "immediate attempts 9 intensity 2/1h";
    let file =
        written("supervise.toml", "[policies.up]\nimmediate = true\nattempts = 9\nintensity = '2/1h'\n");
    let file = format!("{file}#up");
    for source in [&[text][..], &["--file", &file]] {
        let answer = undaunted(&[&["run", "--supervise"], source, &["--", "false"]].concat());
        assert_eq!((answer.code, answer.events().len()), (Some(1), 3), "{}", answer.err);
    }
    let answer = undaunted(&["run", "--supervise", text, "--healthy-after", "1m", "--", "false"]);
    let said = "undaunted: --healthy-after or --intensity was said, and their words in the policy: say them in one place\n";
    assert!(answer.code == Some(2) && answer.err.starts_with(said), "{}", answer.err);
}

#[test]
fn a_run_has_its_policy_from_any_one_source() {
    let file =
        written("run.toml", "policy = 'immediate attempts 2'\n[policies]\nthree = 'immediate attempts 3'\n");
    let three = format!("{file}#three");
    for (source, attempts) in
        [(&["-f", &*file][..], 2), (&["--file", &three], 3), (&["immediate attempts 4"], 4)]
    {
        let answer = undaunted(&[&["run"], source, &["--", "false"]].concat());
        assert_eq!((answer.code, answer.events().len()), (Some(1), attempts), "{}", answer.err);
    }
    for two in [&["constant 1s", "-f", &file][..], &["-p", "etcdadm.join", "-f", &file]] {
        let answer = undaunted(&[&["run"], two, &["--", "true"]].concat());
        assert!(answer.code == Some(2) && answer.err.contains(" cannot be used with "), "{}", answer.err);
    }
    // The names are there to choose from, and none is chosen.
    let names = written("run-names.toml", "[policies]\na = 'constant 1s'\nb = 'constant 2s'\n");
    let said = format!("undaunted: {names} has no `policy`; `[policies]` has a, b. Say which: {names}#a\n");
    refused(&undaunted(&["run", "-f", &names, "--", "true"]), &said);
}

#[test]
fn a_preset_is_planned_with_its_pace() {
    let pace = "\npace        a fixed rate: waits count from the beginning of an attempt\n";
    assert!(undaunted(&["plan", "-p", "flannel.host_network.now"]).out.contains(pace));
    assert!(!undaunted(&["plan", "-p", "snap.wait_until_ready"]).out.contains("fixed rate"));
}
