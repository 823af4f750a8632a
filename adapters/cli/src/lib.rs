//! The command `undaunted`: an adapter from the exit status of a command to an outcome, and a window
//! on what a policy will do. A library for its own tests alone: nothing here is promised.
//!
//! * `undaunted run` retries a command.
//! * `undaunted plan` prints and draws the schedule of a policy.
//! * `undaunted presets` lists policies that are in use elsewhere.
//! * `undaunted completions` and `undaunted man` say the same to shells and in manual pages.
//! * `undaunted wait` waits for what a program needs.

#[cfg(not(target_os = "linux"))]
compile_error!(
    "the command is for Linux: it ends whole trees of processes, which no other system lets it find"
);

mod args;
mod completions;
mod failure;
mod help;
mod ignored;
mod man;
mod page;
mod plan;
mod policy;
mod presets;
mod run;
mod wait;

use args::{Args, Command};
use clap::Parser;
use std::ffi::OsString;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::process;

/// The command.
pub fn main() {
    let code = match Args::parse().command {
        Command::Run(args) => run::run(&args),
        Command::Plan(args) => print(|out| plan::plan(&args, out)),
        Command::Presets(args) => print(|out| presets::presets(&args, out)),
        Command::Completions(args) => print(|out| Ok(completions::completions(&args, out)?)),
        Command::Man(args) => print(|out| man::man(&args, out)),
        Command::Wait(args) => wait::wait(&args),
    };
    process::exit(code.unwrap_or_else(|trouble| trouble.report()));
}

/// Reads and checks what is asked, as far as it can be done without doing it, and says what is wrong.
///
/// It reads the file of a policy, if one is named.
pub fn check(words: impl IntoIterator<Item = OsString>) -> Result<(), String> {
    let args = Args::try_parse_from(words).map_err(|error| error.to_string())?;
    let checked = match &args.command {
        Command::Run(args) => run::check(args),
        Command::Plan(args) => plan::check(args),
        Command::Wait(args) => wait::check(args),
        Command::Presets(_) | Command::Completions(_) | Command::Man(_) => Ok(()),
    };
    checked.map_err(|trouble| match trouble {
        Trouble::Output(error) => error.to_string(),
        Trouble::Usage(text) => text,
    })
}

/// The status with which `timeout` and `env` say that they themselves failed.
const UNABLE: i32 = 125;

/// What keeps the command from doing what it was asked.
#[derive(Debug)]
enum Trouble {
    /// Nothing more can be written.
    Output(io::Error),
    /// It was asked wrongly; the text says how.
    Usage(String),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Trouble {
        Trouble::Output(error)
    }
}

impl Trouble {
    /// Says what is wrong, and answers the exit code. Who stops reading has seen enough: that is none.
    fn report(self) -> i32 {
        match self {
            Trouble::Output(error) if error.kind() == ErrorKind::BrokenPipe => 0,
            Trouble::Output(error) => {
                say(format_args!("cannot write: {error}"));
                1
            }
            Trouble::Usage(text) => {
                say(format_args!("{text}"));
                2
            }
        }
    }
}

/// One line for people, on standard error. When nobody can read it, the work goes on.
fn say(line: std::fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr().lock(), "undaunted: {line}");
}

/// Writes a whole answer to standard output.
fn print(answer: impl FnOnce(&mut dyn Write) -> Result<(), Trouble>) -> Result<i32, Trouble> {
    let mut out = BufWriter::new(io::stdout().lock());
    answer(&mut out)?;
    out.flush()?;
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_is_checked_without_doing_it() {
        let check = |words: &str| check(format!("undaunted {words}").split(' ').map(OsString::from));
        for good in [
            "run constant 1s -- /no/such/command",
            "run --supervise --gate link:no0 constant 1s -- /no/such/command",
            "plan constant 1s",
            "wait /no/such/file -- /no/such/command",
            "presets",
        ] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for (bad, said) in [
            ("run constant soon -- true", "expected a length"),
            ("run --supervise constant 1s attempt_timeout 1s -- true", "attempt_timeout has no meaning with"),
            ("plan constant soon", "expected a length"),
            ("wait tcp:nowhere", "expected"),
            ("walk", "walk"),
        ] {
            assert!(check(bad).is_err_and(|error| error.contains(said)), "{bad}");
        }
    }
}
