//! The load balancer that blinks: clients write guarded keys through HAProxy to three members of etcd, while it is reloaded,
//! stopped and started, and the leader is killed (kubernetes/kubeadm #2092, kubernetes #91952, cluster-api #2769).
//!
//! Shown: every write that was acknowledged is there, once; a phase ends in time when nothing comes back; a limit a
//! call inside a limit a phase does not multiply; what it costs the servers; and that Prometheus is told the same.

#[path = "kubeadm/blink.rs"]
mod blink;
#[path = "kubeadm/clients.rs"]
mod clients;
#[path = "kubeadm/count.rs"]
mod count;
#[path = "kubeadm/down.rs"]
mod down;
#[path = "kubeadm/etcd.rs"]
mod etcd;
#[path = "kubeadm/guard.rs"]
mod guard;
#[path = "kubeadm/haproxy.rs"]
mod haproxy;
#[path = "kubeadm/scrape.rs"]
mod scrape;
#[path = "kubeadm/write.rs"]
mod write;

use std::process::ExitCode;
use undaunted_scenarios::Scenario;

fn main() -> ExitCode {
    Scenario::new("kubeadm: the load balancer that blinks")
        .part("a write is done once, however often it is tried", || block_on(guard::once()))
        .part("reloads, stops, and the death of the leader", || block_on(blink::blinks()))
        .part("nothing comes back: the phase ends in time", || block_on(down::down()))
        .run()
}

/// Tasks that share counts without locks, on one thread.
fn block_on(part: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    tokio::task::LocalSet::new().block_on(&runtime, part);
}
