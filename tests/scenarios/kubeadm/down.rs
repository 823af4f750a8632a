//! Nothing comes back: a phase ends in time, whatever runs in it, and limits inside limits do not multiply.

use crate::clients::presets;
use crate::etcd::{self, Cluster};
use crate::haproxy::{self, Balancer};
use crate::write::{Failed, Place, Written, write};
use etcd_client::Client;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::net::TcpStream;
use std::time::{Duration, Instant};
use tokio::task::{JoinSet, spawn_blocking};
use undaunted::presets::{Preset, kubeadm};
use undaunted::tokio::{Deadline, retry};
use undaunted::{Attempt, GaveUp, Policy, Reason, thread};

const PHASE: Duration = Duration::from_secs(6);
/// How long one attempt may take, and how much later than its limit a phase may end.
const ATTEMPT: Duration = Duration::from_secs(1);

/// How many calls there can be in the phase at most where each is refused at once: at 0 s, and then each so often.
const MOST: [(&str, u32); 8] = [
    ("kubeadm.api.v1beta4", 12),
    ("kubeadm.discovery", 2),
    ("kubeadm.etcd.v1beta4", 12),
    ("kubeadm.patch_node.old", 11),
    ("kubeadm.read", 12),
    ("kubeadm.short_configmap", 7),
    ("kubeadm.tls_bootstrap", 6),
    ("kubeadm.write", 12),
];

const REFUSED: &str = "nobody listens";

pub(crate) async fn down() {
    println!("   a phase of 6 s under each policy, with attempts of 1 s at most:");
    let mut ends = JoinSet::new();
    for preset in presets() {
        ends.spawn_local(give_up(preset, REFUSED, haproxy::ENDPOINT.to_string()));
    }
    tokio::join!(report(ends), nested());

    let cluster = Cluster::start().await;
    let _balancer = Balancer::start().await;
    cluster.freeze();
    let mut ends = JoinSet::new();
    for preset in presets() {
        ends.spawn_local(give_up(preset, "a silent server", etcd::endpoint(0)));
        ends.spawn_local(give_up(preset, "a balancer before silent servers", haproxy::ENDPOINT.to_string()));
    }
    report(ends).await;
}

/// How one phase ended.
struct End {
    what: &'static str,
    preset: &'static Preset,
    reason: Reason,
    attempts: u32,
    took: Duration,
}

async fn give_up(preset: &'static Preset, what: &'static str, endpoint: String) -> End {
    let client = Client::connect([endpoint], None).await.unwrap();
    let (begun, phase) = (Instant::now(), Deadline::after(PHASE));
    let call = retry(preset.policy.attempt_timeout(ATTEMPT), async || write(&client, &nothing(), 1).await)
        .when(Failed::is_worth_it)
        .deadline(phase);
    let ended = if preset.fixed_rate { call.fixed_rate().await } else { call.await };
    let GaveUp { reason, attempts, .. } = ended.unwrap_err();
    End { what, preset, reason, attempts, took: begun.elapsed() }
}

fn nothing() -> Place {
    Place { status: "status/down".into(), record: "record/down".into() }
}

/// In time, and for a reason.
async fn report(mut ends: JoinSet<End>) {
    let mut latest: BTreeMap<&str, (Duration, &str, u32)> = BTreeMap::new();
    while let Some(end) = ends.join_next().await {
        let End { what, preset, reason, attempts, took } = end.unwrap();
        let name = preset.name;
        assert!(took < PHASE + ATTEMPT, "{what}: {name} gave up after {took:?}");
        let out_of_attempts =
            reason == Reason::Attempts && preset.policy.settings().attempts == Some(attempts);
        assert!(out_of_attempts || reason == Reason::Deadline, "{what}: {name} gave up: {reason}");
        if let Some((_, most)) = MOST.iter().find(|(most, _)| *most == name && what == REFUSED) {
            assert!(attempts <= *most, "{what}: {name} called {attempts} times");
        }
        let calls = latest.get(what).map_or(0, |(.., calls)| *calls) + attempts;
        let (took, name) =
            latest.get(what).map_or((took, name), |(other, whose, _)| (took, name).max((*other, *whose)));
        latest.insert(what, (took, name, calls));
    }
    for (what, (took, name, calls)) in latest {
        println!(
            "   {what}: {calls} calls in all; the last to give up was {name}, after {:.3} s",
            took.as_secs_f64()
        );
    }
}

/// A retry in a retry: what kubeadm did, 80 s at worst. The inner one takes over the limit of the outer attempt that it is in.
async fn nested() {
    let phase = Some(Deadline::after(PHASE));
    let runs = tokio::join!(
        one_in_another(kubeadm::WRITE, kubeadm::WRITE, phase),
        one_in_another(kubeadm::READ, kubeadm::MUTATE_CONFIGMAP_1_17, phase),
        one_in_another(kubeadm::READ, kubeadm::READ, None),
        on_a_thread(kubeadm::WRITE, kubeadm::WRITE),
    );
    println!("   one in another, each with its own limit, in the phase:");
    for (what, limit, (took, calls)) in [
        ("kubeadm.write, 40 s, in kubeadm.write, 40 s", PHASE, runs.0),
        ("kubeadm.read, 15 s, in kubeadm.mutate_configmap.1_17, 20 times", PHASE, runs.1),
        ("kubeadm.read, 15 s, in kubeadm.read, 15 s, without a phase", Duration::from_secs(15), runs.2),
        ("kubeadm.write in kubeadm.write on a thread, where nothing is cut", PHASE, runs.3),
    ] {
        println!("   {what}: {:.3} s, {calls} calls", took.as_secs_f64());
        assert!(took < limit + ATTEMPT, "{what}: {took:?}");
        // Every 500 ms from 0 s on, as if there were one.
        assert!(calls <= 2 * limit.as_secs() as u32, "{what}: {calls} calls");
    }
}

async fn one_in_another(inner: Policy, outer: Policy, phase: Option<Deadline>) -> (Duration, u32) {
    let client = Client::connect([haproxy::ENDPOINT], None).await.unwrap();
    let (begun, calls) = (Instant::now(), Cell::new(0));
    let call = |outer: Attempt| {
        let once = async || {
            calls.set(calls.get() + 1);
            write(&client, &nothing(), 1).await
        };
        let inner = retry(inner.attempt_timeout(ATTEMPT), once).when(Failed::is_worth_it).fixed_rate();
        async move { inner.deadline(outer).await }
    };
    let limit = phase.map(|phase| phase.at());
    let ended: Result<Written, GaveUp<_, GaveUp<_, Failed>>> = retry(outer, call).deadline(limit).await;
    assert_eq!(ended.unwrap_err().reason, Reason::Deadline);
    (begun.elapsed(), calls.get())
}

async fn on_a_thread(inner: Policy, outer: Policy) -> (Duration, u32) {
    let thread = spawn_blocking(move || {
        let (begun, phase) = (Instant::now(), thread::Deadline::after(PHASE));
        let mut calls = 0;
        let call = |outer: Attempt| {
            let connect = || {
                calls += 1;
                TcpStream::connect(haproxy::ADDRESS)
            };
            thread::retry(inner, connect).fixed_rate().deadline(outer).run()
        };
        assert_eq!(thread::retry(outer, call).deadline(phase).run().unwrap_err().reason, Reason::Deadline);
        (begun.elapsed(), calls)
    });
    thread.await.unwrap()
}
