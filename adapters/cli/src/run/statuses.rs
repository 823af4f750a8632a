//! Which exit statuses are tried again.

use crate::failure::Failure;
use nix::sys::signal::Signal;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// A list of statuses: `75`, `100-110`, `SIGSEGV`, `signals`, separated by commas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Statuses(Vec<Kind>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    AnySignal,
    Exit(RangeInclusive<i32>),
    Signal(i32),
}

impl Statuses {
    /// Whether the failure is one of these. A death by signal N is 128 + N too, as in a shell.
    pub(crate) fn have(&self, failure: &Failure) -> bool {
        self.0.iter().any(|kind| match (kind, failure) {
            (Kind::AnySignal, Failure::Signal(_)) => true,
            (Kind::Exit(range), Failure::Exit(_) | Failure::Signal(_)) => range.contains(&failure.code()),
            (Kind::Signal(signal), Failure::Signal(found)) => signal == found,
            _ => false,
        })
    }
}

impl FromStr for Statuses {
    type Err = String;

    fn from_str(text: &str) -> Result<Statuses, String> {
        text.split(',').map(|word| kind(word.trim())).collect::<Result<_, _>>().map(Statuses)
    }
}

fn kind(word: &str) -> Result<Kind, String> {
    let number = |text: &str| match text.trim().parse() {
        Ok(number @ 1..=255) => Ok(number),
        _ => Err(format!(
            "{text:?} is no exit status: expected numbers from 1 to 255, ranges such as 100-110, \
             names of signals such as SIGSEGV, or `signals`, separated by commas"
        )),
    };
    if word == "signals" {
        return Ok(Kind::AnySignal);
    }
    if let Ok(signal) = Signal::from_str(word) {
        return Ok(Kind::Signal(signal as i32));
    }
    let Some((first, last)) = word.split_once('-') else {
        return number(word).map(|number| Kind::Exit(number..=number));
    };
    match (number(first)?, number(last)?) {
        (first, last) if first <= last => Ok(Kind::Exit(first..=last)),
        (first, last) => Err(format!("the range {first}-{last} is empty: expected {last}-{first}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_numbers_ranges_and_signals() {
        let list: Statuses = "75, 100-110,SIGSEGV".parse().unwrap();
        for (failure, has) in [
            (Failure::Exit(75), true),
            (Failure::Exit(76), false),
            (Failure::Exit(100), true),
            (Failure::Exit(110), true),
            (Failure::Exit(111), false),
            (Failure::Signal(11), true),
            (Failure::Exit(139), false),
            (Failure::Signal(9), false),
        ] {
            assert_eq!(list.have(&failure), has, "{failure}");
        }
        let list: Statuses = "137,signals".parse().unwrap();
        assert!(
            list.have(&Failure::Signal(9))
                && list.have(&Failure::Exit(137))
                && list.have(&Failure::Signal(1))
        );
    }

    #[test]
    fn what_is_no_status_is_refused() {
        for text in ["", "0", "256", "1,,2", "5-", "9-3", "SIGNOPE", "one", "-1"] {
            assert!(text.parse::<Statuses>().is_err(), "{text:?}");
        }
    }
}
