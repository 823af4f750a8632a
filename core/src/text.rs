//! One text, one policy: the parser, `const` from end to end, so that a constant's text is checked
//! by the compiler and a device can read a policy without a formatter or an allocator.
//!
//! ```text
//! exponential 100ms x1.5 cap 40s jitter full attempts 8 within 2m
//! ```
//!
//! The shape comes first with its first delay (`schedule` with its delays, `immediate` with none);
//! the other words follow in any order, none twice. The README shows the whole language.

mod display;
mod error;
mod reader;
#[cfg(feature = "serde")]
mod serde;

pub use error::{Caret, Expected, ParseError, Problem};

use crate::backoff::Shape;
use crate::draft::{Draft, Field};
use crate::policy::Policy;
use crate::time::Micros;
use reader::Reader;

impl Policy {
    /// Reads a policy from its text.
    ///
    /// `schedule` is refused, since its delays need a home: [`Policy::parse_in`] takes one.
    ///
    /// # Errors
    /// [`ParseError`] says at which byte, and what was expected there.
    ///
    /// ```
    /// use undaunted_core::Policy;
    ///
    /// let policy = Policy::parse("exponential 100ms attempts 8 x1.5").unwrap();
    /// assert_eq!(policy.to_string(), "exponential 100ms x1.5 cap 30s jitter full attempts 8");
    ///
    /// let error = Policy::parse("exponential 100 attempts 8").unwrap_err();
    /// assert_eq!(error.to_string(), "at byte 15: expected a unit (us, ms, s, m, h or d)");
    /// ```
    pub const fn parse(text: &str) -> Result<Policy, ParseError> {
        parse_line(text, None)
    }

    /// Reads a policy from its text, with room for the delays of a `schedule`.
    ///
    /// # Errors
    /// As [`Policy::parse`]; also when the home has too little room.
    ///
    /// ```
    /// use undaunted_core::{Micros, Policy};
    ///
    /// let home = Box::leak(Box::new([Micros::ZERO; 8]));
    /// let policy = Policy::parse_in("schedule 1s,5s,30s jitter none", home).unwrap();
    /// assert_eq!(policy.to_string(), "schedule 1s,5s,30s cap 30s jitter none attempts 5");
    /// ```
    pub const fn parse_in(text: &str, home: &'static mut [Micros]) -> Result<Policy, ParseError> {
        parse_line(text, Some(home))
    }

    /// Reads a policy from its text in a constant.
    ///
    /// # Panics
    /// Where [`Policy::parse`] answers an error; in a constant that is a compile error which shows
    /// the position and what was expected.
    ///
    /// ```
    /// use undaunted_core::Policy;
    ///
    /// static LINK: Policy = Policy::parse_const("exponential 100ms x2 cap 40s within 2m");
    /// ```
    ///
    /// ```compile_fail
    /// use undaunted_core::Policy;
    ///
    /// static LINK: Policy = Policy::parse_const("exponential 100 x2"); // no unit
    /// ```
    pub const fn parse_const(text: &str) -> Policy {
        match Policy::parse(text) {
            Ok(policy) => policy,
            Err(error) => error.panic(),
        }
    }
}

impl core::str::FromStr for Policy {
    type Err = ParseError;

    /// As [`Policy::parse`].
    fn from_str(text: &str) -> Result<Policy, ParseError> {
        Policy::parse(text)
    }
}

const fn parse_line(text: &str, home: Option<&'static mut [Micros]>) -> Result<Policy, ParseError> {
    let mut reader = Reader::new(text);
    let mut parser = Parser::new();
    reader.more();
    parser.shape(&mut reader, home);
    while reader.more() {
        parser.setting(&mut reader);
    }
    let end = reader.at;
    parser.end(&mut reader, end);
    if let Some(fault) = reader.fault {
        return Err(fault.error());
    }
    match parser.draft.finish() {
        Ok(()) => Ok(parser.draft.policy),
        Err(rule) => {
            let invalid = parser.draft.invalid(rule);
            let at = place_of(text, invalid.field);
            Err(ParseError { at, problem: Problem::Invalid(invalid) })
        }
    }
}

/// Where a field was said, found again: only a rule that is broken wants to know.
#[inline(never)]
const fn place_of(text: &str, field: Field) -> usize {
    let mut reader = Reader::new(text);
    reader.more();
    reader.at = reader.end();
    reader.more();
    if matches!(field, Field::First | Field::Schedule) {
        return reader.at;
    }
    while reader.more() {
        match field_at(&mut reader) {
            Some(found) if found as u8 == field as u8 => return reader.start,
            _ => reader.at = reader.end(),
        }
    }
    0
}

/// What was read so far: a draft, and which of its fields were said (a bit each).
struct Parser {
    draft: Draft,
    said: u16,
}

impl Parser {
    const fn new() -> Parser {
        Parser { draft: Policy::draft(), said: 0 }
    }

