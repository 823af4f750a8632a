//! The waits: for each policy a band from the shortest to the longest after each attempt, and a line
//! through the means.

use super::axis::{Axis, Chart, chart};
use super::theme::{colour, fill, marker};
use super::{Area, Fault};
use crate::plan::Shown;
use crate::plan::scale::Scale;
use plotters::prelude::{Circle, Color, PathElement, Polygon, RGBAColor};
use undaunted::{Micros, Step};

pub(super) fn draw(shown: &[Shown<'_>], area: &Area<'_>) -> Result<(), Fault> {
    let rows: Vec<Step> = shown.iter().flat_map(|one| one.survey.rows.iter().copied()).collect();
    let last = shown.iter().map(|one| one.survey.rows.len()).max().unwrap_or(1);
    let scale = Scale::of(&rows);
    let x = Axis::attempts("after attempt".into(), last);
    let chart = chart(area, x, Axis::lengths(y_name(&rows, &scale), &scale))?;
    for (which, one) in shown.iter().enumerate() {
        band(&chart, &scale, &one.survey.rows, &fill(which, shown.len()), which)?;
    }
    for (which, one) in shown.iter().enumerate() {
        means(&chart, &scale, one, which)?;
    }
    Ok(())
}

fn y_name(rows: &[Step], scale: &Scale) -> String {
    let zero = if rows.iter().all(|step| scale.reaches(step.min)) { "" } else { ", 0 at the bottom" };
    format!("wait ({} scale{zero})", scale.name())
}

/// Stairs, since nothing lies between two attempts.
fn band(
    chart: &Chart<'_, '_>,
    scale: &Scale,
    rows: &[Step],
    fill: &RGBAColor,
    which: usize,
) -> Result<(), Fault> {
    let side = |of: fn(&Step) -> Micros| {
        rows.iter().flat_map(move |step| {
            let (x, y) = (f64::from(step.attempt), scale.share(of(step)));
            [(x - 0.5, y), (x + 0.5, y)]
        })
    };
    let (low, high): (Vec<_>, Vec<_>) = (side(|step| step.min).collect(), side(|step| step.max).collect());
    let area = chart.plotting_area();
    let around: Vec<_> = low.iter().chain(high.iter().rev()).copied().collect();
    area.draw(&Polygon::new(around, fill))?;
    area.draw(&PathElement::new(low, colour(which).mix(0.6)))?;
    area.draw(&PathElement::new(high, colour(which).mix(0.6)))
}

fn means(chart: &Chart<'_, '_>, scale: &Scale, one: &Shown<'_>, which: usize) -> Result<(), Fault> {
    let area = chart.plotting_area();
    let rows = &one.survey.rows;
    let at = |step: &Step, length: Micros| (f64::from(step.attempt), scale.share(length));
    let line: Vec<_> = rows.iter().map(|step| at(step, step.mean)).collect();
    area.draw(&PathElement::new(line.clone(), colour(which).stroke_width(2)))?;
    for point in line {
        marker(area, point, which)?;
    }
    let waits = one.drawn.iter().flat_map(|drawn| &drawn.waits);
    for (step, wait) in rows.iter().zip(waits) {
        area.draw(&Circle::new(at(step, *wait), 8, colour(which).stroke_width(2)))?;
    }
    Ok(())
}
