//! Where a length stands between nothing and the longest: linear, or logarithmic when they differ too much.

use undaunted::{Micros, Step};

/// A longest wait that is this many times the shortest one asks for a logarithmic scale.
const WIDE: u64 = 40;

/// Where a decade begins, as people say it: 1 us, 10 us ... 10 s, 1 min, 10 min, 1 h, 10 h, 1 d ...
const SECOND: u64 = 1_000_000;
const DAY: u64 = 86_400 * SECOND;
const DECADES: [u64; 18] = [
    1,
    10,
    100,
    1_000,
    10_000,
    100_000,
    SECOND,
    10 * SECOND,
    60 * SECOND,
    600 * SECOND,
    3_600 * SECOND,
    36_000 * SECOND,
    DAY,
    10 * DAY,
    100 * DAY,
    1_000 * DAY,
    10_000 * DAY,
    100_000 * DAY,
];

/// What divides a minute, an hour and a day, in seconds; below and above people count in tens.
const CLOCK: [u64; 12] = [15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 21_600, 43_200];

/// Maps lengths to shares of a line.
#[derive(Debug)]
pub(super) struct Scale {
    /// Where a logarithmic scale begins; zero for a linear one.
    low: u64,
    high: u64,
}

impl Scale {
    /// The scale of these waits.
    pub(super) fn of(rows: &[Step]) -> Scale {
        let most = rows.iter().map(|step| step.max.as_micros());
        let high = most.clone().max().unwrap_or(1).max(1);
        let shortest = most.filter(|wait| *wait > 0).min().unwrap_or(high);
        let low = if high / shortest < WIDE { 0 } else { decade(lowest(rows)) };
        Scale { low, high }
    }

    pub(super) fn linear(high: Micros) -> Scale {
        Scale { low: 0, high: high.as_micros().max(1) }
    }

    pub(super) fn name(&self) -> &'static str {
        if self.low == 0 { "linear" } else { "logarithmic" }
    }

    pub(super) fn high(&self) -> Micros {
        Micros::new(self.high)
    }

    /// Whether a length is on the scale, and not below its beginning.
    pub(super) fn reaches(&self, length: Micros) -> bool {
        length.as_micros() >= self.low
    }

    /// From 0 to 1.
    pub(super) fn share(&self, length: Micros) -> f64 {
        let x = length.as_micros().clamp(self.low, self.high) as f64;
        let (low, high) = (self.low as f64, self.high as f64);
        if self.low == 0 { x / high } else { (x / low).ln() / (high / low).ln() }
    }

    /// Quarters of a linear scale, decades of a logarithmic one; without the end.
    pub(super) fn ticks(&self) -> Vec<Micros> {
        match self.low {
            0 => (0..4).map(|quarter| Micros::new(self.high / 4 * quarter)).collect(),
            low => DECADES.iter().filter(|x| (low..self.high).contains(x)).map(|x| Micros::new(*x)).collect(),
        }
    }

    /// As [`ticks`](Scale::ticks), a linear scale at lengths that people count by: up to seven of them.
    pub(super) fn round_ticks(&self) -> Vec<Micros> {
        if self.low > 0 {
            return self.ticks();
        }
        let tens = |unit| (0..6).flat_map(move |power| [1, 2, 5].map(|part| part * unit * 10_u64.pow(power)));
        let below = tens(1).chain(tens(SECOND).take(5));
        let mut steps: Vec<u64> = below.chain(CLOCK.map(|part| part * SECOND)).chain(tens(DAY)).collect();
        steps.sort_unstable();
        let step = steps.into_iter().find(|step| self.high / step < 7).unwrap_or(self.high);
        (0..=self.high / step).map(|count| Micros::new(count * step)).collect()
    }
}

/// The shortest length above zero that is to be drawn. Where the jitter begins at zero that is a mean.
fn lowest(rows: &[Step]) -> u64 {
    let lengths = rows.iter().flat_map(|step| [step.min, step.mean, step.max]);
    lengths.map(Micros::as_micros).filter(|length| *length > 0).min().unwrap_or(1)
}

