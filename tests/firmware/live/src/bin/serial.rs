//! Readings from a sensor on a serial line, which is absent, slow, garbled and late; `serial.py` is the sensor.
#![no_std]
#![no_main]

use undaunted::embassy::{Embassy, retry};
use undaunted::{Attempt, Policy};
use undaunted_board::uart::Uart;
use undaunted_board::{println, semihosting};
use undaunted_live::frame::Fault;
use undaunted_live::journal::{begins, over, tell};
use undaunted_live::line::Line;

const EMBASSY: Embassy = Embassy::seeded(4711);

/// An attempt that hears nothing is cut, and the next one asks again.
static ASK: Policy =
    Policy::parse_const("exponential 100ms x2 cap 2s jitter full attempts 8 attempt_timeout 500ms");

/// What the sensor does at each reading.
const READINGS: [&str; 5] = ["absent", "slow", "garbled", "late", "fine"];

#[undaunted_board::entry]
fn main() -> ! {
    undaunted_board::run(|spawner| spawner.spawn(read_all().unwrap()))
}

#[embassy_executor::task]
async fn read_all() {
    let line = Line::new(Uart::take());
    for (reading, name) in (0..).zip(READINGS) {
        let ask = |attempt: Attempt| {
            begins(name, attempt.number());
            ask(&line, reading, attempt)
        };
        let answer = retry(EMBASSY, &ASK, ask).seed(reading.into()).on_event(tell(name)).await;
        if let Ok(value) = &answer {
            println!("{name} reads {value}");
        }
        over(name, answer);
    }
    semihosting::exit(true)
}

/// One attempt. It says which it is, so that an answer to one that was cut is not taken for its own.
async fn ask(line: &Line, reading: u8, attempt: Attempt) -> Result<u16, Fault> {
    let question = [reading, attempt.number() as u8];
    line.send(b'?', &question);
    loop {
        let frame = line.receive().await?;
        if let (b'!', &[reading, attempt, low, high]) = (frame.kind, frame.payload())
            && [reading, attempt] == question
        {
            return Ok(u16::from_le_bytes([low, high]));
        }
    }
}
