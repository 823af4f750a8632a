//! All processes that descend from this one, whatever group or session they are in.
//!
//! This process adopts the orphans among its descendants (it is a child subreaper), so that a process can leave its
//! group, its session and its parent, but not the tree.

use nix::errno::Errno;
use nix::sys::prctl;
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, getpgrp};
use std::collections::HashMap;
use std::fs;

/// Adopts orphans from now on.
pub(super) fn adopt() -> nix::Result<()> {
    prctl::set_child_subreaper(true)
}

/// A process that descends from this one and has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) pid: Pid,
    group: i32,
}

impl Process {
    /// Sends it a signal. One that has ended in the meantime needs none.
    pub(super) fn send(&self, signal: Signal) -> Result<(), Errno> {
        match kill(self.pid, signal) {
            Ok(()) | Err(Errno::ESRCH) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Whether a terminal's signal has reached it already, as a member of our group.
    pub(super) fn is_in_our_group(&self) -> bool {
        self.group == getpgrp().as_raw()
    }
}

/// All of them, as they are now.
pub(super) fn descendants() -> Vec<Process> {
    let mut children: HashMap<i32, Vec<Row>> = HashMap::new();
    for row in rows() {
        children.entry(row.parent).or_default().push(row);
    }
    let mut parents = vec![std::process::id() as i32];
    let mut found = Vec::new();
    while let Some(parent) = parents.pop() {
        for row in children.remove(&parent).unwrap_or_default() {
            parents.push(row.pid);
            if !row.ended {
                found.push(Process { pid: Pid::from_raw(row.pid), group: row.group });
            }
        }
    }
    found
}

/// What `/proc` says of one process.
struct Row {
    pid: i32,
    parent: i32,
    group: i32,
    ended: bool,
}

fn rows() -> impl Iterator<Item = Row> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| {
        let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
        row(pid, &fs::read_to_string(entry.path().join("stat")).ok()?)
    })
}

/// `PID (NAME) STATE PARENT GROUP ..`, where a name may hold anything, parentheses too.
fn row(pid: i32, stat: &str) -> Option<Row> {
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    Some(Row { pid, parent, group, ended: matches!(state, "Z" | "X") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_hold_anything() {
        let row = row(7, "7 (a) Z 1 (b)) S 42 43 44 0 -1").unwrap();
        assert_eq!((row.pid, row.parent, row.group, row.ended), (7, 42, 43, false));
        assert!(super::row(7, "7 (a) Z 42 43").unwrap().ended);
        assert!(super::row(7, "").is_none());
    }
}
