//! `dns:NAME`: the name resolves, as the system's resolver does it for every program.

use super::limit::Limit;
use super::seen::{Seen, Sight};
use super::target::{Kind, some};
use dns_lookup::{AddrInfoHints, LookupError, LookupErrorKind, SockType, getaddrinfo};
use std::net::SocketAddr;
use undaunted::Probe;

#[derive(Debug)]
pub(crate) struct Name(String);

impl Name {
    pub(crate) fn parse(rest: &str) -> Result<Name, String> {
        Ok(Name(some(rest, "dns:NAME")?.into()))
    }
}

impl Kind for Name {
    fn look(&self, _: &Limit) -> Sight {
        match resolve(&self.0, 0) {
            Ok(_) => Probe::Ready(()),
            Err(sight) => sight,
        }
    }

    fn there(&self) -> &'static str {
        "resolves"
    }
}

/// The addresses of a host with this port. The resolver keeps to limits of its own only.
pub(crate) fn resolve(host: &str, port: u16) -> Result<Vec<SocketAddr>, Sight> {
    if !may_resolve(host) {
        return Err(Probe::Never(Seen::new(
            "the name cannot be valid; expected labels of 1 to 63 letters, 253 in all",
        )));
    }
    let hints = AddrInfoHints { socktype: SockType::Stream.into(), ..AddrInfoHints::default() };
    let mut addresses: Vec<SocketAddr> = getaddrinfo(Some(host), None, Some(hints))
        .map_err(|error| Probe::NotYet(unresolved(error)))?
        .filter_map(|info| Some(info.ok()?.sockaddr))
        .collect();
    addresses.iter_mut().for_each(|address| address.set_port(port));
    match addresses[..] {
        [] => Err(Probe::NotYet(Seen::absent("the name has no address"))),
        _ => Ok(addresses),
    }
}

/// A resolver that says there is no such name has answered; any other failure says nothing of the name.
fn unresolved(error: LookupError) -> Seen {
    let text = error.to_string().to_lowercase();
    let text = text.rsplit("information: ").next().unwrap_or(&text);
    match error.kind() {
        LookupErrorKind::NoData | LookupErrorKind::NoName => Seen::absent(text),
        _ => Seen::new(text),
    }
}

/// Whether this can be a name at all (RFC 1035 2.3.4), or is an address.
fn may_resolve(host: &str) -> bool {
    let name = host.strip_suffix('.').unwrap_or(host);
    let is_label = |label: &str| (1..=63).contains(&label.len());
    let is_odd = |c: char| c.is_whitespace() || c.is_control() || c == '/';
    name.len() <= 253 && !name.contains(is_odd) && name.split('.').all(is_label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_names_can_never_be_valid() {
        let long = "a".repeat(64);
        for name in ["", ".", "a..b", "a b", "a/b", &*long, &*"a.".repeat(128)] {
            assert!(!may_resolve(name), "{name}");
        }
        for name in ["a", "a.", "_x._tcp.a", "127.0.0.1", "::1", "fe80::1%eth0", &long[1..]] {
            assert!(may_resolve(name), "{name}");
        }
    }
}
