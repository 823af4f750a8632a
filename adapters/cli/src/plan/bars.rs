//! The waits of a plan as bars: from the shortest to the longest, with the mean.

mod scale;

use super::draw::Drawn;
use scale::Scale;
use std::io::{self, Write};
use undaunted::{Micros, Step};

/// One bar for each row, below an axis.
pub(super) fn write(
    rows: &[Step],
    drawn: Option<&Drawn>,
    width: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let margin = rows.last().map_or(1, |step| step.attempt.to_string().len()).max(2);
    let scale = Scale::of(rows, width.saturating_sub(margin + 2));
    writeln!(out, "{:margin$}  {}", "", legend(rows, &scale, drawn))?;
    writeln!(out, "{:margin$}  {}", "", scale.axis())?;
    for (index, step) in rows.iter().enumerate() {
        let drawn = drawn.and_then(|drawn| drawn.waits.get(index).copied());
        writeln!(out, "{:>margin$}  {}", step.attempt, bar(&scale, step, drawn))?;
    }
    Ok(())
}

fn legend(rows: &[Step], scale: &Scale, drawn: Option<&Drawn>) -> String {
    let zero = if rows.iter().all(|step| scale.reaches(step.min)) { "" } else { " (◄ 0)" };
    let drawn = drawn.map_or(String::new(), |drawn| format!(", ● seed {}", drawn.seed));
    format!("the waits, {} scale: ├ min{zero}, ┼ mean, ┤ max{drawn}", scale.name())
}

fn bar(scale: &Scale, step: &Step, drawn: Option<Micros>) -> String {
    let (low, mean, high) = (scale.column(step.min), scale.column(step.mean), scale.column(step.max));
    let mut line = vec![' '; low];
    line.resize(high + 1, '─');
    line[low] = if scale.reaches(step.min) { '├' } else { '◄' };
    line[high] = '┤';
    if low == high {
        line[low] = '│';
    } else if low < mean && mean < high {
        line[mean] = '┼';
    }
    if let Some(drawn) = drawn {
        line[scale.column(drawn)] = '●';
    }
    line.into_iter().collect()
}
