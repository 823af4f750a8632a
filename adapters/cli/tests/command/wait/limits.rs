//! When it ends: by the limit that was said, whatever hangs.

use super::{assert_over, timed};
use crate::support::{command, fresh, undaunted};
use socket2::{Domain, SockAddr, Socket, Type};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::process::Command;
use std::thread;
use std::time::Duration;

const LIMIT: Duration = Duration::from_millis(700);

/// The last lines, after that about giving up.
fn ends_at_the_limit(args: &[&str]) -> Vec<String> {
    let answer = timed(command(&["wait", "--timeout", "700ms"]).args(args));
    assert_over(LIMIT, &answer);
    let mut events = answer.0.events().into_iter().map(String::from);
    events.find(|line| line.starts_with("gave up after "));
    events.collect()
}

#[test]
fn a_port_without_a_listener() {
    // Looks at 0, 200, 400 and 600 ms, and once more before the end.
    let lines = ends_at_the_limit(&["--interval", "200ms", "127.0.0.1:1"]);
    assert!(lines[0].starts_with("127.0.0.1:1: connection refused ("), "{lines:?}");
    // The interval is longer than all the time there is.
    let lines = ends_at_the_limit(&["--interval", "1h", "127.0.0.1:1"]);
    assert!(lines[0].starts_with("127.0.0.1:1: connection refused ("), "{lines:?}");
}

/// The last look is 80 ms before the end. Where the system was later than that, it is tried again.
#[test]
fn what_becomes_ready_after_the_last_regular_look_is_seen() {
    for _ in 0..5 {
        let path = fresh("wait.late").display().to_string();
        let mut late = Command::new("sh").args(["-c", "sleep 0.2; touch \"$0\"", &path]).spawn().unwrap();
        let (answer, slow) = timed(command(&["wait", "--interval", "1h", "--timeout", "2s"]).arg(&path));
        late.wait().unwrap();
        if answer.code != Some(0) && slow > Duration::from_millis(60) {
            continue;
        }
        assert_eq!(answer.code, Some(0), "{}", answer.err);
        assert!(
            answer.events()[1].starts_with(&format!("{path}: ready after 2 attempts in ")),
            "{}",
            answer.err
        );
        return;
    }
}

#[test]
fn a_body_that_does_not_end() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let page = format!("http://127.0.0.1:{}/", listener.local_addr().unwrap().port());
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 1024]);
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf").unwrap();
        let _ = stream.read_to_end(&mut Vec::new()); // until the other side goes
    });
    let lines = ends_at_the_limit(&[&page]);
    assert!(lines[0].starts_with(&format!("{page}: no answer within ")), "{lines:?}");
}

#[test]
fn a_socket_whose_queue_is_full() {
    let path = fresh("wait.full");
    let address = SockAddr::unix(&path).unwrap();
    let socket = || Socket::new(Domain::UNIX, Type::STREAM, None).unwrap();
    let server = socket();
    server.bind(&address).unwrap();
    server.listen(0).unwrap();
    let client = socket();
    client.connect(&address).unwrap();
    let target = format!("unix:{}", path.display());
    let lines = ends_at_the_limit(&[&target]);
    assert!(lines[0].starts_with(&format!("{target}: no answer within ")), "{lines:?}");
}

#[test]
fn a_command_that_will_not_end() {
    let target = "command:trap '' TERM; while :; do sleep 1; done";
    let lines = ends_at_the_limit(&[target]);
    assert!(lines[0].starts_with(&format!("{target}: did not end within ")), "{lines:?}");
}

/// A look that is cut is no reason to give up, and what hangs is not started again.
#[test]
fn a_look_has_a_limit_of_its_own() {
    let target = "command:echo x >&2; sleep 300";
    let policy = "constant 50ms jitter none attempts 3 attempt_timeout 100ms";
    let answer = undaunted(&["wait", "--policy", policy, target]);
    assert_eq!(answer.code, Some(124));
    let last = answer.events().last().unwrap().to_string();
    assert!(last.starts_with(&format!("{target}: did not end within ")), "{last}");
    assert!(last.contains(" (3 attempts in "), "{last}");
}

#[test]
fn every_target_says_what_was_seen_last() {
    let missing = fresh("wait.gone").display().to_string();
    let lines = ends_at_the_limit(&["--quiet", "/", "127.0.0.1:1", &missing, "command:sleep 300"]);
    assert_eq!(lines.len(), 3);
    assert!(lines[0].starts_with("127.0.0.1:1: connection refused ("), "{lines:?}");
    assert!(lines[1].starts_with(&format!("{missing}: no such file or directory (")), "{lines:?}");
    assert!(lines[2].starts_with("command:sleep 300: did not end within "), "{lines:?}");
    assert!(lines[2].contains(" (1 attempt in "), "{lines:?}");
}
