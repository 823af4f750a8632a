//! Where a length stands on the line: linear, or logarithmic when the lengths differ too much.

use crate::page;
use undaunted::{Micros, Step};

/// A longest wait that is this many times the shortest one asks for a logarithmic scale.
const WIDE: u64 = 40;

/// Where a decade begins, as people say it: 1 us, 10 us ... 10 s, 1 min, 10 min, 1 h, 10 h, 1 d ...
const SECOND: u64 = 1_000_000;
const DAY: u64 = 86_400 * SECOND;
const DECADES: [u64; 18] = [
    1,
    10,
    100,
    1_000,
    10_000,
    100_000,
    SECOND,
    10 * SECOND,
    60 * SECOND,
    600 * SECOND,
    3_600 * SECOND,
    36_000 * SECOND,
    DAY,
    10 * DAY,
    100 * DAY,
    1_000 * DAY,
    10_000 * DAY,
    100_000 * DAY,
];

/// Maps lengths to the columns of a line.
#[derive(Debug)]
pub(super) struct Scale {
    /// Where a logarithmic scale begins; zero for a linear one.
    low: u64,
    high: u64,
    /// The last column.
    end: usize,
}

impl Scale {
    /// The scale of these waits on a line of `width` columns.
    pub(super) fn of(rows: &[Step], width: usize) -> Scale {
        let most = rows.iter().map(|step| step.max.as_micros());
        let high = most.clone().max().unwrap_or(1).max(1);
        let shortest = most.filter(|wait| *wait > 0).min().unwrap_or(high);
        let low = if high / shortest < WIDE { 0 } else { decade(lowest(rows)) };
        Scale { low, high, end: width.max(2) - 1 }
    }

    pub(super) fn name(&self) -> &'static str {
        if self.low == 0 { "linear" } else { "logarithmic" }
    }

    /// Whether a length is on the scale, and not below its beginning.
    pub(super) fn reaches(&self, length: Micros) -> bool {
        length.as_micros() >= self.low
    }

    /// The column of a length, the nearest one.
    pub(super) fn column(&self, length: Micros) -> usize {
        let x = length.as_micros().clamp(self.low, self.high) as f64;
        let (low, high) = (self.low as f64, self.high as f64);
        let share = if self.low == 0 { x / high } else { (x / low).ln() / (high / low).ln() };
        ((share * self.end as f64).round() as usize).min(self.end)
    }

    /// A line with a mark and a length at round places, and the longest at the end.
    pub(super) fn axis(&self) -> String {
        let last = format!("{}│", page::length(Micros::new(self.high)));
        let last_at = (self.end + 1).saturating_sub(last.chars().count());
        let mut line = String::new();
        let mut length = 0;
        for tick in self.ticks() {
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

    fn ticks(&self) -> Vec<Micros> {
        match self.low {
            0 => (0..4).map(|quarter| Micros::new(self.high / 4 * quarter)).collect(),
            low => DECADES.iter().filter(|x| (low..self.high).contains(x)).map(|x| Micros::new(*x)).collect(),
        }
    }
}

/// The shortest length above zero that is to be drawn. Where the jitter begins at zero that is a mean.
fn lowest(rows: &[Step]) -> u64 {
    let lengths = rows.iter().flat_map(|step| [step.min, step.mean, step.max]);
    lengths.map(Micros::as_micros).filter(|length| *length > 0).min().unwrap_or(1)
}

fn decade(length: u64) -> u64 {
    DECADES.into_iter().rev().find(|x| *x <= length).unwrap_or(1)
}
