//! The machine that the scenarios run in: what is left behind is seen, and goes when its owner fails or is killed.

use std::ffi::OsString;
use std::fs::{self, File};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::thread;
use undaunted_scenarios::{Scenario, Started, house, leftovers};

fn main() -> ExitCode {
    Scenario::new("house: what the scenarios stand on")
        .part("what is left behind is seen", left_behind)
        .part("a part that fails half way leaves nothing", half_way)
        .part("a scenario that is killed leaves nothing", killed)
        .role("neighbour", neighbour)
        .run()
}

fn sleeper() -> Command {
    let mut command = Command::new("sleep");
    command.arg("1000");
    command
}

fn link() {
    let status =
        Command::new("ip").args(["link", "add", "left0", "type", "veth", "peer", "name", "left1"]).status();
    assert!(status.unwrap().success());
}

fn left_behind() {
    assert_eq!(leftovers::look(), [""; 0]);
    let seen = |what: &str| {
        let left = leftovers::now();
        assert!(!left.is_empty() && left.iter().all(|left| left.starts_with(what)), "{what}: {left:?}");
        println!("   seen: {}", left.join(", "));
    };
    let mut child = sleeper().spawn().unwrap();
    seen("process ");
    child.kill().unwrap();
    child.wait().unwrap();
    File::create("/tmp/left").unwrap();
    seen("file /tmp/left");
    fs::remove_file("/tmp/left").unwrap();
    link();
    seen("link left");
    assert!(Command::new("ip").args(["link", "delete", "left0"]).status().unwrap().success());
    let mut other = Command::new("unshare").args(["--net", "sleep", "1000"]).spawn().unwrap();
    let path = format!("/proc/{}/ns/net", other.id());
    let home = fs::read_link("/proc/self/ns/net").unwrap();
    while fs::read_link(&path).unwrap() == home {
        thread::yield_now();
    }
    let namespace = File::open(path).unwrap();
    other.kill().unwrap();
    other.wait().unwrap();
    seen("descriptor ");
    drop(namespace);
    assert_eq!(leftovers::look(), [""; 0]);
}

fn half_way() {
    let failed = catch_unwind(AssertUnwindSafe(|| {
        let _process = Started::start(Command::new("sh").args(["-c", "sleep 1000 & sleep 1000"])).unwrap();
        std::panic::resume_unwind(Box::new("half way"));
    }));
    assert!(failed.is_err());
    assert_eq!(leftovers::look(), [""; 0]);
}

/// In a house in this house: a process, a link and a file, and no end.
fn neighbour(_: &[String]) -> ExitCode {
    let mut child = sleeper().spawn().unwrap();
    link();
    File::create("/tmp/left").unwrap();
    println!("ready");
    child.wait().unwrap();
    ExitCode::FAILURE
}

fn killed() {
    let args = ["--as", "neighbour"].map(OsString::from).into_iter();
    let mut command = house::inside(Path::new("/mnt/undaunted"), args).unwrap();
    let mut started = Started::start(command.stdout(Stdio::piped())).unwrap();
    assert_eq!(started.output().next().as_deref(), Some("ready"));
    let before = processes();
    // The first alone, and not its group.
    started.signal(nix::sys::signal::Signal::SIGKILL).unwrap();
    started.wait().unwrap();
    assert_eq!(leftovers::look(), [""; 0]);
    println!("   of {before} processes {} is left", processes());
}

fn processes() -> usize {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    entries.filter(|entry: &fs::DirEntry| entry.file_name().to_string_lossy().parse::<u32>().is_ok()).count()
}
