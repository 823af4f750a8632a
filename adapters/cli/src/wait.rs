//! `undaunted wait`: waits for what a program needs, then becomes that program.

mod address;
mod board;
mod command;
mod dns;
mod file;
mod help;
mod http;
mod limit;
mod limits;
mod link;
mod process;
mod seen;
mod signals;
mod target;
mod tcp;
mod udp;
mod unix;
mod watch;

pub(crate) use help::help;
pub(crate) use limit::Limit;
pub(crate) use seen::Sight;
#[cfg(test)]
pub(crate) use target::KINDS;
pub(crate) use target::Target;

use crate::failure::Failure;
use crate::{Trouble, UNABLE, say};
use board::{Board, End, Message};
use clap::Args as Arguments;
use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::mpsc::channel;
use undaunted::Stop;
use undaunted::thread::Deadline;
use watch::Rules;

/// The exit codes of its own; the first is that of timeout(1).
const OVER: i32 = 124;
const NEVER: i32 = 1;

#[derive(Debug, Arguments)]
pub(crate) struct Wait {
    /// What to wait for: KIND:REST, HOST:PORT, a path with a slash, or http://...
    #[arg(value_name = "TARGET", required = true)]
    targets: Vec<String>,
    /// Until all of them are ready, which is the default.
    #[arg(long, conflicts_with = "any")]
    all: bool,
    /// Until one of them is ready.
    #[arg(long)]
    any: bool,
    /// The most time for everything; the same as `within` in a policy.
    #[arg(short, long, value_name = "LENGTH")]
    timeout: Option<String>,
    /// From the end of one look to the next.
    #[arg(short, long, value_name = "LENGTH", conflicts_with = "policy")]
    interval: Option<String>,
    /// How often and how long to look, in the words of `undaunted run --help`.
    #[arg(long, value_name = "POLICY")]
    policy: Option<String>,
    /// The statuses with which an HTTP server is ready, such as 200,401 [default: 200 to 299]
    #[arg(long, value_name = "STATUS", value_delimiter = ',', value_parser = clap::value_parser!(u16).range(100..600))]
    status: Vec<u16>,
    /// Say nothing but why it gave up.
    #[arg(short, long)]
    quiet: bool,
    /// What to run once they are ready, in place of undaunted, after `--`.
    #[arg(value_name = "COMMAND", last = true)]
    command: Vec<OsString>,
}

/// Waits, and answers the exit code, unless it becomes the command.
pub(crate) fn wait(args: &Wait) -> Result<i32, Trouble> {
    let policy = limits::policy(args)?;
    let targets = targets(args)?;
    let mut board = Board::new(&targets, args.any, args.quiet);
    let phase = policy.settings().within.map(|within| Deadline::after(within.as_duration()));
    let rules = Rules { policy, phase, stop: Stop::new() };
    let (send, messages) = channel();
    if let Err(error) = signals::hear(send.clone()) {
        return Ok(unable(&error));
    }
    let watch = |(number, target)| {
        let send = send.clone();
        // When nobody hears any more, it has ended.
        let tell = move |news| drop(send.send(Message::Target(number, news)));
        watch::start(target, rules.clone(), tell)
    };
    let started: Result<Vec<_>, io::Error> = targets.into_iter().enumerate().map(watch).collect();
    let parents = match started {
        Ok(parents) => parents.into_iter().flatten(),
        Err(error) => return Ok(unable(&error)),
    };
    let mut end = board.follow(&messages, phase);
    rules.stop.stop();
    // They end their children at once. Everybody else may hang, and is left to the end of the process.
    parents.for_each(|parent| drop(parent.join()));
    let asked_to_end = |message| if let Message::Signal(signal) = message { Some(signal) } else { None };
    end = messages.try_iter().find_map(asked_to_end).map_or(end, End::Signal);
    board.report(end);
    Ok(finish(end, &args.command))
}

/// What [`wait`] finds wrong before it does anything.
pub(crate) fn check(args: &Wait) -> Result<(), Trouble> {
    limits::policy(args)?;
    targets(args)?;
    Ok(())
}

/// Without threads nothing can be watched.
fn unable(error: &io::Error) -> i32 {
    say(format_args!("cannot watch: {error}"));
    UNABLE
}

fn targets(args: &Wait) -> Result<Vec<Target>, Trouble> {
    if !args.status.is_empty() && !args.targets.iter().any(|text| text.contains("http:")) {
        return Err(Trouble::Usage("--status is for http targets, and there is none".into()));
    }
    let targets: Result<Vec<Target>, String> =
        args.targets.iter().map(|text| Target::parse(text, &args.status)).collect();
    targets.map_err(Trouble::Usage)
}

/// The exit code, unless there is a command and it can be started.
fn finish(end: End, command: &[OsString]) -> i32 {
    match (end, command.split_first()) {
        (End::Never, _) => NEVER,
        (End::Over(_), _) => OVER,
        (End::Signal(signal), _) => 128 + signal,
        (End::Ready, None) => 0,
        (End::Ready, Some((program, arguments))) => {
            let error = Command::new(program).args(arguments).exec();
            let failure = Failure::start(program, error);
            say(format_args!("{failure}"));
            failure.code()
        }
    }
}
