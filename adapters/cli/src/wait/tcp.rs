//! `tcp:HOST:PORT`: a connection is accepted.

use super::address::Address;
use super::limit::Limit;
use super::seen::{Seen, Sight, of_error};
use super::target::Kind;
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;
use undaunted::Probe;

#[derive(Debug)]
pub(crate) struct Tcp(Address);

impl Tcp {
    pub(crate) fn parse(rest: &str) -> Result<Tcp, String> {
        Ok(Tcp(Address::parse(rest)?))
    }
}

impl Kind for Tcp {
    fn look(&self, limit: &Limit) -> Sight {
        self.0.ask(limit, connect)
    }

    fn there(&self) -> &'static str {
        "accepts connections"
    }
}

/// Without a listener, a port from the range of the clients' own can come to be connected with itself
/// (RFC 9293 3.5, simultaneous open), once in some ten thousand attempts: nobody has accepted that.
fn connect(address: SocketAddr, within: Duration) -> Sight {
    match TcpStream::connect_timeout(&address, within) {
        Ok(stream) if stream.local_addr().is_ok_and(|own| own == address) => {
            Probe::NotYet(Seen::absent("connection refused"))
        }
        Ok(_) => Probe::Ready(()),
        Err(error) => of_error(&error),
    }
}
