//! What must be there before a supervised command is started again: a target of `wait`, or a shell command.

use super::child::Program;
use super::engine::Engine;
use super::input::Input;
use super::output::Output;
use crate::failure::Failure;
use crate::wait::{Limit, Sight, Target};
use std::ffi::{OsStr, OsString};
use std::io::{self, PipeReader, pipe};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;
use std::time::Duration;
use undaunted::{Micros, Outcome, Probe, Stop};

/// With these words a target begins, and no command does.
const KINDS: [&str; 9] = ["dns:", "file:", "http:", "https:", "link:", "process:", "tcp:", "udp:", "unix:"];

/// A gate as it was said.
pub(super) enum Gate {
    Shell(OsString),
    Target(Watched),
}

/// A target, and the look at it that has not come back.
pub(super) struct Watched {
    target: Arc<Target>,
    under_way: Option<Look>,
}

/// A look on a thread of its own, since it may hang. The pipe closes when it is over.
struct Look {
    sight: Receiver<Sight>,
    over: PipeReader,
}

impl Gate {
    /// Reads it. A short target such as a path is a shell command too, and is taken for one.
    pub(super) fn parse(said: &OsStr) -> Result<Gate, String> {
        let text = said.to_string_lossy();
        let kind = text.strip_prefix("not:").unwrap_or(&text);
        if kind.starts_with("command:") {
            return Err(format!(
                "the gate {text:?} is a shell command: say it without the kind, or `! command`"
            ));
        }
        if !text.starts_with("not:") && !KINDS.iter().any(|word| kind.starts_with(word)) {
            return Ok(Gate::Shell(said.into()));
        }
        let target = Arc::new(Target::parse(&text, &[])?);
        Ok(Gate::Target(Watched { target, under_way: None }))
    }

    /// Asks once: what was seen instead, when it is not open, and what that means.
    pub(super) fn ask(&mut self, engine: &mut Engine, limit: Option<Duration>) -> (Outcome, Option<Failure>) {
        let failure = match self {
            Gate::Shell(command) => shell(command, engine, limit),
            Gate::Target(watched) => match watched.look(engine, limit) {
                Probe::Ready(()) => None,
                Probe::NotYet(failure) => Some(failure),
                Probe::Never(failure) => return (Outcome::Abort, Some(failure)),
            },
        };
        (if failure.is_none() { Outcome::Succeed } else { Outcome::Fail }, failure)
    }
}

fn shell(command: &OsStr, engine: &mut Engine, limit: Option<Duration>) -> Option<Failure> {
    let command = ["sh".into(), "-c".into(), command.into()];
    let (input, output) = (Input::Null, Output::Stream);
    let program = Program { command: &command, input: &input, output: &output, listens: false };
    engine.run(&program, Vec::new(), limit, true).result.err()
}

impl Watched {
    /// Looks. One look that hangs is waited for again, and none is begun beside it.
    fn look(&mut self, engine: &mut Engine, limit: Option<Duration>) -> Probe<(), Failure> {
        if let Some(look) = self.under_way.take() {
            match look.sight.try_recv() {
                Ok(Probe::Ready(())) => return Probe::Ready(()),
                Err(TryRecvError::Empty) => self.under_way = Some(look),
                // What it saw is of before, and has been told as silence.
                Ok(_) | Err(TryRecvError::Disconnected) => {}
            }
        }
        let look = match self.under_way.take().map_or_else(|| self.begin(limit), Ok) {
            Ok(look) => look,
            Err(error) => return Probe::NotYet(Failure::Seen(format!("it cannot be looked at: {error}"))),
        };
        engine.ready_within(look.over.as_fd(), limit);
        match look.sight.try_recv() {
            Ok(Probe::Ready(())) => Probe::Ready(()),
            Ok(Probe::NotYet(seen)) => Probe::NotYet(Failure::Seen(seen.to_string())),
            Ok(Probe::Never(seen)) => Probe::Never(Failure::Seen(seen.to_string())),
            Err(TryRecvError::Empty) => {
                self.under_way = Some(look);
                Probe::NotYet(Failure::Seen(self.target.kind.silent().into()))
            }
            Err(TryRecvError::Disconnected) => Probe::Never(Failure::Seen("it cannot be looked at".into())),
        }
    }

    fn begin(&self, limit: Option<Duration>) -> io::Result<Look> {
        let (over, open) = pipe()?;
        let (tell, sight) = channel();
        let target = self.target.clone();
        let limit = Limit::after(limit.map(Micros::from_duration), &Stop::new());
        thread::Builder::new().spawn(move || {
            // When nobody hears it any more, all is over.
            let _ = tell.send(target.look(&limit));
            drop(open);
        })?;
        Ok(Look { sight, over })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_with_a_kind_is_a_target() {
        for (text, target) in [
            ("link:eth0", true),
            ("not:process:apt-get", true),
            ("file:/run/ready", true),
            ("http://127.0.0.1/healthz", true),
            ("/run/ready", false),
            ("test -e /run/ready", false),
            ("! ip link show eth0", false),
            ("curl http://127.0.0.1/healthz", false),
        ] {
            let gate = Gate::parse(text.as_ref()).unwrap_or_else(|wrong| panic!("{wrong}"));
            assert_eq!(matches!(gate, Gate::Target(_)), target, "{text}");
        }
        for (text, wrong) in [
            ("link:", "expected link:NAME or link:MAC"),
            ("not:", "expected KIND:REST"),
            ("https://db/", "there is no TLS here"),
            ("command:true", "say it without the kind"),
            ("not:command:true", "say it without the kind"),
        ] {
            let said = Gate::parse(text.as_ref()).err().unwrap_or_default();
            assert!(said.contains(wrong), "{text}: {said}");
            let words = ["undaunted", "run", "--supervise", "constant 1s", "--gate", text, "--", "true"];
            let said = crate::check(words.map(Into::into)).err().unwrap_or_default();
            assert!(said.contains(wrong), "{text}: {said}");
        }
    }

    /// A kind that is new to `wait` would be taken for a shell command.
    #[test]
    fn every_kind_of_wait_is_known() {
        let kinds = crate::wait::KINDS.split([',', ' ']).filter(|word| !["", "or", "command"].contains(word));
        let kinds: Vec<String> = kinds.map(|word| format!("{word}:")).collect();
        assert_eq!(kinds.len(), KINDS.len() - 1, "https is refused with a reason, and is no kind");
        assert!(kinds.iter().all(|kind| KINDS.contains(&&**kind)), "{kinds:?}");
    }
}
