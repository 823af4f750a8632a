//! What an agent for pods' addresses does with an interface that was attached, without the kernel and the clock that it
//! does it with: the same lines run over netlink and in a unit test.

use crate::netlink::{Link, LinkError, Mac, Netlink};
use std::future::Future;
use std::net::Ipv4Addr;
use undaunted::tokio::retry;
use undaunted::{Event, GaveUp, Policy, Report};

/// An interface of the cloud, and the addresses that came with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// By which the kernel will show it.
    pub mac: Mac,
    /// For pods.
    pub addresses: Vec<Ipv4Addr>,
}

/// The kernel, as far as it is needed here.
pub trait Kernel {
    /// The link with this address.
    fn by_mac(&self, mac: Mac) -> impl Future<Output = Result<Link, LinkError>>;
    /// Tells it to be up.
    fn set_up(&self, link: &Link) -> impl Future<Output = Result<(), LinkError>>;
}

impl Kernel for Netlink {
    async fn by_mac(&self, mac: Mac) -> Result<Link, LinkError> {
        Netlink::by_mac(self, mac).await
    }

    async fn set_up(&self, link: &Link) -> Result<(), LinkError> {
        Netlink::set_up(self, link.index).await
    }
}

/// The addresses that pods draw from.
#[derive(Debug, Default)]
pub struct Pool {
    interfaces: Vec<Interface>,
}

impl Pool {
    /// An address for a pod, if there is one.
    pub fn draw(&mut self) -> Option<Ipv4Addr> {
        self.interfaces.iter_mut().find_map(|interface| interface.addresses.pop())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.interfaces.iter().map(|interface| interface.addresses.len()).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Attaches an interface: its addresses are in the pool, and when its link does not come they are out again.
    ///
    /// # Errors
    /// Why its link could not be set up. No address of it is left.
    pub async fn attach(
        &mut self,
        kernel: &impl Kernel,
        policy: &Policy,
        interface: &Interface,
        told: impl FnMut(&Event<'_, LinkError>),
    ) -> Result<Report<Link>, GaveUp<Link, LinkError>> {
        self.interfaces.push(interface.clone());
        let link = set_up(kernel, policy, interface.mac, told).await;
        if link.is_err() {
            self.interfaces.retain(|other| other != interface);
        }
        link
    }
}

/// Finds the link and sets it up. That it is not there yet is worth another look; nothing else is.
async fn set_up(
    kernel: &impl Kernel,
    policy: &Policy,
    mac: Mac,
    told: impl FnMut(&Event<'_, LinkError>),
) -> Result<Report<Link>, GaveUp<Link, LinkError>> {
    retry(policy, async || {
        let link = kernel.by_mac(mac).await?;
        kernel.set_up(&link).await?;
        Ok(link)
    })
    .when(|error| *error == LinkError::NotFound)
    .on_event(told)
    .report()
    .await
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::time::Duration;
    use tokio::time::Instant;
    use undaunted::{Last, Micros, Reason, presets::cni};

    /// Shows the link at that look, or refuses.
    struct Scripted {
        looks: Cell<u32>,
        there_at: u32,
        denies: bool,
    }

    impl Kernel for Scripted {
        async fn by_mac(&self, _: Mac) -> Result<Link, LinkError> {
            self.looks.set(self.looks.get() + 1);
            let link = Link { index: 7, name: "eth1".into(), running: false };
            if self.looks.get() < self.there_at { Err(LinkError::NotFound) } else { Ok(link) }
        }

        async fn set_up(&self, _: &Link) -> Result<(), LinkError> {
            if self.denies { Err(LinkError::Denied) } else { Ok(()) }
        }
    }

    /// With the original's own numbers, 5 attempts 3 s apart: how it went, the time on the paused clock, and what a pod
    /// draws then.
    async fn attach(
        there_at: u32,
        denies: bool,
    ) -> (Result<Report<Link>, GaveUp<Link, LinkError>>, Duration, Option<Ipv4Addr>) {
        let (mut pool, begun) = (Pool::default(), Instant::now());
        let kernel = Scripted { looks: Cell::new(0), there_at, denies };
        let interface = Interface { mac: [2, 0, 0, 0, 0, 1], addresses: vec![[192, 0, 2, 10].into()] };
        let attached = pool.attach(&kernel, &cni::LINKBYMAC_NOW, &interface, |_| ()).await;
        (attached, begun.elapsed(), pool.draw())
    }

    #[tokio::test(start_paused = true)]
    async fn a_link_that_is_there_at_the_fourth_look() {
        let (attached, elapsed, drawn) = attach(4, false).await;
        let report = attached.unwrap();
        assert_eq!((report.attempts, report.elapsed), (4, Micros::from_secs(9)));
        assert_eq!((elapsed, drawn), (Duration::from_secs(9), Some([192, 0, 2, 10].into())));
    }

    #[tokio::test(start_paused = true)]
    async fn a_link_that_never_comes_leaves_no_address() {
        let (attached, elapsed, drawn) = attach(u32::MAX, false).await;
        let gave_up = attached.unwrap_err();
        assert_eq!((gave_up.reason, gave_up.attempts), (Reason::Attempts, 5));
        assert_eq!((elapsed, drawn), (Duration::from_secs(12), None));
    }

    #[tokio::test(start_paused = true)]
    async fn a_refusal_is_not_asked_again() {
        let (attached, elapsed, drawn) = attach(1, true).await;
        let gave_up = attached.unwrap_err();
        assert_eq!((gave_up.reason, gave_up.attempts), (Reason::Permanent, 1));
        assert_eq!(gave_up.last, Last::Error(LinkError::Denied));
        assert_eq!((elapsed, drawn), (Duration::ZERO, None));
    }
}
