//! `undaunted-net-host FOLDER [WORD...]`: what the programs `frames` and `net` in this folder send, compared with what
//! they must; of the scenarios of `net` all, or those whose name has one of the words. Exit code 1 when anything
//! differs, with the whole report.

use defmt_decoder::Table;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use undaunted_net_host::check::{Found, check};
use undaunted_net_host::frames;
use undaunted_net_host::play::play;
use undaunted_net_host::scenarios::{Scenario, all};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(folder) = arguments.next().map(PathBuf::from) else {
        eprintln!("usage: undaunted-net-host FOLDER [WORD...]");
        return ExitCode::from(2);
    };
    let words: Vec<String> = arguments.collect();
    match all_frames(&folder.join("frames")).and_then(|()| all_scenarios(&folder.join("net"), &words)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn all_frames(elf: &Path) -> Result<(), String> {
    let lines = frames::check(elf, &table(elf)?)?;
    println!("{lines} lines of frames read as they must");
    Ok(())
}

/// What the numbers in a program's frames mean.
fn table(elf: &Path) -> Result<Table, String> {
    let named = |error: String| format!("{}: {error}", elf.display());
    let bytes = std::fs::read(elf).map_err(|error| named(error.to_string()))?;
    let table = Table::parse(&bytes).map_err(|error| named(error.to_string()))?;
    table.ok_or_else(|| named("no frames of defmt".into()))
}

fn all_scenarios(elf: &Path, words: &[String]) -> Result<(), String> {
    let table = table(elf)?;
    let chosen = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word));
    let scenarios: Vec<Scenario> = all().into_iter().filter(|scenario| chosen(scenario.name)).collect();
    let mut sum = Found::default();
    for scenario in &scenarios {
        let Found { attempts, told, lasted, punctual } = one(scenario, elf, &table)?;
        println!("{:36} attempts {attempts:2}, waits of {told:7} us lasted {lasted:7} us", scenario.name);
        sum.attempts += attempts;
        sum.told += told;
        sum.punctual |= punctual;
    }
    println!("{} scenarios, {} attempts, all as the twin has them", scenarios.len(), sum.attempts);
    match (scenarios.is_empty(), sum.punctual || sum.told == 0) {
        (true, _) => Err(format!("no scenario has any of {words:?} in its name")),
        (_, false) => Err("every wait lasted half again as long as it was told, or longer".into()),
        _ => Ok(()),
    }
}

fn one(scenario: &Scenario, elf: &Path, table: &Table) -> Result<Found, String> {
    let played = play(scenario, elf, table).map_err(|error| format!("{}: {error}", scenario.name))?;
    check(scenario, &played).map_err(|fault| {
        let report: String =
            played.lines.iter().map(|line| format!("{:12} us  {}\n", line.at, line.text)).collect();
        format!("{}: {fault}; exit code {}; the report:\n{report}", scenario.name, played.code)
    })
}
