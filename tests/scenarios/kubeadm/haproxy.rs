//! HAProxy before the cluster, as on a control plane: a master that reloads its worker, in TCP mode, with health checks.

use crate::etcd;
use nix::sys::signal::Signal;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::process::Command;
use std::time::Duration;
use undaunted::{Policy, tokio::poll};
use undaunted_scenarios::Started;

pub(crate) const ADDRESS: &str = "127.0.0.1:6443";
pub(crate) const ENDPOINT: &str = "http://127.0.0.1:6443";
const CONFIGURATION: &str = "/tmp/haproxy.cfg";
const LOG: &str = "/tmp/haproxy.log";
const DONE: Policy = Policy::constant(Duration::from_millis(10))
    .no_jitter()
    .unlimited_attempts()
    .within(Duration::from_secs(10));

/// Connections outlive a reload in the old worker for so long, then they are cut: that is the blink.
const SETTINGS: &str = "
global
    maxconn 1000
    hard-stop-after 300ms
defaults
    mode tcp
    timeout connect 1s
    timeout client 1m
    timeout server 1m
    timeout check 500ms
frontend api
    bind 127.0.0.1:6443
    default_backend etcd
backend etcd
    balance roundrobin
    option httpchk GET /health
";

/// One that runs. Dropped, it is killed with its workers, and its files are gone.
pub(crate) struct Balancer {
    master: Started,
    _files: Files,
}

impl Balancer {
    /// Starts it, and waits until a worker is there.
    pub(crate) async fn start() -> Balancer {
        let servers = [0, 1, 2].map(|member| {
            let port = etcd::port(member);
            format!(
                "    server etcd{member} 127.0.0.1:{port} check inter 250ms fall 2 rise 1 on-marked-down shutdown-sessions\n"
            )
        });
        fs::write(CONFIGURATION, format!("{SETTINGS}{}", servers.concat())).unwrap();
        let log = File::options().create(true).append(true).open(LOG).unwrap();
        let mut haproxy = Command::new("haproxy");
        haproxy.args(["-W", "-f", CONFIGURATION]).stdout(log.try_clone().unwrap()).stderr(log);
        let balancer = Balancer { master: Started::start(&mut haproxy).unwrap(), _files: Files };
        balancer.until("a worker", |workers| !workers.is_empty()).await;
        balancer
    }

    /// Starts a new worker, and waits until the one before it is gone with its connections.
    pub(crate) async fn reload(&self) {
        let before = self.workers();
        self.master.signal(Signal::SIGUSR2).unwrap();
        self.until("a new worker alone", |workers| !workers.is_empty() && workers.is_disjoint(&before)).await;
    }

    /// Stops it: connections are cut, and new ones refused.
    pub(crate) async fn stop(self) {
        etcd::end(self.master, Signal::SIGTERM).await;
    }

    /// The children of the master.
    fn workers(&self) -> BTreeSet<String> {
        let pid = self.master.pid();
        let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
        children.split_whitespace().map(str::to_string).collect()
    }

    async fn until(&self, what: &str, holds: impl Fn(BTreeSet<String>) -> bool) {
        let listens = async || holds(self.workers()) && tokio::net::TcpStream::connect(ADDRESS).await.is_ok();
        if poll(&DONE, listens).await.is_err() {
            panic!("HAProxy has not got {what}:\n{}", fs::read_to_string(LOG).unwrap_or_default());
        }
    }
}

struct Files;

impl Drop for Files {
    fn drop(&mut self) {
        for file in [CONFIGURATION, LOG] {
            let _ = fs::remove_file(file);
        }
    }
}
