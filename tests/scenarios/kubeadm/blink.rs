//! Thirty seconds in which the balancer and the leader go away and come back.

use crate::clients::{self, Counts, presets, stored};
use crate::count::{Count, table};
use crate::etcd::{self, Cluster};
use crate::haproxy::Balancer;
use crate::scrape;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::rc::Rc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::sleep;
use undaunted::tokio::Deadline;

/// For all of it: more than any of the policies that may take minutes.
const PHASE: Duration = Duration::from_secs(60);
/// The one policy that may give up: it ends before anything can come back.
const HASTY: &str = "kubeadm.short_configmap";

pub(crate) async fn blinks() {
    scrape::serve();
    let mut cluster = Cluster::start().await;
    let (phase, stopped, counts) = (Deadline::after(PHASE), Rc::new(Cell::new(false)), Counts::default());
    let mut clients = JoinSet::new();
    for (preset, index) in presets().flat_map(|preset| [(preset, 0), (preset, 1)]) {
        clients.spawn_local(clients::client(preset, index, phase, stopped.clone(), counts.clone()));
    }
    // The balancer is held until the last call has been answered.
    let (_balancer, before) = faults(&mut cluster).await;
    stopped.set(true);
    while let Some(ended) = clients.join_next().await {
        ended.unwrap();
    }
    let mut asked = before;
    for member in [0, 1, 2] {
        asked = asked.and(Asked::of(member).await);
    }
    let counts = counts.take();
    table(&counts);
    check(&counts).await;
    asked.check(&counts);
    scrape::check(&counts).await;
}

/// What happens; clients connect before the balancer is there. Answers what members had been asked before they were killed.
async fn faults(cluster: &mut Cluster) -> (Balancer, Asked) {
    sleep(Duration::from_secs(1)).await;
    let balancer = reloaded_and_stopped().await;
    sleep(Duration::from_secs(3)).await;
    let first = leader_dies(cluster).await;
    sleep(Duration::from_secs(3)).await;

    // Both at once.
    let leader = cluster.leader().await;
    let second = Asked::of(leader).await;
    cluster.kill(leader).await;
    balancer.stop().await;
    sleep(Duration::from_secs(2)).await;
    let balancer = Balancer::start().await;
    cluster.restart(leader).await;
    sleep(Duration::from_secs(4)).await;
    (balancer, first.and(second))
}

async fn reloaded_and_stopped() -> Balancer {
    let balancer = Balancer::start().await;
    sleep(Duration::from_secs(4)).await;
    for _ in 0..3 {
        balancer.reload().await;
        sleep(Duration::from_secs(1)).await;
    }
    balancer.stop().await;
    sleep(Duration::from_secs(3)).await;
    Balancer::start().await
}

async fn leader_dies(cluster: &mut Cluster) -> Asked {
    let leader = cluster.leader().await;
    let asked = Asked::of(leader).await;
    cluster.kill(leader).await;
    let next = cluster.leader().await;
    assert_ne!(next, leader);
    println!("   the leader, member {leader}, was killed; member {next} leads");
    sleep(Duration::from_secs(3)).await;
    cluster.restart(leader).await;
    asked
}

/// Every write that was acknowledged is there, once; what was given up is there once, or not at all; and there is nothing else.
async fn check(counts: &BTreeMap<&'static str, Count>) {
    assert_eq!(counts.len(), presets().count());
    for (preset, count) in counts {
        let (records, changes) = stored(preset).await;
        for (record, version) in &records {
            assert_eq!(*version, 1, "{record} was written more than once");
            assert!(
                count.done.contains_key(record) || count.in_doubt.contains(record),
                "nobody wrote {record}"
            );
        }
        for record in count.done.keys() {
            assert!(records.contains_key(record), "{record} was acknowledged and is not there");
        }
        assert_eq!(changes, records.len() as i64, "{preset}: changes of the object, and records of them");
        assert!(!count.done.is_empty(), "{preset} wrote nothing");
        assert!(count.gave_up.is_empty() || *preset == HASTY, "{preset} gave up: {:?}", count.gave_up);
    }
    assert!(!counts[HASTY].gave_up.is_empty(), "{HASTY} ends within 350 ms and cannot outlast 3 s");
    let (records, _) = stored(HASTY).await;
    let in_doubt = &counts[HASTY].in_doubt;
    let found = in_doubt.iter().filter(|record| records.contains_key(*record)).count();
    println!("   {HASTY}: of {} that were given up {found} had been done all the same", in_doubt.len());
}

/// Calls that reached the servers, by their own count.
#[derive(Clone, Copy)]
struct Asked {
    transactions: f64,
    reads: f64,
}

impl Asked {
    async fn of(member: u16) -> Asked {
        let samples = scrape::scrape(SocketAddr::from((Ipv4Addr::LOCALHOST, etcd::port(member)))).await;
        let started = |method| scrape::sum(&samples, "grpc_server_started_total", &[("grpc_method", method)]);
        Asked { transactions: started("Txn"), reads: started("Range") }
    }

    fn and(self, other: Asked) -> Asked {
        Asked { transactions: self.transactions + other.transactions, reads: self.reads + other.reads }
    }

    /// The servers saw no transaction that was not an attempt. What a member was asked just before its death is not known.
    fn check(self, counts: &BTreeMap<&'static str, Count>) {
        let calls: u64 = counts.values().map(|count| count.calls).sum();
        let done: usize = counts.values().map(|count| count.done.len()).sum();
        assert!(self.transactions <= calls as f64, "{} transactions of {calls} attempts", self.transactions);
        assert!(
            self.transactions >= 0.9 * done as f64,
            "{} transactions for {done} writes",
            self.transactions
        );
        let load = (self.transactions + self.reads) / (2.0 * done as f64);
        println!("   a write takes a read and a transaction: the servers were asked {load:.3} times that");
    }
}
