//! Factors and shares as 8.24 fixed point, and the multiplications that a decision needs.

use crate::backoff::least;
use crate::time::Micros;
use core::fmt;

/// Lengths of a curve end here: 2^55 us, 1 142 years.
///
/// The bound is what lets a 64-bit register hold `length * ratio` in two products of 32 by 32 bits.
pub(crate) const LONGEST: u64 = 1 << 55;

/// A number from 0 to just under 256 in 8.24 fixed point: a growth factor or a share of a delay.
///
/// Fixed point because a decision uses no float: it must come out the same on a Cortex-M0 and on a
/// server, and NaN, infinity and minus one must not be sayable.
///
/// ```
/// use undaunted_core::Ratio;
///
/// assert_eq!(Ratio::new(3, 2).to_string(), "1.5");
/// assert_eq!(Ratio::new(1, 3).to_string(), "0.3333333"); // the shortest decimal that reads back
/// assert_eq!(Ratio::new(3, 2), Ratio::new(6, 4));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ratio(pub(crate) u32);

impl Ratio {
    pub(crate) const HALF: Ratio = Ratio(1 << 23);

    /// 1.
    pub const ONE: Ratio = Ratio(1 << 24);

    /// `numerator / denominator`, rounded to the nearest 2^-24 (halves up).
    ///
    /// Saturates just under 256; a denominator of zero saturates too, and is then out of every range
    /// that a policy accepts.
    pub const fn new(numerator: u32, denominator: u32) -> Ratio {
        if denominator == 0 {
            return Ratio(u32::MAX);
        }
        let denominator = denominator as u64;
        let bits = (((numerator as u64) << 24) + denominator / 2) / denominator;
        Ratio(if bits > u32::MAX as u64 { u32::MAX } else { bits as u32 })
    }

    /// `digits / 10^places` to the nearest 2^-24, saturating; `places` is at most 8.
    ///
    /// Eight places suffice to name every ratio: they are 10^-8 apart, ratios 6 x 10^-8.
    pub(crate) const fn from_decimal(digits: u64, places: u32) -> Ratio {
        let (mut scale, mut left) = (1u32, places);
        while left > 0 {
            scale *= 10;
            left -= 1;
        }
        let scale = scale as u64;
        if digits >= scale << 8 {
            return Ratio(u32::MAX);
        }
        // One bit more than needed, to round by. Just below 256 it rounds up to what no longer fits.
        let bits = (divide(digits * 2, scale) + 1) >> 1;
        Ratio(least(bits, u32::MAX as u64) as u32)
    }

    /// The number in units of 2^-24.
    pub const fn to_bits(self) -> u32 {
        self.0
    }

    /// `length * self`, rounded down; exact for lengths up to [`LONGEST`].
    #[inline(always)]
    pub(crate) const fn of(self, length: u64) -> u64 {
        // Full jitter comes here as 1.
        if self.0 == Ratio::ONE.0 { length } else { multiply::<24>(length, self.0, 0) }
    }

    /// `length * self`, rounded to nearest (halves up); exact for lengths up to [`LONGEST`].
    #[inline(always)]
    pub(crate) const fn nearest_of(self, length: u64) -> u64 {
        // Doubling comes here as 1.
        if self.0 == Ratio::ONE.0 { length } else { multiply::<24>(length, self.0, 1 << 23) }
    }

    /// Whether this growth factor rounds the step of some length from 1 us on to nothing: it grows by
    /// less than a half.
    pub(crate) const fn may_stand_still(self) -> bool {
        self.0 > Ratio::ONE.0 && self.0 < 3 << 23
    }

    /// `length / (1 + self)`, rounded down; exact for lengths up to [`LONGEST`].
    pub(crate) const fn room_under(self, length: u64) -> u64 {
        divide(length, (1 << 24) + self.0 as u64)
    }

    /// `length * (1 + self)`, rounded up, at most [`LONGEST`]; for lengths up to that.
    pub(crate) const fn room_over(self, length: u64) -> u64 {
        least(length + multiply::<24>(length, self.0, 0xFF_FFFF), LONGEST)
    }
}

/// `(range * random) >> 32`: one of `range` values; no range overflows.
///
/// The chance of one value differs from uniform by at most `range / 2^32`, relatively. Lemire's
/// multiplication ("Fast Random Integer Generation in an Interval", 2019) without the rejection,
/// since a draw must not loop.
#[inline(always)]
pub(crate) const fn draw_below(range: u64, random: u32) -> u64 {
    multiply::<32>(range, random, 0)
}

