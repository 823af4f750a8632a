//! Tasks of tokio.

use crate::PATIENT;
use crate::server::question;
use crate::tally::Tally;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use undaunted::Attempt;
use undaunted::tokio::retry;

/// So many connections at once, for their descriptors; who finds none waits, and may be cut while it does.
const CONNECTIONS: usize = 4_000;

pub(crate) async fn run(count: u32, address: SocketAddr, tally: Arc<Tally>) {
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    let tasks: Vec<_> =
        (0..count).map(|_| tokio::spawn(work(address, room.clone(), tally.clone()))).collect();
    for task in tasks {
        task.await.expect("no task panics");
    }
}

async fn work(address: SocketAddr, room: Arc<Semaphore>, tally: Arc<Tally>) {
    while let Some(operation) = tally.begin() {
        let answered = &AtomicBool::new(false);
        let ask = |attempt: Attempt| {
            tally.attempt(answered);
            let answer = ask(address, &room, operation, attempt.number());
            async move {
                let answer = answer.await;
                answered.store(answer.is_ok(), Relaxed);
                answer
            }
        };
        tally.end(operation, retry(&PATIENT, ask).await.ok());
    }
    tally.leave();
}

async fn ask(address: SocketAddr, room: &Semaphore, operation: u64, attempt: u32) -> io::Result<u64> {
    let _room = room.acquire().await.map_err(io::Error::other)?;
    let mut stream = TcpStream::connect(address).await?;
    // No port stays behind for a minute.
    socket2::SockRef::from(&stream).set_linger(Some(Duration::ZERO))?;
    stream.write_all(&question(operation, attempt)).await?;
    let mut answer = [0; 8];
    stream.read_exact(&mut answer).await?;
    if answer == *b"garbage?" {
        return Err(io::ErrorKind::InvalidData.into());
    }
    Ok(u64::from_le_bytes(answer))
}
