//! Jitter that is the same everywhere. That a generator without a seed does not compile is shown by
//! `ui/cases/generator_without_a_seed.rs` and `runtime_without_a_seed.rs`.

use crate::ask::{START, length, micros, policy};
use std::collections::BTreeSet;
use undaunted::{Outcome, Policy, Retry, Rng, Runtime, thread, tokio};

faults! {
    /// A fleet reconnects in lock-step: a thousand devices of one firmware, after one power cut.
    #[seen("arendst/Tasmota#2089", "mlesniew/PicoMQTT#74", "AMRC-FactoryPlus#167")]
    #[law("11")]
    #[input("1000 devices seeded by their serial numbers 1 to 1000, a first delay up to 1 min")]
    #[no_peer("not crates")]
    #[right("1000 different moments; the busiest of 60 seconds has 30 devices, the quietest 5")]
    fn a_fleet_reconnects_in_lock_step() -> String {
        let policy = policy("exponential 1s x2 cap 2m jitter full first_delay 1m");
        let first =
            |serial| Retry::first_wait(&policy, undaunted::Instant::MAX, START, Rng::seeded(serial).draw());
        let moments: Vec<u64> = (1..=1_000).map(|serial| micros(first(serial))).collect();
        let in_second = |second| moments.iter().filter(|&&at| at / 1_000_000 == second).count();
        let (busiest, quietest) =
            ((0..60).map(in_second).max().unwrap(), (0..60).map(in_second).min().unwrap());
        let different = moments.iter().collect::<BTreeSet<_>>().len();
        format!(
            "{different} different moments; \
             the busiest of 60 seconds has {busiest} devices, the quietest {quietest}"
        )
    }

    /// Jitter from a constant or deterministic seed: two nodes draw the same. The same seed given twice
    /// is the same schedule on purpose (law 11); not giving one is never the same.
    #[seen("ssvlabs/ssv#2782", "mofa-org/mofa#1522")]
    #[law("11")]
    #[input("1 s full jitter, three failures: node 1, node 2, node 1 again; seeds of 1000 sessions that were given none")]
    #[no_peer("loops inside applications or clients, not to be called alone")]
    #[right("367875us, 81613us, 820536us; 32725us, 667012us, 968995us; 367875us, 81613us, 820536us; 1000 different")]
    fn two_nodes_draw_the_same_jitter() -> String {
        let policy = policy("constant 1s jitter full");
        let seeds: BTreeSet<u64> = (0..1_000).map(|_| thread::Thread.seed()).collect();
        let nodes = [1, 2, 1].map(|seed| schedule(&policy, seed)).join("; ");
        format!("{nodes}; {} different", seeds.len())
    }

    /// Without the standard library the seed is a constant: every device of every fleet waits alike.
    /// Here it is an argument without a default.
    #[seen("backon 1.6 without std (run)")]
    #[law("11")]
    #[input("1 s x2 full jitter, three failures; two devices whose serial numbers differ by one")]
    #[right("463655us, 3094us, 3997002us; 693733us, 320001us, 1007824us")]
    fn every_device_has_the_same_seed() -> String {
        let policy = policy("exponential 1s x2 jitter full");
        [4711, 4712].map(|serial| schedule(&policy, serial)).join("; ")
    }

    /// The sessions that one maker makes all have its generator, and jitter alike.
    #[seen("tower 0.5 backoff (run)")]
    #[law("11")]
    #[input("four sessions of one policy, 1 h full jitter, their first waits")]
    #[right("4 of 4 are different")]
    fn sessions_of_one_maker_jitter_alike() -> String {
        const POLICY: Policy = Policy::parse_const("constant 1h jitter full");
        let runtime =
            ::tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        let waits = runtime.unwrap().block_on(async {
            let mut waits = BTreeSet::new();
            for _ in 0..4 {
                waits.insert(micros(tokio::Session::start(&POLICY).settle(Outcome::Fail).await.verdict));
            }
            waits
        });
        format!("{} of 4 are different", waits.len())
    }
}

/// The first three waits of a session with this seed.
fn schedule(policy: &Policy, seed: u64) -> String {
    let (mut rng, mut retry) = (Rng::seeded(seed), Retry::start(policy, START));
    let mut next = || length(micros(retry.next(policy, Outcome::Fail, START, rng.draw())));
    [next(), next(), next()].join(", ")
}
