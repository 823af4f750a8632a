//! Reads the pieces of a policy text: words, numbers, lengths.
//!
//! The first fault sticks, and reading goes on harmlessly: nothing has to be handed up and tested on
//! the way, which halves the code on a small device. There is one loop for all vocabularies, since a
//! `match` of words compares them in code, byte by byte.

use super::error::{Expected, ParseError, Problem};
use crate::jitter::Kind;
use crate::ratio::{LONGEST, Ratio, times_plus};

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
    /// Whether a comma ends a word too.
    pub(super) in_list: bool,
    /// The last number: `digits / 10^places`.
    digits: u64,
    places: u32,
}

impl<'a> Reader<'a> {
    pub(super) const fn new(text: &'a str) -> Reader<'a> {
        let text = text.as_bytes();
        Reader { text, at: 0, start: 0, fault: None, in_list: false, digits: 0, places: 0 }
    }

    /// Notes a fault, at the start of the word. The first is the one that counts.
    #[inline(never)]
    pub(super) const fn fail(&mut self, expected: Expected) {
        self.fail_at(self.start, expected);
    }

    /// The same, where reading has come to.
    #[inline(never)]
    const fn fail_here(&mut self, expected: Expected) {
        self.fail_at(self.at, expected);
    }

    pub(super) const fn fail_at(&mut self, at: usize, expected: Expected) {
        if self.fault.is_none() {
            self.fault = Some(Fault { at, expected });
        }
    }

    /// Says better what was expected of a whole word, if reading it has failed.
    const fn rather(&mut self, expected: Expected) {
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

    /// Goes on to the next word, if there is one and no fault.
    #[inline(never)]
    pub(super) const fn more(&mut self) -> bool {
        while self.byte().is_ascii_whitespace() {
            self.at += 1;
        }
        self.start = self.at;
        self.at < self.text.len() && self.fault.is_none()
    }

    /// Where the word ends that goes on here.
    #[inline(never)]
    pub(super) const fn end(&self) -> usize {
        let mut end = self.at;
        while end < self.text.len() {
            let byte = self.text[end];
            if byte.is_ascii_whitespace() || (self.in_list && byte == b',') {
                break;
            }
            end += 1;
        }
        end
    }

    /// Takes the word here if it is one of `names`: which one, from 0. Else it stays: a number beyond.
    #[inline(never)]
    pub(super) const fn one_of(&mut self, names: &str) -> usize {
        let (names, end) = (names.as_bytes(), self.end());
        let (mut i, mut place) = (0, 0);
        while i < names.len() {
            let (mut at, mut same) = (self.at, true);
            while i < names.len() && names[i] != b' ' {
                same = same && self.byte_at(at) == names[i];
                (at, i) = (at + 1, i + 1);
            }
            if same && at == end {
                self.at = end;
                return place;
            }
            (i, place) = (i + 1, place + 1);
        }
        usize::MAX
    }

    /// Digits, and if a point follows, from one to `most` decimals; zeros at their end count for nothing.
    #[inline(never)]
    const fn number(&mut self, most: u32) {
        let (mut seen, mut whole, mut point) = (0u32, 0u32, false);
        let mut used = 0;
        self.digits = 0;
        loop {
            let digit = self.byte().wrapping_sub(b'0') as u32;
            if digit <= 9 {
                seen += 1;
                whole += !point as u32;
                if seen - whole > most {
                    self.fail_here(Expected::FewerDecimals);
                }
                // Zeros among the decimals wait for a digit behind them.
                while (digit != 0 || !point) && used < seen {
                    used += 1;
                    self.multiply(10, if used == seen { digit } else { 0 });
                }
            } else if digit == b'.'.wrapping_sub(b'0') as u32 && !point && seen > 0 {
                point = true;
            } else {
                break;
            }
            self.at += 1;
        }
        self.places = used - whole;
        if seen == 0 || (point && seen == whole) {
            self.fail_here(Expected::Digit);
        }
    }

    /// Makes the number `factor` times as large, and adds to it.
    #[inline(never)]
    const fn multiply(&mut self, factor: u32, plus: u32) {
        match times_plus(self.digits, factor, plus) {
            Some(digits) => self.digits = digits,
            None => self.fail(Expected::Smaller),
        }
    }

    /// A length in microseconds: digits, at most 6 decimals, one unit; whole microseconds. Lengths of a
    /// curve end at 2^55 us: setters saturate, text refuses.
    #[inline(never)]
    pub(super) const fn length(&mut self, of_a_curve: bool) -> u64 {
        if self.end() == self.at {
            self.fail(Expected::Length);
        }
        self.number(6);
        let unit = self.unit();
        let mut zeros = (unit & 15) as u32;
        if self.places > zeros {
            self.fail(Expected::WholeMicros);
        }
        self.multiply((unit >> 4) as u32, 0);
        while zeros > self.places {
            self.multiply(10, 0);
            zeros -= 1;
        }
        if of_a_curve && self.digits > LONGEST {
            self.fail(Expected::ShorterCurve);
        }
        self.digits
    }

    /// A unit: a factor, and in the lowest four bits how many zeros follow it.
    const fn unit(&mut self) -> u16 {
        const UNITS: [u16; 6] = [1 << 4, 1 << 4 | 3, 1 << 4 | 6, 6 << 4 | 7, 36 << 4 | 8, 864 << 4 | 8];
        let place = self.one_of("us ms s m h d");
        if place < UNITS.len() {
            return UNITS[place];
        }
        let last = self.end().wrapping_sub(1);
        let several =
            last > self.at && self.byte().is_ascii_lowercase() && self.byte_at(last).is_ascii_lowercase();
        self.fail_here(if several { Expected::OneUnit } else { Expected::Unit });
        1 << 4
    }

    /// A decimal number up to `end`, divided by `10^shift`.
    #[inline(never)]
    const fn ratio(&mut self, end: usize, shift: u32) -> Ratio {
        self.number(8 - shift);
        if self.at != end {
            self.fail_here(Expected::Digit);
        }
        Ratio::from_decimal(self.digits, self.places + shift)
    }

    /// A factor, to the end of the word.
    pub(super) const fn factor(&mut self) -> Ratio {
        let factor = self.ratio(self.end(), 0);
        self.rather(Expected::Factor);
        factor
    }

    /// A number of attempts, or `None` for `unlimited`.
    pub(super) const fn count(&mut self) -> Option<u32> {
        if self.one_of("unlimited") == 0 {
            return None;
        }
        let end = self.end();
        self.number(0);
        if self.at != end || self.digits > u32::MAX as u64 {
            self.fail(Expected::Count);
        }
        self.rather(Expected::Count);
        Some(self.digits as u32)
    }

    /// A jitter: `full`, `equal`, `none`, `+-20%` or `+20%`, as its share and kind.
    #[inline(never)]
    pub(super) const fn jitter(&mut self) -> (Ratio, Kind) {
        match self.one_of("equal full none") {
            0 => return (Ratio::HALF, Kind::Equal),
            1 => return (Ratio::ONE, Kind::Full),
            2 => return (Ratio(0), Kind::None),
            _ => {}
        }
        let end = self.end();
        let kind = if self.byte_at(self.at + 1) == b'-' { Kind::Proportional } else { Kind::Additive };
        let digits = self.at + 1 + matches!(kind, Kind::Proportional) as usize;
        if self.byte() != b'+' || digits >= end || self.byte_at(end - 1) != b'%' {
            self.fail(Expected::Jitter);
        }
        self.at = digits;
        let share = self.ratio(end.saturating_sub(1), 2);
        self.at = end;
        (share, kind)
    }
}
