//! Processes that all want the same service at the same moment.

use crate::service::{Service, Trouble};
use nix::fcntl::{Flock, FlockArg};
use std::fs::File;
use std::path::Path;
use std::process::{ExitCode, Stdio};
use undaunted::thread::retry;
use undaunted::{Micros, Policy};
use undaunted_scenarios::{Started, me};

/// What became of them.
#[derive(Debug, Default)]
pub(crate) struct Crowd {
    pub(crate) collisions: u32,
    /// The longest that one had to wait.
    pub(crate) longest: Micros,
}

impl Crowd {
    /// So many processes, in so many rounds. Each restarts the service once in each round, or it panics.
    pub(crate) fn contend(policy: &Policy, hands: u32, rounds: u32) -> Crowd {
        let folder = tempfile::tempdir().unwrap();
        let service = Service::in_folder(folder.path());
        let mut crowd = Crowd::default();
        for _ in 0..rounds {
            crowd.round(policy, hands, folder.path());
        }
        assert_eq!(service.restarts(), hands * rounds, "no restart was lost");
        service.stop().unwrap();
        crowd
    }

    /// They are started one by one, and let go together: a lock is the gun.
    fn round(&mut self, policy: &Policy, hands: u32, folder: &Path) {
        let gun = File::create(folder.join("gun")).unwrap();
        let gun = Flock::lock(gun, FlockArg::LockExclusive).unwrap();
        let start = |_| {
            let mut command = me("hand");
            command.arg(folder).arg(policy.to_string());
            Started::start(command.stdout(Stdio::piped())).unwrap()
        };
        let hands: Vec<Started> = (0..hands).map(start).collect();
        let mut hands: Vec<_> = hands.into_iter().map(|mut hand| (hand.output(), hand)).collect();
        for (lines, _) in &mut hands {
            assert_eq!(lines.next().as_deref(), Some("ready"));
        }
        gun.unlock().unwrap();
        for (mut lines, mut hand) in hands {
            let said = lines.next().unwrap_or_default();
            let numbers: Option<(u32, u64)> =
                said.split_once(' ').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
            let (true, Some((attempts, micros))) = (hand.wait().unwrap().success(), numbers) else {
                panic!("a hand gave up: {said}")
            };
            self.collisions += attempts - 1;
            self.longest = self.longest.max(Micros::new(micros));
        }
    }
}

/// One of them: the folder, and the policy. Says how many attempts it took and how long, in microseconds.
pub(crate) fn hand(args: &[String]) -> ExitCode {
    let [folder, policy] = args else { panic!("a folder and a policy") };
    let (folder, policy) = (Path::new(folder), policy.parse::<Policy>().unwrap());
    let gun = File::open(folder.join("gun")).unwrap();
    println!("ready");
    let gun = Flock::lock(gun, FlockArg::LockShared).unwrap();
    let service = Service::in_folder(folder);
    let restarted =
        retry(policy, || service.restart()).when(|trouble| matches!(trouble, Trouble::Conflict)).report();
    drop(gun);
    match restarted {
        Ok(report) => {
            println!("{} {}", report.attempts, report.elapsed.as_micros());
            ExitCode::SUCCESS
        }
        Err(gave_up) => {
            println!("{gave_up}");
            ExitCode::FAILURE
        }
    }
}
