//! The daemon, a process; and the interface that it needs, a link of the kernel.

use std::fmt;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use undaunted::Stop;
use undaunted_scenarios::{Veth, ip};

/// A script, so that nothing of it is ours: `$1` is a folder for the number of its start, `$2` how it goes. `once` dies on
/// its first start, `clean` ends without an error four times, `crash` always dies.
const FLANNELD: &str = r#"
n=$(($(cat "$1/starts" 2>/dev/null || echo 0) + 1))
echo $n >"$1/starts"
case $2 in
once)
    if [ $n = 1 ]; then
        ip link set fl0 down
        exit 1
    fi
    ip -brief link show fl0 up | grep -q fl0 || exit 2 ;;
clean) [ $n = 5 ] || exit 0 ;;
crash) exit 3 ;;
esac
echo "   daemon: serving at start $n"
touch "$1/serving"
exec sleep 1000
"#;

/// A folder for the daemon, and the interface.
pub(crate) struct Node {
    folder: tempfile::TempDir,
    _interface: Veth,
}

impl Node {
    pub(crate) fn new() -> Node {
        Node { folder: tempfile::tempdir().unwrap(), _interface: Veth::up("fl0", "fl1") }
    }

    pub(crate) fn daemon(&self, how: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-uc", FLANNELD, "flanneld"]).arg(self.path()).arg(how).stdin(Stdio::null());
        command
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// How often the daemon was started.
    pub(crate) fn starts(&self) -> u32 {
        fs::read_to_string(self.path().join("starts")).unwrap().trim().parse().unwrap()
    }

    /// On a thread of its own: once the daemon serves, and has done so for a while, does this. When it is
    /// stopped before, nothing.
    pub(crate) fn once_it_stays(&self, stop: &Stop, then: impl FnOnce() + Send + 'static) -> JoinHandle<()> {
        let (stop, serving) = (stop.clone(), self.path().join("serving"));
        thread::spawn(move || {
            while !serving.exists() {
                if stop.wait(Duration::from_millis(5)) {
                    return;
                }
            }
            if !stop.wait(Duration::from_millis(300)) {
                then();
            }
        })
    }
}

/// The host brings the interface back.
pub(crate) fn bring_back() {
    ip("link set fl0 up");
    println!("   host: the interface is back");
}

/// How the daemon ended, when not well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Died(ExitStatus);

impl fmt::Display for Died {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What an exit status means to a supervisor.
pub(crate) fn ended(status: ExitStatus) -> Result<(), Died> {
    if status.success() { Ok(()) } else { Err(Died(status)) }
}
