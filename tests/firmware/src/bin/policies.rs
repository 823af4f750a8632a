//! On the host: prints fields of thousands of policies that the builder made, so that `prove` can check what it
//! takes for granted of a policy. The arguments say where each field lies and how long it is (`16:8`); a line for
//! each policy has their values in that order. Which fields those are, and that each is initialised in every
//! policy, is the caller's to know: it reads the layout from the debugging information of this program.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
#[undaunted_firmware::entry]
fn main() -> ! {
    undaunted_firmware::device::exit(true)
}

#[cfg(not(target_os = "none"))]
fn main() {
    host::main();
}

#[cfg(not(target_os = "none"))]
mod host {
    use core::time::Duration;
    use undaunted_core::{Draft, Jitter, Micros, Policy, Ratio, Rng};

    const TRIES: u32 = 200_000;
    const EDGES: [u64; 10] =
        [0, 1, 2, (1 << 32) - 1, 1 << 32, (1 << 55) - 1, 1 << 55, (1 << 55) + 1, u64::MAX - 1, u64::MAX];
    const FRACTIONS: [(u32, u32); 12] = [
        (1, 1),
        (101, 100),
        (3, 2),
        (149, 100),
        (2, 1),
        (255, 1),
        (1, 5),
        (1, 1 << 24),
        (1, 1 << 25),
        (256, 1),
        (0, 1),
        (1, 0),
    ];

    pub(crate) fn main() {
        let fields: Vec<(usize, usize)> = std::env::args().skip(1).map(|word| field(&word)).collect();
        let mut random = Random(Rng::seeded(1));
        for _ in 0..TRIES {
            if let Ok(policy) = random.draft().build() {
                let values: Vec<String> = fields.iter().map(|&at| value(&policy, at).to_string()).collect();
                println!("{}", values.join(" "));
            }
        }
    }

    fn field(word: &str) -> (usize, usize) {
        let (offset, size) = word.split_once(':').expect("OFFSET:SIZE");
        (offset.parse().expect("an offset"), size.parse().expect("a size"))
    }

    fn value(policy: &Policy, (offset, size): (usize, usize)) -> u64 {
        assert!(size <= 8 && offset + size <= size_of::<Policy>(), "no field of a policy");
        let bytes = core::ptr::from_ref(policy).cast::<u8>();
        // SAFETY: within the policy, and the caller names fields that are initialised.
        (0..size).rev().fold(0, |number, i| number << 8 | u64::from(unsafe { *bytes.add(offset + i) }))
    }

    struct Random(Rng);

    impl Random {
        fn below(&mut self, n: u32) -> u32 {
            self.0.draw() % n
        }

        /// Any order of magnitude, and where something might break.
        fn micros(&mut self) -> u64 {
            let any = u64::from(self.0.draw()) << 32 | u64::from(self.0.draw());
            match self.below(4) {
                0 => EDGES[any as usize % EDGES.len()],
                _ => any >> self.below(64),
            }
        }

        fn length(&mut self) -> Duration {
            Duration::from_micros(self.micros())
        }

        fn fraction(&mut self) -> (u32, u32) {
            match self.below(2) {
                0 => FRACTIONS[self.below(12) as usize],
                _ => (1 + self.below(1_000), 1 + self.below(1_000)),
            }
        }

        fn schedule(&mut self) -> &'static [Micros] {
            let steps: Vec<Micros> = (0..self.below(5)).map(|_| Micros::new(self.micros())).collect();
            steps.leak()
        }

        fn draft(&mut self) -> Draft {
            let draft = Policy::draft();
            let mut draft = match self.below(7) {
                0 => draft.constant(self.length()),
                1 => draft.decorrelated(self.length()),
                2 => draft.exponential(self.length()),
                3 => draft.fibonacci(self.length()),
                4 => draft.immediate(),
                5 => draft.linear(self.length(), self.length()),
                _ => draft.schedule(self.schedule()),
            };
            draft = match self.below(4) {
                0 => draft.unlimited_attempts(),
                1 => draft.attempts(self.0.draw()),
                _ => draft,
            };
            draft = self.lengths(draft);
            self.jitter(draft)
        }

        fn lengths(&mut self, draft: Draft) -> Draft {
            let mut draft = draft;
            for setter in [Draft::cap, Draft::floor, Draft::within, Draft::hint_ceiling] {
                if self.below(3) == 0 {
                    draft = setter(draft, self.length());
                }
            }
            if self.below(4) == 0 {
                let (numerator, denominator) = self.fraction();
                draft = draft.factor(numerator, denominator);
            }
            draft
        }

        fn jitter(&mut self, draft: Draft) -> Draft {
            let (numerator, denominator) = self.fraction();
            let share = Ratio::new(numerator, denominator);
            match self.below(6) {
                0 => draft.jitter(Jitter::Additive { share }),
                1 => draft.jitter(Jitter::Equal),
                2 => draft.jitter(Jitter::None),
                3 => draft.jitter(Jitter::Proportional { share }),
                _ => draft,
            }
        }
    }
}
