//! Watches one target: its own poll on a thread, and the looks on another that may hang.

use super::board::{News, State};
use super::limit::Limit;
use super::seen::{Seen, Sight};
use super::target::Target;
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use undaunted::thread::{Deadline, poll};
use undaunted::{Attempt, GaveUp, Micros, Policy, Probe, Reason, Stop, Verdict};

/// So long before time is up it looks once more, when the next regular look would come too late.
const LAST: Duration = Duration::from_millis(80);

/// What a watch keeps to.
#[derive(Clone)]
pub(crate) struct Rules {
    pub(crate) policy: Policy,
    /// When the time for everything is up.
    pub(crate) phase: Option<Deadline>,
    pub(crate) stop: Stop,
}

/// Starts to watch. The thread that is answered must be waited for: its looks have children.
pub(crate) fn start(
    target: Target,
    rules: Rules,
    tell: impl Fn(News) + Send + 'static,
) -> io::Result<Option<JoinHandle<()>>> {
    let has_children = target.kind.has_children();
    let (looker, thread) = Looker::start(target, rules.stop.clone())?;
    thread::Builder::new().spawn(move || watch(looker, &rules, tell))?;
    Ok(has_children.then_some(thread))
}

fn watch(mut looker: Looker, rules: &Rules, tell: impl Fn(News)) {
    let result = poll(&rules.policy, |attempt: Attempt| looker.look(attempt.time_left()))
        // Of the end tells the result.
        .on_event(|event| {
            if let (Verdict::RetryAfter(_), Some(seen)) = (event.verdict, event.error()) {
                tell(News::waiting(event.attempt, seen));
            }
        })
        .deadline(rules.phase.map(|phase| phase.at()))
        .cancel(&rules.stop)
        .report();
    let news = match result {
        Ok(report) => News { attempts: report.attempts, state: State::Ready },
        Err(gave_up) => gave_up_with(gave_up),
    };
    let last = rules.once_more(&news).and_then(|left| {
        tell(News::waiting(news.attempts, news.state.seen()?));
        let stopped = rules.stop.wait(left.saturating_sub(LAST));
        if stopped { None } else { look_last(&mut looker, rules, &news) }
    });
    tell(last.unwrap_or(news));
}

impl Rules {
    /// The time that is left although the policy has ended: no wait is begun that would end too late, but
    /// what becomes ready meanwhile must not be missed.
    fn once_more(&self, news: &News) -> Option<Duration> {
        let left = self.phase?.time_left().as_duration();
        (matches!(news.state, State::GaveUp(Reason::Deadline, _)) && left > LAST).then_some(left)
    }
}

/// Nothing when the system was so late that no time is left.
fn look_last(looker: &mut Looker, rules: &Rules, before: &News) -> Option<News> {
    let left = Some(rules.phase?.time_left()).filter(|left| *left > Micros::ZERO)?;
    let state = match looker.look(Some(left)) {
        Probe::Never(seen) => State::Never(seen),
        Probe::NotYet(seen) => State::GaveUp(Reason::Deadline, Some(seen)),
        Probe::Ready(()) => State::Ready,
    };
    Some(News { attempts: before.attempts.saturating_add(1), state })
}

fn gave_up_with(gave_up: GaveUp<(), Seen>) -> News {
    let GaveUp { attempts, reason, .. } = gave_up;
    let state = match (reason, gave_up.into_error()) {
        (Reason::Permanent, Some(seen)) => State::Never(seen),
        (reason, seen) => State::GaveUp(reason, seen),
    };
    News { attempts, state }
}

/// Who looks, on a thread of its own, since a look may hang: in a resolver, in a file system, in a command.
struct Looker {
    silent: &'static str,
    questions: Sender<Limit>,
    sights: Receiver<Sight>,
    stop: Stop,
    /// Since when a look is under way.
    since: Option<Instant>,
}

impl Looker {
    fn start(target: Target, stop: Stop) -> io::Result<(Looker, JoinHandle<()>)> {
        let (questions, asked) = channel();
        let (answer, sights) = channel();
        let silent = target.kind.silent();
        let thread = thread::Builder::new().spawn(move || {
            for limit in asked {
                if answer.send(target.look(&limit)).is_err() {
                    return;
                }
            }
        })?;
        Ok((Looker { silent, questions, sights, stop, since: None }, thread))
    }

    /// Looks, and waits for it no longer than this. A look that hangs goes on: there is never a second one
    /// beside it, and if it ends well after all, that counts.
    fn look(&mut self, within: Option<Micros>) -> Sight {
        let limit = Limit::after(within, &self.stop);
        match self.sights.try_recv() {
            Ok(sight) => {
                self.since = None;
                if sight == Probe::Ready(()) {
                    return sight;
                }
            }
            Err(TryRecvError::Empty) => {}
            Err(TryRecvError::Disconnected) => return broken(),
        }
        let since = *self.since.get_or_insert_with(|| {
            let _ = self.questions.send(limit.clone());
            Instant::now()
        });
        match self.sights.recv_timeout(limit.left()) {
            Ok(sight) => {
                self.since = None;
                self.measured(sight, since)
            }
            Err(RecvTimeoutError::Timeout) => self.measured(Probe::NotYet(Seen::new(self.silent)), since),
            Err(RecvTimeoutError::Disconnected) => broken(),
        }
    }

    /// A look that has kept to its limit is said as one that hangs: with the time that it took.
    fn measured(&self, sight: Sight, since: Instant) -> Sight {
        match sight {
            Probe::NotYet(seen) if seen.is_like(&Seen::new(self.silent)) => {
                Probe::NotYet(Seen::silence(self.silent, since.elapsed()))
            }
            sight => sight,
        }
    }
}

/// The looks have panicked, and said so.
fn broken() -> Sight {
    Probe::Never(Seen::new("it cannot be looked at"))
}
