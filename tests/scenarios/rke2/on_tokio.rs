//! With the library on tokio: the daemon is the child of a task, and the gate asks the kernel over netlink.

use crate::node::{Died, Node, bring_back, ended};
use crate::story::Story;
use std::process::Command;
use undaunted::tokio::{poll, supervise};
use undaunted::{Event, Probe, Stop, Supervised, log};
use undaunted_scenarios::netlink::Netlink;

pub(crate) fn tell(story: &Story, node: &Node, stop: &Stop) -> Supervised<(), Died> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(supervised(story, node, stop))
}

async fn supervised(story: &Story, node: &Node, stop: &Stop) -> Supervised<(), Died> {
    let kernel = Netlink::open().unwrap();
    // The hook blocks, so that what the host does is done before the next look.
    let host = |event: &Event<'_, String>| {
        if Some(event.attempt) == story.back_at && event.error().is_some() {
            bring_back();
        }
    };
    let daemon = supervise(&story.recovery, |stop: Stop| run(node.daemon(story.how), stop))
        .gate(|| {
            let look = poll(&story.gate, || interface(&kernel));
            look.on_event(log::nested("interface")).on_event(host).report()
        })
        .on_event(log::named("flanneld"))
        .stop(stop);
    if story.always { daemon.always().run().await } else { daemon.run().await }
}

/// One run, which ends when it is told to.
async fn run(command: Command, stop: Stop) -> Result<(), Died> {
    let mut child = tokio::process::Command::from(command).kill_on_drop(true).spawn().unwrap();
    tokio::select! {
        status = child.wait() => ended(status.unwrap()),
        () = stop.stopped() => {
            child.kill().await.unwrap();
            Ok(())
        }
    }
}

/// Is the interface there, and can it carry packets?
async fn interface(kernel: &Netlink) -> Probe<(), String> {
    match kernel.by_name("fl0").await {
        Ok(link) if link.running => Probe::Ready(()),
        Ok(link) => Probe::NotYet(format!("{} is down", link.name)),
        Err(error) => Probe::NotYet(error.to_string()),
    }
}
