//! Law 11. Same policy, same seed, same schedule; and consecutive seeds are as good as any.

use proptest::prelude::*;
use undaunted_core::{Instant, Retry, Rng};
use undaunted_tests::draws::Draws;
use undaunted_tests::script::Report;

use crate::generate::{Pair, both, config, failure, length, sound};

/// Consecutive seeds of a fleet, as many as the law says.
const FLEET: u64 = 10_000;
/// From where the seeds count up: the beginning, serial numbers, across 32 bits, and high bits set.
const BASES: [u64; 4] = [0, 1_000_000, (1 << 32) - 5_000, 0xdead_beef_0000_0000];
/// 255 degrees of freedom, p = 0.001.
const CRITICAL_TENTHS: u64 = 3_305;

proptest! {
    #![proptest_config(config())]

    #[test]
    fn same_policy_same_seed_same_schedule(
        said in sound(), seed in any::<u64>(), start in length(),
        events in prop::collection::vec((failure(), length()), 1..20),
    ) {
        let (policy, twin) = both(said);
        let (mut here, mut there) = (Rng::seeded(seed), Rng::seeded(seed));
        let mut pair = Pair::start(&policy, &twin, start, u64::MAX);
        let mut other = Retry::start(&policy, Instant::from_micros(start));
        for &(outcome, now) in &events {
            let verdict = pair.next(Report { outcome, now, random: here.draw() });
            prop_assert_eq!(other.next(&policy, outcome, Instant::from_micros(now), there.draw()), verdict);
        }
    }

    /// The generator as its documentation writes it down.
    #[test]
    fn the_generator_is_the_one_that_is_written_down(seed in prop_oneof![any::<u64>(), length()]) {
        let mut rng = Rng::seeded(seed);
        for expected in written_down(seed, 8) {
            prop_assert_eq!(rng.draw(), expected);
        }
    }
}

pub(crate) fn written_down(seed: u64, draws: usize) -> Vec<u32> {
    let mut twin = Draws::seeded(seed);
    (0..draws).map(|_| twin.draw()).collect()
}

/// Worked out from the documentation with another language's big integers.
#[test]
fn test_vectors() {
    let vectors: [(u64, [u32; 4]); 7] = [
        (0, [0x6462_5032, 0xd9c0_799c, 0xaf36_2e10, 0x7fa8_8912]),
        (1, [0x5e2d_1772, 0x14e4_98f0, 0xd20e_a1fd, 0xb382_f339]),
        (0x1234, [0xf268_2ece, 0x5bc3_e2ec, 0xf8ed_db5a, 0xda3c_4d4d]),
        (0xffff_ffff, [0xeb72_1c8a, 0xffe8_bd34, 0x4da2_a8ce, 0xa4a5_cc85]),
        (0x1_0000_0000, [0xc6bb_451b, 0x6e0c_f9f4, 0x9871_1902, 0xf274_a551]),
        (0xdead_beef_cafe_f00d, [0x1967_a3d0, 0x33ed_08ad, 0x72dd_89da, 0x3cb4_656f]),
        (u64::MAX, [0x8ed2_3b3f, 0x9d2d_6bf8, 0xb90e_b62c, 0x3f7e_b104]),
    ];
    for (seed, draws) in vectors {
        let mut rng = Rng::seeded(seed);
        assert_eq!([rng.draw(), rng.draw(), rng.draw(), rng.draw()], draws, "seed {seed:#x}");
    }
}

/// The first sixteen draws of each generator of a fleet.
fn draws_of(generators: impl Iterator<Item = Rng>) -> Vec<[u32; 16]> {
    generators.map(|mut rng| std::array::from_fn(|_| rng.draw())).collect()
}

fn fleet(base: u64) -> Vec<[u32; 16]> {
    draws_of((base..base + FLEET).map(Rng::seeded))
}

