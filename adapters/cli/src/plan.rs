//! `undaunted plan`: prints and draws what a policy will do.

mod bars;
mod draw;
mod summary;
mod survey;
mod table;

use crate::{Trouble, args, page, policy};
use draw::Drawn;
use std::io::{self, Write};
use survey::Survey;
use undaunted::Policy;

/// Shows the policy that is said, or each preset that is named, one after another.
pub(crate) fn plan(args: &args::Plan, out: &mut dyn Write) -> Result<(), Trouble> {
    if args.preset.is_empty() {
        return Ok(show(&policy::said(&args.policy)?, args.seed, out)?);
    }
    let presets = args.preset.iter().map(|name| policy::preset(name)).collect::<Result<Vec<_>, _>>()?;
    for (index, preset) in presets.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}:", preset.name)?;
        show(&preset.policy, args.seed, out)?;
    }
    Ok(())
}

/// Text, table, summary and bars of one policy.
fn show(policy: &Policy, seed: Option<u64>, out: &mut dyn Write) -> io::Result<()> {
    let survey = Survey::of(policy);
    let drawn = seed.map(|seed| Drawn::of(policy, seed, survey.rows.len()));
    writeln!(out, "{policy}")?;
    if !survey.rows.is_empty() {
        writeln!(out)?;
        table::write(&survey, drawn.as_ref(), out)?;
    }
    writeln!(out)?;
    summary::write(&survey, drawn.as_ref(), out)?;
    if survey.longest() > undaunted::Micros::ZERO {
        writeln!(out)?;
        bars::write(&survey.rows, drawn.as_ref(), page::width(), out)?;
    }
    Ok(())
}
