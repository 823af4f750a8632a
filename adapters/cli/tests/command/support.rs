//! How the command is called, and what it answered.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::{env, fs};

/// What the command answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl From<Output> for Answer {
    fn from(output: Output) -> Answer {
        Answer {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Answer {
    /// The lines about the attempts, without their prefix.
    pub(crate) fn events(&self) -> Vec<&str> {
        self.err.lines().map(|line| line.strip_prefix("undaunted: ").unwrap()).collect()
    }
}

/// The command, not yet run.
pub(crate) fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_undaunted"));
    command.args(args).env_remove("UNDAUNTED_POLICY").stdin(Stdio::null());
    command
}

/// The answer to these arguments.
pub(crate) fn undaunted(args: &[&str]) -> Answer {
    command(args).output().unwrap().into()
}

/// The answer to `undaunted run` with the policy as one text and a shell script as the command.
pub(crate) fn run(policy: &str, script: &str) -> Answer {
    undaunted(&["run", policy, "--", "sh", "-c", script])
}

/// A path in the directory for tests at which there is nothing.
pub(crate) fn fresh(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_file(&path);
    path
}

/// A file in the directory for tests with this text.
pub(crate) fn written(name: &str, text: &str) -> String {
    let path = fresh(name);
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// A script that counts its calls in a file, so that `$n` is the number of this one, then goes on.
pub(crate) fn counting(name: &str, then: &str) -> String {
    let path = fresh(name);
    let path = path.display();
    format!("n=$(cat '{path}' 2>/dev/null || echo 0); n=$((n + 1)); echo $n > '{path}'; {then}")
}

/// How often a counting script was called.
pub(crate) fn calls(name: &str) -> u32 {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::read_to_string(path).map_or(0, |text| text.trim().parse().unwrap())
}

/// The same with no other descriptor than the three that it knows: whoever runs the tests may have left some open.
pub(crate) fn alone(command: &Command) -> Command {
    let script =
        r#"for n in /proc/$$/fd/*; do n=${n##*/}; [ $n -le 2 ] || eval "exec $n>&-"; done; exec "$@""#;
    let mut alone = Command::new("bash");
    alone
        .args(["-c", script, "alone"])
        .arg(command.get_program())
        .args(command.get_args())
        .stdin(Stdio::null());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => alone.env(name, value),
            None => alone.env_remove(name),
        };
    }
    alone
}
