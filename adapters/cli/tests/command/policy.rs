//! Which policy holds, and what is said of one that cannot be read.

use crate::support::{run, undaunted};

#[test]
fn a_policy_is_one_text_or_several_words() {
    let texts: [&[&str]; 3] = [
        &["plan", "linear 1s +500ms attempts 3"],
        &["plan", "linear", "1s", "+500ms", "attempts", "3"],
        &["plan", "linear 1s", "attempts 3", "+500ms"],
    ];
    for args in texts {
        let answer = undaunted(args);
        assert_eq!(answer.code, Some(0));
        assert_eq!(
            answer.out.lines().next(),
            Some("linear 1s +500ms cap 30s jitter full attempts 3"),
            "{args:?}"
        );
    }
}

#[test]
fn without_a_policy_there_is_a_default_and_the_help_says_it() {
    let policy = "exponential 1s x2 cap 30s jitter full attempts 5";
    assert_eq!(undaunted(&["plan"]).out.lines().next(), Some(policy));
    for command in ["run", "plan"] {
        let help = undaunted(&[command, "--help"]);
        assert_eq!(help.code, Some(0));
        let said = "Without any of these the policy is that of UNDAUNTED_POLICY, else:";
        assert!(help.out.contains(&format!("{said}\n  {policy}\n")));
    }
    assert_eq!(undaunted(&["run", "--", "sh", "-c", "exit 0"]).code, Some(0));
}

#[test]
fn a_caret_shows_where_it_cannot_be_read() {
    let said = "\
undaunted: the policy cannot be read
  exponential 100 x2
                 ^ expected a unit (us, ms, s, m, h or d)
";
    for args in [&["run", "exponential", "100", "x2", "--", "true"][..], &["plan", "exponential 100 x2"]] {
        let answer = undaunted(args);
        assert_eq!((answer.code, &*answer.out, &*answer.err), (Some(2), "", said));
    }
}

#[test]
fn a_rule_that_is_broken_has_its_caret_too() {
    let said = "\
undaunted: the policy cannot be read
  constant 1s attempts 0
              ^ attempts must be at least 1 (an attempt is a call, the first included); got 0
";
    assert_eq!(run("constant 1s attempts 0", "exit 0").err, said);
}

#[test]
fn an_empty_policy_is_not_the_default() {
    let answer = run("", "exit 0");
    assert_eq!(answer.code, Some(2));
    assert!(answer.err.contains("\n  ^ expected a shape"), "{}", answer.err);
}

#[test]
fn a_policy_and_a_preset_are_one_too_many() {
    let answer = undaunted(&["run", "constant 1s", "--preset", "cni.tag_eni", "--", "true"]);
    assert_eq!((answer.code, &*answer.out), (Some(2), ""));
    let said = "the argument '[POLICY]...' cannot be used with '--preset <NAME>'";
    assert!(answer.err.contains(said), "{}", answer.err);
}

#[test]
fn a_preset_is_a_policy_by_name() {
    let answer = undaunted(&["run", "--preset", "capi.ssa_managedfields", "--", "sh", "-c", "exit 4"]);
    // 10 ms and up to a tenth more, three attempts.
    assert_eq!((answer.code, answer.events().len()), (Some(4), 3));
    assert!(answer.events()[0].starts_with("attempt 1/3 failed: exit status 4; next in 1"));
}

#[test]
fn a_wrong_name_is_told_its_neighbours() {
    let said = "undaunted: there is no preset \"snap.promote\". Did you mean snap.etcd_promote";
    for args in [
        &["run", "--preset", "snap.promote", "--", "true"][..],
        &["plan", "--preset", "snap.promote"],
        &["presets", "snap.promote"],
    ] {
        let answer = undaunted(args);
        assert_eq!((answer.code, &*answer.out), (Some(2), ""));
        assert!(answer.err.starts_with(said), "{}", answer.err);
        assert!(answer.err.ends_with("? `undaunted presets` lists them all\n"), "{}", answer.err);
    }
}

#[test]
fn a_command_line_that_is_wrong_is_2() {
    for args in [&["run", "constant 1s"][..], &["run", "--seed", "x", "--", "true"], &["walk"], &[]] {
        assert_eq!(undaunted(args).code, Some(2), "{args:?}");
    }
}

#[test]
fn a_limit_for_each_attempt_is_said_once() {
    let twice = ["run", "--attempt-timeout", "1s", "constant 1ms attempt_timeout 2s", "--", "true"];
    let none = ["run", "--attempt-timeout", "0s", "constant 1ms", "--", "true"];
    for (args, said) in [
        (twice, "--attempt-timeout 1s was said, and attempt_timeout 2s in the policy: say one"),
        (none, "--attempt-timeout must be at least 1us"),
    ] {
        let answer = undaunted(&args);
        assert_eq!(answer.code, Some(2));
        assert!(answer.err.contains(said), "{}", answer.err);
    }
}
