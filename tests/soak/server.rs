//! The server: what it does to a question depends on the question alone, so that it needs no generator.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};

/// A question is the number of an operation and of its attempt; the answer is the number of the operation again.
pub(crate) type Question = [u8; 12];

pub(crate) fn question(operation: u64, attempt: u32) -> Question {
    let mut question = [0; 12];
    question[..8].copy_from_slice(&operation.to_le_bytes());
    question[8..].copy_from_slice(&attempt.to_le_bytes());
    question
}

/// How often it did what.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) answered: AtomicU64,
    pub(crate) dropped: AtomicU64,
    pub(crate) garbled: AtomicU64,
    pub(crate) reset: AtomicU64,
    pub(crate) stalled: AtomicU64,
}

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) counts: Arc<Counts>,
}

impl Server {
    pub(crate) async fn start() -> std::io::Result<Server> {
        let socket = TcpSocket::new_v4()?;
        socket.bind(([127, 0, 0, 1], 0).into())?;
        let listener = socket.listen(4096)?;
        let (address, counts) = (listener.local_addr()?, Arc::new(Counts::default()));
        tokio::spawn(accept(listener, counts.clone()));
        Ok(Server { address, counts })
    }
}

async fn accept(listener: TcpListener, counts: Arc<Counts>) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => drop(tokio::spawn(serve(stream, counts.clone()))),
            // No descriptors left: one more reason for a client to try again.
            Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
}

/// Half of the questions are answered; the others in four bad ways.
async fn serve(mut stream: TcpStream, counts: Arc<Counts>) {
    let mut question = Question::default();
    if stream.read_exact(&mut question).await.is_err() {
        return;
    }
    let add = |count: &AtomicU64| count.fetch_add(1, Ordering::Relaxed);
    match mixed(&question) % 8 {
        0 => {
            add(&counts.dropped);
        }
        1 => {
            add(&counts.reset);
            let _ = socket2::SockRef::from(&stream).set_linger(Some(Duration::ZERO));
        }
        2 => {
            add(&counts.garbled);
            let _ = stream.write_all(b"garbage?").await;
        }
        3 => {
            add(&counts.stalled);
            // Until the client gives up, or a minute.
            let _ = tokio::time::timeout(Duration::from_secs(60), stream.read_u8()).await;
        }
        _ => {
            add(&counts.answered);
            let _ = stream.write_all(&question[..8]).await;
        }
    }
}

/// FNV-1a, and its high bits, which all bytes reach.
fn mixed(question: &Question) -> u64 {
    let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    question.iter().fold(0xcbf2_9ce4_8422_2325, mix) >> 40
}
