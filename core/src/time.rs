//! Time as data: a point ([`Instant`]) and a length ([`Micros`]), both whole microseconds in a `u64`.
//!
//! One unit on every machine is what makes one policy give one schedule. Microseconds in 64 bits
//! express a 50 us bus retry and still last 584 000 years; milliseconds in 32 bits do neither.
//! [`core::time::Duration`] is accepted at the door and offered on the way out, never used in
//! arithmetic: its two parts would have to be carried and split at every step.

use core::{fmt, time::Duration};

/// A length of time in whole microseconds; all arithmetic saturates.
///
/// `Display` is the exact text form (`1500ms`, `90s`, `2m`): the largest unit that divides.
/// [`readable`](Micros::readable) is the rounded form for log lines.
///
/// ```
/// use undaunted_core::Micros;
/// use core::time::Duration;
///
/// assert_eq!(Micros::from_millis(1500).to_string(), "1500ms");
/// assert_eq!(Micros::from(Duration::from_secs(120)).to_string(), "2m");
/// assert_eq!(Micros::MAX.saturating_add(Micros::new(1)), Micros::MAX);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Micros(pub(crate) u64);

impl Micros {
    /// No time at all.
    pub const ZERO: Micros = Micros(0);
    /// The longest length, 2^64 - 1 us; as a limit it means "no limit".
    pub const MAX: Micros = Micros(u64::MAX);

    /// `micros` microseconds.
    pub const fn new(micros: u64) -> Micros {
        Micros(micros)
    }

    /// `millis` milliseconds, saturating.
    pub const fn from_millis(millis: u64) -> Micros {
        Micros(millis.saturating_mul(1_000))
    }

    /// `secs` seconds, saturating.
    pub const fn from_secs(secs: u64) -> Micros {
        Micros(secs.saturating_mul(1_000_000))
    }

    /// A [`Duration`], rounded up to the next microsecond, saturating at [`Micros::MAX`].
    ///
    /// Up, so that a wait is never shorter than it was said and only zero becomes zero.
    pub const fn from_duration(duration: Duration) -> Micros {
        let part = (duration.subsec_nanos() as u64).div_ceil(1_000);
        Micros(duration.as_secs().saturating_mul(1_000_000).saturating_add(part))
    }

    /// The number of microseconds.
    pub const fn as_micros(self) -> u64 {
        self.0
    }

    /// The same length as a [`Duration`]; exact for every value.
    pub const fn as_duration(self) -> Duration {
        Duration::from_micros(self.0)
    }

    /// The sum, at most [`Micros::MAX`].
    pub const fn saturating_add(self, other: Micros) -> Micros {
        Micros(self.0.saturating_add(other.0))
    }

    /// The difference, at least [`Micros::ZERO`].
    pub const fn saturating_sub(self, other: Micros) -> Micros {
        Micros(self.0.saturating_sub(other.0))
    }

    /// `times` times this length, at most [`Micros::MAX`].
    pub const fn saturating_mul(self, times: u64) -> Micros {
        Micros(self.0.saturating_mul(times))
    }

    /// For people: `740 ms`, `1.23 s`, `2 min 5 s`; the nearest of three digits, or of two units.
    pub const fn readable(self) -> Readable {
        Readable(self)
    }

    /// The nearest length that three digits (below a minute) or two units can say.
    const fn nearest_readable(self) -> u64 {
        let place = match self.0 {
            0..1_000 => 1,
            1_000..60_000_000 => 10_u64.pow(self.0.ilog10() - 2),
            60_000_000..3_600_000_000 => 1_000_000,
            3_600_000_000..86_400_000_000 => 60_000_000,
            _ => 3_600_000_000,
        };
        self.0.saturating_add(place / 2) / place * place
    }

    /// `const` spelling of `min`.
    pub(crate) const fn least(self, other: Micros) -> Micros {
        if self.0 < other.0 { self } else { other }
    }
}

impl From<Duration> for Micros {
    /// As [`Micros::from_duration`]: rounds up, saturates.
    fn from(duration: Duration) -> Micros {
        Micros::from_duration(duration)
    }
}

impl From<Micros> for Duration {
    fn from(length: Micros) -> Duration {
        length.as_duration()
    }
}

/// The units of the text form, longest first: name and length in microseconds.
pub(crate) const UNITS: [(&str, u64); 6] = [
    ("d", 86_400_000_000),
    ("h", 3_600_000_000),
    ("m", 60_000_000),
    ("s", 1_000_000),
    ("ms", 1_000),
    ("us", 1),
];

impl fmt::Display for Micros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0 {
            return f.write_str("0s");
        }
        let divides = |unit: &&(&str, u64)| self.0.is_multiple_of(unit.1);
        let (name, length) = UNITS.iter().find(divides).unwrap_or(&UNITS[5]);
        write!(f, "{}{}", self.0 / length, name)
    }
}

/// A length as people say it; see [`Micros::readable`].
#[derive(Clone, Copy, Debug)]
pub struct Readable(pub(crate) Micros);

