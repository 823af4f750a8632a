//! Policies that are in use elsewhere, by name: the numbers of node agents, cluster tools and device
//! clients, each with its worst case.
//!
//! A preset is a constant, so a program pays only for those that it names; [`ALL`] and [`named`] serve
//! tools that take the name at run time.
//!
//! ```
//! use undaunted_core::{Policy, presets};
//!
//! const WRITE: &Policy = &presets::clusterctl::WRITE_2026;
//! assert_eq!(WRITE.to_string(), "exponential 500ms x1.5 cap 61s jitter +40% attempts 13");
//! assert_eq!(WRITE.worst_case().readable().to_string(), "3 min");
//!
//! let preset = presets::named("clusterctl.write.2026").unwrap();
//! assert_eq!(preset.policy, *WRITE);
//! ```
//!
//! # What is kept, and what is not
//! * The numbers are kept: the attempts, and the shortest and longest sum of the waits, to a millisecond.
//! * Attempts are calls and no wait follows the last one, also where the original slept once more.
//! * Every preset says its cap. Most originals have none; there it is the longest wait, rounded up, and
//!   cuts nothing. Kubernetes adds its jitter above the cap and this library below it, so an original
//!   cap `c` with jitter `p` is `c * (1 + p)` here.
//! * An original that does not do what its own text says is corrected, and the preset says what was wrong.
//!
//! # Polls
//! A preset that waits for a condition is a poll: for `tokio::poll` or `thread::poll`, with `.fixed_rate()` where
//! [`Preset::fixed_rate`] says so.
//! * An original that begins with a wait has it as `first_delay`, and its limit less that wait as `within`,
//!   since `within` counts from the first probe: the last probe comes strictly before the original's limit.
//! * A wait that would end at the limit is not begun. Ours therefore gives up after the last probe, where the
//!   original idles until its limit.
//! * A probe that lasts makes the grid skip, so there are never more probes than are said.

mod table;

pub use table::*;

use crate::plan::Climb;
use crate::policy::{Policy, UNLIMITED};
use crate::time::Micros;

/// A policy that is in use elsewhere.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Preset {
    /// As [`named`] takes it: `clusterctl.write.2026`.
    pub name: &'static str,
    /// The numbers.
    pub policy: Policy,
    /// Whether it is a poll whose intervals count from the beginning of a probe, not from its end.
    pub fixed_rate: bool,
    /// What it is for, and where it differs from its original.
    pub about: &'static str,
    /// The project and the file, with the version where it matters.
    pub source: &'static str,
}

/// The preset of that name, exactly as written.
///
/// ```
/// use undaunted_core::presets::named;
///
/// assert_eq!(named("cni.linkbymac.2019").unwrap().policy.settings().attempts, Some(5));
/// assert!(named("cni.linkbymac").is_none());
/// ```
pub fn named(name: &str) -> Option<&'static Preset> {
    let index = ALL.binary_search_by(|preset| preset.name.cmp(name)).ok()?;
    ALL.get(index)
}

