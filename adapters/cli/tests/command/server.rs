//! A server that is not there yet, then there and of no use, then well.

use crate::support::command;
use socket2::{Domain, Socket, Type};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::process::Stdio;

/// Says each line that the server sends; fails when it sends none.
const CLIENT: &str = r#"exec 3<>"/dev/tcp/127.0.0.1/$1" && read -r line <&3 && echo "$line""#;

#[test]
fn it_goes_on_until_the_server_is_well() {
    // A port that is taken and does not listen refuses, and nobody else can take it meanwhile.
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into()).unwrap();
    let port = socket.local_addr().unwrap().as_socket().unwrap().port();
    let policy = "constant 5ms jitter equal attempts unlimited";
    let mut child = command(&["run", policy, "--", "bash", "-c", CLIENT, "client", &port.to_string()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let log = BufReader::new(child.stderr.take().unwrap());
    let mut events = log.lines().map(Result::unwrap).filter(|line| line.starts_with("undaunted: "));
    for attempt in 1..=2 {
        let refused = format!("undaunted: attempt {attempt} failed: exit status 1; next in ");
        assert!(events.next().unwrap().starts_with(&refused));
    }
    socket.listen(8).unwrap();
    let server = TcpListener::from(socket);
    for _ in 0..2 {
        drop(server.accept().unwrap()); // accepts and closes at once
    }
    server.accept().unwrap().0.write_all(b"hello\n").unwrap();
    let mut said = String::new();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(said, "hello\n");
    let last = events.last().unwrap();
    assert!(last.contains(" succeeded after "), "{last}");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
