//! Each kind of target: there, not there, and coming or going while it is waited for.

use super::becomes_ready;
use crate::support::{Answer, fresh, undaunted};
use std::fs::File;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, TcpListener, UdpSocket};
use std::os::unix::net::UnixListener;
use std::process::{Command, Stdio};
use std::{fs, process, thread};

/// The answer of a wait that looks twice, with nothing between.
fn twice(target: &str) -> Answer {
    undaunted(&["wait", "--policy", "constant 1ms attempts 2", target])
}

fn is_ready(target: &str) {
    let answer = twice(target);
    assert_eq!((answer.code, &*answer.err), (Some(0), ""), "{target}");
}

/// Not ready, with this as what was seen, once while it went on and once at the end.
fn is_not_ready(target: &str, seen: &str) {
    let answer = twice(target);
    assert_eq!(answer.code, Some(124), "{target}: {}", answer.err);
    let events = answer.events();
    assert_eq!(events[0], format!("{target}: {seen}"));
    assert!(
        events[1].starts_with("gave up after ") && events[1].ends_with(": no attempts left"),
        "{events:?}"
    );
    assert!(events[2].starts_with(&format!("{target}: {seen} (2 attempts in ")), "{events:?}");
    assert_eq!(events.len(), 3);
}

/// It ends at once with this.
fn never(target: &str, seen: &str) {
    let answer = twice(target);
    assert_eq!(answer.code, Some(1), "{target}: {}", answer.err);
    let events = answer.events();
    assert!(events[0].ends_with(": what is waited for cannot be"), "{events:?}");
    assert!(
        events[1].starts_with(&format!("{target}: {seen}")) && events[1].contains(" (1 attempt in "),
        "{events:?}"
    );
}

/// A server for one connection after the other, each of which gets this answer.
fn server(answer: &'static str) -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 1024]);
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    port
}

#[test]
fn a_port() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    is_ready(&format!("127.0.0.1:{port}"));
    // The name has a second address on most machines, where nobody listens.
    is_ready(&format!("tcp:localhost:{port}"));
    is_not_ready(&format!("not:tcp:127.0.0.1:{port}"), "accepts connections");
    drop(listener);
    is_not_ready("tcp:127.0.0.1:1", "connection refused");
    is_ready("not:127.0.0.1:1");
    match TcpListener::bind((Ipv6Addr::LOCALHOST, 0)) {
        Ok(listener) => is_ready(&format!("tcp:[::1]:{}", listener.local_addr().unwrap().port())),
        Err(error) => println!("IPv6 is not tested: {error}"),
    }
}

#[test]
fn a_datagram_that_is_refused() {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    is_ready(&format!("udp:127.0.0.1:{}", socket.local_addr().unwrap().port()));
    is_not_ready("udp:127.0.0.1:1", "the datagram was refused");
    is_ready("not:udp:127.0.0.1:1");
}

#[test]
fn a_socket() {
    let path = fresh("wait.sock");
    let target = format!("unix:{}", path.display());
    let mut listener = None;
    becomes_ready(&target, "no such file or directory", || {
        listener = Some(UnixListener::bind(&path).unwrap())
    });
    // Not only dropped: a child of another test may hold a copy, between its fork and its exec.
    socket2::Socket::from(listener.unwrap()).shutdown(std::net::Shutdown::Both).unwrap();
    is_not_ready(&target, "connection refused");
}

#[test]
fn a_file_that_comes_and_goes() {
    let path = fresh("wait.file");
    let target = format!("file:{}", path.display());
    becomes_ready(&target, "no such file or directory", || drop(File::create(&path).unwrap()));
    is_ready(&path.display().to_string());
    becomes_ready(&format!("not:{target}"), "exists", || fs::remove_file(&path).unwrap());
    never(&format!("file:/{}", "a".repeat(300)), "file name too long");
}

#[test]
fn a_page() {
    let port = server("HTTP/1.1 204 No Content\r\n\r\n");
    is_ready(&format!("http://127.0.0.1:{port}/health?full"));
    let port = server("HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno");
    let page = format!("http://127.0.0.1:{port}");
    is_not_ready(&page, "status 401 Unauthorized");
    is_ready(&format!("not:{page}"));
    assert_eq!(undaunted(&["wait", "--status", "200,401", &page]).code, Some(0));
    assert_eq!(undaunted(&["wait", "-t", "100ms", "--status", "204", &page]).code, Some(124));
    // Where the server is redirected to may be well; the server that was asked about said no.
    let port = server("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n");
    is_not_ready(&format!("http://127.0.0.1:{port}/"), "status 302 Found");
    is_not_ready("http://127.0.0.1:1/", "connection refused");
}

#[test]
fn a_name() {
    is_ready("dns:localhost");
    is_ready("dns:127.0.0.1");
    never("dns:a..b", "the name cannot be valid");
    never("tcp:a b:80", "the name cannot be valid");
}

#[test]
fn a_link() {
    is_not_ready("link:no-such-link", "there is no such link");
    is_not_ready("link:02:00:5e:00:53:01", "there is no such link");
    never("link:a-name-for-a-link", "no link can have this name");
}

#[test]
fn a_process_that_ends() {
    is_ready(&format!("process:{}", process::id()));
    is_not_ready("process:no-such-process", "no such process");
    let mut child = Command::new("sleep").arg("300").stdin(Stdio::null()).spawn().unwrap();
    let target = format!("process:{}", child.id());
    // The kernel lets the parent go on before it has given the child its name.
    assert_eq!(undaunted(&["wait", "-q", "-i", "1ms", "process:sleep"]).code, Some(0));
    // It is killed and not waited for, so /proc still knows it.
    becomes_ready(&format!("not:{target}"), "runs", || child.kill().unwrap());
    is_not_ready(&target, "no such process");
    child.wait().unwrap();
}

/// The kernel keeps 15 bytes of a name; the first word of the command line has all of it, and may be another.
#[test]
fn a_process_by_each_of_its_names() {
    let program = fresh("undaunted-sleeps");
    let script = r#"cp "$BASH" "$0" && exec -a /no/such/undaunted-calls-itself "$0" -c read"#;
    let mut child = Command::new("bash")
        .args(["-c", script, program.to_str().unwrap()])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    for name in ["undaunted-sleep", "undaunted-calls-itself"] {
        let waited = undaunted(&["wait", "-q", "-i", "1ms", "-t", "30s", &format!("process:{name}")]);
        assert_eq!(waited.code, Some(0), "{name}: {}", waited.err);
    }
    is_not_ready("process:undaunted-sleeps", "no such process");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_command() {
    is_ready("command:exit 0");
    is_ready("not:command:exit 1");
    is_not_ready("not:command:exit 0", "exit status 0");
    is_not_ready("command:echo one; echo two >&2; echo three >&2; exit 3", "exit status 3 (three)");
    is_not_ready("not:command:kill -9 $$", "killed by signal 9 (SIGKILL)");
    never("command:no-such-command-anywhere", "exit status 127 (command not found)");
}

#[test]
fn all_or_any() {
    let missing = fresh("wait.missing").display().to_string();
    let wait = |how: &str| undaunted(&["wait", "-q", "-t", "100ms", how, "/", &missing]);
    assert_eq!((wait("--all").code, wait("--any").code), (Some(124), Some(0)));
    // A target that can never be ends it, unless another one would do.
    let wait = |how: &str| undaunted(&["wait", "-q", "-t", "100ms", how, "dns:a..b", &missing]).code;
    assert_eq!((wait("--all"), wait("--any")), (Some(1), Some(124)));
}
