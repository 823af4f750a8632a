//! What may stand on the command line.

use crate::{help, run};
use clap::{Args as Arguments, Parser, Subcommand};

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
    Run(run::Run),
    /// Show what a policy will do: each wait, the totals, the worst case.
    #[command(after_help = help::plan())]
    Plan(Plan),
    /// List the policies that are in use elsewhere, or show one with its source.
    #[command(after_help = help::PRESETS)]
    Presets(Presets),
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
