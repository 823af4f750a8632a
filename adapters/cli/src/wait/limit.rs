//! How long one look may take, and who may end it.

use std::time::{Duration, Instant};
use undaunted::{Micros, Stop};

/// Stands for no limit where a length must be said.
const DAY: Duration = Duration::from_secs(86_400);

/// The limit of one look.
#[derive(Clone, Debug)]
pub(crate) struct Limit {
    until: Option<Instant>,
    pub(crate) stop: Stop,
}

impl Limit {
    /// So long from now, or without a limit.
    pub(crate) fn after(length: Option<Micros>, stop: &Stop) -> Limit {
        let until = length.and_then(|length| Instant::now().checked_add(length.as_duration()));
        Limit { until, stop: stop.clone() }
    }

    /// The time left.
    pub(crate) fn left(&self) -> Duration {
        self.until.map_or(DAY, |until| until.saturating_duration_since(Instant::now()))
    }

    /// A fair part of the time left for the next of so many. Never nothing, which sockets refuse.
    pub(crate) fn share(&self, of: usize) -> Duration {
        let of = u32::try_from(of.max(1)).unwrap_or(u32::MAX);
        (self.left() / of).max(Duration::from_millis(1))
    }
}
