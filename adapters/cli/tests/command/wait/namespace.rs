//! In a network namespace that the test makes, and that ends with its last process: packets that are swallowed,
//! a resolver that never answers, a link that comes late.

use super::{assert_over, timed};
use crate::support::{Answer, fresh};
use std::fs;
use std::io::{Write, stderr};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::time::Duration;

const LIMIT: Duration = Duration::from_millis(900);

static RESOLV: LazyLock<PathBuf> = LazyLock::new(|| {
    let path = fresh("resolv.conf");
    fs::write(&path, "nameserver 192.0.2.9\n").unwrap();
    path
});

/// A pair of links, and behind it a neighbour whose address is known and who is not there: each packet to
/// 192.0.2.9 leaves, and nothing comes back. The resolver is there, too.
const SWALLOWED: &str = "set -e
ip link set lo up
ip link add v0 type veth peer name v1
ip address add 192.0.2.1/24 dev v0
ip link set v0 up
ip link set v1 up
ip neighbour add 192.0.2.9 lladdr 02:00:5e:00:53:09 dev v0 nud permanent
mount --bind \"$RESOLV\" /etc/resolv.conf
";

/// A shell script in a namespace of its own, with the arguments of `undaunted wait` as its own.
fn script(text: &str, args: &[&str]) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--net", "--mount", "sh", "-c", text, "sh"]).args(args);
    command.env("RESOLV", &*RESOLV).env("UNDAUNTED", env!("CARGO_BIN_EXE_undaunted")).stdin(Stdio::null());
    command
}

/// Whether namespaces can be made here. Says why not, and past the capture of the tests' output.
fn can() -> bool {
    let output = script("ip link set lo up && mount --bind /etc /etc", &[]).output().unwrap();
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr);
        let _ = writeln!(stderr(), "skipped, it takes root and `ip` to make a namespace: {}", why.trim());
    }
    output.status.success()
}

fn swallowed(target: &str) -> Option<Answer> {
    let text = format!("{SWALLOWED}exec \"$UNDAUNTED\" wait --timeout 900ms \"$1\"");
    let answer = can().then(|| timed(&mut script(&text, &[target])))?;
    assert_over(LIMIT, &answer);
    Some(answer.0)
}

/// The first look did not come back: there was nothing to say until time was up.
fn assert_hung(target: &str, answer: &Answer) {
    let events = answer.events();
    assert_eq!(events.len(), 2, "{events:?}");
    assert!(events[1].starts_with(&format!("{target}: no answer within ")), "{events:?}");
    assert!(events[1].contains(" (1 attempt in "), "{events:?}");
}

#[test]
fn packets_that_are_swallowed() {
    for target in ["tcp:192.0.2.9:80", "http://192.0.2.9/"] {
        let Some(answer) = swallowed(target) else { return };
        assert_hung(target, &answer);
    }
}

/// glibc asks twice for 5 s.
#[test]
fn a_resolver_that_never_answers() {
    for target in ["dns:example.org", "tcp:example.org:80", "udp:example.org:53", "http://example.org/"] {
        let Some(answer) = swallowed(target) else { return };
        assert_hung(target, &answer);
    }
}

/// IPv6 goes first (RFC 6724), and gets half of the time.
#[test]
fn one_address_that_is_silent_leaves_time_for_the_next() {
    let text = format!(
        "{SWALLOWED}ip -6 address add 2001:db8::1/64 dev v0 nodad || exit 77
ip -6 neighbour add 2001:db8::9 lladdr 02:00:5e:00:53:09 dev v0 nud permanent
mount --bind \"$HOSTS\" /etc/hosts
exec \"$UNDAUNTED\" wait --timeout 900ms two:1"
    );
    let hosts = fresh("hosts");
    fs::write(&hosts, "2001:db8::9 two\n192.0.2.1 two\n").unwrap();
    if !can() {
        return;
    }
    let answer = timed(script(&text, &[]).env("HOSTS", hosts));
    if answer.0.code == Some(77) {
        let _ = writeln!(stderr(), "skipped, there is no IPv6: {}", answer.0.err.trim());
        return;
    }
    assert_over(LIMIT, &answer);
    let events = answer.0.events();
    assert_eq!(events[0], "two:1: no answer; connection refused");
}

