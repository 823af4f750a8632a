//! The link that appears late: an interface was attached, and the kernel does not show it for a moment.
//!
//! The lookup failed once, its addresses stayed in the pool, and pods drew addresses that led nowhere
//! (aws/amazon-vpc-cni-k8s #204).

use std::net::Ipv4Addr;
use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use undaunted::{Event, GaveUp, Micros, Policy, Reason, Report, presets::cni};
use undaunted_scenarios::cni::{Interface, Pool};
use undaunted_scenarios::netlink::{Link, LinkError, Mac, Netlink};
use undaunted_scenarios::{Scenario, Started, Veth, ip, me};

/// Five attempts, 100 ms apart: as the address manager looks when it reconciles.
const LOOK: &Policy = &cni::LINKBYMAC_IPAMD;

const MAC: Mac = [2, 0, 0x5e, 0, 0x53, 4];
const MAC_TEXT: &str = "02:00:5e:00:53:04";

fn main() -> ExitCode {
    Scenario::new("vpc_cni: the link that appears late")
        .part("created between the third look and the fourth: found", late)
        .part("never created: the caller rolls back", never)
        .part("permission denied: not asked again", denied)
        .part("undaunted wait link:MAC finds it too", command_late)
        .part("undaunted wait link:MAC gives up, and its caller rolls back", command_never)
        .role("agent", agent)
        .run()
}

fn interface() -> Interface {
    let addresses = (10..13).map(|last| Ipv4Addr::new(192, 0, 2, last)).collect();
    Interface { mac: MAC, addresses }
}

/// How it went, and the pool after it.
type Attached = (Result<Report<Link>, GaveUp<Link, LinkError>>, Pool);

/// Attaches over netlink, and prints each look.
fn attach(mut told: impl FnMut(u32)) -> Attached {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (kernel, mut pool) = (Netlink::open().unwrap(), Pool::default());
        let hook = |event: &Event<'_, LinkError>| {
            println!("   {event}");
            told(event.attempt);
        };
        let attached = pool.attach(&kernel, LOOK, &interface(), hook).await;
        (attached, pool)
    })
}

/// Another thread, which creates the link when it is told to, and says when it has.
fn creator() -> (SyncSender<()>, Receiver<()>, JoinHandle<()>) {
    let (ask, asked) = sync_channel(0);
    let (tell, created) = sync_channel(0);
    let creator = thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        // Whoever asks may have failed before.
        if asked.recv().is_ok() {
            runtime.block_on(async { Netlink::open().unwrap().add("late0", "late1", MAC).await.unwrap() });
            tell.send(()).unwrap();
        }
    });
    (ask, created, creator)
}

fn late() {
    let (ask, created, creator) = creator();
    let _pair = Veth::of("late0");
    let (attached, mut pool) = attach(|attempt| {
        // Before the wait that follows the third look, so that the fourth is the first that can see it.
        if attempt == 3 {
            ask.send(()).unwrap();
            created.recv().unwrap();
        }
    });
    creator.join().unwrap();
    let report = attached.unwrap();
    println!(
        "   found {} at look {} after {}",
        report.value.name,
        report.attempts,
        report.elapsed.readable()
    );
    println!("   {} addresses in the pool; a pod draws {}", pool.len(), pool.draw().unwrap());
    assert_eq!((report.attempts, &*report.value.name), (4, "late0"));
    assert!(report.elapsed >= Micros::from_millis(300), "three waits of 100 ms");
    let up = Command::new("ip").args(["-brief", "link", "show", "late0", "up"]).output().unwrap();
    assert!(String::from_utf8_lossy(&up.stdout).contains("late0"), "it was set up");
}

fn never() {
    let (attached, mut pool) = attach(|_| ());
    let gave_up = attached.unwrap_err();
    println!("   {gave_up}");
    println!("   {} addresses in the pool", pool.len());
    assert_eq!((gave_up.reason, gave_up.attempts), (Reason::Attempts, 5));
    assert_eq!(gave_up.error(), Some(&LinkError::NotFound));
    assert!(gave_up.elapsed >= LOOK.worst_case(), "four waits");
    assert_eq!((pool.len(), pool.draw()), (0, None));
}

