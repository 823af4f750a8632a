//! `undaunted man`: the manual pages, from the same words as `--help`.

use crate::{Trouble, args};
use clap::{Command, CommandFactory, ValueHint};
use clap_mangen::Man;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Write all pages into this folder, which is made if need be; without one, print the first page.
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    dir: Option<PathBuf>,
}

/// Prints the page of the command, or writes a page for it and one for each verb and says which.
pub(crate) fn man(args: &Args, out: &mut dyn Write) -> Result<(), Trouble> {
    let mut command = args::Args::command().disable_help_subcommand(true);
    command.build();
    let Some(dir) = &args.dir else { return Ok(out.write_all(page(&man_of(command))?.as_bytes())?) };
    fs::create_dir_all(dir).map_err(|error| io::Error::other(format!("{}: {error}", dir.display())))?;
    for verb in command.get_subcommands() {
        write(verb.clone(), dir, out)?;
    }
    Ok(write(command, dir, out)?)
}

fn write(command: Command, dir: &Path, out: &mut dyn Write) -> io::Result<()> {
    let man = man_of(command);
    let path = dir.join(man.get_filename());
    fs::write(&path, page(&man)?)
        .map_err(|error| io::Error::other(format!("{}: {error}", path.display())))?;
    writeln!(out, "{}", path.display())
}

fn man_of(command: Command) -> Man {
    Man::new(command).source(concat!("undaunted ", env!("CARGO_PKG_VERSION"))).manual("undaunted")
}

/// What the generator calls EXTRA is what `--help` says after the options.
const EXTRA: &str = ".SH EXTRA\n";

/// The page. The generator would fill and adjust the lines after the options, lists and examples too.
fn page(man: &Man) -> io::Result<String> {
    let mut page = Vec::new();
    man.render(&mut page)?;
    let page = String::from_utf8_lossy(&page).into_owned();
    let Some((before, after)) = page.split_once(EXTRA) else { return Ok(page) };
    let end = after.find("\n.SH ").map_or(after.len(), |newline| newline + 1);
    let (details, rest) = after.split_at(end);
    Ok(format!("{before}.SH DETAILS\n{}{rest}", unfilled(details)))
}

/// Lines that are indented stay as they are.
fn unfilled(text: &str) -> String {
    let (mut page, mut is_filled) = (String::new(), true);
    for line in text.lines() {
        if line.starts_with(' ') == is_filled {
            page += if is_filled { ".nf\n" } else { ".fi\n" };
            is_filled = !is_filled;
        }
        page += line;
        page.push('\n');
    }
    page + if is_filled { "" } else { ".fi\n" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_indented_lines_are_not_filled() {
        assert_eq!(unfilled("a\n  b\n  c\nd\n"), "a\n.nf\n  b\n  c\n.fi\nd\n");
        assert_eq!(unfilled("  b\n"), ".nf\n  b\n.fi\n");
    }
}
