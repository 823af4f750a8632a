//! Under systemd: what the command notifies arrives, at a socket with a path and at one without.

use crate::process::end;
use crate::support::{command, fresh};
use std::io::ErrorKind;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;

/// Says these things at the socket that it is told of.
const SAYS: &str = "import os, socket, sys
to = os.environ['NOTIFY_SOCKET']
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.connect('\\0' + to[1:] if to[0] == '@' else to)
attempt = os.environ['UNDAUNTED_ATTEMPT']
s.send(('READY=1\\nMAINPID=%d\\nSTATUS=attempt %s' % (os.getpid(), attempt)).encode())
s.send(b'BARRIER=1')
s.send(b'WATCHDOG=1' if 'WATCHDOG_PID' not in os.environ else b'WATCHDOG=not mine')
s.send(b'STOPPING=1')
s.send(b'STATUS=the last word')
sys.exit(3 if attempt == '1' else 0)";

#[test]
fn what_the_command_notifies_is_passed_on() {
    let path = fresh("notify");
    let name = format!("undaunted-test-{}", std::process::id());
    for (address, at) in [
        (SocketAddr::from_pathname(&path).unwrap(), path.display().to_string()),
        (SocketAddr::from_abstract_name(&name).unwrap(), format!("@{name}")),
    ] {
        let systemd = UnixDatagram::bind_addr(&address).unwrap();
        systemd.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let mut command = command(&["run", "--supervise", "-q", "constant 1ms attempts 2"]);
        command.args(["--", "python3", "-ISEc", SAYS]);
        let mut child = command.env("NOTIFY_SOCKET", &at).env("WATCHDOG_PID", "1").spawn().unwrap();
        for attempt in [1, 2] {
            // Who stops and is started again does not stop; and the main process is not the command.
            let ready = format!("READY=1\nSTATUS=attempt {attempt}");
            for expected in [&*ready, "WATCHDOG=1", "STATUS=the last word"] {
                let mut message = [0; 1024];
                let length = loop {
                    match systemd.recv(&mut message) {
                        Err(error) if error.kind() == ErrorKind::Interrupted => {}
                        received => break received.unwrap(),
                    }
                };
                assert_eq!(String::from_utf8_lossy(&message[..length]), expected);
            }
        }
        assert_eq!(end(&mut child).code(), Some(0));
        systemd.set_nonblocking(true).unwrap();
        assert!(systemd.recv(&mut [0; 8]).is_err(), "nothing more was said");
    }
}
