//! Signals as events: blocked everywhere, read from one descriptor, so that none is ever missed or handled twice.

use crate::ignored;
use nix::sys::signal::{SigHandler, SigSet, SigmaskHow, Signal, signal, sigprocmask};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};

/// Those that end it.
const ENDING: [Signal; 4] = [Signal::SIGTERM, Signal::SIGINT, Signal::SIGQUIT, Signal::SIGHUP];

/// Those that are passed on and end nothing.
const PASSED_ON: [Signal; 3] = [Signal::SIGUSR1, Signal::SIGUSR2, Signal::SIGWINCH];

/// The signals that came, in order.
#[derive(Debug)]
pub(super) struct Signals {
    descriptor: SignalFd,
    /// What was blocked before: a command is to find that, and not what we block.
    pub(super) before: SigSet,
    /// Whether a hangup is news for a daemon and not the end.
    hangup_is_news: bool,
}

/// A signal that came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Came {
    /// A child changed; which, and how, is to be asked.
    Child,
    /// This one ends it. The terminal sent it to every process of its foreground already.
    End { signal: Signal, by_terminal: bool },
    /// This one is to be passed on.
    PassOn(Signal),
}

impl Signals {
    /// From now on. What was ignored when we were started (by `nohup`, say) stays ignored.
    pub(super) fn watch(hangup_is_news: bool) -> io::Result<Signals> {
        let ignored = ignored::signals();
        hear_of_children()?;
        let mut set = SigSet::empty();
        set.add(Signal::SIGCHLD);
        for signal in ENDING.into_iter().chain(PASSED_ON) {
            if ignored & 1 << (signal as u64 - 1) == 0 {
                set.add(signal);
            }
        }
        let mut before = SigSet::empty();
        sigprocmask(SigmaskHow::SIG_BLOCK, Some(&set), Some(&mut before))?;
        let descriptor = SignalFd::with_flags(&set, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC)?;
        Ok(Signals { descriptor, before, hangup_is_news })
    }

    /// The next one, if one came.
    pub(super) fn next(&self) -> Option<Came> {
        loop {
            let info = self.descriptor.read_signal().ok()??;
            let Ok(signal) = Signal::try_from(info.ssi_signo as i32) else { continue };
            let news = signal == Signal::SIGHUP && self.hangup_is_news;
            return Some(match signal {
                Signal::SIGCHLD => Came::Child,
                _ if news || PASSED_ON.contains(&signal) => Came::PassOn(signal),
                // The kernel's own have a positive code; those of `kill` do not.
                _ => Came::End { signal, by_terminal: info.ssi_code > 0 },
            });
        }
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}

/// Who started us may have ignored the ends of children, and then the kernel would not tell us either.
#[allow(
    unsafe_code,
    reason = "a disposition is set to the default: there is no handler that could be unsafe"
)]
fn hear_of_children() -> io::Result<()> {
    // SAFETY: no handler is installed, and none was: this is called once, before anything else.
    unsafe { signal(Signal::SIGCHLD, SigHandler::SigDfl)? };
    Ok(())
}
