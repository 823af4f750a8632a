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
#[cfg(feature = "serde")]
mod serde;

pub use error::{Caret, Expected, ParseError, Problem};

use crate::backoff::Shape;
use crate::draft::{Draft, Field};
use crate::jitter::Jitter;
use crate::policy::Policy;
use crate::ratio::{LONGEST, Ratio, divide, times};
use crate::time::Micros;

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
    let mut parser = Parser::new();
    match parser.read(text, home) {
        Ok(()) => parser.build(),
        Err(fault) => Err(fault.error()),
    }
}

/// The error within the parser: two words where a [`ParseError`] has eight, in every step that hands
/// it on.
struct Fault {
    at: usize,
    expected: Expected,
}

impl Fault {
    const fn error(self) -> ParseError {
        ParseError { at: self.at, problem: Problem::Expected(self.expected) }
    }
}

/// One word of the text: its bytes and where it stands. At the end of the text it is empty.
#[derive(Clone, Copy)]
struct Word<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Word<'_> {
    const fn expected<T>(self, expected: Expected) -> Result<T, Fault> {
        Err(Fault { at: self.at, expected })
    }
}

/// The text that is still to be read, word by word.
struct Words<'a> {
    rest: &'a [u8],
    at: usize,
}

impl<'a> Words<'a> {
    /// The next run of bytes that are not ASCII white space.
    #[inline(never)]
    const fn word(&mut self) -> Word<'a> {
        let (mut tail, mut length) = (self.rest, 0);
        while let [first, rest @ ..] = tail {
            match (first.is_ascii_whitespace(), length) {
                (true, 0) => (self.rest, self.at) = (rest, self.at + 1),
                (true, _) => break,
                (false, _) => length += 1,
            }
            tail = rest;
        }
        let bytes = match self.rest.split_at_checked(length) {
            Some((word, _)) => word,
            None => self.rest,
        };
        let word = Word { bytes, at: self.at };
        (self.rest, self.at) = (tail, self.at + length);
        word
    }
}

/// What was read so far: a draft, and where each of its fields was said (position + 1, 0 if it was not).
struct Parser {
    draft: Draft,
    said: [usize; FIELDS],
}

const FIELDS: usize = Field::Within as usize + 1;

impl Parser {
    const fn new() -> Parser {
        Parser { draft: Policy::draft(), said: [0; FIELDS] }
    }

    const fn read(&mut self, text: &str, home: Option<&'static mut [Micros]>) -> Result<(), Fault> {
        let mut words = Words { rest: text.as_bytes(), at: 0 };
        let shape = words.word();
        if let Err(error) = self.shape(shape, &mut words, home) {
            return Err(error);
        }
        self.settings(&mut words)
    }

    const fn build(&self) -> Result<Policy, ParseError> {
        match self.draft.check() {
            Ok(checked) => Ok(self.draft.compile(checked)),
            Err(rule) => {
                let invalid = self.draft.invalid(rule);
                let at = self.said[invalid.field as usize].saturating_sub(1);
                Err(ParseError { at, problem: Problem::Invalid(invalid) })
            }
        }
    }

    /// Notes where a field is said; twice is an error.
    #[inline(never)]
    const fn say(&mut self, field: Field, word: Word<'_>) -> Result<(), Fault> {
        if self.said[field as usize] != 0 {
            return word.expected(Expected::Once);
        }
        self.said[field as usize] = word.at + 1;
        Ok(())
    }

