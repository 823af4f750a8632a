//! Two hands on one service: a hook starts services while a controller restarts one of them, and the loser hears that a
//! change is in progress (canonical/k8s-snap #630).
//!
//! The original tries 5 times, 5 s apart, without jitter: contenders that began together come back together.

#[path = "snap/crowd.rs"]
mod crowd;
#[path = "snap/service.rs"]
mod service;

use crowd::{Crowd, hand};
use service::{Service, Trouble};
use std::fs::File;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;
use undaunted::{Micros, Policy, presets::snap};
use undaunted_scenarios::contention::contend;
use undaunted_scenarios::{Scenario, Started};

/// The original's 5 s in the scale of a test, and until it is done: nobody is to give up.
const IN_STEP: Policy = Policy::constant(Duration::from_millis(20))
    .no_jitter()
    .unlimited_attempts()
    .within(Duration::from_secs(60));

/// 10 to 30 ms: the same mean.
const SPREAD: Policy = IN_STEP.cap(Duration::from_millis(30)).proportional_jitter(1, 2);

/// Contenders, and how often they contend.
const CROWDS: [(u32, u32); 3] = [(2, 20), (8, 8), (32, 4)];

fn main() -> ExitCode {
    Scenario::new("snap: two hands on one service")
        .part("2, 8 and 32 processes, without jitter and with", contenders)
        .part("the same exactly, with the numbers of the original", exactly)
        .part("8 hands of the command, and flock(1)", command)
        .part("two hands at once would be seen", intruder)
        .role("hand", hand)
        .run()
}

/// All of them finish, and never are two inside at once. How often they collide is told, and not asserted: that is the
/// machine's too.
fn contenders() {
    println!("   contenders  rounds  without jitter             with +-50%");
    for (hands, rounds) in CROWDS {
        let told = [IN_STEP, SPREAD].map(|policy| {
            let crowd = Crowd::contend(&policy, hands, rounds);
            format!("{:4} collisions in {:6}", crowd.collisions, crowd.longest.readable())
        });
        println!("   {hands:10}  {rounds:6}  {:25}  {}", told[0], told[1]);
    }
}

/// On a simulated clock: five attempts, 5 s apart, around a change that takes 1.25 s.
fn exactly() {
    let hold = Micros::from_millis(1_250);
    let spread = snap::START.cap(Duration::from_millis(7_500)).proportional_jitter(1, 2);
    println!("   contenders  {:32}  with +-50%, mean of 100 seeds", "without jitter");
    for (hands, _) in CROWDS {
        let told = [(&snap::START, 1), (&spread, 100)].map(|(policy, seeds)| {
            let all: Vec<_> = (0..seeds).map(|seed| contend(policy, hands, hold, seed)).collect();
            let mean = |sum: u64| sum as f64 / seeds as f64;
            let collisions = mean(all.iter().map(|one| one.collisions).sum());
            (collisions, mean(all.iter().map(|one| u64::from(one.gave_up)).sum()))
        });
        let [still, moved] =
            told.map(|(collisions, lost)| format!("{collisions:5.1} collisions, {lost:4.1} gave up"));
        println!("   {hands:10}  {still:32}  {moved}");
        assert!(told[1] <= told[0], "{hands}: {told:?}");
    }
}

/// The same from a shell: the conflict is an exit status.
fn command() {
    let folder = tempfile::tempdir().unwrap();
    let change = "mkdir inside || exit 9; sleep 0.005; rmdir inside";
    let start = |_| {
        let mut command = Command::new("undaunted");
        command.args([
            "run",
            "--retry-on",
            "75",
            &SPREAD.to_string(),
            "--",
            "flock",
            "-n",
            "-E",
            "75",
            "lock",
        ]);
        command.args(["sh", "-c", change]).current_dir(&folder).stderr(Stdio::piped());
        Started::start(&mut command).unwrap()
    };
    let mut hands: Vec<Started> = (0..8).map(start).collect();
    let mut collisions = 0;
    for hand in &mut hands {
        collisions += hand.errors().filter(|line| line.contains("failed: exit status 75; next in ")).count();
        assert!(hand.wait().unwrap().success());
    }
    println!("   8 of 8 finished, after {collisions} collisions");
}

/// Somebody is inside: who takes the lock hears of a conflict, and who takes none is seen, so that the check of the first
/// part can fail.
fn intruder() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::in_folder(folder.path());
    let lock = service.lock().unwrap();
    File::create_new(folder.path().join("inside")).unwrap();
    let (with, without) = (service.restart().unwrap_err(), service.change().unwrap_err());
    println!("   with the lock: {with}; without: {without}");
    assert!(matches!((with, without), (Trouble::Conflict, Trouble::Intruder)));
    drop(lock);
}