/// A fleet by ids of 96 bits whose lot and wafer are alike, at either end of the id and as text; and one device
/// at its first starts.
fn fleets_of_ids() -> [Vec<[u32; 16]>; 4] {
    let low = |n: u32| Rng::from_id(&[n.to_le_bytes(), *b"LOT7", *b"WAF3"].concat());
    let high = |n: u32| Rng::from_id(&[*b"LOT7", *b"WAF3", n.to_be_bytes()].concat());
    let text = |n: u32| Rng::from_id(format!("SN-2026-{n:06}").as_bytes());
    let boots = |n: u32| Rng::from_id(b"LOT7WAF3\0\0\0\x01").and(n);
    let fleet = 0..FLEET as u32;
    [
        draws_of(fleet.clone().map(low)),
        draws_of(fleet.clone().map(high)),
        draws_of(fleet.clone().map(text)),
        draws_of(fleet.map(boots)),
    ]
}

#[test]
fn the_draws_of_consecutive_seeds_fill_256_cells_evenly() {
    for base in BASES {
        assert_even(&fleet(base), &format!("base {base:#x}"));
    }
}

/// chi-square = sum n^2 * 256 / N - N, in tenths.
fn assert_even(fleet: &[[u32; 16]], place: &str) {
    for k in 0..16 {
        let mut cells = [0_u64; 256];
        fleet.iter().for_each(|draws| cells[(draws[k] >> 24) as usize] += 1);
        let squares: u64 = cells.iter().map(|n| n * n).sum();
        let tenths = squares * 2_560 / FLEET - 10 * FLEET;
        assert!(tenths < CRITICAL_TENTHS, "{place}, draw {}: {tenths} tenths", k + 1);
    }
}

/// What holds for consecutive serial numbers holds for ids, and for the starts of one device.
#[test]
fn ids_and_starts_are_as_good_as_serial_numbers() {
    for (n, fleet) in fleets_of_ids().iter().enumerate() {
        assert_even(fleet, &format!("fleet {n}"));
        for k in 0..16 {
            let pairs: Vec<_> = fleet.windows(2).map(|two| (two[0][k], two[1][k])).collect();
            assert_uncorrelated(&pairs, &format!("fleet {n}, draw {}", k + 1));
        }
    }
}

/// Neighbours in seed, at the same draw: |r| < 0.05.
#[test]
fn neighbouring_seeds_are_uncorrelated() {
    for base in BASES {
        let fleet = fleet(base);
        for k in 0..16 {
            let pairs: Vec<_> = fleet.windows(2).map(|two| (two[0][k], two[1][k])).collect();
            assert_uncorrelated(&pairs, &format!("base {base:#x}, draw {}", k + 1));
        }
    }
}

/// Neighbours in time, one seed's draw and its next.
#[test]
fn neighbouring_draws_are_uncorrelated() {
    for base in BASES {
        let fleet = fleet(base);
        for k in 0..15 {
            let pairs: Vec<_> = fleet.iter().map(|draws| (draws[k], draws[k + 1])).collect();
            assert_uncorrelated(&pairs, &format!("base {base:#x}, draws {} and {}", k + 1, k + 2));
        }
    }
}

/// Pearson's r below 0.05 either way, in whole numbers: 400 covariance^2 < variance * variance.
fn assert_uncorrelated(pairs: &[(u32, u32)], place: &str) {
    let n = pairs.len() as i128;
    // The upper 16 bits are enough, and keep the squares inside 128 bits.
    let high = |&(a, b): &(u32, u32)| (i128::from(a >> 16), i128::from(b >> 16));
    let (mut a, mut b, mut aa, mut bb, mut ab) = (0, 0, 0, 0, 0);
    for (x, y) in pairs.iter().map(high) {
        (a, b, aa, bb, ab) = (a + x, b + y, aa + x * x, bb + y * y, ab + x * y);
    }
    let (covariance, first, second) = (n * ab - a * b, n * aa - a * a, n * bb - b * b);
    assert!(
        400 * covariance * covariance < first * second,
        "{place}: r^2 = {covariance}^2 / ({first} * {second})"
    );
}
