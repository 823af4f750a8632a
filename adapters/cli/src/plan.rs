//! `undaunted plan`: prints and draws what a policy will do.

mod bars;
mod draw;
mod fleet;
mod histogram;
mod json;
mod scale;
mod summary;
mod survey;
mod svg;
mod table;

use crate::policy::{self, Meant, Named};
use crate::{Trouble, page};
use clap::ValueHint;
use draw::Drawn;
use fleet::Fleet;
use std::io::{self, Write};
use std::path::PathBuf;
use survey::Survey;
use undaunted::Micros;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    sources: policy::Sources,
    /// Also show the waits that `run --seed N` draws.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Also show when N devices retry that begin together and always fail, with the seeds 0 to N - 1.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    fleet: Option<u32>,
    /// A table with a drawing, for people; or JSON with lengths in microseconds, for programs.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Also draw all of it into this file, as SVG.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    svg: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Format {
    Json,
    Table,
}

/// A policy that is shown.
struct Shown<'a> {
    named: &'a Named<Meant>,
    survey: Survey<'a>,
    drawn: Option<Drawn>,
}

impl Shown<'_> {
    fn title(&self) -> String {
        self.named.name.clone().unwrap_or_else(|| self.text())
    }

    /// The text of the policy, or of the recovery that it belongs to.
    fn text(&self) -> String {
        let Meant { policy, recovery, .. } = &self.named.meant;
        recovery.as_ref().map_or_else(|| policy.to_string(), |recovery| recovery.to_string())
    }
}

/// Shows the policies that are said, one after another, and in one drawing.
pub(crate) fn plan(args: &Args, out: &mut dyn Write) -> Result<(), Trouble> {
    let policies = policy::all::<Meant>(&args.sources)?;
    let shown: Vec<Shown<'_>> = policies.iter().map(|named| look(named, args.seed)).collect();
    let fleet = args.fleet.map(|devices| Fleet::of(&shown, devices));
    if let Some(path) = &args.svg {
        svg::write(&shown, fleet.as_ref(), path)?;
    }
    match args.format {
        Format::Json => json::write(&shown, fleet.as_ref(), out)?,
        Format::Table => show(&shown, fleet.as_ref(), out)?,
    }
    Ok(())
}

/// What [`plan`] finds wrong, without a drawing in a file and without a fleet.
pub(crate) fn check(args: &Args) -> Result<(), Trouble> {
    let policies = policy::all::<Meant>(&args.sources)?;
    let shown: Vec<Shown<'_>> = policies.iter().map(|named| look(named, args.seed)).collect();
    show(&shown, None, &mut io::sink())?;
    json::write(&shown, None, &mut io::sink())?;
    Ok(())
}

fn look(named: &Named<Meant>, seed: Option<u64>) -> Shown<'_> {
    let policy = &named.meant.policy;
    let survey = Survey::of(policy);
    let drawn = seed.map(|seed| Drawn::of(policy, seed, survey.rows.len()));
    Shown { named, survey, drawn }
}

/// Text, table and summary of each; then the drawings.
fn show(shown: &[Shown<'_>], fleet: Option<&Fleet>, out: &mut dyn Write) -> io::Result<()> {
    for (index, one) in shown.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        if let Some(name) = &one.named.name {
            writeln!(out, "{name}:")?;
        }
        writeln!(out, "{}", one.text())?;
        if !one.survey.rows.is_empty() {
            writeln!(out)?;
            table::write(&one.survey, one.drawn.as_ref(), out)?;
        }
        writeln!(out)?;
        summary::write(one, out)?;
    }
    if shown.iter().any(|one| one.survey.longest() > Micros::ZERO) {
        writeln!(out)?;
        bars::write(shown, page::width(), out)?;
    }
    match fleet {
        Some(fleet) => histogram::write(shown, fleet, page::width(), out),
        None => Ok(()),
    }
}

/// The letter of a policy in a drawing of several.
fn letter(index: usize) -> String {
    let letters = ('a'..='z').map(String::from);
    letters.into_iter().nth(index).unwrap_or_else(|| (index + 1).to_string())
}