    /// The shape and its first delay.
    const fn shape(
        &mut self,
        name: Word<'_>,
        words: &mut Words<'_>,
        home: Option<&'static mut [Micros]>,
    ) -> Result<(), Fault> {
        let Some(shape) = shape_named(name.bytes) else { return name.expected(Expected::Shape) };
        self.draft.shape = Some(shape);
        if let Err(error) = self.say(Field::Backoff, name) {
            return Err(error);
        }
        if let Shape::Immediate = shape {
            return Ok(());
        }
        let value = words.word();
        self.said[Field::First as usize] = value.at + 1;
        self.said[Field::Schedule as usize] = value.at + 1;
        if let Shape::Schedule = shape {
            return match home {
                None => name.expected(Expected::Home),
                Some(home) => match entries(value, home) {
                    Ok(steps) => {
                        self.draft = self.draft.schedule(steps);
                        Ok(())
                    }
                    Err(error) => Err(error),
                },
            };
        }
        match curve_length(value) {
            Ok(first) => self.draft.first = first,
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// All settings to the end of the text; a linear curve must have said its step by then.
    const fn settings(&mut self, words: &mut Words<'_>) -> Result<(), Fault> {
        let mut word = words.word();
        while !word.bytes.is_empty() {
            if let Err(error) = self.setting(word, words) {
                return Err(error);
            }
            word = words.word();
        }
        self.step_said(word)
    }

    const fn step_said(&self, end: Word<'_>) -> Result<(), Fault> {
        match self.draft.shape {
            Some(Shape::Linear) if self.said[Field::Step as usize] == 0 => end.expected(Expected::Step),
            _ => Ok(()),
        }
    }

    /// One setting; its value, if it is a word of its own, is taken from `words`.
    const fn setting(&mut self, name: Word<'_>, words: &mut Words<'_>) -> Result<(), Fault> {
        let field = match name.bytes {
            [b'x', ..] => Some(Field::Factor),
            [b'+', ..] => Some(Field::Step),
            word => field_named(word),
        };
        let Some(field) = field else { return name.expected(Expected::Word) };
        if let (Field::Step, false) = (field, matches!(self.draft.shape, Some(Shape::Linear))) {
            return name.expected(Expected::Word);
        }
        if let Err(error) = self.say(field, name) {
            return Err(error);
        }
        let value = match (field, name.bytes) {
            (Field::Factor | Field::Step, [_, bytes @ ..]) => Word { bytes, at: name.at + 1 },
            _ => words.word(),
        };
        self.set(field, value)
    }

    const fn set(&mut self, field: Field, value: Word<'_>) -> Result<(), Fault> {
        match field {
            Field::Attempts => match count(value) {
                Ok(attempts) => self.draft.attempts = attempts,
                Err(error) => return Err(error),
            },
            Field::Factor => match decimal(value, 0) {
                Ok(factor) => self.draft.factor = Some(factor),
                Err(_) => return value.expected(Expected::Factor),
            },
            Field::Jitter => match jitter(value) {
                Ok(jitter) => self.draft.jitter = Some(jitter),
                Err(error) => return Err(error),
            },
            _ => return self.set_length(field, value),
        }
        Ok(())
    }

    const fn set_length(&mut self, field: Field, value: Word<'_>) -> Result<(), Fault> {
        let length = match field {
            Field::AttemptTimeout | Field::HintCeiling | Field::Within => length(value),
            _ => curve_length(value),
        };
        let length = match length {
            Ok(length) => length,
            Err(error) => return Err(error),
        };
        match field {
            Field::AttemptTimeout => self.draft.attempt_timeout = Some(length),
            Field::Cap => self.draft.cap = Some(length),
            Field::FirstDelay => self.draft.first_delay = length,
            Field::Floor => self.draft.floor = length,
            Field::HintCeiling => self.draft.hint_ceiling = length,
            Field::Within => self.draft.within = Some(length),
            _ => self.draft.step = length,
        }
        Ok(())
    }
}

const fn shape_named(name: &[u8]) -> Option<Shape> {
    Some(match place(name, "constant decorrelated exponential fibonacci immediate linear schedule") {
        0 => Shape::Constant,
        1 => Shape::Decorrelated,
        2 => Shape::Exponential,
        3 => Shape::Fibonacci,
        4 => Shape::Immediate,
        5 => Shape::Linear,
        6 => Shape::Schedule,
        _ => return None,
    })
}

const fn field_named(name: &[u8]) -> Option<Field> {
    let names = "attempt_timeout attempts cap first_delay floor hint_ceiling jitter within";
    Some(match place(name, names) {
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

/// Which of `names` a name is, from 0; their number if it is none. One loop for all vocabularies:
/// a `match` of words compares them byte by byte in code, which took 1 200 bytes on a Cortex-M0.
#[inline(never)]
const fn place(name: &[u8], names: &str) -> usize {
    let mut words = Words { rest: names.as_bytes(), at: 0 };
    let mut place = 0;
    loop {
        let word = words.word();
        if word.bytes.is_empty() || is_same(word.bytes, name) {
            return place;
        }
        place += 1;
    }
}

const fn is_same(a: &[u8], b: &[u8]) -> bool {
    let (mut a, mut b) = (a, b);
    while let ([x, others @ ..], [y, rest @ ..]) = (a, b) {
        if *x != *y {
            return false;
        }
        (a, b) = (others, rest);
    }
    a.is_empty() && b.is_empty()
}

/// The delays of a schedule, separated by commas, laid into their home.
const fn entries(list: Word<'_>, home: &'static mut [Micros]) -> Result<&'static [Micros], Fault> {
    let (mut rest, mut used) = (list, 0);
    loop {
        let (entry, others) = split_at_comma(rest);
        let step = match curve_length(entry) {
            Ok(step) => step,
            Err(error) => return Err(error),
        };
        if used >= home.len() {
            return entry.expected(Expected::Room);
        }
        home[used] = step;
        used += 1;
        match others {
            Some(others) => rest = others,
            None => break,
        }
    }
    match home.split_at_mut_checked(used) {
        Some((steps, _)) => Ok(steps),
        None => list.expected(Expected::Room),
    }
}

const fn split_at_comma(list: Word<'_>) -> (Word<'_>, Option<Word<'_>>) {
    let (mut tail, mut length) = (list.bytes, 0);
    while let [first, rest @ ..] = tail {
        if *first == b',' {
            let bytes = match list.bytes.split_at_checked(length) {
                Some((entry, _)) => entry,
                None => list.bytes,
            };
            let others = Word { bytes: rest, at: list.at + length + 1 };
            return (Word { bytes, at: list.at }, Some(others));
        }
        (tail, length) = (rest, length + 1);
    }
    (list, None)
}

/// Digits with decimals, as `digits / 10^places`, and what follows them.
struct Number<'a> {
    digits: u64,
    places: u32,
    rest: Word<'a>,
}

/// Digits, and if a point follows, from one to `most_places` decimals.
#[inline(never)]
const fn number(word: Word<'_>, most_places: u32) -> Result<Number<'_>, Fault> {
    let (mut digits, mut places, mut point, mut rest) = (0u64, 0, false, word);
    loop {
        let (bytes, digit) = match rest.bytes {
            [digit @ b'0'..=b'9', bytes @ ..] => (bytes, *digit - b'0'),
            [b'.', bytes @ ..] if !point && rest.at > word.at => {
                point = true;
                rest = Word { bytes, at: rest.at + 1 };
                continue;
            }
            _ => break,
        };
        if point {
            places += 1;
        }
        if places > most_places {
            return rest.expected(Expected::FewerDecimals);
        }
        digits = match times(digits, 10) {
            Some(tens) if tens <= u64::MAX - digit as u64 => tens + digit as u64,
            _ => return word.expected(Expected::Smaller),
        };
        rest = Word { bytes, at: rest.at + 1 };
    }
    if rest.at == word.at || (point && places == 0) {
        return rest.expected(Expected::Digit);
    }
    Ok(Number { digits, places, rest })
}

/// A length: digits, at most 6 decimals, one unit; a whole number of microseconds.
#[inline(never)]
const fn length(word: Word<'_>) -> Result<Micros, Fault> {
    let Number { mut digits, mut places, rest } = match number(word, 6) {
        Ok(number) => number,
        Err(Fault { expected: Expected::Digit, .. }) if word.bytes.is_empty() => {
            return word.expected(Expected::Length);
        }
        Err(error) => return Err(error),
    };
    let Some((factor, mut zeros)) = unit_named(rest.bytes) else {
        let one_unit_only = matches!(rest.bytes, [b'a'..=b'z', .., b'a'..=b'z']);
        return rest.expected(if one_unit_only { Expected::OneUnit } else { Expected::Unit });
    };
    while places > zeros {
        let (tenth, last) = divide(digits, 10);
        if last != 0 {
            return word.expected(Expected::WholeMicros);
        }
        (digits, places) = (tenth, places - 1);
    }
    let mut micros = times(digits, factor);
    while zeros > places {
        micros = match micros {
            Some(micros) => times(micros, 10),
            None => break,
        };
        zeros -= 1;
    }
    match micros {
        Some(micros) => Ok(Micros(micros)),
        None => word.expected(Expected::Smaller),
    }
}

/// A unit as a factor and how many zeros follow it.
const fn unit_named(name: &[u8]) -> Option<(u32, u32)> {
    Some(match place(name, "d h m ms s us") {
        0 => (864, 8),
        1 => (36, 8),
        2 => (6, 7),
        3 => (1, 3),
        4 => (1, 6),
        5 => (1, 0),
        _ => return None,
    })
}

/// A length of a curve: setters saturate at 2^55 us, text refuses.
const fn curve_length(word: Word<'_>) -> Result<Micros, Fault> {
    match length(word) {
        Ok(Micros(micros)) if micros > LONGEST => word.expected(Expected::ShorterCurve),
        other => other,
    }
}

/// A decimal number, divided by `10^shift`, to the end of the word.
#[inline(never)]
const fn decimal(word: Word<'_>, shift: u32) -> Result<Ratio, Fault> {
    match number(word, 8 - shift) {
        Ok(Number { digits, places, rest: Word { bytes: [], .. } }) => {
            Ok(Ratio::from_decimal(digits, places + shift))
        }
        Ok(number) => number.rest.expected(Expected::Digit),
        Err(error) => Err(error),
    }
}

const fn count(word: Word<'_>) -> Result<Option<u32>, Fault> {
    if is_same(word.bytes, b"unlimited") {
        return Ok(None);
    }
    match number(word, 0) {
        Ok(Number { digits, places: 0, rest: Word { bytes: [], .. } }) if digits <= u32::MAX as u64 => {
            Ok(Some(digits as u32))
        }
        _ => word.expected(Expected::Count),
    }
}

const fn jitter(word: Word<'_>) -> Result<Jitter, Fault> {
    match place(word.bytes, "equal full none") {
        0 => Ok(Jitter::Equal),
        1 => Ok(Jitter::Full),
        2 => Ok(Jitter::None),
        _ => spread(word),
    }
}

/// `+-20%` or `+20%`.
const fn spread(word: Word<'_>) -> Result<Jitter, Fault> {
    let (both, bytes) = match word.bytes {
        [b'+', b'-', percent @ .., b'%'] => (true, percent),
        [b'+', percent @ .., b'%'] => (false, percent),
        _ => return word.expected(Expected::Jitter),
    };
    match decimal(Word { bytes, at: word.at + 1 + both as usize }, 2) {
        Ok(share) if both => Ok(Jitter::Proportional { share }),
        Ok(share) => Ok(Jitter::Additive { share }),
        Err(error) => Err(error),
    }
}
