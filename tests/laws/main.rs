//! The laws of the core, each against the naive twin: at least 10 000 random cases, and the
//! boundaries enumerated.

mod arithmetic;
mod counter;
mod enumeration;
mod generate;
mod keyed;
mod law01_attempts;
mod law02_cap;
mod law03_jitter_at_cap;
mod law04_refusals;
mod law05_hints;
mod law06_deadline;
mod law07_hostile_time;
mod law08_fused;
mod law09_reasons;
mod law10_cases;
mod law10_recovery;
mod law11_generator;
mod law11_vectors;
mod law15_recovery_texts;
mod law15_refused_texts;
mod law15_texts;
mod orders;
mod pending;
mod plan;
mod worst_case;
