//! What was wrong with a text, where, and what was expected there.

use crate::rule::Invalid;
use core::fmt;

/// A text of a policy or a recovery that cannot be read: the byte at which it goes wrong, and what is
/// wrong there.
///
/// `Display` is one line; [`caret`](ParseError::caret) shows the text with a caret below the place.
///
/// ```
/// use undaunted_core::Policy;
///
/// let text = "exponential 100ms cap 5x";
/// let error = Policy::parse(text).unwrap_err();
/// assert_eq!(error.at, 23);
/// assert_eq!(
///     error.caret(text).to_string(),
///     "exponential 100ms cap 5x\n                       ^ expected a unit (us, ms, s, m, h or d)"
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct ParseError {
    /// The position in bytes from the start of the text; its length when something is missing.
    pub at: usize,
    /// What is wrong there.
    pub problem: Problem,
}

/// What is wrong with a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Problem {
    /// Something else was expected.
    Expected(Expected),
    /// It reads well and breaks a rule.
    Invalid(Invalid),
}

/// What a text should have had at some place; [`Expected::text`] says it in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[expect(missing_docs, reason = "the text is the documentation")]
pub enum Expected {
    Count,
    Digit,
    Factor,
    FewerDecimals,
    Home,
    Intensity,
    Jitter,
    Length,
    Once,
    OneUnit,
    RecoveryWord,
    Room,
    Shape,
    ShorterCurve,
    Smaller,
    Step,
    Unit,
    WholeMicros,
    Word,
}

impl Expected {
    /// What was expected, in words that follow "expected".
    pub const fn text(self) -> &'static str {
        match self {
            Expected::Count => "a number up to 4294967295 or `unlimited`",
            Expected::Digit => "a digit",
            Expected::Factor => "a factor with at most 8 decimals, such as x1.5",
            Expected::FewerDecimals => "fewer decimals (6 for lengths and percentages)",
            Expected::Home => "another shape (a schedule needs a home for its delays: `parse_in`)",
            Expected::Intensity => "a number up to 65535 and a window, such as 5/1m",
            Expected::Jitter => "a jitter (full, equal, none, +-20% or +20%)",
            Expected::Length => "a length, such as 100ms or 1.5s",
            Expected::Once => "each word only once",
            Expected::OneUnit => "one unit (us, ms, s, m, h or d), so 90s and not 1m30s",
            Expected::RecoveryWord => {
                "one of x1.5, cap, floor, jitter, attempts, within, attempt_timeout, hint_ceiling, \
                 first_delay, reset_after, intensity, and +500ms for linear"
            }
            Expected::Room => "fewer delays (the home has no room for more)",
            Expected::Shape => {
                "a shape (constant, decorrelated, exponential, fibonacci, immediate, linear or schedule)"
            }
            Expected::ShorterCurve => "a length of at most 36028797018963968us (2^55)",
            Expected::Smaller => "a smaller number",
            Expected::Step => "the step of linear, such as +500ms",
            Expected::Unit => "a unit (us, ms, s, m, h or d)",
            Expected::WholeMicros => "a whole number of microseconds",
            Expected::Word => {
                "one of x1.5, cap, floor, jitter, attempts, within, attempt_timeout, hint_ceiling, \
                 first_delay, and +500ms for linear"
            }
        }
    }
}

impl ParseError {
    /// The text with a caret below the place, for people. Characters are counted, not bytes.
    pub const fn caret(self, text: &str) -> Caret<'_> {
        Caret { error: self, text }
    }

    /// Panics with the position and what was expected, after `at`. `const` formatting is by hand.
    pub(crate) const fn panic(self, at: &str) -> ! {
        let problem = match self.problem {
            Problem::Expected(expected) => expected.text(),
            Problem::Invalid(Invalid { rule, .. }) => rule.text(),
        };
        let lead = match self.problem {
            Problem::Expected(_) => ": expected ",
            Problem::Invalid(_) => ": ",
        };
        let message = Message::new().push(at).number(self.at).push(lead).push(problem);
        panic!("{}", message.text())
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Expected(expected) => write!(f, "expected {}", expected.text()),
            Problem::Invalid(invalid) => invalid.fmt(f),
        }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: {}", self.at, self.problem)
    }
}

impl core::error::Error for ParseError {}

/// A text with a caret below the place that is wrong; see [`ParseError::caret`].
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Caret<'a> {
    error: ParseError,
    text: &'a str,
}

impl fmt::Display for Caret<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // One line is shown as one line, so that the caret stands below its place.
        for character in self.text.chars() {
            write!(f, "{}", if character.is_control() { ' ' } else { character })?;
        }
        let before = self.text.char_indices().filter(|(at, _)| *at < self.error.at).count();
        write!(f, "\n{:before$}^ {}", "", self.error.problem)
    }
}

/// A line put together at compile time, for the panic of a wrong constant. The longest has 194 bytes.
struct Message {
    bytes: [u8; 256],
    length: usize,
}

impl Message {
    const fn new() -> Message {
        Message { bytes: [0; 256], length: 0 }
    }

    const fn push(mut self, text: &str) -> Message {
        let mut rest = text.as_bytes();
        while let [first, others @ ..] = rest {
            self.bytes[self.length] = *first;
            self.length += 1;
            rest = others;
        }
        self
    }

    const fn number(self, number: usize) -> Message {
        const DIGITS: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
        let shorter = if number < 10 { self } else { self.number(number / 10) };
        shorter.push(DIGITS[number % 10])
    }

    const fn text(&self) -> &str {
        match core::str::from_utf8(self.bytes.split_at(self.length).0) {
            Ok(text) => text,
            Err(_) => "the text cannot be read",
        }
    }
}
