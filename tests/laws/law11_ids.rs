//! Law 11. A generator from a device's id, as the documentation of `from_id` writes it down.

use proptest::prelude::*;
use undaunted_core::Rng;
use undaunted_tests::draws::Draws;

use crate::generate::{config, random};

/// The next draw of the generator in that state. A seed below 2^32 is the state.
fn mixed(state: u32, word: u32) -> u32 {
    Draws::seeded(u64::from(state ^ word)).draw()
}

/// The bytes four at a time, the first the lowest, with zeros behind the last; then their number.
fn state_from(id: &[u8]) -> u32 {
    let mut padded = id.to_vec();
    while !padded.len().is_multiple_of(4) {
        padded.push(0);
    }
    let words = (0..padded.len())
        .step_by(4)
        .map(|at| (0..4).map(|place| u32::from(padded[at + place]) * 256_u32.pow(place as u32)).sum());
    mixed(words.fold(0, mixed), id.len() as u32)
}

fn assert_draws(mut rng: Rng, state: u32, place: &dyn std::fmt::Debug) {
    let mut twin = Draws::seeded(u64::from(state));
    for n in 0..4 {
        assert_eq!(rng.draw(), twin.draw(), "draw {n} of {place:?}");
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn an_id_of_any_length_is_the_twins(
        id in prop::collection::vec(any::<u8>(), 0..20), words in prop::collection::vec(random(), 0..3),
    ) {
        let rng = words.iter().fold(Rng::from_id(&id), |rng, &word| rng.and(word));
        let state = words.iter().fold(state_from(&id), |state, &word| mixed(state, word));
        assert_draws(rng, state, &(&id, &words));
    }

    /// All bytes count: one that differs is another generator, always.
    #[test]
    fn another_byte_is_another_generator(
        id in prop::collection::vec(any::<u8>(), 1..20), place in any::<prop::sample::Index>(), other in 1..=255_u8,
    ) {
        let mut changed = id.clone();
        changed[place.index(id.len())] ^= other;
        prop_assert_ne!(Rng::from_id(&id), Rng::from_id(&changed), "{:?} {:?}", id, changed);
    }
}

/// Each length of a last word, by this Python with its big integers:
///
/// ```text
/// def draw(s):
///     s = (s + 0x9E3779B9) % 2**32
///     z = (s ^ s >> 16) * 0x21F0AAAD % 2**32
///     z = (z ^ z >> 15) * 0x735A2D97 % 2**32
///     return s, z ^ z >> 15
/// def state(id):
///     s = 0
///     for i in range(0, len(id), 4): s = draw(s ^ int.from_bytes(id[i:i+4], 'little'))[1]
///     return draw(s ^ len(id))[1]
/// draw(state(id))[1]
/// ```
#[test]
fn first_draws_by_hand() {
    for (id, expected) in [
        (b"" as &[u8], 0xc9cc_980c),
        (b"7", 0x0e13_e015),
        (b"7F", 0xb6d1_8276),
        (b"7F3", 0xac9d_79f1),
        (b"7F3A", 0x5e44_6148),
        (b"7F3A9", 0xa0d5_18c3),
        (b"7F3A9C", 0xa85a_004a),
        (b"7F3A9C2", 0x765f_9f02),
    ] {
        assert_eq!(Rng::from_id(id).draw(), expected, "{id:?}");
    }
}