/// `(a * b + rounding) >> SHIFT`, where that fits; by the multiplication that the processor has.
#[inline(always)]
const fn multiply<const SHIFT: u32>(a: u64, b: u32, rounding: u64) -> u64 {
    if cfg!(target_pointer_width = "64") {
        ((a as u128 * b as u128 + rounding as u128) >> SHIFT) as u64
    } else {
        multiply_by_words::<SHIFT>(a, b, rounding)
    }
}

/// The same from products of 32 by 32 bits; the upper one is left out where it is zero, which is
/// below 71 minutes.
#[inline(always)]
const fn multiply_by_words<const SHIFT: u32>(a: u64, b: u32, rounding: u64) -> u64 {
    let low = (product(a as u32, b) + rounding) >> SHIFT;
    match (a >> 32) as u32 {
        0 => low,
        high => low + (product(high, b) << (32 - SHIFT)),
    }
}

/// `a * b`. A Cortex-M0 has no multiplication with a result of 64 bits, and its run-time library
/// multiplies 64 by 64, where half of that will do. (Having no atomics is how it is told apart.)
#[inline(always)]
const fn product(a: u32, b: u32) -> u64 {
    if cfg!(all(target_arch = "arm", not(target_has_atomic = "32"))) {
        product_by_halves(a, b)
    } else {
        a as u64 * b as u64
    }
}

/// The same from four products of 16 by 16 bits. Out of line, where the compiler does not turn it
/// back into the multiplication that it replaces.
#[inline(never)]
const fn product_by_halves(a: u32, b: u32) -> u64 {
    let (a_high, a_low) = (a >> 16, a & 0xFFFF);
    let (b_high, b_low) = (b >> 16, b & 0xFFFF);
    let outer = ((a_high * b_high) as u64) << 32 | (a_low * b_low) as u64;
    outer + (((a_high * b_low) as u64) << 16) + (((a_low * b_high) as u64) << 16)
}

/// `dividend * 2^24 / divisor`, for divisors below 2^63 and quotients below 2^64.
///
/// Bit by bit, since this is for what happens once a policy: the helper for a 64-bit division is large
/// on a small device, and the language links a panic for a divisor of zero. Bits of the dividend leave
/// at the top as those of the quotient come in below.
#[inline(never)]
pub(crate) const fn divide(dividend: u64, divisor: u64) -> u64 {
    let (mut bits, mut rest, mut left) = (dividend, 0, 64 + 24);
    while left > 0 {
        (rest, bits) = ((rest << 1) | (bits >> 63), bits << 1);
        if rest >= divisor {
            (rest, bits) = (rest - divisor, bits | 1);
        }
        left -= 1;
    }
    bits
}

/// `a * b + plus`, if it fits.
pub(crate) const fn times_plus(a: u64, b: u32, plus: u32) -> Option<u64> {
    let low = product(a as u32, b) + plus as u64;
    let high = product((a >> 32) as u32, b) + (low >> 32);
    if high >> 32 == 0 { Some((high << 32) | (low & 0xFFFF_FFFF)) } else { None }
}

/// A decimal fraction for `Display`: the shortest one that reads back as the same bits.
///
/// `shift` moves the point to the right: 2 writes a share as a percentage.
pub(crate) struct Decimal {
    pub(crate) ratio: Ratio,
    pub(crate) shift: u32,
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut places, mut scale) = (self.shift, if self.shift == 0 { 1u64 } else { 100 });
        let digits = loop {
            let digits = (self.ratio.0 as u64 * scale + (1 << 23)) >> 24;
            if places == 8 || Ratio::from_decimal(digits, places) == self.ratio {
                break digits;
            }
            places += 1;
            scale *= 10;
        };
        let width = (places - self.shift) as usize;
        let unit = 10u64.pow(width as u32);
        match width {
            0 => write!(f, "{digits}"),
            _ => write!(f, "{}.{:0width$}", digits / unit, digits % unit),
        }
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Decimal { ratio: *self, shift: 0 }.fmt(f)
    }
}

