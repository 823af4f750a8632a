//! The guard itself, and which failures are tried again.

use crate::clients::stored;
use crate::etcd::{self, Cluster};
use crate::write::{Failed, Place, Written, write};
use etcd_client::Client;
use undaunted::presets::kubeadm;
use undaunted::{Reason, tokio::retry};

pub(crate) async fn once() {
    let _cluster = Cluster::start().await;
    let client = Client::connect([etcd::endpoint(1)], None).await.unwrap();
    let place = |n: u32| Place { status: "status/guard".into(), record: format!("record/guard/{n}") };

    // An attempt that was done and whose answer was lost is recognised by the next.
    assert_eq!(write(&client, &place(0), 1).await.unwrap(), Written::Now);
    assert_eq!(write(&client, &place(0), 2).await.unwrap(), Written::Before);
    assert_eq!(stored("guard").await, ([("record/guard/0".into(), 1)].into(), 1));

    // Ten at once change the same object: whoever was slower retries, and all of them are there.
    let all = (1..=10).map(|n| {
        let client = client.clone();
        tokio::task::spawn_local(async move {
            let report = retry(&kubeadm::MUTATE_CONFIGMAP_1_17, async || write(&client, &place(n), 1).await)
                .when(Failed::is_worth_it)
                .report();
            report.await.unwrap().attempts
        })
    });
    let mut attempts = 0;
    for one in all.collect::<Vec<_>>() {
        attempts += one.await.unwrap();
    }
    let (records, changes) = stored("guard").await;
    assert_eq!((records.len(), changes), (11, 11));
    assert!(records.values().all(|version| *version == 1), "{records:?}");
    println!("   ten at once on one object: {attempts} attempts");

    // What can never be is tried once.
    let nowhere = Place { status: String::new(), record: String::new() };
    let refused =
        retry(&kubeadm::WRITE, async || write(&client, &nowhere, 1).await).when(Failed::is_worth_it).await;
    let refused = refused.unwrap_err();
    assert_eq!((refused.reason, refused.attempts), (Reason::Permanent, 1));
    println!("   without a key: {refused}");
}
