//! Reads the pieces of a policy text: words, numbers, lengths.
//!
//! The first fault sticks, and reading goes on harmlessly: nothing has to be handed up and tested on
//! the way, which is code that a small device does not have to hold. There is one loop for all vocabularies, since a
//! `match` of words compares them in code, byte by byte.

use super::error::{Expected, ParseError, Problem};
use crate::jitter::Kind;
use crate::ratio::{LONGEST, Ratio, times_plus};
use crate::said::UNLIMITED_ATTEMPTS;

/// What was expected, and where.
#[derive(Clone, Copy)]
pub(super) struct Fault {
    pub(super) at: usize,
    pub(super) expected: Expected,
}

impl Fault {
    pub(super) const fn error(self) -> ParseError {
        ParseError { at: self.at, problem: Problem::Expected(self.expected) }
    }
}

/// A text, how far it is read, and the first fault.
pub(super) struct Reader<'a> {
    text: &'a [u8],
    pub(super) at: usize,
    /// Where the word or the value begins that is being read.
    pub(super) start: usize,
    pub(super) fault: Option<Fault>,
    /// What was read last: a number of so many decimals; in the end what its field keeps.
    pub(super) number: u64,
    places: usize,
}

impl<'a> Reader<'a> {
    pub(super) const fn new(text: &'a str) -> Reader<'a> {
        let text = text.as_bytes();
        Reader { text, at: 0, start: 0, fault: None, number: 0, places: 0 }
    }

    /// Notes a fault at the start of the word. The first is the one that counts.
    #[inline(never)]
    pub(super) const fn fail(&mut self, expected: Expected) {
        self.fail_at(self.start, expected);
    }

    /// The same, where reading has come to.
    #[inline(never)]
    const fn fail_here(&mut self, expected: Expected) {
        self.fail_at(self.at, expected);
    }

    const fn fail_at(&mut self, at: usize, expected: Expected) {
        if self.fault.is_none() {
            self.fault = Some(Fault { at, expected });
        }
    }

    /// Says better what was expected of a whole word, if reading it has failed.
    pub(super) const fn rather(&mut self, expected: Expected) {
        if self.fault.is_some() {
            self.fault = Some(Fault { at: self.start, expected });
        }
    }

    /// The byte there; 0, which is in no word, beyond the end.
    #[inline(always)]
    const fn byte_at(&self, at: usize) -> u8 {
        if at < self.text.len() { self.text[at] } else { 0 }
    }

    /// The byte that comes next.
    #[inline(always)]
    pub(super) const fn byte(&self) -> u8 {
        self.byte_at(self.at)
    }

    /// Whether the byte there is in a word; the end of the text is not.
    #[inline(never)]
    const fn in_word(&self, at: usize) -> bool {
        at < self.text.len() && !self.text[at].is_ascii_whitespace()
    }

    /// Goes on to the next word, if there is one and no fault.
    #[inline(never)]
    pub(super) const fn more(&mut self) -> bool {
        while self.at < self.text.len() && !self.in_word(self.at) {
            self.at += 1;
        }
        self.start = self.at;
        self.at < self.text.len() && self.fault.is_none()
    }

    /// Where the word ends that goes on here.
    #[inline(never)]
    pub(super) const fn end(&self) -> usize {
        let mut end = self.at;
        while self.in_word(end) {
            end += 1;
        }
        end
    }

    /// Takes the word here if it is one of `names`, each with a space behind it: which one, from 0.
    /// Else it stays: a number beyond.
    #[inline(never)]
    pub(super) const fn one_of(&mut self, names: &str) -> usize {
        let names = names.as_bytes();
        let (mut i, mut place, mut at) = (0, 0, self.at);
        while i < names.len() {
            if names[i] == b' ' {
                if at != usize::MAX && !self.in_word(at) {
                    self.at = at;
                    break;
                }
                (place, at) = (place + 1, self.at);
            } else if self.byte_at(at) == names[i] {
                at += 1;
            } else {
                at = usize::MAX;
            }
            i += 1;
        }
        place
    }

    /// Takes this byte, if it comes next.
    #[inline(never)]
    pub(super) const fn take(&mut self, byte: u8) -> bool {
        let comes = self.byte() == byte;
        self.at += comes as usize;
        comes
    }

    /// Digits, and if a point follows, from one to `most` decimals; zeros at their end count for nothing.
    #[inline(never)]
    const fn read_number(&mut self, most: usize) {
        // The first digit, or the first decimal once a point was read.
        let (mut first, mut point) = (self.at, false);
        (self.number, self.places) = (0, 0);
        loop {
            let digit = self.byte().wrapping_sub(b'0');
            if digit <= 9 {
                let place = self.at - first + 1;
                if !point {
                    self.multiply(10, digit as u32);
                } else if place > most {
                    self.fail_here(Expected::FewerDecimals);
                } else if digit != 0 {
                    self.widen(place);
                    self.multiply(1, digit as u32);
                }
            } else if digit == b'.'.wrapping_sub(b'0') && !point && self.at > first {
                point = true;
                first = self.at + 1;
            } else {
                break;
            }
            self.at += 1;
        }
        if self.at == first {
            self.fail_here(Expected::Digit);
        }
    }

    /// Writes the number with so many decimals.
    const fn widen(&mut self, places: usize) {
        while self.places < places {
            self.multiply(10, 0);
            self.places += 1;
        }
    }

    /// Makes the number `factor` times as large, and adds to it.
    #[inline(never)]
    const fn multiply(&mut self, factor: u32, plus: u32) {
        match times_plus(self.number, factor, plus) {
            Some(number) => self.number = number,
            None => self.fail(Expected::Smaller),
        }
    }

    /// What is wrong, if anything is, with a text that is one value: nothing may follow it.
    pub(super) const fn whole(&mut self, expected: Expected) -> Option<ParseError> {
        if self.more() {
            self.fail(expected);
        }
        match self.fault {
            Some(fault) => Some(fault.error()),
            None => None,
        }
    }

    /// A length in microseconds: digits, at most 6 decimals, one unit; whole microseconds.
    #[inline(never)]
    pub(super) const fn read_length(&mut self) {
        if !self.byte().is_ascii_digit() {
            self.fail(Expected::Length);
        }
        self.read_number(6);
        let unit = self.unit();
        let zeros = (unit & 15) as usize;
        if self.places > zeros {
            self.fail(Expected::WholeMicros);
        }
        self.multiply((unit >> 4) as u32, 0);
        self.widen(zeros);
    }

    /// An entry of a schedule: a length up to the next comma, if one follows in this word.
    pub(super) const fn read_entry(&mut self) {
        let (whole, mut end) = (self.text, self.at);
        while self.in_word(end) && self.byte_at(end) != b',' {
            end += 1;
        }
        if let Some((entry, _)) = whole.split_at_checked(end) {
            self.text = entry;
        }
        self.read_length();
        self.end_of_a_curve();
        self.text = whole;
    }

    /// Lengths of a curve end at 2^55 us: setters saturate, text refuses.
    pub(super) const fn end_of_a_curve(&mut self) {
        if self.number > LONGEST {
            self.fail(Expected::ShorterCurve);
        }
    }

    /// A unit: a factor, and in the lowest four bits how many zeros follow it.
    const fn unit(&mut self) -> u16 {
        const UNITS: [u16; 6] = [1 << 4, 1 << 4 | 3, 1 << 4 | 6, 6 << 4 | 7, 36 << 4 | 8, 864 << 4 | 8];
        let place = self.one_of("us ms s m h d ");
        if place < UNITS.len() {
            return UNITS[place];
        }
        let several = self.byte().is_ascii_lowercase() && self.byte_at(self.at + 1).is_ascii_digit();
        self.fail_here(if several { Expected::OneUnit } else { Expected::Unit });
        0
    }

    /// A decimal number up to `end`, divided by `10^shift`: in units of 2^-24.
    #[inline(never)]
    const fn read_ratio(&mut self, end: usize, shift: usize) {
        self.read_number(8 - shift);
        if self.at != end {
            self.fail_here(Expected::Digit);
        }
        self.number = Ratio::from_decimal(self.number, (self.places + shift) as u32).0 as u64;
    }

    /// A factor, to the end of the word.
    pub(super) const fn read_factor(&mut self) {
        self.read_ratio(self.end(), 0);
        self.rather(Expected::Factor);
    }

    /// A number of attempts; `unlimited` is one more than there can be.
    pub(super) const fn read_count(&mut self) {
        if self.one_of("unlimited ") == 0 {
            self.number = UNLIMITED_ATTEMPTS;
            return;
        }
        self.read_number(0);
        if self.in_word(self.at) || self.number > u32::MAX as u64 {
            self.fail(Expected::Count);
        }
        self.rather(Expected::Count);
    }

    /// So many restarts and the `/` behind them; their window follows, as a length.
    pub(super) const fn read_restarts(&mut self) -> u32 {
        self.read_number(0);
        if self.number > u32::MAX as u64 || !self.take(b'/') {
            self.fail(Expected::Intensity);
        }
        self.rather(Expected::Intensity);
        self.start = self.at;
        self.number as u32
    }

    /// A jitter: none, one or two halves of the delay, `+-20%` or `+20%`. Its share is the number.
    pub(super) const fn read_jitter(&mut self) -> Kind {
        let halves = self.one_of("none equal full ");
        self.number = halves as u64 * Ratio::HALF.0 as u64;
        match halves {
            0 => Kind::None,
            1 => Kind::Equal,
            2 => Kind::Full,
            _ => self.read_share(),
        }
    }

    const fn read_share(&mut self) -> Kind {
        let up = self.take(b'+');
        let kind = if self.take(b'-') { Kind::Proportional } else { Kind::Additive };
        let end = self.end();
        let last = end.wrapping_sub(1);
        if !up || self.byte_at(last) != b'%' {
            self.fail(Expected::Jitter);
        }
        self.read_ratio(last, 2);
        self.at = end;
        kind
    }
}
