//! A load balancer that blinks (kubeadm): clients write guarded keys through HAProxy to three members of etcd, while it is
//! reloaded, stopped and started, and the leader is killed.
//!
//! What is to be shown: every write that was acknowledged is there, once; a phase ends in time when nothing comes back; a
//! limit a call inside a limit a phase does not multiply; and what it costs the servers.

mod blink;
mod clients;
mod count;
mod down;
mod etcd;
mod guard;
mod haproxy;
mod scrape;
mod write;

use std::process::ExitCode;
use undaunted_scenarios::Scenario;

fn main() -> ExitCode {
    Scenario::new("balancer: a load balancer that blinks")
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
