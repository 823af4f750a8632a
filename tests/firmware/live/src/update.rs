//! A policy that comes over the wire: read, judged, and refused with a reason that its sender can use.

use crate::frame::Fault;
use core::fmt;
use core::str::Utf8Error;
use core::time::Duration;
use undaunted::{Micros, ParseError, Policy};

/// What this device can live with: after so long it must be able to report.
const PATIENCE: Micros = Micros::from_secs(3_600);

/// The longest that an attempt of it takes.
const WORK: Duration = Duration::from_secs(1);

/// Why what came is not the policy now.
pub enum Refusal {
    /// Nothing that is a frame, for too long.
    Silence,
    Frame(Fault),
    Kind(u8),
    NotText(Utf8Error),
    Text(ParseError),
    Postcard(postcard::Error),
    /// Bytes after the end of it.
    Rest(usize),
    /// It reads well, and does not fit this device.
    Long(Micros),
}

/// From the one line of its text.
pub fn text(bytes: &[u8]) -> Result<Policy, Refusal> {
    let text = core::str::from_utf8(bytes).map_err(Refusal::NotText)?;
    fitting(Policy::parse(text).map_err(Refusal::Text)?)
}

/// From postcard, which has the same line as a string. Its errors have no room for a place, so a line that is refused
/// is asked once more, for where.
pub fn postcard(bytes: &[u8]) -> Result<Policy, Refusal> {
    match postcard::take_from_bytes::<Policy>(bytes) {
        Ok((policy, [])) => fitting(policy),
        Ok((_, rest)) => Err(Refusal::Rest(rest.len())),
        Err(error) => match postcard::from_bytes::<&str>(bytes).map(Policy::parse) {
            Ok(Err(error)) => Err(Refusal::Text(error)),
            Ok(Ok(_)) | Err(_) => Err(Refusal::Postcard(error)),
        },
    }
}

/// What is right for others need not be right here.
fn fitting(policy: Policy) -> Result<Policy, Refusal> {
    match policy.worst_case_with(WORK) {
        long if long > PATIENCE => Err(Refusal::Long(long)),
        _ => Ok(policy),
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Silence => f.write_str("no frame came"),
            Refusal::Frame(fault) => fault.fmt(f),
            Refusal::Kind(kind) => write!(f, "no such kind of frame: {kind}"),
            Refusal::NotText(error) => write!(f, "not a text: {error}"),
            Refusal::Text(error) => error.fmt(f),
            Refusal::Postcard(error) => write!(f, "postcard: {error}"),
            Refusal::Rest(length) => write!(f, "{length} bytes after the end"),
            Refusal::Long(Micros::MAX) => f.write_str("without an end; at most an hour is allowed here"),
            Refusal::Long(long) => write!(f, "up to {long}; at most an hour is allowed here"),
        }
    }
}
