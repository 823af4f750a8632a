//! A daemon that keeps a connection: an hour of its life, through outages that are scripted, in no time.
//!
//! ```sh
//! cargo run -p undaunted --features tokio --example daemon
//! ```
//!
//! The clock is tokio's, paused: it jumps to the next timer. The server is a script. All else is as it would be in
//! production: one supervision, one policy, one line for each event; the lines below `error` are not alarms.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use undaunted::{Crash, Event, Policy, Reason, Recovery, Running, Stop, Verdict, tokio::supervise};

/// 1 s, 2 s, 4 s, .. at most a minute; from the beginning again after two healthy minutes; for ever, but
/// no more than twenty restarts in ten minutes.
const UPLINK: Recovery = Recovery::new(
    Policy::exponential(Duration::from_secs(1))
        .cap(Duration::from_secs(60))
        .equal_jitter()
        .unlimited_attempts(),
)
.reset_after(Duration::from_secs(120))
.intensity(20, Duration::from_secs(600));

/// What the server does, by the minute and second from which it does it.
const SCRIPT: [(u64, Server); 7] = [
    (0, Server::Serves),
    (10 * 60, Server::Refuses),
    (10 * 60 + 30, Server::Serves),
    (25 * 60, Server::ClosesAtOnce),
    (25 * 60 + 20, Server::Serves),
    (40 * 60, Server::IsSilent),
    (40 * 60 + 30, Server::Serves),
];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Server {
    ClosesAtOnce,
    IsSilent,
    Refuses,
    Serves,
}

/// What becomes of a connection.
#[derive(Debug, PartialEq)]
enum Lost {
    Closed,
    Refused,
    Silence,
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Lost::Closed => "connection closed by the peer",
            Lost::Refused => "connection refused",
            Lost::Silence => "no answer for 5 s",
        })
    }
}

/// The log: lines with the time since the start.
#[derive(Clone)]
struct Log {
    start: Instant,
    lines: Arc<Mutex<Vec<String>>>,
}

impl Log {
    fn line(&self, level: &str, text: fmt::Arguments<'_>) {
        let second = self.start.elapsed().as_secs();
        let stamp = format!("{:02}:{:02}", second / 60, second % 60);
        self.lines.lock().unwrap().push(format!("{stamp} {level:5} {text}"));
    }

    /// Only giving up is an error.
    fn event(&self, event: &Event<'_, Crash<Lost>>) {
        let level = match event.verdict {
            Verdict::GiveUp(Reason::Cancelled) | Verdict::Done => "info",
            Verdict::GiveUp(_) => "error",
            Verdict::RetryAfter(_) => "debug",
        };
        self.line(level, format_args!("uplink: {event}"));
    }
}

/// The lines of an hour.
pub(crate) async fn hour() -> Vec<String> {
    let start = Instant::now();
    let log = Log { start, lines: Arc::default() };
    let stop = Stop::new();
    let at_the_end = stop.clone();
    tokio::spawn(async move {
        sleep(Duration::from_secs(3600)).await;
        at_the_end.stop(); // what a handler of SIGTERM does
    });
    let (runs, events) = (log.clone(), log.clone());
    let ended = supervise(&UPLINK, move |running: Running| keep_connection(start, runs.clone(), running))
        .stop(&stop)
        .seed(7)
        .on_event(move |event| events.event(event))
        .run()
        .await;
    assert!(ended.is_ok(), "{ended:?}");
    log.lines.lock().unwrap().clone()
}

/// One run: connect, and serve until the connection is lost or the daemon is to stop.
async fn keep_connection(start: Instant, log: Log, running: Running) -> Result<(), Lost> {
    timeout(Duration::from_secs(5), connect(start)).await.map_err(|_| Lost::Silence)??;
    running.up(); // to connect is not health, so that it counts from here
    log.line("info", format_args!("uplink: connected"));
    tokio::select! {
        lost = lost(start) => Err(lost),
        () = running.stop().stopped() => Ok(()),
    }
}

/// Takes 20 ms, where the server answers at all.
async fn connect(start: Instant) -> Result<(), Lost> {
    sleep(Duration::from_millis(20)).await;
    match server(start) {
        Server::Refuses => Err(Lost::Refused),
        Server::IsSilent => std::future::pending().await,
        Server::ClosesAtOnce | Server::Serves => Ok(()),
    }
}

/// Until the script says something else; a silence is noticed after 5 s.
async fn lost(start: Instant) -> Lost {
    if server(start) == Server::ClosesAtOnce {
        return Lost::Closed;
    }
    let elapsed = start.elapsed().as_secs();
    match SCRIPT.iter().find(|(from, _)| *from > elapsed) {
        None => std::future::pending().await,
        Some((from, next)) => {
            sleep_until(start + Duration::from_secs(*from)).await;
            if *next == Server::IsSilent {
                sleep(Duration::from_secs(5)).await;
                return Lost::Silence;
            }
            Lost::Closed
        }
    }
}

fn server(start: Instant) -> Server {
    let elapsed = start.elapsed().as_secs();
    SCRIPT.iter().rev().find(|(from, _)| *from <= elapsed).map_or(Server::Serves, |(_, server)| *server)
}

#[allow(dead_code, reason = "a test includes this file for its lines")]
#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() {
    for line in hour().await {
        println!("{line}");
    }
}
