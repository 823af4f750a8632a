//! A pair of links that goes with its owner.

use std::process::Command;

/// A pair of links; deleted when this is dropped.
#[derive(Debug)]
pub struct Veth(String);

impl Veth {
    /// A pair that is up, at both ends.
    ///
    /// # Panics
    /// When the kernel refuses.
    pub fn up(name: &str, peer: &str) -> Veth {
        ip(&format!("link add {name} type veth peer name {peer}"));
        let pair = Veth::of(name);
        ip(&format!("link set {peer} up"));
        ip(&format!("link set {name} up"));
        pair
    }

    /// One that is there, or will be: at the end it is deleted.
    pub fn of(name: &str) -> Veth {
        Veth(name.into())
    }
}

impl Drop for Veth {
    fn drop(&mut self) {
        // One that never came to be, or is gone, is said so on standard error: that is no news here.
        let _ = Command::new("ip").args(["link", "delete", &self.0]).output();
    }
}

/// Runs `ip` with these words.
///
/// # Panics
/// When it fails.
pub fn ip(words: &str) {
    let output = Command::new("ip").args(words.split(' ')).output().expect("ip, of iproute2");
    assert!(output.status.success(), "ip {words}: {}", String::from_utf8_lossy(&output.stderr));
}
