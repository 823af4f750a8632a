//! `undaunted presets`: the policies that are in use elsewhere.

use crate::page::{self, entry, length, paragraph};
use crate::{Trouble, args, policy};
use std::io::{self, Write};
use undaunted::presets::{ALL, Preset};
use undaunted::{Micros, Policy};

/// Lists every preset, or shows one with its source.
pub(crate) fn presets(args: &args::Presets, out: &mut dyn Write) -> Result<(), Trouble> {
    match &args.name {
        Some(name) => show(policy::preset(name)?, out)?,
        None => list(out)?,
    }
    Ok(())
}

/// Three parts each: name and worst case, the policy, the first sentence about it.
fn list(out: &mut dyn Write) -> io::Result<()> {
    let width = page::width();
    let right = width.min(100);
    writeln!(out, "PRESET{:>1$}", "AT WORST", right.saturating_sub(6))?;
    for Preset { name, policy, about, .. } in ALL {
        let worst = worst_case(policy);
        writeln!(out, "{name}{worst:>0$}", right.saturating_sub(name.len()))?;
        paragraph(out, "  ", width, &policy.to_string())?;
        paragraph(out, "  ", width, first_sentence(about))?;
    }
    writeln!(out, "\n`undaunted presets NAME` shows one with its source.")
}

fn show(preset: &Preset, out: &mut dyn Write) -> io::Result<()> {
    let Preset { name, policy, fixed_rate, about, source } = preset;
    writeln!(out, "{name}")?;
    paragraph(out, "  ", page::width(), about)?;
    writeln!(out, "\n  policy      {policy}")?;
    if *fixed_rate {
        entry(out, "  ", "pace", page::FIXED_RATE)?;
    }
    entry(out, "  ", "worst case", &worst_case(policy))?;
    entry(out, "  ", "source", source)?;
    writeln!(out, "\n  undaunted plan --preset {name}")?;
    writeln!(out, "  undaunted run --preset {name} -- COMMAND")
}

fn worst_case(policy: &Policy) -> String {
    match policy.worst_case() {
        Micros::MAX => "without end".into(),
        worst => length(worst),
    }
}

fn first_sentence(about: &str) -> &str {
    match about.split_once(". ") {
        Some((first, _)) => about.get(..=first.len()).unwrap_or(about),
        None => about,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_ends_before_the_next_one() {
        assert_eq!(first_sentence("Waits 1.5 s. Then calls."), "Waits 1.5 s.");
        assert_eq!(first_sentence("Waits."), "Waits.");
    }
}
