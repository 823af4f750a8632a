//! `HOST:PORT`: reading it, and asking each of its addresses.

use super::dns;
use super::limit::Limit;
use super::seen::{Seen, Sight};
use std::net::SocketAddr;
use std::time::Duration;
use undaunted::Probe;

/// A port of a host that may have several addresses.
#[derive(Debug)]
pub(crate) struct Address {
    host: String,
    port: u16,
}

impl Address {
    pub(crate) fn parse(text: &str) -> Result<Address, String> {
        let (host, port) = match text.strip_prefix('[') {
            Some(rest) => rest.split_once("]:").ok_or("expected [ADDRESS]:PORT")?,
            None => text.rsplit_once(':').ok_or("expected HOST:PORT")?,
        };
        if host.is_empty() {
            return Err("expected HOST:PORT".into());
        }
        if host.contains(':') && !text.starts_with('[') {
            return Err("expected an IPv6 address in brackets, [ADDRESS]:PORT".into());
        }
        match port.parse() {
            Ok(port) if port > 0 => Ok(Address { host: host.into(), port }),
            _ => Err(format!("{port:?} is no port; expected 1 to 65535")),
        }
    }

    /// Asks one address after the other, each within its share of the time, until one is ready.
    pub(crate) fn ask(&self, limit: &Limit, ask: impl Fn(SocketAddr, Duration) -> Sight) -> Sight {
        let addresses = match dns::resolve(&self.host, self.port) {
            Ok(addresses) => addresses,
            Err(sight) => return sight,
        };
        let mut sights = Vec::new();
        for (asked, address) in addresses.iter().enumerate() {
            match ask(*address, limit.share(addresses.len() - asked)) {
                Probe::Ready(()) => return Probe::Ready(()),
                sight => sights.push(sight),
            }
        }
        together(sights)
    }
}

/// What several addresses come to, none of which is ready: never only if each one says so.
fn together(sights: Vec<Sight>) -> Sight {
    let never = sights.iter().all(|sight| matches!(sight, Probe::Never(_)));
    let mut seen: Vec<Seen> = Vec::new();
    for sight in sights {
        match sight {
            Probe::Never(one) | Probe::NotYet(one) if !seen.contains(&one) => seen.push(one),
            _ => {}
        }
    }
    let what = seen.iter().map(Seen::to_string).collect::<Vec<_>>().join("; ");
    let absent = seen.iter().all(Seen::is_absent);
    let seen = if absent { Seen::absent(what) } else { Seen::new(what) };
    if never { Probe::Never(seen) } else { Probe::NotYet(seen) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_from_two_addresses_is_said_once() {
        let refused = || Probe::NotYet(Seen::absent("connection refused"));
        assert_eq!(together(vec![refused(), refused()]), refused());
        let silent = Probe::NotYet(Seen::new("no answer"));
        let both = Probe::NotYet(Seen::new("connection refused; no answer"));
        assert_eq!(together(vec![refused(), silent]), both);
        let denied = || Probe::Never(Seen::new("permission denied"));
        assert_eq!(together(vec![denied(), denied()]), denied());
        assert!(matches!(together(vec![denied(), refused()]), Probe::NotYet(_)));
    }
}
