//! Colours, markers and letters. Colours are those of Okabe and Ito, which people who see no red or no
//! green can tell apart, darkened or lightened for the panel behind them; each has a marker besides.

use super::Fault;
use plotters::coord::CoordTranslate;
use plotters::prelude::{
    Circle, Cross, DrawingArea, EmptyElement, RGBAColor, RGBColor, Rectangle, SVGBackend, TextStyle,
    TriangleMarker,
};
use plotters::style::{Color, IntoFont};

pub(super) const PANEL: RGBColor = RGBColor(0xFF, 0xFF, 0xFF);
pub(super) const INK: RGBColor = RGBColor(0x1F, 0x23, 0x28);
pub(super) const GRID: RGBColor = RGBColor(0xD8, 0xDE, 0xE4);

/// One for each policy; then they begin again, with other markers.
const COLOURS: [RGBColor; 6] = [
    RGBColor(0x00, 0x72, 0xB2), // blue
    RGBColor(0xC0, 0x50, 0x00), // vermillion
    RGBColor(0x00, 0x7F, 0x5C), // bluish green
    RGBColor(0xA8, 0x4F, 0x82), // reddish purple
    RGBColor(0x9A, 0x6A, 0x00), // orange
    RGBColor(0x5A, 0x5F, 0x66), // grey
];

/// What stands for each on a dark panel.
const DARK: [(RGBColor, &str); 9] = [
    (PANEL, "#14181D"),
    (INK, "#E6EDF3"),
    (GRID, "#333B45"),
    (COLOURS[0], "#56B4E9"),
    (COLOURS[1], "#FF8A4C"),
    (COLOURS[2], "#2FC9A0"),
    (COLOURS[3], "#E79CC8"),
    (COLOURS[4], "#F0C030"),
    (COLOURS[5], "#B4BBC4"),
];

pub(super) fn colour(which: usize) -> RGBColor {
    COLOURS[which % COLOURS.len()]
}

/// What is filled is seen through; the more so, the more of it there is.
pub(super) fn fill(which: usize, of: usize) -> RGBAColor {
    colour(which).mix(if of > 3 { 0.06 } else { 0.16 })
}

/// Letters of 13 pixels; the drawing library divides by 1.24.
pub(super) fn text(colour: &RGBColor) -> TextStyle<'_> {
    TextStyle::from(("sans-serif", 16).into_font()).color(colour)
}

/// The marker of a policy.
pub(super) fn marker<C>(area: &DrawingArea<SVGBackend<'_>, C>, at: C::From, which: usize) -> Result<(), Fault>
where
    C: CoordTranslate,
    C::From: Clone,
{
    let style = colour(which);
    match which % 4 {
        0 => area.draw(&Circle::new(at, 5, style.filled())),
        1 => area.draw(&TriangleMarker::new(at, 7, style.filled())),
        2 => area.draw(&(EmptyElement::at(at) + Rectangle::new([(-4, -4), (4, 4)], style.filled()))),
        _ => area.draw(&Cross::new(at, 5, style.stroke_width(3))),
    }
}

/// The drawing with a title for those who hear it, and with the colours of a dark screen.
pub(super) fn dress(svg: &str, title: &str) -> String {
    let mut rules = String::new();
    for (light, dark) in DARK {
        let light = format!("#{:02X}{:02X}{:02X}", light.0, light.1, light.2);
        rules += &format!("[fill=\"{light}\"]{{fill:{dark}}}[stroke=\"{light}\"]{{stroke:{dark}}}\n");
    }
    let style = format!("<style>\n@media (prefers-color-scheme: dark) {{\n{rules}}}\n</style>\n");
    let title = title.replace('&', "&amp;").replace('<', "&lt;");
    match svg.split_once('\n') {
        Some((head, body)) => format!("{head}\n<title>{title}</title>\n{style}{body}"),
        None => svg.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As WCAG 2 counts it: 3 for what is drawn, 4.5 for letters.
    fn contrast(a: [u8; 3], b: [u8; 3]) -> f64 {
        let light = |colour: [u8; 3]| {
            let [r, g, b] = colour.map(|part| {
                let part = f64::from(part) / 255.0;
                if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
            });
            0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05
        };
        let (a, b) = (light(a), light(b));
        if a > b { a / b } else { b / a }
    }

    #[test]
    fn every_colour_stands_out_on_both_panels() {
        let of = |text: &str| [1, 3, 5].map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap());
        let dark_panel = of(DARK[0].1);
        for (colour, dark) in DARK.into_iter().skip(1).filter(|(colour, _)| *colour != GRID) {
            assert!(contrast([colour.0, colour.1, colour.2], [255; 3]) >= 4.5, "{colour:?}");
            assert!(contrast(of(dark), dark_panel) >= 4.5, "{dark}");
        }
    }
}
