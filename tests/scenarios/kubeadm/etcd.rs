//! A cluster of three etcd members, on loopback.

use etcd_client::Client;
use nix::sys::signal::Signal;
use std::fs::{self, File};
use std::process::Command;
use std::time::Duration;
use tokio::task::spawn_blocking;
use undaunted::{Policy, tokio::poll};
use undaunted_scenarios::Started;

const MEMBERS: [u16; 3] = [0, 1, 2];
const FOLDER: &str = "/tmp/etcd";
/// A leader is there, and the member knows it.
const READY: Policy = Policy::constant(Duration::from_millis(50))
    .no_jitter()
    .unlimited_attempts()
    .within(Duration::from_secs(20));

/// The port that clients use, in a network of our own.
pub(crate) fn port(member: u16) -> u16 {
    2379 + 10 * member
}

pub(crate) fn endpoint(member: u16) -> String {
    format!("http://127.0.0.1:{}", port(member))
}

/// The members that run. Dropped, they are killed and their data is gone.
pub(crate) struct Cluster {
    members: [Option<Started>; 3],
}

impl Cluster {
    /// Starts three, and waits until each knows the leader.
    pub(crate) async fn start() -> Cluster {
        fs::create_dir(FOLDER).unwrap();
        let cluster = Cluster { members: MEMBERS.map(|member| Some(start(member))) };
        for member in MEMBERS {
            ready(member).await;
        }
        cluster
    }

    /// Which of them leads.
    pub(crate) async fn leader(&self) -> u16 {
        let ask = async || {
            for member in MEMBERS {
                if self.members[usize::from(member)].is_some() && leads(member).await == Some(true) {
                    return Some(member);
                }
            }
            None
        };
        poll(&READY, ask).await.unwrap_or_else(|_| panic!("no leader"))
    }

    /// Ends a member without a warning.
    pub(crate) async fn kill(&mut self, member: u16) {
        let started = self.members[usize::from(member)].take().expect("a member that runs");
        end(started, Signal::SIGKILL).await;
    }

    /// Starts it again, with the data that it had.
    pub(crate) async fn restart(&mut self, member: u16) {
        self.members[usize::from(member)] = Some(start(member));
        ready(member).await;
    }

    /// Stops all of them without ending them: what is sent is accepted, and nothing answers.
    pub(crate) fn freeze(&self) {
        self.members.iter().flatten().for_each(|member| member.signal(Signal::SIGSTOP).unwrap());
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.members = [None, None, None];
        let _ = fs::remove_dir_all(FOLDER);
    }
}

/// Sends the signal and waits for the end, while the clients go on.
pub(crate) async fn end(mut started: Started, signal: Signal) {
    let ended = spawn_blocking(move || {
        started.signal(signal)?;
        started.wait()
    });
    ended.await.unwrap().unwrap();
}

fn start(member: u16) -> Started {
    let peer = |member| format!("http://127.0.0.1:{}", port(member) + 1);
    let all = MEMBERS.map(|member| format!("m{member}={}", peer(member))).join(",");
    let log = File::options().create(true).append(true).open(format!("{FOLDER}/m{member}.log")).unwrap();
    let mut etcd = Command::new("etcd");
    etcd.args(["--name", &format!("m{member}"), "--data-dir", &format!("{FOLDER}/m{member}")]);
    etcd.args(["--listen-client-urls", &endpoint(member), "--advertise-client-urls", &endpoint(member)]);
    etcd.args(["--listen-peer-urls", &peer(member), "--initial-advertise-peer-urls", &peer(member)]);
    etcd.args(["--initial-cluster", &all, "--initial-cluster-state", "new", "--logger", "zap"]);
    Started::start(etcd.stdout(log.try_clone().unwrap()).stderr(log)).unwrap()
}

async fn ready(member: u16) {
    if let Err(gave_up) = poll(&READY, async || leads(member).await.is_some()).await {
        let log = fs::read_to_string(format!("{FOLDER}/m{member}.log")).unwrap_or_default();
        let tail = log.lines().rev().take(20).collect::<Vec<_>>().join("\n");
        panic!("etcd {member} is not ready: {:?}\nits log, the last line first:\n{tail}", gave_up.reason);
    }
}

/// Whether it leads, if it answers and knows a leader.
async fn leads(member: u16) -> Option<bool> {
    let mut client = Client::connect([endpoint(member)], None).await.ok()?;
    let status = client.status().await.ok()?;
    let me = status.header()?.member_id();
    (status.leader() != 0).then(|| status.leader() == me)
}
