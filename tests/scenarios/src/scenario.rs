//! The runner: one part after another, each with what it has to tell, and a look at what is left behind.

use crate::{house, leftovers};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use std::{env, thread};

/// A scenario takes seconds. One that hangs is ended, and said.
const LIMIT: Duration = Duration::from_secs(150);

/// What a process of the scenario does, with the arguments that it was given.
type Role = fn(&[String]) -> ExitCode;

/// One story, in parts; and the roles that its processes play.
#[derive(Debug)]
pub struct Scenario {
    title: &'static str,
    parts: Vec<(&'static str, fn())>,
    roles: Vec<(&'static str, Role)>,
}

impl Scenario {
    /// Without parts yet; the title has its first word as its name.
    pub fn new(title: &'static str) -> Scenario {
        Scenario { title, parts: Vec::new(), roles: Vec::new() }
    }

    /// Adds a part, which panics when it fails. What it prints is its report.
    pub fn part(mut self, title: &'static str, part: fn()) -> Scenario {
        self.parts.push((title, part));
        self
    }

    /// Adds what this program does when it is started as [`me`](crate::me), with the arguments after the role.
    pub fn role(mut self, role: &'static str, play: Role) -> Scenario {
        self.roles.push((role, play));
        self
    }

    /// Runs the parts in a house of their own, all of them or those with one of the words that are the arguments.
    pub fn run(self) -> ExitCode {
        let args: Vec<String> = env::args().skip(1).collect();
        match &*args {
            [flag, role, rest @ ..] if flag == "--as" => return self.play(role, rest),
            _ => {}
        }
        if house::is_inside() {
            return self.tell(&args);
        }
        match house::run(env::args_os().skip(1)) {
            Ok(status) if status.success() => ExitCode::SUCCESS,
            Ok(_) => ExitCode::FAILURE,
            Err(error) => {
                eprintln!("{}: no machine of its own: {error}", self.title);
                ExitCode::FAILURE
            }
        }
    }

    fn play(&self, role: &str, args: &[String]) -> ExitCode {
        let (_, play) = self.roles.iter().find(|(name, _)| *name == role).expect("a role of this scenario");
        play(args)
    }

    fn tell(&self, args: &[String]) -> ExitCode {
        // Flags are those of the usual harness, as in `cargo test -- --nocapture`.
        let words: Vec<&String> = args.iter().filter(|arg| !arg.starts_with('-')).collect();
        println!("\n== {}", self.title);
        end_in_time(self.title);
        let (mut passed, mut failed) = (0, 0);
        for (title, part) in &self.parts {
            if words.is_empty() || words.iter().any(|word| title.contains(&***word)) {
                if passes(title, *part) { passed += 1 } else { failed += 1 }
            }
        }
        let name = self.title.split([':', ' ']).next().unwrap_or("scenario");
        println!("{name}: {passed} passed, {failed} failed");
        if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

/// When the first process ends, all of the house ends with it.
fn end_in_time(title: &'static str) {
    thread::spawn(move || {
        thread::sleep(LIMIT);
        eprintln!("{title}: not over after {} s", LIMIT.as_secs());
        std::process::exit(1);
    });
}

fn passes(title: &str, part: fn()) -> bool {
    println!("-- {title}");
    let begun = Instant::now();
    let passed = catch_unwind(AssertUnwindSafe(part)).is_ok();
    let left = leftovers::look();
    for thing in &left {
        println!("   left behind: {thing}");
    }
    let passed = passed && left.is_empty();
    println!("   {} in {:.1} s", if passed { "ok" } else { "FAILED" }, begun.elapsed().as_secs_f64());
    passed
}
