//! All processes that descend from this one, whatever group or session they are in.
//!
//! This process adopts the orphans among its descendants (it is a child subreaper), so that a process can leave its
//! group, its session and its parent, but not the tree.

use nix::errno::Errno;
use nix::sys::prctl;
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, getpgrp};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::{fs, process};

/// What descends from this process, but for what was there before.
#[derive(Debug)]
pub(super) struct Tree {
    /// The children of whoever became us by `exec`, such as a shell that had started something else before.
    strangers: HashSet<i32>,
}

/// A process that descends from this one and has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) pid: Pid,
    /// It is our child: the command, or what lost its parent.
    pub(super) is_child: bool,
    /// Another of our kind is above it, who ends what is below.
    pub(super) is_elsewhere: bool,
    group: i32,
}

impl Process {
    /// Our child of this number.
    pub(super) fn child(pid: Pid) -> Process {
        let group = nix::unistd::getpgid(Some(pid)).map_or(0, Pid::as_raw);
        Process { pid, is_child: true, is_elsewhere: false, group }
    }

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

impl Tree {
    /// Adopts orphans from now on.
    pub(super) fn adopt() -> nix::Result<Tree> {
        prctl::set_child_subreaper(true)?;
        let ours = process::id() as i32;
        let mut strangers = HashSet::new();
        if is_visible() {
            strangers.extend(rows().filter(|row| row.parent == ours).map(|row| row.pid));
        }
        Ok(Tree { strangers })
    }

    /// This child has ended, and its number may come again.
    pub(super) fn forget(&mut self, pid: i32) {
        self.strangers.remove(&pid);
    }

    /// Whether we have children that are none of ours.
    pub(super) fn has_strangers(&self) -> bool {
        !self.strangers.is_empty()
    }

    /// All of them, as they are now.
    pub(super) fn descendants(&self) -> Vec<Process> {
        if !is_visible() {
            return Vec::new();
        }
        let (ours, us) = (process::id() as i32, fs::read_link("/proc/self/exe").ok());
        let mut children: HashMap<i32, Vec<Row>> = HashMap::new();
        for row in rows().filter(|row| !(row.parent == ours && self.strangers.contains(&row.pid))) {
            children.entry(row.parent).or_default().push(row);
        }
        let mut parents = vec![(ours, false)];
        let mut found = Vec::new();
        while let Some((parent, is_elsewhere)) = parents.pop() {
            for Row { pid, group, ended, .. } in children.remove(&parent).unwrap_or_default() {
                let exe = fs::read_link(format!("/proc/{pid}/exe"));
                parents.push((pid, is_elsewhere || exe.ok().is_some_and(|exe| Some(exe) == us)));
                if !ended {
                    let pid = Pid::from_raw(pid);
                    found.push(Process { pid, is_child: parent == ours, is_elsewhere, group });
                }
            }
        }
        found
    }
}

/// Whether `/proc` is there and shows processes by the numbers that we know them by: it may not be mounted, or be that
/// of another container.
pub(super) fn is_visible() -> bool {
    fs::read_link("/proc/self").is_ok_and(|link| link == Path::new(&process::id().to_string()))
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
