//! `udp:HOST:PORT`: nothing refuses an empty datagram, which is all that can be known of any server.

use super::address::Address;
use super::limit::Limit;
use super::seen::{Seen, Sight, of_error};
use super::target::Kind;
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::time::Duration;
use undaunted::Probe;

/// How long a refusal (ICMP port unreachable) may take.
const REFUSAL: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(crate) struct Udp(Address);

impl Udp {
    pub(crate) fn parse(rest: &str) -> Result<Udp, String> {
        Ok(Udp(Address::parse(rest)?))
    }
}

impl Kind for Udp {
    fn look(&self, limit: &Limit) -> Sight {
        self.0.ask(limit, |address, within| send(address, within).unwrap_or_else(|error| of_error(&error)))
    }

    fn there(&self) -> &'static str {
        "refuses nothing"
    }
}

fn send(address: SocketAddr, within: Duration) -> io::Result<Sight> {
    let any = match address {
        SocketAddr::V4(_) => SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)),
        SocketAddr::V6(_) => SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0)),
    };
    let socket = UdpSocket::bind(any)?;
    socket.connect(address)?;
    socket.set_read_timeout(Some(REFUSAL.min(within / 2).max(Duration::from_millis(1))))?;
    socket.send(&[])?;
    match socket.recv(&mut [0]) {
        Ok(_) => Ok(Probe::Ready(())),
        Err(error) if matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock) => {
            Ok(Probe::Ready(()))
        }
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
            Ok(Probe::NotYet(Seen::absent("the datagram was refused")))
        }
        Err(error) => Err(error),
    }
}
