//! Very many operations in retry at once, against a server on the loopback that drops, stalls, resets and answers garbage.
//!
//! None may be lost, none doubled, and memory must not grow. `tests/run soak` plays both kinds for ten minutes each.

mod server;
mod tally;
mod tasks;
mod threads;

use clap::{Parser, ValueEnum};
use server::Server;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tally::Tally;
use undaunted::Policy;

/// Very many operations in retry at once.
#[derive(Parser)]
struct Args {
    /// Tasks of tokio, or threads that block.
    #[arg(value_enum)]
    kind: Kind,
    /// How many operations at once.
    #[arg(long)]
    count: u32,
    /// For how many seconds new ones begin.
    #[arg(long, default_value_t = 600)]
    seconds: u64,
}

#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    Tasks,
    Threads,
}

/// For a hundred thousand tasks: each attempt is a connection, and two cores make some thousand of them a second.
const PATIENT: Policy =
    Policy::parse_const("exponential 20s x2 cap 1m jitter full attempts unlimited attempt_timeout 3s");

/// For a thousand threads.
const BRISK: Policy =
    Policy::parse_const("exponential 200ms x2 cap 2s jitter full attempts unlimited attempt_timeout 3s");

fn main() -> ExitCode {
    let args = Args::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let server = runtime.block_on(Server::start()).expect("a server on the loopback");
    let tally = Arc::new(Tally::new(args.count, Duration::from_secs(args.seconds)));
    let watching = tally.clone().watch();
    match args.kind {
        Kind::Tasks => runtime.block_on(tasks::run(args.count, server.address, tally.clone())),
        Kind::Threads => threads::run(args.count, server.address, &tally),
    }
    let memory = watching.join().expect("the watch does not panic");
    match tally.verdict(&server.counts, memory) {
        Ok(()) => ExitCode::SUCCESS,
        Err(wrong) => {
            eprintln!("soak: {wrong}");
            ExitCode::FAILURE
        }
    }
}