/// Silence is no evidence of absence; and of a server that may be silent nothing else can be known.
#[test]
fn silence_is_silence() {
    let Some(answer) = swallowed("not:tcp:192.0.2.9:80") else { return };
    assert_hung("not:tcp:192.0.2.9:80", &answer);
    let text = format!("{SWALLOWED}exec \"$UNDAUNTED\" wait --timeout 5s udp:192.0.2.9:53");
    let answer = Answer::from(script(&text, &[]).output().unwrap());
    assert_eq!((answer.code, &*answer.err), (Some(0), ""));
}

/// A gate is asked again while its look still hangs: there is one question to the resolver, and not one a look.
#[test]
fn a_gate_has_one_look_at_a_time() {
    let text = format!(
        "{SWALLOWED}\"$UNDAUNTED\" run --supervise 'constant 1ms' --gate dns:example.org \\
    --gate-policy 'constant 1ms jitter none attempts 60 attempt_timeout 50ms' -- false 2>&1 |
while read -r line; do
    case $line in *'gate: attempt 3/60 failed: no answer; '*) grep -c ':0035 ' /proc/net/udp ;; esac
done"
    );
    if can() {
        let answer = Answer::from(script(&text, &[]).output().unwrap());
        assert_eq!(answer.out.trim(), "1", "{}", answer.err);
    }
}

#[test]
fn a_link_that_comes_late() {
    // Each step is seen before the next is made: the log is followed.
    let text = "until grep -q 'no such link' log; do sleep 0.01; done
ip link add late type veth peer name peer address 02:00:5e:00:53:02
until grep -q 'is down' log; do sleep 0.01; done
ip link set late up
until grep -q 'no carrier' log; do sleep 0.01; done
ip link set peer up";
    let text = format!(": >log; ({text}) & exec \"$UNDAUNTED\" wait -i 5ms -t 20s \"$@\" 2>log");
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("late");
    fs::create_dir_all(&dir).unwrap();
    if !can() {
        return;
    }
    let output = script(&text, &["link:late"]).current_dir(&dir).output().unwrap();
    let log = fs::read_to_string(dir.join("log")).unwrap();
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!((output.status.code(), lines.len()), (Some(0), 4), "{log}");
    assert_eq!(lines[0], "undaunted: link:late: there is no such link");
    assert_eq!(lines[1], "undaunted: link:late: the link is down");
    assert_eq!(lines[2], "undaunted: link:late: the link is up and has no carrier");
    assert!(lines[3].starts_with("undaunted: link:late: ready after "), "{log}");
}

#[test]
fn a_link_by_its_address_and_one_that_goes() {
    let text = "set -e
ip link add v0 address 02:00:5e:00:53:01 type veth peer name v1
ip link set v1 up
ip link set v0 up
\"$UNDAUNTED\" wait -t 5s link:02:00:5e:00:53:01 link:v1
(sleep 0.05; ip link delete v0) &
exec \"$UNDAUNTED\" wait -i 5ms -t 20s not:link:v0";
    if !can() {
        return;
    }
    let answer = Answer::from(script(text, &[]).output().unwrap());
    assert_eq!(answer.code, Some(0), "{}", answer.err);
}

/// A client's own port may be the very one that it asks for, and TCP then connects it with itself. Here it
/// is, every time.
#[test]
fn a_port_that_answers_itself_is_not_ready() {
    let text = "set -e
ip link set lo up
echo 40000 40000 >/proc/sys/net/ipv4/ip_local_port_range
exec \"$UNDAUNTED\" wait --policy 'constant 1ms attempts 3' 127.0.0.1:40000";
    if !can() {
        return;
    }
    let answer = Answer::from(script(text, &[]).output().unwrap());
    assert_eq!(answer.code, Some(124), "{}", answer.err);
    assert_eq!(answer.events()[0], "127.0.0.1:40000: connection refused");
}
