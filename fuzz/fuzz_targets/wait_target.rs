//! Any text as a target of `undaunted wait`: understood, or refused with words that say which.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|target: &str| {
    // Anything that begins so is an option.
    if target.starts_with('-') {
        return;
    }
    let words = ["undaunted", "wait", target].map(Into::into);
    if let Err(wrong) = undaunted_cli::check(words) {
        assert!(wrong.contains(&format!("{target:?}")), "{target:?} is not named: {wrong}");
    }
});
