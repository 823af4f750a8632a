//! The signals that ask to end.

use super::board::Message;
use crate::ignored;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;
use std::sync::mpsc::Sender;
use std::{io, thread};

/// Passes them on from now on. What is ignored stays ignored, by us and by the command that follows: `nohup`
/// and the background jobs of a shell rely on that.
pub(crate) fn hear(send: Sender<Message>) -> io::Result<()> {
    let ignored = ignored::signals();
    let heard =
        [SIGHUP, SIGINT, SIGQUIT, SIGTERM].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
    let mut signals = Signals::new(heard)?;
    thread::Builder::new().spawn(move || {
        for signal in signals.forever() {
            let _ = send.send(Message::Signal(signal));
        }
    })?;
    Ok(())
}
