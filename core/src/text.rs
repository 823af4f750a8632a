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
mod parts;
mod reader;
mod recovery;
#[cfg(feature = "serde")]
mod serde;

pub use error::{Caret, Expected, ParseError, Problem};

use crate::backoff::Shape;
use crate::policy::Policy;
use crate::rule::Field;
use crate::said::Said;
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
            Err(error) => error.panic("policy text, at byte "),
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
    let mut said = Said::nothing();
    reader.more();
    let steps = said.read_shape(&mut reader, home);
    while reader.more() {
        said.read_setting(&mut reader);
    }
    said.read_end(&mut reader);
    if let Some(fault) = reader.fault {
        return Err(fault.error());
    }
    match said.resolve(steps) {
        Ok(()) => Ok(said.policy(steps)),
        Err(rule) => {
            let invalid = said.invalid(rule);
            let at = place_of(invalid.field, &mut reader);
            Err(ParseError { at, problem: Problem::Invalid(invalid) })
        }
    }
}

/// Where a field was said, found again in a text that reads well: only a broken rule wants to know.
#[inline(never)]
const fn place_of(field: Field, reader: &mut Reader<'_>) -> usize {
    reader.at = 0;
    reader.more();
    reader.at = reader.end();
    reader.more();
    if matches!(field, Field::First | Field::Schedule) {
        return reader.at;
    }
    while reader.more() {
        let (place, found) = (reader.at, field_at(reader));
        match found {
            Some(found) if found as u8 == field as u8 => return place,
            // The value is the next word, and may begin with a sign too; after a sign it follows at once.
            _ => _ = reader.more(),
        }
        reader.at = reader.end();
    }
    0
}

impl Said {
    /// The shape and its first delay; the delays of a schedule.
    const fn read_shape(
        &mut self,
        reader: &mut Reader<'_>,
        home: Option<&'static mut [Micros]>,
    ) -> &'static [Micros] {
        match shape_at(reader) {
            Some(shape) => self.read_first(shape, reader, home),
            None => {
                reader.fail(Expected::Shape);
                &[]
            }
        }
    }

    /// The first delay of a shape whose name was just read; the delays of a schedule.
    const fn read_first(
        &mut self,
        shape: Shape,
        reader: &mut Reader<'_>,
        home: Option<&'static mut [Micros]>,
    ) -> &'static [Micros] {
        self.shape = shape;
        match (shape, home) {
            (Shape::Immediate, _) => self.say(Field::First, 0),
            (Shape::Schedule, None) => reader.fail(Expected::Home),
            (Shape::Schedule, Some(home)) => {
                reader.more();
                let steps = entries(reader, home);
                let first = if let [first, ..] = steps { first.0 } else { 0 };
                self.say(Field::Schedule, steps.len() as u64);
                self.say(Field::First, first);
                return steps;
            }
            _ => self.read(Field::First, reader),
        }
        &[]
    }

    /// One setting, with its value.
    const fn read_setting(&mut self, reader: &mut Reader<'_>) {
        match field_at(reader) {
            Some(Field::Step) if !matches!(self.shape, Shape::Linear) => reader.fail(Expected::Word),
            Some(field) => self.read(field, reader),
            None => reader.fail(Expected::Word),
        }
    }

    /// Reads the value of the field whose name was just read.
    #[inline(never)]
    const fn read(&mut self, field: Field, reader: &mut Reader<'_>) {
        if self.has(field) {
            return reader.fail(Expected::Once);
        }
        // A sign is followed by its value at once, a word by a space.
        match field {
            Field::Factor | Field::Step => reader.start = reader.at,
            _ => _ = reader.more(),
        }
        match field {
            Field::Attempts => reader.read_count(),
            Field::Factor => reader.read_factor(),
            Field::Jitter => self.kind = reader.read_jitter(),
            _ => reader.read_length(),
        }
        if field.bit() & ENDLESS == 0 {
            reader.end_of_a_curve();
        }
        self.say(field, reader.number);
    }

    /// At the end of the text a linear curve must have said its step.
    const fn read_end(&self, reader: &mut Reader<'_>) {
        if matches!(self.shape, Shape::Linear) && !self.has(Field::Step) {
            reader.fail(Expected::Step);
        }
    }
}

/// The lengths that are of no curve.
const ENDLESS: u16 = Field::AttemptTimeout.bit() | Field::HintCeiling.bit() | Field::Within.bit();

/// Takes the name of a shape.
const fn shape_at(reader: &mut Reader<'_>) -> Option<Shape> {
    Some(match reader.one_of("constant decorrelated exponential immediate linear fibonacci schedule ") {
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
    if reader.take(b'x') {
        return Some(Field::Factor);
    }
    if reader.take(b'+') {
        return Some(Field::Step);
    }
    Some(match reader.one_of(SETTINGS) {
        0 => Field::AttemptTimeout,
        1 => Field::Attempts,
        2 => Field::Cap,
        3 => Field::FirstDelay,
        4 => Field::Floor,
        5 => Field::HintCeiling,
        6 => Field::Jitter,
        7 => Field::Within,
        _ => return None,
    })
}

const SETTINGS: &str = "attempt_timeout attempts cap first_delay floor hint_ceiling jitter within ";

/// The delays of a schedule, separated by commas, laid into their home.
const fn entries(reader: &mut Reader<'_>, home: &'static mut [Micros]) -> &'static [Micros] {
    let mut used = 0;
    loop {
        reader.read_entry();
        let step = Micros(reader.number);
        if used < home.len() {
            home[used] = step;
        } else {
            reader.fail(Expected::Room);
        }
        used += 1;
        if !reader.take(b',') || reader.fault.is_some() {
            break;
        }
        reader.start = reader.at;
    }
    match home.split_at_mut_checked(used) {
        Some((steps, _)) => steps,
        None => &[],
    }
}
