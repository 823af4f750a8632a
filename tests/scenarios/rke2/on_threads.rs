//! With the library on threads: the daemon is the child of this thread, and the gate asks the C library.

use crate::node::{Died, Node, bring_back, ended};
use crate::story::Story;
use nix::ifaddrs::getifaddrs;
use nix::net::if_::InterfaceFlags;
use std::process::Command;
use std::time::Duration;
use undaunted::thread::{poll, supervise};
use undaunted::{Event, Probe, Stop, Supervised, log};
use undaunted_scenarios::Started;

pub(crate) fn tell(story: &Story, node: &Node, stop: &Stop) -> Supervised<(), Died> {
    let host = |event: &Event<'_, String>| {
        if Some(event.attempt) == story.back_at && event.error().is_some() {
            bring_back();
        }
    };
    let daemon = supervise(&story.recovery, |stop: Stop| run(node.daemon(story.how), &stop))
        .gate(|stop| {
            let look = poll(&story.gate, interface).on_event(log::nested("interface"));
            look.on_event(host).cancel(stop).report()
        })
        .on_event(log::named("flanneld"))
        .stop(stop);
    if story.always { daemon.always().run() } else { daemon.run() }
}

/// One run; nothing cuts it, so it looks whether it is to stop.
fn run(mut command: Command, stop: &Stop) -> Result<(), Died> {
    let mut child = Started::start(&mut command).unwrap();
    loop {
        if let Some(status) = child.ended().unwrap() {
            return ended(status);
        }
        if stop.wait(Duration::from_millis(5)) {
            return Ok(());
        }
    }
}

/// Is the interface there, and can it carry packets?
fn interface() -> Probe<(), String> {
    let links = match getifaddrs() {
        Ok(mut links) => links.find(|link| link.interface_name == "fl0"),
        Err(error) => return Probe::NotYet(error.to_string()),
    };
    match links {
        Some(link) if link.flags.contains(InterfaceFlags::IFF_UP | InterfaceFlags::IFF_RUNNING) => {
            Probe::Ready(())
        }
        Some(_) => Probe::NotYet("fl0 is down".into()),
        None => Probe::NotYet("there is no fl0".into()),
    }
}
