//! The parts of a policy's text that are of use alone: a length, an intensity.

use super::error::{Expected, ParseError};
use super::reader::Reader;
use crate::recovery::Intensity;
use crate::time::Micros;
use core::str::FromStr;

impl Micros {
    /// Reads a length as it stands in a policy's text: digits, at most 6 decimals, and one of the units us, ms, s, m, h
    /// and d; space around it is allowed.
    ///
    /// # Errors
    /// [`ParseError`] says at which byte, and what was expected there. What is not whole microseconds, or has no
    /// room in a [`Micros`], is refused.
    ///
    /// ```
    /// use undaunted_core::Micros;
    ///
    /// assert_eq!(Micros::parse("1.5s"), Ok(Micros::from_millis(1_500)));
    /// assert_eq!(
    ///     Micros::parse("90").unwrap_err().to_string(),
    ///     "at byte 2: expected a unit (us, ms, s, m, h or d)"
    /// );
    /// ```
    pub const fn parse(text: &str) -> Result<Micros, ParseError> {
        let mut reader = Reader::new(text);
        reader.more();
        reader.read_length();
        match reader.whole(Expected::Length) {
            Some(error) => Err(error),
            None => Ok(Micros(reader.number)),
        }
    }
}

impl FromStr for Micros {
    type Err = ParseError;

    /// As [`Micros::parse`].
    fn from_str(text: &str) -> Result<Micros, ParseError> {
        Micros::parse(text)
    }
}

impl Intensity {
    /// Reads an intensity as it stands in a recovery's text: `5/1m` is five restarts in any minute.
    ///
    /// # Errors
    /// [`ParseError`] says at which byte, and what was expected there. Whether it is one that a
    /// [`Recovery`](crate::Recovery) may have is checked where one is made.
    ///
    /// ```
    /// use undaunted_core::{Intensity, Micros};
    ///
    /// let five = Intensity { restarts: 5, window: Micros::from_secs(60) };
    /// assert_eq!(Intensity::parse("5/1m"), Ok(five));
    /// assert_eq!(five.to_string(), "5/1m");
    /// ```
    pub const fn parse(text: &str) -> Result<Intensity, ParseError> {
        let mut reader = Reader::new(text);
        reader.more();
        let restarts = reader.read_restarts();
        reader.read_length();
        match reader.whole(Expected::Intensity) {
            Some(error) => Err(error),
            None => Ok(Intensity { restarts, window: Micros(reader.number) }),
        }
    }
}

impl FromStr for Intensity {
    type Err = ParseError;

    /// As [`Intensity::parse`].
    fn from_str(text: &str) -> Result<Intensity, ParseError> {
        Intensity::parse(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_is_read_whole_or_not_at_all() {
        for (text, us) in
            [("0us", 0), (" 1h ", 3_600_000_000), ("0.000001s", 1), ("18446744073709551615us", u64::MAX)]
        {
            assert_eq!(Micros::parse(text), Ok(Micros(us)), "{text:?}");
        }
        for (text, at, expected) in [
            ("", 0, Expected::Length),
            ("  ", 2, Expected::Length),
            ("s", 0, Expected::Length),
            ("-1s", 0, Expected::Length),
            ("1", 1, Expected::Unit),
            ("1m30s", 1, Expected::OneUnit),
            ("1s 2s", 3, Expected::Length),
            ("0.5us", 0, Expected::WholeMicros),
            ("18446744073709551616us", 0, Expected::Smaller),
        ] {
            let error = Micros::parse(text).unwrap_err();
            assert_eq!(
                (error.at, error.problem),
                (at, super::super::Problem::Expected(expected)),
                "{text:?}"
            );
        }
    }

    #[test]
    fn an_intensity_is_read_whole_or_not_at_all() {
        assert_eq!(Intensity::parse("1/1us"), Ok(Intensity { restarts: 1, window: Micros(1) }));
        for (text, at) in
            [("", 0), ("5", 0), ("/1m", 0), ("5/", 2), ("5/1", 3), ("4294967296/1m", 0), ("5/1m x", 5)]
        {
            assert_eq!(Intensity::parse(text).unwrap_err().at, at, "{text:?}");
        }
    }
}
