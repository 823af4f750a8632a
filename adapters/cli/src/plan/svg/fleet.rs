//! A fleet: how many call when, and a cloud with a dot for each call.

use super::axis::{Axis, Chart, chart};
use super::theme::{colour, fill, marker};
use super::{Area, Fault};
use crate::page::length;
use crate::plan::fleet::Fleet;
use crate::plan::histogram::devices;
use crate::plan::scale::Scale;
use plotters::prelude::{Circle, Color, PathElement, Polygon};
use undaunted::Micros;

/// Into so many parts the time is cut.
const PARTS: usize = 120;
/// More dots than that are not told apart; whole devices are left out instead.
const DOTS: usize = 4_000;

/// Both, one below the other; the first is so high.
pub(super) fn draw(fleet: &Fleet, area: &Area<'_>, height: u32) -> Result<(), Fault> {
    let (top, bottom) = area.split_vertically(height);
    calls(fleet, &top)?;
    cloud(fleet, &bottom)
}

/// How many calls there are in each part of the time.
fn calls(fleet: &Fleet, area: &Area<'_>) -> Result<(), Fault> {
    let part = fleet.part(PARTS);
    let counts: Vec<Vec<u64>> = (0..fleet.attempts.len()).map(|policy| fleet.counts(policy, part)).collect();
    let most = counts.iter().flatten().copied().max().unwrap_or(0);
    let scale = Scale::linear(fleet.until);
    let text = format!("time; {}, without the first calls at 0", devices(fleet.devices));
    let y = Axis::counts(format!("calls in {}", length(part)), most);
    let chart = chart(area, time(text, &scale), y)?;
    for (which, counts) in counts.iter().enumerate() {
        let mut line = vec![(0.0, 0.0)];
        let last = counts.iter().rposition(|count| *count > 0).unwrap_or(0);
        for (index, count) in counts.iter().enumerate().take(last + 1) {
            let at = |part_index: usize| scale.share(Micros::new(part.as_micros() * part_index as u64));
            line.extend([(at(index), *count as f64), (at(index + 1), *count as f64)]);
        }
        line.extend(line.last().map(|end| (end.0, 0.0)));
        chart.plotting_area().draw(&Polygon::new(line.clone(), fill(which, fleet.attempts.len())))?;
        chart.plotting_area().draw(&PathElement::new(line, colour(which).stroke_width(2)))?;
    }
    Ok(())
}

/// A lane for each policy, in it a line for each device, on that a dot for each call.
fn cloud(fleet: &Fleet, area: &Area<'_>) -> Result<(), Fault> {
    let scale = Scale::linear(fleet.until);
    let dots: usize = fleet.attempts.iter().flatten().map(Vec::len).sum();
    let every = dots.div_ceil(DOTS).max(1);
    let chart = chart(area, time("time; a dot is a call".into(), &scale), lanes(fleet, every))?;
    let radius =
        [500, 1_500].iter().fold(3, |radius, most| if dots / every > *most { radius - 1 } else { radius });
    for (which, policy) in fleet.attempts.iter().enumerate() {
        // The first lane is at the top, as in the legend, and the first device at the top of it.
        let top = (fleet.attempts.len() - which) as f64;
        beside(&chart, area, top - 0.5, which)?;
        let style = colour(which).mix(0.75).filled();
        for (device, attempts) in policy.iter().enumerate().step_by(every) {
            let y = top - 0.06 - 0.88 * (device as f64 + 0.5) / policy.len() as f64;
            for at in attempts {
                chart.plotting_area().draw(&Circle::new((scale.share(*at), y), radius, style))?;
            }
        }
    }
    Ok(())
}

/// Lines between the lanes.
fn lanes(fleet: &Fleet, every: usize) -> Axis {
    let name = if every == 1 { "devices".into() } else { format!("1 of {every} devices") };
    let last = fleet.attempts.len();
    Axis {
        name,
        ends: 0.0..last as f64,
        ticks: (0..=last).map(|lane| (lane as f64, String::new())).collect(),
    }
}

/// The marker of a policy beside its lane, where the chart would not draw.
fn beside(chart: &Chart<'_, '_>, area: &Area<'_>, lane: f64, which: usize) -> Result<(), Fault> {
    let (columns, rows) = area.get_pixel_range();
    let (x, y) = chart.backend_coord(&(0.0, lane));
    marker(area, (x - columns.start - 20, y - rows.start), which)
}

fn time(name: String, scale: &Scale) -> Axis {
    Axis { ends: 0.0..1.01, ..Axis::lengths(name, scale) }
}
