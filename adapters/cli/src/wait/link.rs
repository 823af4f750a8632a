//! `link:NAME` or `link:MAC`: a network link is there, and up.

use super::limit::Limit;
use super::seen::{Seen, Sight, of_error};
use super::target::{Kind, some};
use nix::ifaddrs::{InterfaceAddress, getifaddrs};
use nix::net::if_::InterfaceFlags;
use undaunted::Probe;

/// The longest name of a link on Linux (`IFNAMSIZ` less its end).
const LONGEST: usize = 15;

#[derive(Debug)]
pub(crate) enum Link {
    Mac([u8; 6]),
    Name(String),
}

impl Link {
    pub(crate) fn parse(rest: &str) -> Result<Link, String> {
        let rest = some(rest, "link:NAME or link:MAC")?;
        match mac(rest) {
            Some(mac) => Ok(Link::Mac(mac)),
            None if rest.contains(':') => {
                Err("expected a name without colons, or an address such as 02:00:00:00:00:01".into())
            }
            None => Ok(Link::Name(rest.into())),
        }
    }

    /// Whether this entry is a link of ours. Every link has one, whether it has addresses or not.
    fn is(&self, entry: &InterfaceAddress) -> bool {
        let Some(link) = entry.address.as_ref().and_then(|address| address.as_link_addr()) else {
            return false;
        };
        match self {
            Link::Mac(mac) => link.addr() == Some(*mac),
            Link::Name(name) => entry.interface_name == *name,
        }
    }
}

impl Kind for Link {
    fn look(&self, _: &Limit) -> Sight {
        match self {
            Link::Name(name) if name.len() > LONGEST || name.contains(['/', ' ']) => {
                return Probe::Never(Seen::new("no link can have this name; expected at most 15 letters"));
            }
            Link::Mac(_) | Link::Name(_) => {}
        }
        match getifaddrs() {
            // A bridge and what hangs on it, say, share an address: one that is up will do.
            Ok(entries) => entries
                .filter(|entry| self.is(entry))
                .map(|entry| state(entry.flags))
                .max_by_key(|sight| *sight == Probe::Ready(()))
                .unwrap_or_else(|| Probe::NotYet(Seen::absent("there is no such link"))),
            Err(error) => of_error(&error.into()),
        }
    }

    fn there(&self) -> &'static str {
        "is up"
    }
}

/// The kernel says that a link is running when it can carry packets (RFC 2863), and up when it was told to be.
fn state(flags: InterfaceFlags) -> Sight {
    match (flags.contains(InterfaceFlags::IFF_UP), flags.contains(InterfaceFlags::IFF_RUNNING)) {
        (true, true) => Probe::Ready(()),
        (true, false) => Probe::NotYet(Seen::absent("the link is up and has no carrier")),
        (false, _) => Probe::NotYet(Seen::absent("the link is down")),
    }
}

fn mac(text: &str) -> Option<[u8; 6]> {
    let pair = |part: &str| u8::from_str_radix(part, 16).ok().filter(|_| part.len() == 2);
    let parts: Option<Vec<u8>> = text.split(':').map(pair).collect();
    parts?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_pairs_are_an_address() {
        assert_eq!(mac("02:00:5e:A0:0b:ff"), Some([2, 0, 0x5e, 0xa0, 11, 255]));
        for text in ["eth0", "02:00:5e:a0:0b", "2:0:5e:a0:b:f", "02:00:5e:a0:0b:ff:00", "+2:00:5e:a0:0b:gg"] {
            assert_eq!(mac(text), None, "{text}");
        }
    }
}
