//! The table of a plan: each wait, and the sums so far.

use super::draw::Drawn;
use super::survey::{Survey, totals, waits};
use crate::page;
use std::io::{self, Write};
use undaunted::{Micros, Step};

/// One row for each wait worth showing, and what comes after them.
pub(super) fn write(survey: &Survey<'_>, drawn: Option<&Drawn>, out: &mut dyn Write) -> io::Result<()> {
    let mut table = heads(drawn);
    for (index, step) in survey.rows.iter().enumerate() {
        table.push(row(survey, step, drawn.map(|drawn| drawn.waits.get(index).copied())));
    }
    page::columns(out, &table)?;
    if !survey.is_whole() {
        writeln!(out, "    ...  {}", rest(survey))?;
    }
    Ok(())
}

fn heads(drawn: Option<&Drawn>) -> Vec<Vec<String>> {
    let mut groups =
        vec!["after", "wait:", "", "", "in all:", "", ""].into_iter().map(String::from).collect::<Vec<_>>();
    let mut names: Vec<String> =
        ["attempt", "min", "mean", "max", "min", "mean", "max"].into_iter().map(String::from).collect();
    if let Some(drawn) = drawn {
        groups.push("seed".into());
        names.push(drawn.seed.to_string());
    }
    vec![groups, names]
}

/// `within` ends it where a sum reaches it; a mean that is only an upper bound says so.
fn row(survey: &Survey<'_>, step: &Step, drawn: Option<Option<Micros>>) -> Vec<String> {
    let within = survey.policy.settings().within.unwrap_or(Micros::MAX);
    let bound = |column: usize, text: String| match column {
        1 if step.mean_is_bound => format!("<= {text}"),
        _ => text,
    };
    let mut cells = vec![step.attempt.to_string()];
    for (column, wait) in waits(step).into_iter().enumerate() {
        cells.push(bound(column, page::length(wait)));
    }
    for (column, total) in totals(step).into_iter().enumerate() {
        cells.push(if total >= within { "ended".into() } else { bound(column, page::length(total)) });
    }
    if let Some(wait) = drawn {
        // As the event lines of `run` say it.
        cells.push(wait.map_or("ended".into(), |wait| wait.readable().to_string()));
    }
    cells
}

/// What comes after the rows.
fn rest(survey: &Survey<'_>) -> String {
    let manner = if survey.goes_on_the_same() { "the same each time" } else { "still changing" };
    let settings = survey.policy.settings();
    let end = match (settings.attempts, settings.within) {
        (Some(attempts), Some(_)) => format!("up to attempt {attempts} or until `within` ends it"),
        (Some(attempts), None) => format!("up to attempt {attempts}"),
        (None, Some(_)) => "until `within` ends it".into(),
        (None, None) => "without end".into(),
    };
    format!("and so on, {manner}, {end}")
}
