//! What a plan comes to, in a few lines.

use super::Shown;
use super::draw::Drawn;
use super::survey::{LONGEST, MEAN, Rest, SHORTEST, Survey};
use crate::page::{self, length};
use std::io::{self, Write};
use undaunted::{Micros, RecoverySettings, Settings};

/// The waits in all, the worst case, where each limit ends it, and what else is said.
pub(super) fn write(shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Shown { named, survey, drawn } = shown;
    line(out, "waits", &waits(survey))?;
    if named.meant.fixed_rate {
        line(out, "pace", page::FIXED_RATE)?;
    }
    line(out, "worst case", &worst_case(survey))?;
    limits(survey, out)?;
    if let Some(recovery) = named.meant.recovery {
        line(out, "healthy", &healthy(&recovery.settings()))?;
    }
    match drawn {
        Some(drawn) => line(out, "drawn", &draws(survey, drawn)),
        None => Ok(()),
    }
}

fn limits(survey: &Survey<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Settings { within, attempt_timeout, first_delay, .. } = survey.policy.settings();
    if let Some(timeout) = attempt_timeout {
        line(out, "with work", &with_work(survey, timeout))?;
    }
    if let Some(within) = within {
        line(out, "within", &ending(survey, within))?;
    }
    if first_delay > Micros::ZERO {
        let text = format!("{} before the first attempt, jittered; not counted above", length(first_delay));
        line(out, "first delay", &text)?;
    }
    Ok(())
}

fn line(out: &mut dyn Write, name: &str, text: &str) -> io::Result<()> {
    page::entry(out, "", name, text)
}

fn waits(survey: &Survey<'_>) -> String {
    let settings = survey.policy.settings();
    let (fewest, most) = match (settings.attempts, settings.within) {
        (None, None) => return "as many as it takes".into(),
        (None, Some(within)) => return format!("as many as `within` allows: {} in all", length(within)),
        (Some(1), _) => return "none: there is one attempt".into(),
        (Some(limit), _) => (survey.attempts(LONGEST), survey.attempts(SHORTEST).unwrap_or(limit.into())),
    };
    let fewest = fewest.unwrap_or(most);
    let count = match fewest == most {
        true => format!("{}, between {most} attempts", most - 1),
        false => format!("{} to {}, in {fewest} to {most} attempts", fewest - 1, most - 1),
    };
    match survey.sums() {
        None => format!("{count}: up to {} in all", length(survey.policy.worst_case())),
        Some([shortest, _, longest]) if shortest == longest => format!("{count}: {} in all", length(longest)),
        // What `within` cuts off has a mean of its own, which is not known here.
        Some([shortest, _, longest]) if fewest < most => {
            format!("{count}: {} to {} in all", length(shortest), length(longest))
        }
        Some([shortest, mean, longest]) => {
            let bound = if survey.last.is_some_and(|last| last.mean_is_bound) { "at most " } else { "" };
            let (shortest, mean, longest) = (length(shortest), length(mean), length(longest));
            format!("{count}: {shortest} to {longest} in all, {bound}{mean} on average")
        }
    }
}

fn worst_case(survey: &Survey<'_>) -> String {
    let settings = survey.policy.settings();
    match (survey.policy.worst_case(), settings.within) {
        (Micros::MAX, None) if settings.attempts.is_some() => "longer than 584 000 years".into(),
        (Micros::MAX, None) => "without end: the attempts are unlimited, and there is no `within`".into(),
        (worst, Some(within)) if worst == within => {
            format!("{}: `within` ends it, though the last attempt may take longer", length(worst))
        }
        (worst, _) => format!("{} of waiting; the time of the attempts comes on top", length(worst)),
    }
}

fn with_work(survey: &Survey<'_>, timeout: Micros) -> String {
    match survey.policy.worst_case_with(timeout.as_duration()) {
        Micros::MAX => "without end".into(),
        worst => format!("{} at worst, if each attempt takes its {}", length(worst), length(timeout)),
    }
}

/// Where `within` ends it, by the waits alone.
fn ending(survey: &Survey<'_>, within: Micros) -> String {
    let limit = survey.policy.settings().attempts.map(u64::from);
    let ends =
        [LONGEST, MEAN, SHORTEST].map(|which| survey.attempts(which).filter(|end| limit != Some(*end)));
    let ends = match ends {
        [Some(longest), mean, shortest] if [mean, shortest] == [Some(longest); 2] => {
            format!("after attempt {longest}")
        }
        ends => ends
            .iter()
            .zip(["the longest", "mean", "the shortest"])
            .filter_map(|(end, waits)| Some(format!("after attempt {} with {waits} waits", (*end)?)))
            .collect::<Vec<_>>()
            .join(", "),
    };
    match (ends.is_empty(), survey.rest) {
        (false, _) => {
            format!("{}, work included; if the attempts take no time it ends {ends}", length(within))
        }
        (true, Rest::Growing) => format!("{}, work included", length(within)),
        (true, _) => format!("{}, work included; the waits alone do not reach it", length(within)),
    }
}

/// What a recovery adds: when it begins anew, and how often it may run again.
fn healthy(recovery: &RecoverySettings) -> String {
    let anew = format!("a run of {} begins anew with the first wait", length(recovery.reset_after));
    match recovery.intensity {
        Some(most) => {
            let (times, window) = (most.restarts, length(most.window));
            format!("{anew}; at most {times} restarts in any {window}, then it gives up")
        }
        None => anew,
    }
}

fn draws(survey: &Survey<'_>, drawn: &Drawn) -> String {
    let sum = drawn.waits.iter().fold(Micros::ZERO, |sum, wait| sum.saturating_add(*wait));
    let ended = drawn.waits.len() < survey.rows.len();
    let whole = if ended || survey.is_whole() { "" } else { "the first " };
    let plural = if drawn.waits.len() == 1 { "" } else { "s" };
    let first = match drawn.first {
        Micros::ZERO => String::new(),
        first => format!(", after {} before the first attempt", length(first)),
    };
    format!(
        "{whole}{} wait{plural} with seed {}: {} in all{first}",
        drawn.waits.len(),
        drawn.seed,
        length(sum)
    )
}
