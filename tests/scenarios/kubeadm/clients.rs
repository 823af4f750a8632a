//! The clients: two for each policy, which change the same object of the cluster.

use crate::count::Count;
use crate::write::{Place, write};
use crate::{etcd, haproxy};
use etcd_client::{Client, GetOptions};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::{Duration, Instant};
use tokio::time::sleep;
use undaunted::presets::{ALL, Preset, clusterctl};
use undaunted::tokio::{Deadline, retry};
use undaunted::{Attempt, metrics};

/// An attempt is cut then: a call through a connection that is dead would wait for long.
pub(crate) const ATTEMPT: Duration = Duration::from_secs(2);

/// Every policy of kubeadm and of clusterctl.
pub(crate) fn presets() -> impl Iterator<Item = &'static Preset> {
    let theirs =
        |preset: &&Preset| ["kubeadm.", "clusterctl."].iter().any(|from| preset.name.starts_with(from));
    ALL.iter().filter(theirs)
}

/// The counts of all clients, by the policy.
pub(crate) type Counts = Rc<RefCell<BTreeMap<&'static str, Count>>>;

/// Writes under the policy until it is to stop, or the phase is over.
pub(crate) async fn client(
    preset: &'static Preset,
    index: u32,
    phase: Deadline,
    stopped: Rc<Cell<bool>>,
    counts: Counts,
) {
    let client = connect(phase).await;
    for n in 0.. {
        if stopped.get() || phase.is_over() {
            return;
        }
        let status = format!("status/{}", preset.name);
        let place = Place { status, record: format!("record/{}/{index}/{n:06}", preset.name) };
        one(&client, preset, &place, phase, &counts).await;
        sleep(Duration::from_millis(100)).await;
    }
}

/// One write.
async fn one(client: &Client, preset: &'static Preset, place: &Place, phase: Deadline, counts: &Counts) {
    let count =
        |change: &mut dyn FnMut(&mut Count)| change(counts.borrow_mut().entry(preset.name).or_default());
    let begun = Instant::now();
    let attempt = |attempt: Attempt| {
        count(&mut |count| count.calls += 1);
        write(client, place, attempt.number())
    };
    let call = retry(preset.policy.attempt_timeout(ATTEMPT), attempt)
        .when(|failed| failed.is_worth_it())
        .on_event(metrics::named(preset.name))
        .on_event(|event| count(&mut |count| count.hear(event)))
        .deadline(phase);
    let ended = if preset.fixed_rate { call.fixed_rate().report().await } else { call.report().await };
    let took = begun.elapsed();
    count(&mut |count| count.end(place.record.clone(), &ended, took));
}

/// Through the balancer, which need not be there yet.
async fn connect(phase: Deadline) -> Client {
    let connected = retry(&clusterctl::CONNECT, async || {
        let client = Client::connect([haproxy::ENDPOINT], None).await?;
        client.kv_client().get("status", None).await?;
        Ok::<_, etcd_client::Error>(client)
    });
    connected.deadline(phase).await.unwrap_or_else(|gave_up| panic!("not connected: {gave_up}"))
}

/// Every record with how often it was written, and how often each object was changed: asked of a member itself.
pub(crate) async fn stored(preset: &str) -> (BTreeMap<String, i64>, i64) {
    let mut client = Client::connect([etcd::endpoint(0)], None).await.unwrap();
    let all = GetOptions::new().with_prefix();
    let records = client.get(format!("record/{preset}/"), Some(all)).await.unwrap();
    let records = records.kvs().iter().map(|kv| (kv.key_str().unwrap().to_string(), kv.version())).collect();
    let status = client.get(format!("status/{preset}"), None).await.unwrap();
    (records, status.kvs().first().map_or(0, |kv| kv.version()))
}
