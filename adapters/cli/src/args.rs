//! What may stand on the command line.

use crate::{completions, help, man, plan, policy, run, wait};
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
    Plan(plan::Args),
    /// List the policies that are in use elsewhere, or show one with its source.
    #[command(after_help = help::PRESETS)]
    Presets(Presets),
    /// Print what a shell must know to complete this command.
    #[command(after_help = help::COMPLETIONS)]
    Completions(completions::Args),
    /// Print the manual page, or write all of them into a folder.
    #[command(after_help = help::MAN)]
    Man(man::Args),
    /// Wait for ports, files, names, links, processes or commands, then run a command.
    #[command(after_help = wait::help())]
    Wait(wait::Wait),
}

#[derive(Debug, Arguments)]
pub(crate) struct Presets {
    /// Show this one, with what it is for and where it comes from.
    #[arg(value_name = "NAME", value_parser = policy::Names, hide_possible_values = true)]
    pub(crate) name: Option<String>,
}
