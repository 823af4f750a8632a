//! When a fleet comes back: the attempts over time, as columns.

use super::bars::Line;
use super::fleet::Fleet;
use super::scale::Scale;
use super::{Shown, letter};
use crate::page::{self, length};
use std::io::{self, Write};
use undaunted::Micros;

/// Eighths of a line.
const BLOCKS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Columns for each policy, all of them on the same two scales.
pub(super) fn write(shown: &[Shown<'_>], fleet: &Fleet, width: usize, out: &mut dyn Write) -> io::Result<()> {
    let calls = fleet.attempts.iter().map(|policy| policy.iter().map(Vec::len).sum::<usize>());
    let margin = calls.max().unwrap_or(0).to_string().len().max(3);
    let parts = width.saturating_sub(margin + 1).max(2);
    let part = fleet.part(parts);
    let counts: Vec<Vec<u64>> = (0..shown.len()).map(|policy| fleet.counts(policy, part)).collect();
    let most = counts.iter().flatten().copied().max().unwrap_or(0);
    writeln!(out)?;
    page::paragraph(out, &" ".repeat(margin + 1), width, &caption(fleet, part))?;
    for (policy, counts) in counts.iter().enumerate() {
        if shown.len() > 1 {
            let title = page::cut(&shown[policy].title(), width.saturating_sub(margin + 1));
            writeln!(out, "{:>margin$} {title}", letter(policy))?;
        }
        columns(counts, most, if shown.len() > 1 { 4 } else { 8 }, margin, out)?;
    }
    let whole = Micros::new(part.as_micros() * parts as u64);
    writeln!(out, "{:margin$} {}", "", Line { scale: Scale::linear(whole), end: parts - 1 }.axis())
}

fn caption(fleet: &Fleet, part: Micros) -> String {
    format!("{}: calls in each {}, without the first ones at 0", devices(fleet.devices), length(part))
}

pub(super) fn devices(count: u32) -> String {
    match count {
        1 => "1 device (seed 0) that always fails".into(),
        count => format!("{count} devices (seeds 0 to {}) that begin together and always fail", count - 1),
    }
}

/// So many lines, the highest count as high as all of them; what is there has at least an eighth.
fn columns(counts: &[u64], most: u64, lines: u64, margin: usize, out: &mut dyn Write) -> io::Result<()> {
    let eighths = |count: u64| match count {
        0 => 0,
        count => (count * lines * 8 / most.max(1)).max(1),
    };
    for line in (0..lines).rev() {
        let label = if line + 1 == lines { most.to_string() } else { String::new() };
        let text: String = counts
            .iter()
            .map(|count| BLOCKS[eighths(*count).saturating_sub(line * 8).min(8) as usize])
            .collect();
        writeln!(out, "{}", format!("{label:>margin$}┤{text}").trim_end())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(counts: &[u64], most: u64, lines: u64) -> String {
        let mut out = Vec::new();
        columns(counts, most, lines, 3, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_column_is_as_high_as_its_count() {
        // Sixteen eighths are 8 calls.
        assert_eq!(drawn(&[0, 1, 2, 4, 5, 8], 8, 2), "  8┤    ▂█\n   ┤ ▂▄███\n");
        // What is there is seen, and what is not is not.
        assert_eq!(drawn(&[1, 0, 1_000], 1_000, 1), "1000┤▁ █\n");
        assert_eq!(drawn(&[0, 0], 0, 1), "  0┤\n");
    }
}
