//! What is printed: a line a suite, reasons with counts, and failures in full.

use crate::findings::{Answer, Law, Record};
use std::collections::BTreeMap;

/// Counts of one suite or of all.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Totals {
    pub(crate) agreed: usize,
    pub(crate) failed: usize,
    pub(crate) not_applicable: usize,
    pub(crate) settled: usize,
}

impl Totals {
    fn of(records: &[Record]) -> Totals {
        let mut totals = Totals::default();
        for record in records {
            match record.answer {
                Answer::Failed(_) => totals.failed += 1,
                Answer::NotApplicable(_) => totals.not_applicable += 1,
                Answer::Passed => totals.agreed += 1,
                Answer::Settled(_) => totals.settled += 1,
            }
        }
        totals
    }

    pub(crate) fn add(&mut self, other: Totals) {
        self.agreed += other.agreed;
        self.failed += other.failed;
        self.not_applicable += other.not_applicable;
        self.settled += other.settled;
    }

    /// Run and not failed: as the peer does it, or as a law says it must be.
    pub(crate) fn passed(self) -> usize {
        self.agreed + self.settled
    }

    /// All of them.
    pub(crate) fn cases(self) -> usize {
        self.passed() + self.failed + self.not_applicable
    }
}

impl std::fmt::Display for Totals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let run = self.passed() + self.failed;
        write!(f, "{} cases, {run} run: {} passed, ", self.cases(), self.agreed)?;
        write!(f, "{} settled by a law, {} failed; ", self.settled, self.failed)?;
        write!(f, "{} not applicable", self.not_applicable)
    }
}

/// Prints a suite and answers its counts. Every case that was not run is under a reason.
pub(crate) fn suite(name: &str, records: &[Record], verbose: bool) -> Totals {
    let totals = Totals::of(records);
    println!("{name}: {totals}");
    for (line, ids) in groups(records) {
        let ids = if verbose { format!(": {}", ids.join(" ")) } else { String::new() };
        println!("{line}{ids}");
    }
    for record in records {
        if let Answer::Failed(words) = &record.answer {
            println!("    FAILED {}: {words}", record.id);
        }
    }
    totals
}

/// A line each: settled by laws, not applicable, remarks; with the cases under it.
fn groups(records: &[Record]) -> Vec<(String, Vec<&str>)> {
    let mut settled: BTreeMap<(Law, &str), Vec<&str>> = BTreeMap::new();
    let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut remarks: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for record in records {
        match &record.answer {
            Answer::Settled(laws) => {
                for (law, decided) in laws {
                    settled.entry((*law, decided)).or_default().push(&record.id);
                }
            }
            Answer::NotApplicable(reason) => reasons.entry(reason).or_default().push(&record.id),
            Answer::Failed(_) | Answer::Passed => {}
        }
        for remark in &record.remarks {
            remarks.entry(remark).or_default().push(&record.id);
        }
    }
    let settled = settled
        .into_iter()
        .map(|((law, decided), ids)| (format!("    {} settled by law {law}: {decided}", ids.len()), ids));
    let reasons =
        reasons.into_iter().map(|(reason, ids)| (format!("    {} not applicable: {reason}", ids.len()), ids));
    let remarks = remarks.into_iter().map(|(remark, ids)| (format!("    {} note: {remark}", ids.len()), ids));
    settled.chain(reasons).chain(remarks).collect()
}

/// How many cases each law settled.
pub(crate) fn laws(records: &[Record], sums: &mut BTreeMap<Law, usize>) {
    for record in records {
        if let Answer::Settled(laws) = &record.answer {
            laws.keys().for_each(|law| *sums.entry(*law).or_default() += 1);
        }
    }
}