fn decade(length: u64) -> u64 {
    DECADES.into_iter().rev().find(|x| *x <= length).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_ticks_are_what_people_count_by() {
        let ticks = |high: u64| {
            let ticks = Scale::linear(Micros::new(high)).round_ticks();
            ticks.into_iter().map(Micros::as_micros).collect::<Vec<_>>()
        };
        assert_eq!(ticks(150_000), [0, 50_000, 100_000, 150_000]);
        assert_eq!(ticks(100 * SECOND), [0, 15, 30, 45, 60, 75, 90].map(|x| x * SECOND));
        assert_eq!(ticks(7_200 * SECOND), [0, 1_800, 3_600, 5_400, 7_200].map(|x| x * SECOND));
        assert_eq!(ticks(5), [0, 1, 2, 3, 4, 5]);
        // At most seven: 0 to 7 would be eight.
        assert_eq!(ticks(7), [0, 2, 4, 6]);
        assert_eq!(ticks(SECOND), [0, 200_000, 400_000, 600_000, 800_000, SECOND]);
        assert_eq!(ticks(6_500_000), [0, 1, 2, 3, 4, 5, 6].map(|x| x * SECOND));
        assert_eq!(ticks(130 * SECOND), [0, 20, 40, 60, 80, 100, 120].map(|x| x * SECOND));
        assert_eq!(ticks(10 * 3_600 * SECOND), [0, 2, 4, 6, 8, 10].map(|x| x * 3_600 * SECOND));
        assert_eq!(ticks(3 * DAY), [0, 1, 2, 3, 4, 5, 6].map(|x| x * DAY / 2));
        assert_eq!(ticks(400_000 * DAY), [0, 1, 2, 3, 4].map(|x| x * 100_000 * DAY));
    }

    #[test]
    fn decades_are_as_people_say_them() {
        let said = DECADES.map(|decade| crate::page::length(Micros::new(decade))).join(", ");
        let small = "1 us, 10 us, 100 us, 1 ms, 10 ms, 100 ms, 1 s, 10 s, 1 min, 10 min, 1 h, 10 h";
        assert_eq!(said, format!("{small}, 1 d, 10 d, 100 d, 1000 d, 10000 d, 100000 d"));
    }

    fn scale(text: &str) -> Scale {
        let home = Box::leak(Box::new([Micros::ZERO; 4]));
        Scale::of(&undaunted::Policy::parse_in(text, home).unwrap().plan().collect::<Vec<_>>())
    }

    #[test]
    fn what_differs_forty_times_is_on_a_logarithmic_scale() {
        let linear = scale("schedule 1ms,39999us jitter none");
        assert_eq!((linear.name(), linear.low, linear.high), ("linear", 0, 39_999));
        let wide = scale("schedule 1ms,40ms jitter none");
        assert_eq!((wide.name(), wide.low, wide.high), ("logarithmic", 1_000, 40_000));
        // The shortest to be drawn is a mean: 495 us, in the decade from 100 us.
        let wide = scale("schedule 990us,100ms jitter full");
        assert_eq!((wide.low, wide.high), (100, 100_000));
        assert_eq!(wide.ticks(), [100, 1_000, 10_000].map(Micros::new));
        let shares = [0, 100, 1_000, 10_000, 100_000].map(|at| wide.share(Micros::new(at)));
        for (share, expected) in shares.into_iter().zip([0.0, 0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0]) {
            assert!((share - expected).abs() < 1e-9, "{shares:?}");
        }
        assert!(wide.reaches(Micros::new(100)) && !wide.reaches(Micros::new(99)));
    }

    #[test]
    fn a_linear_scale_has_quarters() {
        let scale = Scale::linear(Micros::new(4_000));
        assert_eq!(scale.ticks(), [0, 1_000, 2_000, 3_000].map(Micros::new));
        assert_eq!([0, 1_000, 5_000].map(|at| scale.share(Micros::new(at))), [0.0, 0.25, 1.0]);
        assert_eq!(Scale::linear(Micros::ZERO).high(), Micros::new(1));
    }
}