/// A process of its own, since capabilities are taken from a process: 0 when it found the link.
fn agent(_: &[String]) -> ExitCode {
    let (attached, pool) = attach(|_| ());
    match attached {
        Ok(report) => println!("   up after {} looks", report.attempts),
        Err(gave_up) => println!("   {gave_up}"),
    }
    println!("   {} addresses in the pool", pool.len());
    if pool.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// The link is there, and may not be set up without the capability for it.
fn denied() {
    let _pair = Veth::up("late0", "late1");
    ip(&format!("link set late0 down address {MAC_TEXT}"));
    let agent = me("agent");
    let mut without = Command::new("setpriv");
    without.args(["--bounding-set", "-net_admin", "--inh-caps", "-net_admin"]);
    without.arg(agent.get_program()).args(agent.get_args());
    for (mut command, success, said) in [
        (without, false, "attempt 1/5 failed: permission denied; giving up after"),
        (agent, true, "attempt 1/5 succeeded after"),
    ] {
        let mut started = Started::start(command.stdout(Stdio::piped())).unwrap();
        let lines: Vec<String> = started.output().collect();
        println!("{}", lines.join("\n"));
        assert_eq!(started.wait().unwrap().success(), success);
        assert!(lines[0].trim().starts_with(said), "{lines:?}");
        assert_eq!(
            lines.last().unwrap().trim(),
            format!("{} addresses in the pool", if success { 3 } else { 0 })
        );
    }
}

/// The shell script of a caller that takes its address back out of the pool when the link does not come.
const CALLER: &str = r#"
echo 192.0.2.10 >"$1/pool"
if undaunted wait --policy "$2" "link:$3"; then
    echo "the pool: $(cat "$1/pool")"
else
    : >"$1/pool"
    echo "rolled back"
    exit 1
fi
"#;

/// Runs the caller; `heard` gets each line that `undaunted` says, in time.
fn call(policy: &str, mut heard: impl FnMut(&str)) -> (bool, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new("sh");
    command.args(["-euc", CALLER, "sh"]).arg(folder.path()).args([policy, MAC_TEXT]);
    let mut started = Started::start(command.stdout(Stdio::piped()).stderr(Stdio::piped())).unwrap();
    for line in started.errors() {
        println!("   {line}");
        heard(&line);
    }
    let said: Vec<String> = started.output().collect();
    println!("   {}", said.join("\n   "));
    let pool = std::fs::read_to_string(folder.path().join("pool")).unwrap();
    (started.wait().unwrap().success(), said.concat(), pool)
}

fn command_late() {
    let _pair = Veth::of("late0");
    let policy = "constant 20ms jitter none attempts unlimited within 30s";
    let (mut lines, begun) = (Vec::new(), std::time::Instant::now());
    let (success, said, _) = call(policy, |line| {
        if line.ends_with("there is no such link") {
            ip(&format!("link add late0 address {MAC_TEXT} type veth peer name late1"));
            ip("link set late1 up");
            ip("link set late0 up");
        }
        lines.push(line.to_string());
    });
    assert!(success && begun.elapsed() < Duration::from_secs(30));
    assert_eq!(said, "the pool: 192.0.2.10");
    assert_eq!(lines[0], format!("undaunted: link:{MAC_TEXT}: there is no such link"));
    assert!(
        lines.last().unwrap().starts_with(&format!("undaunted: link:{MAC_TEXT}: ready after ")),
        "{lines:?}"
    );
}

fn command_never() {
    let mut lines = Vec::new();
    let (success, said, pool) = call(&LOOK.to_string(), |line| lines.push(line.to_string()));
    assert!(!success);
    assert_eq!((&*said, &*pool), ("rolled back", ""));
    let last = lines.last().unwrap();
    assert!(
        last.starts_with(&format!("undaunted: link:{MAC_TEXT}: there is no such link (5 attempts in ")),
        "{last}"
    );
}
