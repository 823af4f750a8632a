//! A device that is given new policies over the wire, and keeps the one it has when they are no good; `ota.py` gives them.
//!
//! The device speaks first, and always answers: `=` and the text of the policy now, `!` and why there is no new one,
//! or `#` and the times that passed between the attempts of a retry under the policy now.
#![no_std]
#![no_main]

use embassy_time::{Duration, Instant, with_timeout};
use undaunted::Policy;
use undaunted::embassy::{Embassy, retry};
use undaunted_board::semihosting;
use undaunted_board::uart::Uart;
use undaunted_live::frame::MOST;
use undaunted_live::line::Line;
use undaunted_live::text::Text;
use undaunted_live::update::{self, Refusal};

const EMBASSY: Embassy = Embassy::seeded(4711);

/// Until it is told otherwise.
static BUILT_IN: Policy = Policy::parse_const("exponential 100ms x2 cap 5s jitter full attempts 6");

#[undaunted_board::entry]
fn main() -> ! {
    undaunted_board::run(|spawner| spawner.spawn(obey(Line::new(Uart::take())).unwrap()))
}

#[embassy_executor::task]
async fn obey(line: Line) {
    let mut policy = BUILT_IN;
    say_policy(&line, &policy);
    loop {
        match command(&line, &mut policy).await {
            Ok(Next::Quit) => semihosting::exit(true),
            Ok(Next::Policy) => say_policy(&line, &policy),
            Ok(Next::Work) => work(&line, &policy).await,
            Err(refusal) => line.send(b'!', Text::<MOST>::of(&refusal).bytes()),
        }
    }
}

enum Next {
    Policy,
    Quit,
    Work,
}

/// The next command. The policy is changed when all of the new one is in order, and not before.
async fn command(line: &Line, policy: &mut Policy) -> Result<Next, Refusal> {
    let frame = with_timeout(Duration::from_millis(50), line.receive()).await;
    let frame = frame.map_err(|_| Refusal::Silence)?.map_err(Refusal::Frame)?;
    match frame.kind {
        b'T' => *policy = update::text(frame.payload())?,
        b'P' => *policy = update::postcard(frame.payload())?,
        b'?' => {}
        b'W' => return Ok(Next::Work),
        b'Q' => return Ok(Next::Quit),
        kind => return Err(Refusal::Kind(kind)),
    }
    Ok(Next::Policy)
}

fn say_policy(line: &Line, policy: &Policy) {
    line.send(b'=', Text::<MOST>::of(policy).bytes());
}

/// A retry that comes to nothing, and the time between each attempt and the one before, in microseconds.
async fn work(line: &Line, policy: &Policy) {
    let (mut gaps, mut before) = (Gaps { bytes: [0; MOST], length: 0 }, None);
    let attempt = || {
        let now = Instant::now();
        if let Some(before) = before.replace(now) {
            gaps.push(now - before);
        }
        core::future::ready(Err::<(), ()>(()))
    };
    let _ = retry(EMBASSY, policy, attempt).seed(7).await;
    line.send(b'#', &gaps.bytes[..gaps.length]);
}

struct Gaps {
    bytes: [u8; MOST],
    length: usize,
}

impl Gaps {
    /// What finds no room is left out.
    fn push(&mut self, gap: Duration) {
        if let Some(room) = self.bytes.get_mut(self.length..self.length + 4) {
            room.copy_from_slice(&(gap.as_micros() as u32).to_le_bytes());
            self.length += 4;
        }
    }
}
