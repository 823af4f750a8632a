//! The page that is written on: its width, paragraphs, columns, and lengths as people say them.

use std::io::{self, Write};
use terminal_size::{Width, terminal_size_of};
use undaunted::Micros;

/// What a page has where there is no terminal.
const WIDTH: usize = 80;

/// The width of the terminal that reads, within reason.
pub(crate) fn width() -> usize {
    match terminal_size_of(io::stdout()) {
        Some((Width(width), _)) => usize::from(width).clamp(40, 160),
        None => WIDTH,
    }
}

/// What is peculiar to a policy that is kept to at a fixed rate.
pub(crate) const FIXED_RATE: &str = "a fixed rate: waits count from the beginning of an attempt";

/// A length for people; nothing is plainly 0.
pub(crate) fn length(length: Micros) -> String {
    if length == Micros::ZERO { "0".into() } else { length.readable().to_string() }
}

/// A paragraph, each line after this margin; a word that is too long has a line of its own.
pub(crate) fn paragraph(out: &mut dyn Write, margin: &str, width: usize, text: &str) -> io::Result<()> {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && margin.len() + line.chars().count() + 1 + word.chars().count() > width {
            writeln!(out, "{margin}{line}")?;
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    writeln!(out, "{margin}{line}")
}

/// A text on one line: what does not fit is left out, and that is seen.
pub(crate) fn cut(text: &str, width: usize) -> String {
    match text.chars().count() > width {
        true => text.chars().take(width.saturating_sub(1)).chain(['…']).collect(),
        false => text.into(),
    }
}

/// A name of up to 11 characters, and a paragraph beside it.
pub(crate) fn entry(out: &mut dyn Write, margin: &str, name: &str, text: &str) -> io::Result<()> {
    let mut lines = Vec::new();
    paragraph(&mut lines, &format!("{margin}{:12}", ""), width(), text)?;
    write!(out, "{margin}{name:<12}{}", String::from_utf8_lossy(&lines).trim_start())
}

/// Rows of cells, each column as wide as its widest cell, aligned to the right.
pub(crate) fn columns(out: &mut dyn Write, rows: &[Vec<String>]) -> io::Result<()> {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let cells = |column: usize| rows.iter().filter_map(move |row| row.get(column));
    let widths: Vec<usize> =
        (0..count).map(|column| cells(column).map(|cell| cell.chars().count()).max().unwrap_or(0)).collect();
    for row in rows {
        let line: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
        writeln!(out, "{}", line.join("  ").trim_end())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paragraph_keeps_to_its_width() {
        let mut out = Vec::new();
        paragraph(&mut out, "  ", 10, "one two three fourteen-letters").unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "  one two\n  three\n  fourteen-letters\n");
    }

    #[test]
    fn a_line_may_be_as_wide_as_the_page() {
        for (width, expected) in [(9, "  one two\n"), (8, "  one\n  two\n")] {
            let mut out = Vec::new();
            paragraph(&mut out, "  ", width, "one two").unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), expected, "{width}");
        }
    }

    #[test]
    fn what_is_cut_says_so() {
        assert_eq!(["äbc", "äbcd", "äbcdef"].map(|text| cut(text, 3)), ["äbc", "äb…", "äb…"]);
        assert_eq!(cut("a", 0), "…");
    }

    #[test]
    fn columns_stand_at_the_right() {
        let rows = [vec!["a", "bc"], vec!["def", ""], vec!["g", "h", "ij"]];
        let rows = rows.map(|row| row.into_iter().map(String::from).collect());
        let mut out = Vec::new();
        columns(&mut out, &rows).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "  a  bc\ndef\n  g   h  ij\n");
    }
}
