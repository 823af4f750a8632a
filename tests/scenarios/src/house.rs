//! A small machine of its own for a scenario: namespaces for processes, mounts and network, and an empty `/tmp`.
//!
//! Nobody else is in there, so that a list of all processes, links and files is exact; and when its first process ends,
//! for whatever reason, the kernel ends the others and forgets the rest.

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

/// Set in there.
const MARK: &str = "UNDAUNTED_SCENARIO_HOUSE";

/// The scenario and the command `undaunted` are carried in through descriptors, since what is mounted first hides the
/// folders that they may lie in.
const FURNISH: &str = r#"
exec 3<"$1" 4<"$2"
mount -t tmpfs tmpfs /mnt
touch /mnt/scenario /mnt/undaunted
mount --no-canonicalize --bind /proc/self/fd/3 /mnt/scenario
mount --no-canonicalize --bind /proc/self/fd/4 /mnt/undaunted
exec 3<&- 4<&-
mount -t tmpfs -o mode=1777 tmpfs /tmp
ip link set lo up
cd /
shift 2
exec /mnt/scenario "$@"
"#;

/// Whether this process is in a house.
pub fn is_inside() -> bool {
    env::var_os(MARK).is_some()
}

/// Runs this program again, with the same arguments, in a house.
///
/// # Errors
/// When the command cannot be built, or no program be started.
pub fn run(args: impl Iterator<Item = OsString>) -> io::Result<ExitStatus> {
    let undaunted = if is_inside() { "/mnt/undaunted".into() } else { build()? };
    inside(&undaunted, args)?.status()
}

/// The same, not yet run.
///
/// # Errors
/// When this program cannot tell where it lies.
pub fn inside(undaunted: &Path, args: impl Iterator<Item = OsString>) -> io::Result<Command> {
    let mut command = Command::new("setpriv");
    // When we are killed, so is unshare; and when unshare is, so is the first process in there.
    command.args(["--pdeathsig", "KILL", "unshare", "--net", "--mount", "--pid", "--mount-proc"]);
    command.args(["--fork", "--kill-child"]);
    if !nix::unistd::geteuid().is_root() {
        command.args(["--user", "--map-root-user"]);
    }
    command.args(["sh", "-euc", FURNISH, "sh"]).arg(env::current_exe()?).arg(undaunted).args(args);
    let mut path = OsString::from("/mnt:");
    path.push(env::var_os("PATH").unwrap_or_else(|| "/usr/sbin:/usr/bin:/sbin:/bin".into()));
    command.env("PATH", path).env(MARK, "1").env_remove("TMPDIR").env_remove("UNDAUNTED_POLICY");
    Ok(command)
}

/// Builds the command `undaunted`, and asks cargo where it lies.
fn build() -> io::Result<PathBuf> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let mut command = Command::new(cargo);
    command.args(["build", "--locked", "-q", "-p", "undaunted-cli", "--bin", "undaunted", "--manifest-path"]);
    let output = command
        .args([manifest, "--message-format", "json"])
        .stderr(std::process::Stdio::inherit())
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut artifacts = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let found = artifacts.find_map(|artifact| artifact["executable"].as_str().map(PathBuf::from));
    found.ok_or_else(|| io::Error::other("cargo did not build the command undaunted"))
}
