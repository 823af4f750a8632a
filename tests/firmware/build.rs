//! For every program here: the memory map of the emulated machine where the linker script looks for it, and the
//! machine's name as `cfg(machine)`.

use std::path::{Path, PathBuf};
use std::{env, fs};

const MACHINES: [(&str, &str); 5] = [
    ("thumbv6m-none-eabi", "microbit"),
    ("thumbv7m-none-eabi", "lm3s6965evb"),
    ("thumbv7em-none-eabi", "mps2-an386"),
    ("thumbv8m.main-none-eabi", "mps2-an505"),
    ("riscv32imc-unknown-none-elf", "riscv-virt"),
];

fn main() {
    let names: Vec<String> = MACHINES.iter().map(|(_, name)| format!("{name:?}")).collect();
    println!("cargo:rustc-check-cfg=cfg(machine, values({}))", names.join(", "));
    let target = env::var("TARGET").unwrap();
    let Some((_, machine)) = MACHINES.iter().find(|(name, _)| *name == target) else {
        assert!(!target.contains("-none-e"), "no machine for {target}: add its memory map to mem/");
        return; // the host runs the same programs as they are
    };
    let manifest = env::var("CARGO_MANIFEST_DIR").unwrap();
    let maps = Path::new(&manifest).ancestors().map(|folder| folder.join("mem")).find(|mem| mem.is_dir());
    let maps = maps.expect("mem/ is beside build.rs");
    println!("cargo:rerun-if-changed={}", maps.display());
    println!("cargo:rustc-cfg=machine={machine:?}");
    let out = PathBuf::from(env::var("OUT_DIR").unwrap());
    fs::copy(maps.join(format!("{machine}.x")), out.join("memory.x")).unwrap();
    println!("cargo:rustc-link-search={}", out.display());
    if *machine == "riscv-virt" {
        println!("cargo:rustc-link-arg=-Tmemory.x");
    }
    println!("cargo:rustc-link-arg=-Tlink.x");
    println!("cargo:rustc-link-arg=--nmagic");
}
