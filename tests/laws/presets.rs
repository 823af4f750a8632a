//! The presets by their names, against a search that looks at each; and what each says, read back from its text.

use proptest::prelude::*;
use undaunted_core::Policy;
use undaunted_core::presets::{ALL, named};

use crate::generate::config;

/// Found by looking at each.
fn looked_for(name: &str) -> Option<usize> {
    ALL.iter().position(|preset| preset.name == name)
}

fn found(name: &str) -> Option<usize> {
    let preset = named(name)?;
    ALL.iter().position(|other| std::ptr::eq(other, preset))
}

proptest! {
    #![proptest_config(config())]

    /// A name is found, and no name that is nearly one: shorter, longer, or with another letter.
    #[test]
    fn a_name_is_found_exactly(
        which in 0..ALL.len(), place in any::<prop::sample::Index>(), kind in 0..4_u8, other in any::<char>(),
    ) {
        let mut name: Vec<char> = ALL[which].name.chars().collect();
        match kind {
            0 => {}
            1 => name.truncate(place.index(name.len())),
            2 => name.insert(place.index(name.len() + 1), other),
            _ => { let at = place.index(name.len()); name[at] = other; }
        }
        let name: String = name.into_iter().collect();
        prop_assert_eq!(found(&name), looked_for(&name), "{}", name);
    }
}

/// No name twice, and each preset reads back from its text.
#[test]
fn each_is_found_and_reads_back() {
    for (which, preset) in ALL.iter().enumerate() {
        assert_eq!(found(preset.name), Some(which), "{}", preset.name);
        assert_eq!(looked_for(preset.name), Some(which), "{} stands twice", preset.name);
        assert_eq!(Policy::parse(&preset.policy.to_string()), Ok(preset.policy), "{}", preset.name);
    }
}
