//! Links of the kernel, over netlink.

use netlink_packet_route::link::{LinkAttribute, LinkFlags, LinkMessage};
use rtnetlink::{Error, Handle, LinkUnspec, LinkVeth, new_connection};
use std::fmt;
use std::io;
use tokio::task::JoinHandle;

/// The address of a link.
pub type Mac = [u8; 6];

/// A link that the kernel shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Its number.
    pub index: u32,
    /// Its name.
    pub name: String,
    /// Whether it can carry packets.
    pub running: bool,
}

/// Why a link could not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkError {
    /// The kernel refused, for lack of a capability.
    Denied,
    /// The kernel shows no such link.
    NotFound,
    /// What else it said.
    Other(String),
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LinkError::Denied => f.write_str("permission denied"),
            LinkError::NotFound => f.write_str("there is no such link"),
            LinkError::Other(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for LinkError {}

impl From<Error> for LinkError {
    fn from(error: Error) -> LinkError {
        match &error {
            Error::NetlinkError(message) => match message.to_io().kind() {
                io::ErrorKind::PermissionDenied => LinkError::Denied,
                // ENODEV has no kind of its own.
                _ if message.raw_code() == -(nix::errno::Errno::ENODEV as i32) => LinkError::NotFound,
                _ => LinkError::Other(error.to_string()),
            },
            _ => LinkError::Other(error.to_string()),
        }
    }
}

/// A connection to the kernel, in the network namespace of the thread that opened it.
#[derive(Debug)]
pub struct Netlink {
    handle: Handle,
    connection: JoinHandle<()>,
}

impl Netlink {
    /// Opens it, on the runtime of tokio that is under way.
    ///
    /// # Errors
    /// Those of socket(2).
    pub fn open() -> io::Result<Netlink> {
        let (connection, handle, _) = new_connection()?;
        Ok(Netlink { handle, connection: tokio::spawn(connection) })
    }

    /// Creates a pair of links, both down, the first one with this address.
    ///
    /// # Errors
    /// What the kernel says.
    pub async fn add(&self, name: &str, peer: &str, mac: Mac) -> Result<(), LinkError> {
        let message = LinkVeth::new(name, peer).address(mac.to_vec()).build();
        Ok(self.handle.link().add(message).execute().await?)
    }

    /// The link with this address.
    ///
    /// # Errors
    /// [`LinkError::NotFound`] when there is none.
    pub async fn by_mac(&self, mac: Mac) -> Result<Link, LinkError> {
        self.find(|link| link.attributes.contains(&LinkAttribute::Address(mac.to_vec()))).await
    }

    /// The link of this name.
    ///
    /// # Errors
    /// [`LinkError::NotFound`] when there is none.
    pub async fn by_name(&self, name: &str) -> Result<Link, LinkError> {
        self.find(|link| link.attributes.contains(&LinkAttribute::IfName(name.into()))).await
    }

    /// Tells a link to be up, which takes the capability to administrate the network.
    ///
    /// # Errors
    /// [`LinkError::Denied`] without that capability.
    pub async fn set_up(&self, index: u32) -> Result<(), LinkError> {
        Ok(self.handle.link().set(LinkUnspec::new_with_index(index).up().build()).execute().await?)
    }

    async fn find(&self, matches: impl Fn(&LinkMessage) -> bool) -> Result<Link, LinkError> {
        let mut links = std::pin::pin!(self.handle.link().get().execute());
        let mut found = Err(LinkError::NotFound);
        // To the end of the answer: what is left of it would be read as the next one.
        while let Some(link) = futures_util::StreamExt::next(&mut links).await {
            let link = link?;
            if found.is_err() && matches(&link) {
                found = Ok(seen(&link));
            }
        }
        found
    }
}

impl Drop for Netlink {
    fn drop(&mut self) {
        self.connection.abort();
    }
}

fn seen(link: &LinkMessage) -> Link {
    let name = link.attributes.iter().find_map(|attribute| match attribute {
        LinkAttribute::IfName(name) => Some(name.clone()),
        _ => None,
    });
    let running = link.header.flags.contains(LinkFlags::Up | LinkFlags::Running);
    Link { index: link.header.index, name: name.unwrap_or_default(), running }
}
