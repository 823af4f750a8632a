//! The daemon that dies on its first start: it takes down the interface that it needs, and dies of that; the next start
//! finds everything in place (rancher/rke2 #5702, #5703, #5747).
//!
//! It was proposed to run it five times without a wait, and then to go on in silence. Objected: a prerequisite is polled
//! for, giving up is fatal and not silent, and a harmless line in the log had alarmed customers.

#[path = "rke2/command.rs"]
mod command;
#[path = "rke2/lines.rs"]
mod lines;
#[path = "rke2/node.rs"]
mod node;
#[path = "rke2/on_threads.rs"]
mod on_threads;
#[path = "rke2/on_tokio.rs"]
mod on_tokio;
#[path = "rke2/story.rs"]
mod story;

use std::process::ExitCode;
use undaunted_scenarios::Scenario;

fn main() -> ExitCode {
    Scenario::new("rke2: the daemon that dies on its first start")
        .part("tokio: the gate waits for the interface, the second start stays", || {
            story::second_start_stays(on_tokio::tell)
        })
        .part("tokio: never back", || story::never_back(on_tokio::tell, "tokio"))
        .part("tokio: clean exits under `always`", || story::clean_exits(on_tokio::tell))
        .part("tokio: a crash loop meets the intensity limit", || story::crash_loop(on_tokio::tell))
        .part("threads: the gate waits for the interface, the second start stays", || {
            story::second_start_stays(on_threads::tell)
        })
        .part("threads: never back", || story::never_back(on_threads::tell, "threads"))
        .part("threads: clean exits under `always`", || story::clean_exits(on_threads::tell))
        .part("threads: a crash loop meets the intensity limit", || story::crash_loop(on_threads::tell))
        .part(
            "command: the gate waits for the interface, the second start stays",
            command::second_start_stays,
        )
        .part("command: never back", command::never_back)
        .part("command: clean exits under `always`", command::clean_exits)
        .part("command: a crash loop meets the intensity limit", command::crash_loop)
        .role("tokio", |_| story::agent(on_tokio::tell))
        .role("threads", |_| story::agent(on_threads::tell))
        .run()
}
