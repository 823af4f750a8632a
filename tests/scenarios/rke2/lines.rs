//! What a log would have: every line with its level, through the crate `log`.

use log::{Level, LevelFilter, Log, Metadata, Record};
use std::sync::{Mutex, MutexGuard, PoisonError};
use undaunted_scenarios::Report;

/// Level and text.
pub(crate) type Line = (Level, String);

/// What was logged, and what a reader sees of it.
struct Page {
    lines: Vec<Line>,
    report: Report,
}

struct Book(Mutex<Page>);

static BOOK: Book = Book(Mutex::new(Page { lines: Vec::new(), report: Report::new() }));

impl Book {
    fn page(&self) -> MutexGuard<'_, Page> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Log for Book {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "undaunted"
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            let (mut page, text) = (self.page(), record.args().to_string());
            page.report.say(&format!("{:5} {text}", record.level()));
            page.lines.push((record.level(), text));
        }
    }

    fn flush(&self) {}
}

/// What was logged while this ran.
pub(crate) fn logged<T>(run: impl FnOnce() -> T) -> (T, Vec<Line>) {
    // The second time it is there already.
    let _ = log::set_logger(&BOOK);
    log::set_max_level(LevelFilter::Trace);
    BOOK.page().lines.clear();
    let value = run();
    let mut page = BOOK.page();
    page.report.end();
    (value, std::mem::take(&mut page.lines))
}

/// Nothing that wakes anybody up.
pub(crate) fn assert_quiet(lines: &[Line]) {
    assert!(!lines.is_empty() && lines.iter().all(|(level, _)| *level > Level::Warn), "{lines:?}");
}

/// One error, the last line; before it nothing that wakes anybody up.
pub(crate) fn assert_one_error(lines: &[Line], ends: &str) {
    let Some(((level, text), before)) = lines.split_last() else { panic!("nothing was logged") };
    assert_quiet(before);
    assert_eq!(*level, Level::Error, "{text}");
    assert!(text.ends_with(ends), "{text}");
}
