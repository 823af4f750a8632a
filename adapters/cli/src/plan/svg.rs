//! Plans as a drawing in a file: SVG, with a panel of its own behind it, light or dark as the reader's
//! screen is.

mod axis;
mod fleet;
mod theme;
mod waits;

use super::Shown;
use super::fleet::Fleet;
use crate::page;
use plotters::coord::Shift;
use plotters::prelude::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea, SVGBackend, Text};
use std::path::Path;
use std::{fs, io};
use theme::{INK, PANEL, marker};
use undaunted::Micros;

const WIDTH: u32 = 960;
/// Of a line of the legend, and of the three drawings.
const LINE: u32 = 22;
const WAITS: u32 = 400;
const CALLS: u32 = 230;
const CLOUD: u32 = 150;
/// Of each policy in the last one.
const LANE: u32 = 40;
/// How many characters surely fit beside a marker.
const LETTERS: usize = 120;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Fault = DrawingAreaErrorKind<io::Error>;

/// Writes the drawing, or says which file it could not write.
pub(super) fn write(shown: &[Shown<'_>], fleet: Option<&Fleet>, path: &Path) -> io::Result<()> {
    let text = svg(shown, fleet).map_err(|fault| io::Error::other(fault.to_string()))?;
    fs::write(path, text).map_err(|error| io::Error::other(format!("{}: {error}", path.display())))
}

fn svg(shown: &[Shown<'_>], fleet: Option<&Fleet>) -> Result<String, Fault> {
    let entries: Vec<Vec<String>> = shown.iter().map(entry).collect();
    let explanation = lines(&explanation(shown));
    let count = explanation.len() + entries.iter().map(Vec::len).sum::<usize>();
    let legend_height = LINE * (count as u32 + 1);
    let waits_height = if shown.iter().all(|one| one.survey.longest() == Micros::ZERO) { 0 } else { WAITS };
    let fleet_height = fleet.map_or(0, |_| CALLS + CLOUD + LANE * shown.len() as u32);
    let size = (WIDTH, legend_height + waits_height + fleet_height);
    let mut text = String::new();
    let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
    area.fill(&PANEL)?;
    let (top, rest) = area.split_vertically(legend_height);
    legend(&entries, &explanation, &top)?;
    let (middle, bottom) = rest.split_vertically(waits_height);
    if waits_height > 0 {
        waits::draw(shown, &middle)?;
    }
    if let Some(fleet) = fleet {
        fleet::draw(fleet, &bottom, CALLS)?;
    }
    area.present()?;
    drop((area, top, rest, middle, bottom));
    Ok(theme::dress(&text, &title(shown)))
}

/// The name, if there is one, and the text, on one line where they fit.
fn entry(one: &Shown<'_>) -> Vec<String> {
    let lines: Vec<String> = one.named.name.iter().cloned().chain([one.text()]).collect();
    let line = lines.join(":  ");
    match line.chars().count() > LETTERS {
        true => lines.iter().map(|line| page::cut(line, LETTERS)).collect(),
        false => vec![line],
    }
}

/// A text in lines that fit.
fn lines(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    // Nothing fails in memory.
    let _ = page::paragraph(&mut out, "", LETTERS, text);
    String::from_utf8_lossy(&out).lines().map(String::from).collect()
}

fn title(shown: &[Shown<'_>]) -> String {
    let titles: Vec<String> = shown.iter().map(Shown::title).collect();
    format!("The waits of {}", titles.join(", "))
}

/// What the waits are drawn with.
fn explanation(shown: &[Shown<'_>]) -> String {
    let mut said = String::from("bands: shortest to longest wait; lines: means");
    if shown.iter().flat_map(|one| &one.survey.rows).any(|step| step.mean_is_bound) {
        said += " (of decorrelated: upper bounds from the cap on)";
    }
    if let Some(drawn) = shown.iter().find_map(|one| one.drawn.as_ref()) {
        said += &format!("; rings: what seed {} draws", drawn.seed);
    }
    if shown.iter().any(|one| !one.survey.is_whole()) {
        said += "; longer plans go on";
    }
    said
}

/// A marker for each policy, and beside it what it is; then how to read the waits.
fn legend(entries: &[Vec<String>], explanation: &[String], area: &Area<'_>) -> Result<(), Fault> {
    let mut y = LINE as i32;
    for (which, lines) in entries.iter().map(Vec::as_slice).chain([explanation]).enumerate() {
        if which < entries.len() {
            marker(area, (30, y), which)?;
        }
        for line in lines {
            area.draw(&Text::new(line.clone(), (46, y - 6), theme::text(&INK)))?;
            y += LINE as i32;
        }
    }
    Ok(())
}
