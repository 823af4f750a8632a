//! The build script of the members: what the linker is told for a device. The memory map comes from the package
//! that they depend on.

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=../link.rs");
    let target = env::var("TARGET").unwrap();
    if !target.contains("-none-e") && !target.contains("-unknown-none-") {
        return; // the host runs the same programs as they are
    }
    if target.starts_with("riscv32") {
        println!("cargo:rustc-link-arg=-Tmemory.x");
    }
    println!("cargo:rustc-link-arg=-Tlink.x");
    println!("cargo:rustc-link-arg=--nmagic");
}
