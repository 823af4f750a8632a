//! The text of a recovery: its policy's, and two words more.
//!
//! ```text
//! exponential 1s cap 5m attempts unlimited reset_after 10m intensity 5/1m
//! ```
//!
//! What a policy's text says of the order, of positions and of refusals holds here too.

use super::error::{Expected, ParseError, Problem};
use super::place_of;
use super::reader::{Fault, Reader};
use crate::policy::Policy;
use crate::recovery::{Intensity, Recovery};
use crate::rule::{Field, Invalid};
use crate::said::Said;
use crate::time::Micros;
use core::fmt;

impl Recovery {
    /// Reads a recovery from its text: a policy's, with `reset_after LENGTH` and `intensity N/LENGTH` among the
    /// words that follow the shape.
    ///
    /// `schedule` is refused, since its delays need a home: [`Recovery::parse_in`] takes one.
    ///
    /// # Errors
    /// [`ParseError`] says at which byte, and what was expected there.
    ///
    /// ```
    /// use undaunted_core::Recovery;
    ///
    /// let recovery = Recovery::parse("exponential 1s intensity 5/1m cap 5m attempts unlimited").unwrap();
    /// assert_eq!(
    ///     recovery.to_string(),
    ///     "exponential 1s x2 cap 5m jitter full attempts unlimited reset_after 10m intensity 5/1m"
    /// );
    ///
    /// let error = Recovery::parse("exponential 1s intensity 5").unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "at byte 25: expected a number up to 65535 and a window, such as 5/1m"
    /// );
    /// ```
    pub const fn parse(text: &str) -> Result<Recovery, ParseError> {
        parse_line(text, None)
    }

    /// Reads a recovery from its text, with room for the delays of a `schedule`.
    ///
    /// # Errors
    /// As [`Recovery::parse`]; also when the home has too little room.
    pub const fn parse_in(text: &str, home: &'static mut [Micros]) -> Result<Recovery, ParseError> {
        parse_line(text, Some(home))
    }

    /// Reads a recovery from its text in a constant.
    ///
    /// # Panics
    /// Where [`Recovery::parse`] answers an error; in a constant that is a compile error which shows the
    /// position and what was expected.
    ///
    /// ```
    /// use undaunted_core::Recovery;
    ///
    /// static UPLINK: Recovery = Recovery::parse_const("exponential 1s cap 5m attempts unlimited reset_after 10m");
    /// ```
    ///
    /// ```compile_fail
    /// use undaunted_core::Recovery;
    ///
    /// static UPLINK: Recovery = Recovery::parse_const("exponential 1s reset_after 0s");
    /// ```
    pub const fn parse_const(text: &str) -> Recovery {
        match Recovery::parse(text) {
            Ok(recovery) => recovery,
            Err(error) => error.panic("recovery text, at byte "),
        }
    }
}

impl core::str::FromStr for Recovery {
    type Err = ParseError;

    /// As [`Recovery::parse`].
    fn from_str(text: &str) -> Result<Recovery, ParseError> {
        Recovery::parse(text)
    }
}

/// The canonical text: the policy's, `reset_after` always, so that a changed default never changes an old
/// text, and the intensity if there is one. [`Recovery::parse`] reads it back as an equal recovery.
impl fmt::Display for Recovery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} reset_after {}", self.policy, self.reset_after)?;
        match self.intensity {
            Some(intensity) => write!(f, " intensity {intensity}"),
            None => Ok(()),
        }
    }
}

/// As in a recovery's text: `5/1m`.
impl fmt::Display for Intensity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.restarts, self.window)
    }
}

/// `Recovery(constant 1s cap 30s jitter full attempts 5 reset_after 1m)`.
impl fmt::Debug for Recovery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Recovery({self})")
    }
}

const fn parse_line(text: &str, home: Option<&'static mut [Micros]>) -> Result<Recovery, ParseError> {
    let mut reader = Reader::new(text);
    let (mut said, mut limits) = (Said::nothing(), Limits::nothing());
    reader.more();
    let steps = said.read_shape(&mut reader, home);
    while reader.more() {
        limits.read_setting(&mut said, &mut reader);
    }
    said.read_end(&mut reader);
    if let Some(fault) = reader.fault {
        return Err(fault.error());
    }
    let invalid = match said.resolve(steps) {
        Err(rule) => said.invalid(rule),
        Ok(()) => match limits.recovery(said.policy(steps)) {
            Err(invalid) => invalid,
            Ok(recovery) => return Ok(recovery),
        },
    };
    let at = match invalid.field {
        Field::Intensity | Field::ResetAfter => place_of_own(invalid.field, &mut reader),
        // The two other words and their values are passed over: none looks like a word of a policy.
        field => place_of(field, &mut reader),
    };
    Err(ParseError { at, problem: Problem::Invalid(invalid) })
}

/// Where one of a recovery's own words was said, in a text that reads well.
const fn place_of_own(field: Field, reader: &mut Reader<'_>) -> usize {
    reader.at = 0;
    while reader.more() {
        let place = reader.at;
        match field_at(reader) {
            Some(found) if found as u8 == field as u8 => return place,
            _ => reader.at = reader.end(),
        }
    }
    0
}

/// What was said of a recovery beside its policy.
pub(super) struct Limits {
    reset_after: Option<Micros>,
    intensity: Option<Intensity>,
}

impl Limits {
    pub(super) const fn nothing() -> Limits {
        Limits { reset_after: None, intensity: None }
    }

    /// One setting, the policy's or the recovery's own, with its value.
    const fn read_setting(&mut self, said: &mut Said, reader: &mut Reader<'_>) {
        match field_at(reader) {
            Some(field) => self.read(field, reader),
            None => {
                said.read_setting(reader);
                if let Some(Fault { expected: Expected::Word, .. }) = reader.fault {
                    reader.rather(Expected::RecoveryWord);
                }
            }
        }
    }

    /// Reads the value of the field whose name was just read.
    pub(super) const fn read(&mut self, field: Field, reader: &mut Reader<'_>) {
        let is_intensity = matches!(field, Field::Intensity);
        if is_intensity && self.intensity.is_some() || !is_intensity && self.reset_after.is_some() {
            return reader.fail(Expected::Once);
        }
        reader.more();
        if is_intensity {
            let restarts = reader.read_restarts();
            reader.read_length();
            self.intensity = Some(Intensity { restarts, window: Micros(reader.number) });
        } else {
            reader.read_length();
            self.reset_after = Some(Micros(reader.number));
        }
    }

    /// The recovery with this policy, if it breaks no rule.
    pub(super) const fn recovery(self, policy: Policy) -> Result<Recovery, Invalid> {
        let mut draft = Recovery::draft(policy);
        if let Some(healthy) = self.reset_after {
            draft.recovery.reset_after = healthy;
        }
        draft.recovery.intensity = self.intensity;
        draft.build()
    }
}

/// Takes the name of a recovery's own setting.
pub(super) const fn field_at(reader: &mut Reader<'_>) -> Option<Field> {
    match reader.one_of("intensity reset_after ") {
        0 => Some(Field::Intensity),
        1 => Some(Field::ResetAfter),
        _ => None,
    }
}
