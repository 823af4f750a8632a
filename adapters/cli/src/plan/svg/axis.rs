//! Axes: lengths, counts and attempts along a side, with ticks at round places.

use super::theme::{GRID, INK, text};
use super::{Area, Fault};
use crate::page;
use crate::plan::scale::Scale;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::prelude::{Cartesian2d, ChartBuilder, ChartContext, Color, SVGBackend};
use std::ops::Range;

pub(super) type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Axis, Axis>>;

/// One side of a drawing.
#[derive(Clone)]
pub(super) struct Axis {
    pub(super) name: String,
    pub(super) ends: Range<f64>,
    pub(super) ticks: Vec<(f64, String)>,
}

impl Axis {
    /// Lengths, as shares of the scale, with a little room at the end.
    pub(super) fn lengths(name: String, scale: &Scale) -> Axis {
        let ticks = scale.round_ticks();
        let ticks = ticks.into_iter().map(|tick| (scale.share(tick), page::length(tick))).collect();
        Axis { name, ends: 0.0..1.03, ticks }
    }

    /// Whole numbers from 0.
    pub(super) fn counts(name: String, most: u64) -> Axis {
        let mut steps =
            (0..18).map(|power| 10_u64.pow(power)).flat_map(|ten| [1, 2, 5].map(|part| part * ten));
        let step = steps.find(|step| most / step < 5).unwrap_or(most.max(1));
        let ticks =
            (0..=most / step).map(|count| ((count * step) as f64, (count * step).to_string())).collect();
        Axis { name, ends: 0.0..most.max(1) as f64 * 1.03, ticks }
    }

    /// Whole numbers from 1, each with half of its room on either side.
    pub(super) fn attempts(name: String, last: usize) -> Axis {
        let ticks = (1..=last).map(|attempt| (attempt as f64, attempt.to_string())).collect();
        Axis { name, ends: 0.5..last as f64 + 0.5, ticks }
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (start, end): (i32, i32)) -> i32 {
        let share = (value - self.ends.start) / (self.ends.end - self.ends.start);
        start + (f64::from(end - start) * share).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        match hint.weight().allow_light_points() {
            true => Vec::new(),
            false => self.ticks.iter().map(|tick| tick.0).collect(),
        }
    }

    fn range(&self) -> Range<f64> {
        self.ends.clone()
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        self.ticks.iter().find(|tick| tick.0 == *value).map_or(String::new(), |tick| tick.1.clone())
    }
}

/// An empty chart with these axes.
pub(super) fn chart<'a, 'b>(area: &'a Area<'b>, x: Axis, y: Axis) -> Result<Chart<'a, 'b>, Fault> {
    let names = (x.name.clone(), y.name.clone());
    let mut chart = ChartBuilder::on(area)
        .margin_top(8)
        .margin_bottom(8)
        .margin_right(24)
        .margin_left(8)
        .x_label_area_size(44)
        .y_label_area_size(84)
        .build_cartesian_2d(x, y)?;
    chart
        .configure_mesh()
        .bold_line_style(GRID)
        .axis_style(INK.mix(0.6))
        .label_style(text(&INK))
        .axis_desc_style(text(&INK))
        .x_desc(names.0)
        .y_desc(names.1)
        .draw()?;
    Ok(chart)
}
