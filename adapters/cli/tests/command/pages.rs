//! `undaunted completions` and `undaunted man`.

use crate::support::{fresh, undaunted};
use std::fs;
use std::io::Write;
use std::process::{Command, Output, Stdio};

const VERBS: [&str; 5] = ["run", "plan", "presets", "completions", "man"];

/// What a program that must be there answers to this input.
fn fed(program: &str, args: &[&str], input: &str) -> Output {
    let mut child = Command::new(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{program}: {error}"));
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn bash_completes_verbs_options_and_values() {
    let script = undaunted(&["completions", "bash"]).out;
    let complete = |words: &str| {
        let count = words.split(' ').count() - 1;
        let asked = format!(
            "{script}\nCOMP_WORDS=({}) COMP_CWORD={count}\n_undaunted undaunted '{}' '{}'\nprintf '%s ' \"${{COMPREPLY[@]}}\"",
            words.split(' ').map(|word| format!("'{word}' ")).collect::<String>(),
            words.rsplit(' ').next().unwrap(),
            words.rsplit(' ').nth(1).unwrap(),
        );
        let output = fed("bash", &["--norc", "-s"], &asked);
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    assert_eq!(complete("undaunted p"), "plan presets");
    assert_eq!(complete("undaunted plan --f"), "--file --fleet --format");
    assert_eq!(complete("undaunted plan --format "), "json table");
    assert_eq!(complete("undaunted plan --preset etcdadm."), "etcdadm.join");
    assert_eq!(
        complete("undaunted presets cni.linkbymac."),
        "cni.linkbymac.2019 cni.linkbymac.ipamd cni.linkbymac.now"
    );
}

#[test]
fn every_shell_has_a_script() {
    let output = fed("bash", &["-n"], &undaunted(&["completions", "bash"]).out);
    assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let answer = undaunted(&["completions", shell]);
        assert_eq!((answer.code, &*answer.err), (Some(0), ""));
        assert!(VERBS.iter().all(|verb| answer.out.contains(verb)), "{shell}");
    }
    let answer = undaunted(&["completions", "ksh"]);
    assert!(answer.code == Some(2) && answer.err.contains("'ksh'"), "{}", answer.err);
}

/// As `man` would show it; groff warns of every macro that it does not know.
fn rendered(page: &str) -> String {
    let output = fed("groff", &["-man", "-T", "utf8", "-P", "-c", "-ww"], page);
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap()), (Some(0), String::new()));
    let plain = fed("col", &["-bx"], &String::from_utf8(output.stdout).unwrap());
    String::from_utf8(plain.stdout).unwrap()
}

#[test]
fn the_first_page_is_printed() {
    let page = rendered(&undaunted(&["man"]).out);
    assert!(page.starts_with("undaunted(1)"), "{page}");
    for verb in VERBS {
        assert!(page.contains(&format!("\n       undaunted-{verb}(1)\n")), "{page}");
    }
    // What `--help` says after its options is there to the last line, before what else a page has.
    let help = undaunted(&["--help"]).out;
    let last = help.lines().rfind(|line| !line.is_empty()).unwrap().trim();
    assert!(page.lines().any(|line| line.trim() == last), "{last:?} is not in {page}");
}

#[test]
fn every_verb_has_a_page_and_examples_stay_as_they_are() {
    let dir = fresh("man");
    fs::create_dir_all(&dir).unwrap();
    let answer = undaunted(&["man", dir.to_str().unwrap()]);
    let written: Vec<&str> = answer.out.lines().collect();
    assert_eq!((answer.code, written.len()), (Some(0), 7));
    for path in written {
        let page = rendered(&fs::read_to_string(path).unwrap());
        assert!(page.contains("\nNAME\n") && page.contains("\nDETAILS\n"), "{page}");
    }
    let page = rendered(&fs::read_to_string(dir.join("undaunted-plan.1")).unwrap());
    let lines = "\n         immediate                 no wait\n         attempts 5                calls in all, the first";
    assert!(page.contains(lines), "{page}");
}

#[test]
fn a_folder_that_is_not_there_is_made_where_that_can_be() {
    let dir = fresh("man-made").join("man1");
    assert_eq!(undaunted(&["man", dir.to_str().unwrap()]).code, Some(0));
    assert!(dir.join("undaunted.1").exists());
    let answer = undaunted(&["man", "/dev/null/man1"]);
    assert_eq!(answer.code, Some(1));
    assert_eq!(answer.err, "undaunted: cannot write: /dev/null/man1: Not a directory (os error 20)\n");
}