    /// The shape and its first delay.
    const fn shape(&mut self, reader: &mut Reader<'_>, home: Option<&'static mut [Micros]>) {
        match shape_at(reader) {
            Some(shape) => self.first_of(shape, reader, home),
            None => reader.fail(Expected::Shape),
        }
    }

    /// The first delay of a shape whose name was just read.
    const fn first_of(&mut self, shape: Shape, reader: &mut Reader<'_>, home: Option<&'static mut [Micros]>) {
        (self.draft.policy.shape, self.draft.shape_said) = (shape, true);
        match (shape, home) {
            (Shape::Immediate, _) => {}
            (Shape::Schedule, None) => reader.fail(Expected::Home),
            (Shape::Schedule, Some(home)) => {
                reader.more();
                self.draft = self.draft.schedule(entries(reader, home));
            }
            _ => {
                reader.more();
                self.draft.policy.first = reader.length(true);
            }
        }
    }

    /// One setting, with its value.
    const fn setting(&mut self, reader: &mut Reader<'_>) {
        match field_at(reader) {
            Some(Field::Step) if !matches!(self.draft.policy.shape, Shape::Linear) => {
                reader.fail(Expected::Word);
            }
            Some(field) => self.set(field, reader),
            None => reader.fail(Expected::Word),
        }
    }

    /// Sets the field whose name was just read to the value that follows.
    #[inline(never)]
    const fn set(&mut self, field: Field, reader: &mut Reader<'_>) {
        if self.said & field.bit() != 0 {
            return reader.fail(Expected::Once);
        }
        self.said |= field.bit();
        // A sign is followed by its value at once, a word by a space.
        match field {
            Field::Factor | Field::Step => reader.start = reader.at,
            _ => _ = reader.more(),
        }
        match field {
            Field::Attempts => self.draft.set_attempts(reader.count()),
            Field::Factor => self.draft.set_factor(reader.factor()),
            Field::Jitter => (self.draft.policy.share, self.draft.policy.kind) = reader.jitter(),
            _ => self.set_length(field, reader),
        }
    }

    const fn set_length(&mut self, field: Field, reader: &mut Reader<'_>) {
        let of_a_curve = !matches!(field, Field::AttemptTimeout | Field::HintCeiling | Field::Within);
        let length = reader.length(of_a_curve);
        let policy = &mut self.draft.policy;
        *match field {
            Field::AttemptTimeout => &mut policy.attempt_timeout,
            Field::Cap => &mut policy.cap,
            Field::FirstDelay => &mut policy.first_delay,
            Field::Floor => &mut policy.floor,
            Field::HintCeiling => &mut policy.hint_ceiling,
            Field::Within => &mut policy.within,
            _ => &mut self.draft.step,
        } = length;
    }

    /// At the end of the text a linear curve must have said its step.
    const fn end(&self, reader: &mut Reader<'_>, at: usize) {
        if matches!(self.draft.policy.shape, Shape::Linear) && self.said & Field::Step.bit() == 0 {
            reader.fail_at(at, Expected::Step);
        }
    }
}

impl Field {
    const fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// Takes the name of a shape.
const fn shape_at(reader: &mut Reader<'_>) -> Option<Shape> {
    Some(match reader.one_of("constant decorrelated exponential immediate linear fibonacci schedule") {
        0 => Shape::Constant,
        1 => Shape::Decorrelated,
        2 => Shape::Exponential,
        3 => Shape::Immediate,
        4 => Shape::Linear,
        5 => Shape::Fibonacci,
        6 => Shape::Schedule,
        _ => return None,
    })
}

/// Takes the name of a setting: a word, or the sign before its value.
#[inline(never)]
const fn field_at(reader: &mut Reader<'_>) -> Option<Field> {
    let sign = match reader.byte() {
        b'x' => Field::Factor,
        b'+' => Field::Step,
        _ => {
            return Some(match reader.one_of(SETTINGS) {
                0 => Field::AttemptTimeout,
                1 => Field::Attempts,
                2 => Field::Cap,
                3 => Field::FirstDelay,
                4 => Field::Floor,
                5 => Field::HintCeiling,
                6 => Field::Jitter,
                7 => Field::Within,
                _ => return None,
            });
        }
    };
    reader.at += 1;
    Some(sign)
}

const SETTINGS: &str = "attempt_timeout attempts cap first_delay floor hint_ceiling jitter within";

/// The delays of a schedule, separated by commas, laid into their home.
const fn entries(reader: &mut Reader<'_>, home: &'static mut [Micros]) -> &'static [Micros] {
    reader.in_list = true;
    let mut used = 0;
    loop {
        let step = Micros(reader.length(true));
        if used < home.len() {
            home[used] = step;
        } else {
            reader.fail(Expected::Room);
        }
        used += 1;
        if reader.byte() != b',' || reader.fault.is_some() {
            break;
        }
        reader.at += 1;
        reader.start = reader.at;
    }
    reader.in_list = false;
    match home.split_at_mut_checked(used) {
        Some((steps, _)) => steps,
        None => &[],
    }
}
