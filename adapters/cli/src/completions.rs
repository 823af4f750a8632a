//! `undaunted completions`: what a shell must know to complete the command line.

use crate::args;
use clap::CommandFactory;
use clap_complete::Shell;
use std::io::{self, Write};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The shell that is to complete.
    #[arg(value_enum)]
    shell: Shell,
}

/// Writes the script for a shell.
pub(crate) fn completions(args: &Args, out: &mut dyn Write) -> io::Result<()> {
    // Through memory: the generator panics where it cannot write.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut args::Args::command(), "undaunted", &mut script);
    out.write_all(&script)
}
