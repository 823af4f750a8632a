//! Plans for programs: JSON, every length in whole microseconds, as the names say.

use super::Shown;
use super::draw;
use super::fleet::Fleet;
use super::survey::{LONGEST, MEAN, Rest, SHORTEST, Survey};
use serde::Serialize;
use std::io::{self, Write};
use undaunted::{Micros, Step};

/// A plan that is no longer is listed whole.
const WHOLE: usize = 1_000;
/// Into so many parts the time of a fleet is cut, at most.
const PARTS: usize = 100;

#[derive(Serialize)]
struct Answer {
    policies: Vec<Plan>,
}

#[derive(Serialize)]
struct Plan {
    name: Option<String>,
    policy: String,
    fixed_rate: bool,
    attempts: Option<u32>,
    within_us: Option<u64>,
    first_delay_us: u64,
    /// `null`: without end.
    worst_case_us: Option<u64>,
    /// `null`: without end, or for the mean not known.
    total_min_us: Option<u64>,
    total_mean_us: Option<u64>,
    total_max_us: Option<u64>,
    waits: Vec<Wait>,
    /// What comes after the waits that are listed.
    then: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recovery: Option<Recovery>,
    #[serde(skip_serializing_if = "Option::is_none")]
    drawn: Option<Drawn>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fleet: Option<Calls>,
}

#[derive(Serialize)]
struct Wait {
    after_attempt: u32,
    min_us: u64,
    mean_us: u64,
    max_us: u64,
    total_min_us: u64,
    total_mean_us: u64,
    total_max_us: u64,
    mean_is_upper_bound: bool,
}

#[derive(Serialize)]
struct Recovery {
    text: String,
    reset_after_us: u64,
    /// `null`: as often as it takes.
    intensity: Option<Intensity>,
}

#[derive(Serialize)]
struct Intensity {
    restarts: u32,
    window_us: u64,
}

#[derive(Serialize)]
struct Drawn {
    seed: u64,
    first_delay_us: u64,
    waits_us: Vec<u64>,
}

#[derive(Serialize)]
struct Calls {
    devices: u32,
    part_us: u64,
    calls_per_part: Vec<u64>,
}

/// One object with a list, also for one policy.
pub(super) fn write(shown: &[Shown<'_>], fleet: Option<&Fleet>, out: &mut dyn Write) -> io::Result<()> {
    let policies = shown.iter().enumerate().map(|(index, one)| plan(one, index, fleet)).collect();
    serde_json::to_writer_pretty(&mut *out, &Answer { policies })?;
    writeln!(out)
}

fn plan(one: &Shown<'_>, index: usize, fleet: Option<&Fleet>) -> Plan {
    let survey = &one.survey;
    let settings = survey.policy.settings();
    let (waits, then) = waits(one);
    let [total_min_us, total_mean_us, total_max_us] = totals(survey);
    let worst = survey.policy.worst_case();
    Plan {
        name: one.named.name.clone(),
        policy: survey.policy.to_string(),
        fixed_rate: one.named.meant.fixed_rate,
        attempts: settings.attempts,
        within_us: settings.within.map(Micros::as_micros),
        first_delay_us: settings.first_delay.as_micros(),
        worst_case_us: (worst < Micros::MAX).then_some(worst.as_micros()),
        total_min_us,
        total_mean_us,
        total_max_us,
        waits,
        then,
        recovery: one.named.meant.recovery.as_ref().map(recovery),
        drawn: one.drawn.as_ref().map(drawn),
        fleet: fleet.map(|fleet| calls(fleet, index)),
    }
}

/// Where `within` ends some draws and not others, the mean of the sums is not known.
fn totals(survey: &Survey<'_>) -> [Option<u64>; 3] {
    let mean_is_known = survey.attempts(LONGEST) == survey.attempts(SHORTEST);
    let sum = |which: usize| survey.sums().map(|sums| sums[which].as_micros());
    [sum(SHORTEST), sum(MEAN).filter(|_| mean_is_known), sum(LONGEST)]
}

fn recovery(recovery: &undaunted::Recovery) -> Recovery {
    let settings = recovery.settings();
    let intensity = settings
        .intensity
        .map(|most| Intensity { restarts: most.restarts, window_us: most.window.as_micros() });
    Recovery { text: recovery.to_string(), reset_after_us: settings.reset_after.as_micros(), intensity }
}

fn drawn(drawn: &draw::Drawn) -> Drawn {
    Drawn {
        seed: drawn.seed,
        first_delay_us: drawn.first.as_micros(),
        waits_us: drawn.waits.iter().map(|wait| wait.as_micros()).collect(),
    }
}

/// All waits of a plan that is not too long, else those of the table and what comes after them.
fn waits(one: &Shown<'_>) -> (Vec<Wait>, Option<&'static str>) {
    let survey = &one.survey;
    let mut plan = survey.policy.plan();
    if survey.rest == Rest::Over {
        let waits = plan.by_ref().take(WHOLE).map(wait).collect();
        if plan.next().is_none() {
            return (waits, None);
        }
    }
    let then = if survey.goes_on_the_same() { "the same" } else { "others" };
    (survey.rows.iter().copied().map(wait).collect(), Some(then))
}

fn wait(step: Step) -> Wait {
    Wait {
        after_attempt: step.attempt,
        min_us: step.min.as_micros(),
        mean_us: step.mean.as_micros(),
        max_us: step.max.as_micros(),
        total_min_us: step.total_min.as_micros(),
        total_mean_us: step.total_mean.as_micros(),
        total_max_us: step.total_max.as_micros(),
        mean_is_upper_bound: step.mean_is_bound,
    }
}

fn calls(fleet: &Fleet, index: usize) -> Calls {
    let part = fleet.part(PARTS);
    Calls { devices: fleet.devices, part_us: part.as_micros(), calls_per_part: fleet.counts(index, part) }
}
