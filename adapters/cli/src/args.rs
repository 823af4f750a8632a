//! What may stand on the command line.

use crate::help;
use clap::{Args as Arguments, Parser, Subcommand};
use std::ffi::OsString;

/// Retries a command properly, and shows what a retry policy will do.
#[derive(Debug, Parser)]
#[command(name = "undaunted", version, arg_required_else_help = true, after_help = help::COMMAND)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a command until it succeeds or the policy says stop.
    #[command(after_help = help::run())]
    Run(Run),
    /// Show what a policy will do: each wait, the totals, the worst case.
    #[command(after_help = help::plan())]
    Plan(Plan),
    /// List the policies that are in use elsewhere, or show one with its source.
    #[command(after_help = help::PRESETS)]
    Presets(Presets),
    /// Wait for ports, files, names, links, processes or commands, then run a command.
    #[cfg(unix)]
    #[command(after_help = crate::wait::help())]
    Wait(crate::wait::Wait),
}

#[derive(Debug, Arguments)]
pub(crate) struct Run {
    /// How to retry, as one quoted text or as several words.
    #[arg(value_name = "POLICY", conflicts_with = "preset")]
    pub(crate) policy: Vec<String>,
    /// The policy of that name (see `undaunted presets`).
    #[arg(short, long, value_name = "NAME")]
    pub(crate) preset: Option<String>,
    /// Draw the jitter from this number: the same number, the same waits.
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Say nothing but why it gave up.
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// The command and its arguments, after `--`.
    #[arg(value_name = "COMMAND", last = true, required = true)]
    pub(crate) command: Vec<OsString>,
}

#[derive(Debug, Arguments)]
pub(crate) struct Plan {
    /// The policy, as one quoted text or as several words.
    #[arg(value_name = "POLICY", conflicts_with = "preset")]
    pub(crate) policy: Vec<String>,
    /// The policy of that name; may be repeated, to compare.
    #[arg(short, long, value_name = "NAME")]
    pub(crate) preset: Vec<String>,
    /// Also show the waits that `run --seed N` draws.
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
}

#[derive(Debug, Arguments)]
pub(crate) struct Presets {
    /// Show this one, with what it is for and where it comes from.
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
}
