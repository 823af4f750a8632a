//! Conformance: facts from the tests and the code of other retry libraries, run against this one.
//!
//!     cargo run -p undaunted-tests --bin conformance -- [--verbose] [DIRECTORY]
//!
//! Reads every `*.json` of the directory (`tests/data/cases` without one) and maps each case's model
//! onto a policy. A case passes when the product does what the case expects; where the case states a
//! rule of its peer that a law contradicts, it is settled: the peer's rule must give what the case
//! states, and the product must do what the law says. What the product does not have is not applicable,
//! with the reason. A model or a file that is not understood fails.

mod build;
mod case;
mod curve;
mod drive;
mod findings;
mod kinds;
mod models;
mod report;
mod runs;
mod walk;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let (mut verbose, mut directory) = (false, None);
    for argument in std::env::args_os().skip(1) {
        match argument.to_str() {
            Some("--verbose" | "-v") => verbose = true,
            Some("--help" | "-h") => {
                println!("usage: conformance [--verbose] [DIRECTORY]");
                return ExitCode::SUCCESS;
            }
            Some(option) if option.starts_with('-') => return refuse(&format!("no option {option}")),
            _ if directory.is_some() => return refuse("one directory at most"),
            _ => directory = Some(PathBuf::from(argument)),
        }
    }
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/cases");
    run(&directory.unwrap_or(own), verbose)
}

fn refuse(words: &str) -> ExitCode {
    eprintln!("conformance: {words}");
    ExitCode::from(2)
}

fn run(directory: &Path, verbose: bool) -> ExitCode {
    let files = match case::files(directory) {
        Ok(files) => files,
        Err(words) => return refuse(&words),
    };
    let (mut all, mut laws) = (report::Totals::default(), BTreeMap::new());
    for file in &files {
        let suite = match case::read(file) {
            Ok(Some(suite)) => suite,
            Ok(None) => {
                println!("{}: neither a schema nor cases: no suite", file.display());
                continue;
            }
            Err(words) => {
                println!("FAILED {}: {words}", file.display());
                all.failed += 1;
                continue;
            }
        };
        let records: Vec<_> =
            suite.cases.iter().enumerate().map(|(n, case)| kinds::answer(case, n + 1)).collect();
        all.add(report::suite(&suite.name, &records, verbose));
        report::laws(&records, &mut laws);
    }
    if all.cases() == 0 {
        return refuse(&format!("{}: no case in it", directory.display()));
    }
    println!("all {} files: {all}", files.len());
    for (law, cases) in laws {
        println!("    law {law} settled {cases}");
    }
    println!("{} passed, {} failed", all.passed(), all.failed);
    if all.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
