//! What is known of every target, and what is said of it.

use super::seen::Seen;
use super::target::Target;
use crate::say;
use signal_hook::low_level::signal_name;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};
use undaunted::thread::Deadline;
use undaunted::{Micros, Reason};

/// So long after the limit it is waited for those who say at the limit what they saw last.
const GRACE: Duration = Duration::from_millis(50);

/// What comes in.
#[derive(Debug)]
pub(crate) enum Message {
    /// This signal.
    Signal(i32),
    /// News of the target with this number.
    Target(usize, News),
}

/// How a target stands after so many attempts.
#[derive(Clone, Debug)]
pub(crate) struct News {
    pub(crate) attempts: u32,
    pub(crate) state: State,
}

#[derive(Clone, Debug)]
pub(crate) enum State {
    GaveUp(Reason, Option<Seen>),
    Never(Seen),
    Ready,
    Waiting(Seen),
}

impl State {
    pub(crate) fn seen(&self) -> Option<&Seen> {
        match self {
            State::GaveUp(_, seen) => seen.as_ref(),
            State::Never(seen) | State::Waiting(seen) => Some(seen),
            State::Ready => None,
        }
    }
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// What is waited for will never be.
    Never,
    /// It gave up for this reason.
    Over(Reason),
    Ready,
    Signal(i32),
}

/// Every target, and who reads of them.
#[derive(Debug)]
pub(crate) struct Board {
    rows: Vec<Row>,
    any: bool,
    quiet: bool,
    start: Instant,
}

#[derive(Debug)]
struct Row {
    name: String,
    /// What is said when a look does not end.
    silent: &'static str,
    news: Option<News>,
}

impl Board {
    pub(crate) fn new(targets: &[Target], any: bool, quiet: bool) -> Board {
        let row =
            |target: &Target| Row { name: target.name.clone(), silent: target.kind.silent(), news: None };
        let rows = targets.iter().map(row).collect();
        Board { rows, any, quiet, start: Instant::now() }
    }

    /// Hears and says what happens, to the end: at the latest when the time for everything is up.
    pub(crate) fn follow(&mut self, messages: &Receiver<Message>, phase: Option<Deadline>) -> End {
        loop {
            if let Some(end) = self.end() {
                return end;
            }
            let left = phase.map_or(Duration::MAX, |phase| phase.time_left().as_duration() + GRACE);
            match messages.recv_timeout(left) {
                Ok(Message::Signal(signal)) => return End::Signal(signal),
                Ok(Message::Target(number, news)) => self.hear(number, news),
                Err(_) => return End::Over(Reason::Deadline),
            }
        }
    }

    /// The end, if this is it. Where time is up for one, it is about to be for all: they are heard out.
    fn end(&self) -> Option<End> {
        let states = || self.rows.iter().map(|row| row.news.as_ref().map(|news| &news.state));
        let is = |matches: fn(&State) -> bool| move |state: Option<&State>| state.is_some_and(matches);
        let is_ready = is(|state| matches!(state, State::Ready));
        let is_never = is(|state| matches!(state, State::Never(_)));
        let over = states().find_map(|state| match state {
            Some(State::GaveUp(reason, _)) => Some(*reason),
            _ => None,
        });
        let waits = states().any(|state| matches!(state, None | Some(State::Waiting(_))));
        match (self.any, over) {
            (true, _) if states().any(is_ready) => Some(End::Ready),
            (false, _) if states().any(is_never) => Some(End::Never),
            (false, Some(reason)) if !waits || reason != Reason::Deadline => Some(End::Over(reason)),
            _ if waits => None,
            (true, Some(reason)) => Some(End::Over(reason)),
            (true, None) => Some(End::Never),
            (false, _) => Some(End::Ready),
        }
    }

    fn hear(&mut self, number: usize, news: News) {
        let elapsed = self.elapsed();
        let Some(row) = self.rows.get_mut(number) else { return };
        let before = row.news.as_ref().and_then(|news| news.state.seen());
        match &news.state {
            _ if self.quiet => {}
            State::Ready if news.attempts > 1 => {
                say(format_args!("{}: ready after {}", row.name, news.effort(elapsed)))
            }
            State::Waiting(seen) if !before.is_some_and(|before| seen.is_like(before)) => {
                say(format_args!("{}: {seen}", row.name));
            }
            // Of the end of all the report tells.
            _ => {}
        }
        row.news = Some(news);
    }

    /// Says how it ended, and what was seen last of each target that is not ready.
    pub(crate) fn report(&self, end: End) {
        let elapsed = self.elapsed();
        let reason = match end {
            End::Ready => return,
            End::Never => "what is waited for cannot be".into(),
            End::Over(reason) => reason.to_string(),
            End::Signal(signal) => format!("signal {signal} ({})", signal_name(signal).unwrap_or("unknown")),
        };
        say(format_args!("gave up after {}: {reason}", elapsed.readable()));
        for Row { name, silent, news } in &self.rows {
            // Who has said nothing has not come back from the first look.
            let hanging = || News::waiting(1, &Seen::silence(silent, elapsed.as_duration()));
            let news = news.clone().unwrap_or_else(hanging);
            if let Some(seen) = news.state.seen() {
                say(format_args!("{name}: {seen} ({})", news.effort(elapsed)));
            }
        }
    }

    fn elapsed(&self) -> Micros {
        Micros::from_duration(self.start.elapsed())
    }
}

impl News {
    pub(crate) fn waiting(attempts: u32, seen: &Seen) -> News {
        News { attempts, state: State::Waiting(seen.clone()) }
    }

    /// `31 attempts in 30 s`.
    fn effort(&self, elapsed: Micros) -> String {
        let plural = if self.attempts == 1 { "" } else { "s" };
        format!("{} attempt{plural} in {}", self.attempts, elapsed.readable())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(any: bool, states: Vec<Option<State>>) -> Option<End> {
        let row = |state: Option<State>| Row {
            name: "x".into(),
            silent: "no answer",
            news: state.map(|state| News { attempts: 1, state }),
        };
        let rows = states.into_iter().map(row).collect();
        Board { rows, any, quiet: true, start: Instant::now() }.end()
    }

    #[test]
    fn all_are_ready_or_it_goes_on_or_ends() {
        let waiting = || Some(State::Waiting(Seen::new("no answer")));
        let never = || Some(State::Never(Seen::new("permission denied")));
        let over = |reason| Some(State::GaveUp(reason, None));
        for (all, any, states) in [
            (None, None, vec![None, waiting()]),
            (None, Some(End::Ready), vec![None, Some(State::Ready)]),
            (Some(End::Ready), Some(End::Ready), vec![Some(State::Ready), Some(State::Ready)]),
            (Some(End::Never), None, vec![waiting(), never()]),
            (Some(End::Never), Some(End::Ready), vec![Some(State::Ready), never()]),
            (Some(End::Never), Some(End::Never), vec![never(), never()]),
            (None, None, vec![waiting(), over(Reason::Deadline)]),
            (Some(End::Over(Reason::Attempts)), None, vec![waiting(), over(Reason::Attempts)]),
            (Some(End::Never), Some(End::Over(Reason::Deadline)), vec![never(), over(Reason::Deadline)]),
            (
                Some(End::Over(Reason::Deadline)),
                Some(End::Ready),
                vec![Some(State::Ready), over(Reason::Deadline)],
            ),
        ] {
            let said = format!("{states:?}");
            assert_eq!((end(false, states.clone()), end(true, states)), (all, any), "{said}");
        }
    }
}
