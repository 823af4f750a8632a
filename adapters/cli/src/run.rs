//! `undaunted run`: retries a command.

use crate::failure::Failure;
use crate::{Trouble, args, policy, say};
use std::process::Command;
use undaunted::thread::{Thread, retry};
use undaunted::{Each, Event, GaveUp, Operation, Pace, Policy, Reason, Silent, Verdict, blocking};

/// Runs the command under the policy and answers the exit code: that of the last attempt.
pub(crate) fn run(args: &args::Run) -> Result<i32, Trouble> {
    let (policy, fixed_rate) = match &args.preset {
        Some(name) => {
            let preset = policy::preset(name)?;
            (preset.policy, preset.fixed_rate)
        }
        None => (policy::said(&args.policy)?, false),
    };
    warn(&policy, args.quiet);
    let mut retry = retry(&policy, || attempt(args));
    if let Some(seed) = args.seed {
        retry = retry.seed(seed);
    }
    let result = if fixed_rate { drive(retry.fixed_rate(), args.quiet) } else { drive(retry, args.quiet) };
    Ok(match result {
        Ok(()) => 0,
        // An attempt is always made, and always ends with a success or an error.
        Err(gave_up) => gave_up.error().map_or(1, Failure::code),
    })
}

/// To the end, at either pace.
fn drive<O: Operation<A, Output = Result<(), Failure>>, A, Y: Pace>(
    retry: blocking::Retry<Thread, &Policy, O, A, Each, Silent, Y>,
    quiet: bool,
) -> Result<(), GaveUp<(), Failure>> {
    retry.when(Failure::may_pass).on_event(|event| tell(event, quiet)).run()
}

/// One attempt: the command, with our standard streams.
fn attempt(args: &args::Run) -> Result<(), Failure> {
    let Some((program, arguments)) = args.command.split_first() else { return Ok(()) };
    match Command::new(program).args(arguments).status() {
        Ok(status) => Failure::of(status),
        Err(error) => Err(Failure::start(program, error)),
    }
}

/// The line of an event, where there is something to say.
fn tell(event: &Event<'_, Failure>, quiet: bool) {
    match (event.verdict, event.error()) {
        // No attempt was made, so there is none to count.
        (Verdict::GiveUp(Reason::Permanent), Some(failure @ Failure::Start { .. })) => {
            say(format_args!("{failure}"));
        }
        (Verdict::Done, _) if event.attempt == 1 => {}
        (Verdict::Done | Verdict::RetryAfter(_), _) if quiet => {}
        _ => say(format_args!("{event}")),
    }
}

/// A limit that is said and not kept must not pass in silence.
fn warn(policy: &Policy, quiet: bool) {
    if let Some(timeout) = policy.settings().attempt_timeout.filter(|_| !quiet) {
        say(format_args!("attempt_timeout {timeout} is not kept: `run` does not cut a running command"));
    }
}