impl fmt::Display for Readable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let us = self.0.nearest_readable();
        match us {
            0..1_000 => write!(f, "{us} us"),
            1_000..1_000_000 => three_digits(f, us, 1_000, "ms"),
            1_000_000..60_000_000 => three_digits(f, us, 1_000_000, "s"),
            60_000_000..3_600_000_000 => two_units(f, us / 1_000_000, 60, "min", "s"),
            3_600_000_000..86_400_000_000 => two_units(f, us / 60_000_000, 60, "h", "min"),
            _ => two_units(f, us / 3_600_000_000, 24, "d", "h"),
        }
    }
}

/// `value / unit` with as many decimals as make three digits, without trailing zeros.
fn three_digits(f: &mut fmt::Formatter<'_>, value: u64, unit: u64, name: &str) -> fmt::Result {
    let whole = value / unit;
    let places = if whole >= 100 {
        0
    } else if whole >= 10 {
        1
    } else {
        2
    };
    let hundredths = value % unit * 100 / unit;
    let part = if places == 1 { hundredths / 10 } else { hundredths };
    match (places, part) {
        (0, _) | (_, 0) => write!(f, "{whole} {name}"),
        (2, p) if p % 10 == 0 => write!(f, "{whole}.{} {name}", p / 10),
        (2, p) => write!(f, "{whole}.{p:02} {name}"),
        (_, p) => write!(f, "{whole}.{p} {name}"),
    }
}

fn two_units(f: &mut fmt::Formatter<'_>, value: u64, per: u64, big: &str, small: &str) -> fmt::Result {
    match value % per {
        0 => write!(f, "{} {big}", value / per),
        rest => write!(f, "{} {big} {rest} {small}", value / per),
    }
}

/// A point in time: microseconds since an epoch of the caller's choice; all arithmetic saturates.
///
/// Any clock will do as long as one operation sees one epoch. The clock should be monotonic; what
/// happens when it is not is written down (law 7): nothing panics, and no step of the clock makes
/// the time left longer than a policy's `within`.
///
/// ```
/// use undaunted_core::{Instant, Micros};
///
/// let start = Instant::from_micros(5);
/// assert_eq!(start + Micros::new(10), Instant::from_micros(15));
/// assert_eq!(start.since(Instant::from_micros(9)), Micros::ZERO); // never negative
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(pub(crate) u64);

impl Instant {
    /// The last point; as a deadline it means "none".
    pub const MAX: Instant = Instant(u64::MAX);

    /// `micros` microseconds after the epoch.
    pub const fn from_micros(micros: u64) -> Instant {
        Instant(micros)
    }

    /// Microseconds since the epoch.
    pub const fn as_micros(self) -> u64 {
        self.0
    }

    /// The time from `earlier` to here; zero when `earlier` is later.
    pub const fn since(self, earlier: Instant) -> Micros {
        Micros(self.0.saturating_sub(earlier.0))
    }

    /// `length` later, at most [`Instant::MAX`].
    pub const fn after(self, length: Micros) -> Instant {
        Instant(self.0.saturating_add(length.0))
    }
}

impl core::ops::Add<Micros> for Instant {
    type Output = Instant;

    /// As [`Instant::after`]: saturates.
    fn add(self, length: Micros) -> Instant {
        self.after(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    extern crate std;
    use std::string::ToString;

    #[test]
    fn a_duration_rounds_up_and_saturates() {
        assert_eq!(Micros::from_duration(Duration::from_nanos(0)), Micros(0));
        assert_eq!(Micros::from_duration(Duration::from_nanos(1)), Micros(1));
        assert_eq!(Micros::from_duration(Duration::from_nanos(1_001)), Micros(2));
        assert_eq!(Micros::from_duration(Duration::from_nanos(1_999_999_999)), Micros(2_000_000));
        assert_eq!(Micros::from_duration(Duration::MAX), Micros::MAX);
        assert_eq!(Micros::from(Duration::from_nanos(1)), Micros(1));
    }

    #[test]
    fn the_exact_text_takes_the_largest_unit_that_divides() {
        for (us, text) in [
            (0, "0s"),
            (1, "1us"),
            (1_000, "1ms"),
            (1_001, "1001us"),
            (1_000_000, "1s"),
            (90_000_000, "90s"),
            (120_000_000, "2m"),
            (86_400_000_000, "1d"),
            (u64::MAX, "18446744073709551615us"),
        ] {
            assert_eq!(Micros(us).to_string(), text);
        }
    }

    #[test]
    fn the_readable_text_is_the_nearest_of_three_digits_or_two_units() {
        for (us, text) in [
            (0, "0 us"),
            (999, "999 us"),
            (1_234, "1.23 ms"),
            (1_235, "1.24 ms"),
            (1_500, "1.5 ms"),
            (12_345, "12.3 ms"),
            (740_000, "740 ms"),
            (999_500, "1 s"),
            (1_050_000, "1.05 s"),
            (1_199_999, "1.2 s"),
            (59_949_999, "59.9 s"),
            (59_950_000, "1 min"),
            (125_000_000, "2 min 5 s"),
            (3_599_499_999, "59 min 59 s"),
            (3_599_500_000, "1 h"),
            (86_370_000_000, "1 d"),
            (90_000_000_000, "1 d 1 h"),
        ] {
            assert_eq!(Micros(us).readable().to_string(), text);
        }
        assert!(Micros::MAX.readable().to_string().ends_with(" h"));
    }
}
