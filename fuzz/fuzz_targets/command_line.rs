//! Any words on the command line: understood, or refused with a reason; never a panic.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

fuzz_target!(|line: &[u8]| {
    // A file that `-f` or `--file` names would be read, and some have no end.
    if line.contains(&b'f') && line.contains(&b'/') {
        return;
    }
    let words = line.split(|byte| *byte == b'\n').map(|word| OsString::from_vec(word.into()));
    if let Err(wrong) = undaunted_cli::check([OsString::from("undaunted")].into_iter().chain(words)) {
        assert!(!wrong.trim().is_empty(), "it is refused without a reason");
    }
});
