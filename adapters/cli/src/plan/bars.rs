//! The waits of plans as bars on one scale: from the shortest to the longest, with the mean.

use super::scale::Scale;
use super::{Shown, letter};
use crate::page;
use std::io::{self, Write};
use undaunted::{Micros, Step};

/// One bar for each row of each policy, below an axis; those after the same attempt stand together.
pub(super) fn write(shown: &[Shown<'_>], width: usize, out: &mut dyn Write) -> io::Result<()> {
    let rows: Vec<Step> = shown.iter().flat_map(|one| one.survey.rows.iter().copied()).collect();
    let several = shown.len() > 1;
    let last = shown.iter().map(|one| one.survey.rows.len()).max().unwrap_or(0);
    let digits = last.to_string().len().max(2);
    let margin = digits + if several { 1 + letter(shown.len() - 1).len() } else { 0 };
    let line = Line { scale: Scale::of(&rows), end: width.saturating_sub(margin + 2).max(2) - 1 };
    writeln!(out, "{:margin$}  {}", "", legend(&rows, &line.scale, shown))?;
    if several {
        names(shown, margin, width, out)?;
    }
    writeln!(out, "{:margin$}  {}", "", line.axis())?;
    for index in 0..last {
        let mut attempt = (index + 1).to_string();
        for (which, one) in shown.iter().enumerate() {
            let Some(step) = one.survey.rows.get(index) else { continue };
            let name = if several { format!(" {}", letter(which)) } else { String::new() };
            let drawn = one.drawn.as_ref().and_then(|drawn| drawn.waits.get(index).copied());
            writeln!(out, "{attempt:>digits$}{name}  {}", bar(&line, step, drawn))?;
            attempt.clear();
        }
    }
    Ok(())
}

fn legend(rows: &[Step], scale: &Scale, shown: &[Shown<'_>]) -> String {
    let zero = if rows.iter().all(|step| scale.reaches(step.min)) { "" } else { " (◄ 0)" };
    let drawn = shown.iter().find_map(|one| one.drawn.as_ref());
    let drawn = drawn.map_or(String::new(), |drawn| format!(", ● seed {}", drawn.seed));
    format!("the waits, {} scale: ├ min{zero}, ┼ mean, ┤ max{drawn}", scale.name())
}

/// Which letter is which policy, a line each.
fn names(shown: &[Shown<'_>], margin: usize, width: usize, out: &mut dyn Write) -> io::Result<()> {
    for (which, one) in shown.iter().enumerate() {
        let title = page::cut(&one.title(), width.saturating_sub(margin + 2));
        writeln!(out, "{:>margin$}  {title}", letter(which))?;
    }
    Ok(())
}

fn bar(line: &Line, step: &Step, drawn: Option<Micros>) -> String {
    let (low, mean, high) = (line.column(step.min), line.column(step.mean), line.column(step.max));
    let mut bar = vec![' '; low];
    bar.resize(high + 1, '─');
    bar[low] = if line.scale.reaches(step.min) { '├' } else { '◄' };
    bar[high] = '┤';
    if low == high {
        bar[low] = '│';
    } else if low < mean && mean < high {
        bar[mean] = '┼';
    }
    if let Some(drawn) = drawn {
        bar[line.column(drawn)] = '●';
    }
    bar.into_iter().collect()
}

/// Maps lengths to the columns of a line.
pub(super) struct Line {
    pub(super) scale: Scale,
    /// The last column.
    pub(super) end: usize,
}

impl Line {
    /// The column of a length, the nearest one.
    fn column(&self, length: Micros) -> usize {
        ((self.scale.share(length) * self.end as f64).round() as usize).min(self.end)
    }

    /// A line with a mark and a length at round places, and the longest at the end.
    pub(super) fn axis(&self) -> String {
        let last = format!("{}│", page::length(self.scale.high()));
        let last_at = (self.end + 1).saturating_sub(last.chars().count());
        let mut line = String::new();
        let mut length = 0;
        for tick in self.scale.ticks() {
            let (at, text) = (self.column(tick), format!("│{}", page::length(tick)));
            let free = if length == 0 { 0 } else { length + 1 };
            if at >= free && at + text.chars().count() < last_at {
                line += &" ".repeat(at - length);
                line += &text;
                length = at + text.chars().count();
            }
        }
        line + &" ".repeat(last_at.saturating_sub(length)) + &last
    }
}
