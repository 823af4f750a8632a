//! `process:NAME` or `process:PID`: it runs, says `/proc`.

use super::limit::Limit;
use super::seen::{Seen, Sight, of_error};
use super::target::{Kind, some};
use std::path::{Path, PathBuf};
use std::{fs, io, process};
use undaunted::Probe;

#[derive(Debug)]
pub(crate) enum Process {
    Name(String),
    Pid(u32),
}

impl Process {
    pub(crate) fn parse(rest: &str) -> Result<Process, String> {
        let rest = some(rest, "process:NAME or process:PID")?;
        match rest.parse() {
            Ok(0) => Err("0 is no process; expected a name, or a number from 1".into()),
            Ok(pid) => Ok(Process::Pid(pid)),
            Err(_) => Ok(Process::Name(rest.into())),
        }
    }

    fn runs(&self) -> io::Result<bool> {
        let name = match self {
            Process::Name(name) => name,
            Process::Pid(pid) => return Ok(is_alive(&PathBuf::from(format!("/proc/{pid}")))),
        };
        // Who waits for `sleep` names it on the own command line, but is not called so.
        for entry in fs::read_dir("/proc")? {
            let path = entry?.path();
            let pid = path.file_name().and_then(|pid| pid.to_str()?.parse::<u32>().ok());
            if pid.is_some_and(|pid| pid != process::id()) && is_called(&path, name) && is_alive(&path) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Kind for Process {
    fn look(&self, _: &Limit) -> Sight {
        match self.runs() {
            Ok(true) => Probe::Ready(()),
            Ok(false) => Probe::NotYet(Seen::absent("no such process")),
            Err(error) => of_error(&error),
        }
    }

    fn there(&self) -> &'static str {
        "runs"
    }
}

/// The kernel keeps 15 bytes of a name; the whole one is the program on the command line.
fn is_called(path: &Path, name: &str) -> bool {
    let is = |text: &[u8]| text == name.as_bytes();
    let comm = fs::read(path.join("comm")).unwrap_or_default();
    let line = fs::read(path.join("cmdline")).unwrap_or_default();
    let program = line.split(|byte| *byte == 0).next().unwrap_or_default();
    is(comm.trim_ascii_end()) || is(program.rsplit(|byte| *byte == b'/').next().unwrap_or_default())
}

/// A process that has ended and was not waited for yet runs no more. Its state follows its name, which may
/// hold anything, also a parenthesis.
fn is_alive(path: &Path) -> bool {
    let stat = fs::read(path.join("stat")).unwrap_or_default();
    let state = String::from_utf8_lossy(&stat).rsplit(") ").next().and_then(|rest| rest.chars().next());
    state.is_some_and(|state| !matches!(state, 'X' | 'Z'))
}