impl Micros {
    /// This length, at most [`LONGEST`]: what a setter makes of a length of a curve.
    pub(crate) const fn of_a_curve(self) -> Micros {
        self.least(Micros(LONGEST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    extern crate std;
    use std::string::ToString;

    #[test]
    fn scaling_is_exact_up_to_the_longest_length() {
        let lengths = [0, 1, 2, 49, 50, (1 << 24) - 1, 1 << 24, (1 << 32) - 1, 1 << 32, LONGEST - 1, LONGEST];
        for length in lengths {
            for bits in [0, 1, 1 << 23, (1 << 24) - 1, 1 << 24, 16_944_988, 3 << 23, 255 << 24, u32::MAX] {
                let exact = length as u128 * bits as u128;
                let ratio = Ratio(bits);
                assert_eq!(ratio.of(length) as u128, exact >> 24, "{length} x {bits}");
                assert_eq!(ratio.nearest_of(length) as u128, (exact + (1 << 23)) >> 24, "{length} x {bits}");
                let under = (length as u128) << 24;
                assert_eq!(ratio.room_under(length) as u128, under / ((1 << 24) + bits as u128));
                let over = (length as u128 + exact.div_ceil(1 << 24)).min(LONGEST as u128);
                assert_eq!(ratio.room_over(length) as u128, over, "{length} x {bits}");
            }
        }
    }

    /// The processors that this test does not run on take other roads to the same numbers.
    #[test]
    fn every_multiplication_is_the_same() {
        let words = [0, 1, 2, 0xFFFF, 0x1_0000, 0x1_0001, 0xFFFE_FFFF, 0xFFFF_0000, u32::MAX - 1, u32::MAX];
        let some = (0..1_000u32).map(|i| i.wrapping_mul(0x9E37_79B9) ^ i);
        for a in some.chain(words) {
            for b in words.into_iter().chain([a.rotate_left(7), 1 << 23, 16_944_988]) {
                assert_eq!(product_by_halves(a, b), a as u64 * b as u64, "{a} x {b}");
                for length in [a as u64, (b as u64 >> 9) << 32 | a as u64, LONGEST] {
                    let by_words = multiply_by_words::<24>(length, b, 1 << 23);
                    assert_eq!(by_words, multiply::<24>(length, b, 1 << 23), "{length} x {b}");
                    assert_eq!(multiply_by_words::<32>(length, b, 0), multiply::<32>(length, b, 0));
                }
            }
        }
    }

    #[test]
    fn the_slow_division_and_the_checked_product_are_exact() {
        let numbers =
            [0, 1, 9, 10, 999, (1 << 24) + 7, 1 << 32, LONGEST, u64::MAX / 10, u64::MAX - 1, u64::MAX];
        for a in numbers {
            for divisor in [1 << 24, 100_000_000, (1 << 32) + 3, (1 << 63) - 1] {
                let (exact, by) = ((a as u128) << 24, divisor as u128);
                assert_eq!(divide(a, divisor) as u128, exact / by, "{a} / {divisor}");
            }
            for divisor in [1, 2, 10] {
                let exact = ((a & 0xFF_FFFF) as u128) << 24;
                assert_eq!(divide(a & 0xFF_FFFF, divisor) as u128, exact / divisor as u128);
            }
            for b in [0, 1, 10, 864, u32::MAX] {
                for plus in [0, 1, 9, u32::MAX] {
                    let exact = a.checked_mul(b as u64).and_then(|product| product.checked_add(plus as u64));
                    assert_eq!(times_plus(a, b, plus), exact, "{a} x {b} + {plus}");
                }
            }
        }
    }

    #[test]
    fn a_draw_covers_its_range_exactly() {
        for range in [1, 2, 3, (1 << 32) - 1, 1 << 32, (1 << 32) + 1, LONGEST + 1] {
            for random in [0, 1, u32::MAX / 2, u32::MAX - 1, u32::MAX] {
                let exact = (range as u128 * random as u128) >> 32;
                assert_eq!(draw_below(range, random) as u128, exact);
                assert!(draw_below(range, random) < range);
            }
        }
    }

    #[test]
    fn every_displayed_ratio_reads_back() {
        let some = (0..2_000u32).map(|i| i.wrapping_mul(2_147_483) ^ (i << 20));
        for bits in some.chain([1, 2, 16_944_988, 1 << 24, 255 << 24, u32::MAX]) {
            let text = Ratio(bits).to_string();
            let (whole, part) = text.split_once('.').unwrap_or((&text, ""));
            let digits = std::format!("{whole}{part}").parse().unwrap();
            assert_eq!(Ratio::from_decimal(digits, part.len() as u32), Ratio(bits), "{text}");
        }
        assert_eq!(Decimal { ratio: Ratio::new(1, 5), shift: 2 }.to_string(), "20");
        assert_eq!(Decimal { ratio: Ratio::new(1, 8), shift: 2 }.to_string(), "12.5");
    }
}
