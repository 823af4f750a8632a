//! One scenario: the device, and the server that is in place before each of its attempts.

use crate::device::{Device, Line};
use crate::scenarios::Scenario;
use crate::server::{Behaviour, Server};
use defmt_decoder::Table;
use std::io;
use std::path::Path;

/// What came of it.
pub struct Played {
    /// What the device reported.
    pub lines: Vec<Line>,
    /// What it ended with.
    pub code: i32,
}

/// Plays it. Nobody hurries: the device waits after each event until the server is ready for its next attempt.
///
/// # Errors
/// The system's; frames that cannot be decoded; a server that was not asked.
pub fn play(scenario: &Scenario, elf: &Path, table: &Table) -> io::Result<Played> {
    let mut server = Server::new()?;
    let mut behaviours = scenario.server.iter().copied();
    // Who comes once too often is refused, and the check finds an attempt too many.
    let mut next = || behaviours.next().unwrap_or(Behaviour::Refuses);
    server.expect(next())?;
    let (port, seed) = (server.port()?.to_string(), scenario.seed.to_string());
    let mut device = Device::start(elf, table, &[&port, &seed, &scenario.said.text()])?;
    let mut lines = Vec::new();
    while let Some(line) = device.line()? {
        if elapsed(&line).is_some() {
            server.over()?;
            server.expect(next())?;
            device.go_on()?;
        }
        lines.push(line);
    }
    Ok(Played { lines, code: device.code()? })
}

/// The text of an event, and the time since the start that stands behind it; none when the line is of no event.
pub fn elapsed(line: &Line) -> Option<(&str, u64)> {
    let (event, elapsed) = line.text.strip_suffix(" us)")?.rsplit_once(" (at ")?;
    Some((event, elapsed.parse().ok()?))
}