/// Makes of each row a documented constant in its module and an entry of [`ALL`], so that a name, its
/// text and its numbers are said once. What a retry `waits` in all, and how often a poll at a `fixed_rate` or
/// with a `fixed_gap` asks at most, is documentation, checked as it compiles.
macro_rules! rows {
    ($(
        $(#[$attribute:meta])*
        $visibility:vis mod $module:ident {
            $(
                $constant:ident = $name:literal: $text:literal, $kind:ident [$($most:tt)+]
                $about:literal
                $source:literal
            )+
        }
    )+) => {
        $(
            $(#[$attribute])*
            $visibility mod $module {
                $(
                    #[doc = $about]
                    ///
                    #[doc = concat!("`", $text, "`")]
                    ///
                    #[doc = concat!($crate::presets::in_words!($kind $($most)+), ".")]
                    #[doc = concat!("Name: `", $name, "`. Source: ", $source, ".")]
                    pub const $constant: $crate::Policy = $crate::Policy::parse_const($text);
                    const _: () = assert!(
                        $crate::presets::holds!($constant $kind $($most)+),
                        concat!($name, " does not wait as long or ask as often as it says"),
                    );
                )+
            }
        )+

        /// Every preset, sorted by name.
        pub static ALL: &[$crate::presets::Preset] = &[$($($crate::presets::Preset {
            name: $name,
            policy: $module::$constant,
            fixed_rate: $crate::presets::is_fixed_rate!($kind),
            about: $about,
            source: $source,
        },)+)+];
    };
}

macro_rules! in_words {
    (waits ever) => {
        "Waits in all: as long as it takes"
    };
    (waits $exactly:literal) => {
        concat!("Waits in all: ", $exactly)
    };
    (waits $least:literal to $most:literal) => {
        concat!("Waits in all: ", $least, " to ", $most)
    };
    (fixed_rate $probes:literal) => {
        concat!("A poll at a fixed rate, of at most ", $probes, " probes")
    };
    (fixed_gap ever) => {
        "A poll with a fixed gap, for as long as it takes"
    };
}

macro_rules! is_fixed_rate {
    (fixed_rate) => {
        true
    };
    ($other:ident) => {
        false
    };
}

macro_rules! holds {
    ($policy:ident waits $($lengths:tt)+) => {
        $crate::presets::waits(&$policy, $crate::presets::in_lengths!($($lengths)+))
    };
    ($policy:ident fixed_rate $probes:literal) => {
        $crate::presets::probes(&$policy) == $probes
    };
    ($policy:ident fixed_gap ever) => {
        $crate::presets::probes(&$policy) == u64::MAX
    };
}

/// The shortest and the longest sum; `hint_ceiling` is the word that takes any length.
macro_rules! in_lengths {
    (ever) => { ($crate::Micros::MAX, $crate::Micros::MAX) };
    ($exactly:literal) => { $crate::presets::in_lengths!($exactly to $exactly) };
    ($least:literal to $most:literal) => {(
        $crate::Policy::parse_const(concat!("immediate hint_ceiling ", $least)).settings().hint_ceiling,
        $crate::Policy::parse_const(concat!("immediate hint_ceiling ", $most)).settings().hint_ceiling,
    )};
}

use {holds, in_lengths, in_words, is_fixed_rate, rows};

/// Whether the shortest and the longest sum of a policy's waits are these, to a millisecond.
const fn waits(policy: &Policy, (least, most): (Micros, Micros)) -> bool {
    let near = Micros::from_millis(1).as_micros();
    least.as_micros().abs_diff(shortest(policy).as_micros()) <= near
        && most.as_micros().abs_diff(policy.worst_case().as_micros()) <= near
}

/// As [`Policy::worst_case`], of the shortest waits; presets have few attempts.
const fn shortest(policy: &Policy) -> Micros {
    if policy.waits == UNLIMITED {
        return Micros::MAX;
    }
    let (mut climb, mut sum) = (Climb::start(policy), Micros::ZERO);
    while climb.attempt <= policy.waits {
        sum = sum.saturating_add(climb.range(policy).0);
        climb.advance(policy);
    }
    sum
}

/// How often a poll without jitter and without a limit of attempts asks, if its probes take no time.
const fn probes(policy: &Policy) -> u64 {
    let (interval, longest) = Climb::start(policy).range(policy);
    assert!(policy.waits == UNLIMITED && interval.as_micros() == longest.as_micros());
    match policy.within {
        u64::MAX => u64::MAX,
        within => within.div_ceil(interval.as_micros()),
    }
}

const _: () = assert!(sorted(ALL), "presets must be sorted by name");

const fn sorted(presets: &[Preset]) -> bool {
    let mut rest = presets;
    while let [first, others @ ..] = rest {
        match others {
            [second, ..] if !comes_before(first.name.as_bytes(), second.name.as_bytes()) => return false,
            _ => rest = others,
        }
    }
    true
}

/// `const` spelling of `a < b`.
const fn comes_before(a: &[u8], b: &[u8]) -> bool {
    match (a, b) {
        ([x, xs @ ..], [y, ys @ ..]) => *x < *y || (*x == *y && comes_before(xs, ys)),
        (a, b) => a.is_empty() && !b.is_empty(),
    }
}

/// What is checked as the presets compile: each check sees what is wrong.
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_waits_are_compared_to_a_millisecond() {
        // Two waits, each of 1 s to 2 s.
        let policy = Policy::parse_const("constant 2s jitter equal attempts 3");
        let says = |least, most| waits(&policy, (Micros(least), Micros(most)));
        assert!(says(2_000_000, 4_000_000));
        assert!(says(1_999_000, 4_001_000) && says(2_001_000, 3_999_000));
        for wrong in [1_998_999, 2_001_001] {
            assert!(!says(wrong, 4_000_000), "{wrong}");
        }
        for wrong in [3_998_999, 4_001_001] {
            assert!(!says(2_000_000, wrong), "{wrong}");
        }
    }

    #[test]
    fn presets_are_sorted_where_each_name_comes_before_the_next() {
        let presets = |names: [&'static str; 3]| names.map(|name| Preset { name, ..ALL[0] });
        assert!(sorted(&[]) && sorted(&ALL[..1]));
        assert!(sorted(&presets(["a", "ab", "b"])));
        for wrong in
            [["a", "a", "b"], ["a", "b", "ab"], ["ab", "a", "b"], ["ab", "aa", "b"], ["b", "aa", "c"]]
        {
            assert!(!sorted(&presets(wrong)), "{wrong:?}");
        }
    }
}
