//! Threads that block.

use crate::BRISK;
use crate::server::question;
use crate::tally::Tally;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Duration;
use undaunted::Attempt;
use undaunted::thread::retry;

/// A small stack: there are many.
const STACK: usize = 128 << 10;

pub(crate) fn run(count: u32, address: SocketAddr, tally: &Arc<Tally>) {
    let start = |_| {
        let tally = tally.clone();
        thread::Builder::new().stack_size(STACK).spawn(move || work(address, &tally)).expect("a thread")
    };
    let threads: Vec<_> = (0..count).map(start).collect();
    for thread in threads {
        thread.join().expect("no thread panics");
    }
}

fn work(address: SocketAddr, tally: &Tally) {
    while let Some(operation) = tally.begin() {
        let answered = AtomicBool::new(false);
        let ask = |attempt: Attempt| {
            tally.attempt(&answered);
            let answer = ask(address, operation, attempt);
            answered.store(answer.is_ok(), Relaxed);
            answer
        };
        tally.end(operation, retry(&BRISK, ask).run().ok());
    }
    tally.leave();
}

/// Nothing cuts a call that blocks: the limit is passed on to the socket.
fn ask(address: SocketAddr, operation: u64, attempt: Attempt) -> io::Result<u64> {
    let limit: Duration = attempt.time_left().expect("the policy limits an attempt").into();
    let mut stream = TcpStream::connect_timeout(&address, limit)?;
    socket2::SockRef::from(&stream).set_linger(Some(Duration::ZERO))?;
    stream.set_read_timeout(Some(limit))?;
    stream.write_all(&question(operation, attempt.number()))?;
    let mut answer = [0; 8];
    stream.read_exact(&mut answer)?;
    if answer == *b"garbage?" {
        return Err(io::ErrorKind::InvalidData.into());
    }
    Ok(u64::from_le_bytes(answer))
}
