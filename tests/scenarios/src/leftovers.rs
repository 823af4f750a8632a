//! What is still there in the [`house`](crate::house) and should not be.

use nix::errno::Errno;
use nix::net::if_::if_nameindex;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use undaunted::{Policy, Probe, thread::poll};

/// What was killed takes a moment to be gone, on a busy machine a long one.
const GONE: Policy = Policy::constant(Duration::from_millis(10))
    .no_jitter()
    .unlimited_attempts()
    .within(Duration::from_secs(30));

/// What is left for good: nothing, or what has not gone after a while.
pub fn look() -> Vec<String> {
    let gone = poll(&GONE, || {
        let left = now();
        if left.is_empty() { Probe::Ready(()) } else { Probe::NotYet(left) }
    });
    gone.run().err().and_then(|gave_up| gave_up.into_error()).unwrap_or_default()
}

/// Everything that is left now: processes, network namespaces, links, files. Ends that nobody waited for are taken in.
///
/// No [`Started`](crate::Started) may be alive: its end is taken in too.
pub fn now() -> Vec<String> {
    reap();
    let mut left = processes();
    left.extend(namespaces());
    left.extend(links());
    left.extend(files("/tmp", &[]));
    left.extend(files("/mnt", &["scenario", "undaunted"]));
    left
}

/// We are the first process, so that each orphan becomes our child.
fn reap() {
    loop {
        match waitpid(None::<Pid>, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::StillAlive) | Err(Errno::ECHILD) => return,
            Ok(_) | Err(_) => {}
        }
    }
}

fn processes() -> Vec<String> {
    let me = std::process::id();
    let is_other = |name: &str| name.parse::<u32>().is_ok_and(|pid| pid != me);
    let others = names("/proc").into_iter().filter(|name| is_other(name));
    others
        .map(|pid| {
            let line = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            format!("process {pid}: {}", line.replace('\0', " ").trim_end())
        })
        .collect()
}

/// Held by a thread of ours, by a descriptor, or by a mount; those of processes go with these.
fn namespaces() -> Vec<String> {
    let home = fs::read_link("/proc/self/ns/net").ok();
    let link = |path: PathBuf| fs::read_link(path).ok();
    let threads = names("/proc/self/task").into_iter();
    let threads = threads
        .filter(|thread| link(format!("/proc/self/task/{thread}/ns/net").into()) != home)
        .map(|thread| format!("thread {thread} in a network namespace"));
    let descriptors = names("/proc/self/fd").into_iter();
    let descriptors = descriptors
        .filter(|fd| link(format!("/proc/self/fd/{fd}").into()).is_some_and(|path| is_namespace(&path)))
        .map(|fd| format!("descriptor {fd} of a network namespace"));
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let mounts = mounts.lines().filter(|line| line.contains(" - nsfs ")).map(|line| format!("mount: {line}"));
    threads.chain(descriptors).chain(mounts).collect()
}

fn is_namespace(path: &Path) -> bool {
    path.to_str().is_some_and(|path| path.starts_with("net:["))
}

fn links() -> Vec<String> {
    let links = if_nameindex().expect("the links of this namespace");
    let names = links.iter().map(|link| link.name().to_string_lossy().into_owned());
    names.filter(|name| name != "lo").map(|name| format!("link {name}")).collect()
}

fn files(folder: &str, expected: &[&str]) -> Vec<String> {
    let names = names(folder).into_iter().filter(|name| !expected.contains(&&**name));
    names.map(|name| format!("file {folder}/{name}")).collect()
}

fn names(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder}: {error}"));
    entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}
