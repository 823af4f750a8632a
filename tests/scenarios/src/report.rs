//! Lines for a reader, who has seen enough of those that say the same.

/// So many of a kind are shown.
const SHOWN: usize = 3;

/// Prints lines; of several in a row that differ in their numbers alone the first ones.
#[derive(Debug, Default)]
pub struct Report {
    kind: String,
    of_kind: usize,
}

impl Report {
    /// Nothing was said yet.
    pub const fn new() -> Report {
        Report { kind: String::new(), of_kind: 0 }
    }

    /// Prints this line, or keeps it for the count.
    pub fn say(&mut self, line: &str) {
        let kind: String = line.chars().filter(|c| !c.is_ascii_digit() && *c != '.').collect();
        if kind != self.kind {
            self.end();
            self.kind = kind;
        }
        self.of_kind += 1;
        if self.of_kind <= SHOWN {
            println!("   {line}");
        }
    }

    /// Says how many were not shown.
    pub fn end(&mut self) {
        if self.of_kind > SHOWN {
            println!("   ... and {} more", self.of_kind - SHOWN);
        }
        self.kind.clear();
        self.of_kind = 0;
    }
}

impl Drop for Report {
    fn drop(&mut self) {
        self.end();
    }
}
