//! Puts the memory map of the emulated machine where the linker script of `cortex-m-rt` looks for it.

use std::{env, fs, path::PathBuf};

fn main() {
    println!("cargo:rerun-if-changed=mem");
    let machine = match env::var("TARGET").unwrap().as_str() {
        "thumbv6m-none-eabi" => "microbit",
        "thumbv7m-none-eabi" => "lm3s6965evb",
        "thumbv7em-none-eabi" => "mps2-an386",
        "thumbv8m.main-none-eabi" => "mps2-an505",
        "riscv32imc-unknown-none-elf" => "riscv-virt",
        target if target.contains("-none-e") => {
            panic!("no machine for {target}: add its memory map to mem/")
        }
        _ => return, // the host runs the same programs as they are
    };
    let out = PathBuf::from(env::var("OUT_DIR").unwrap());
    fs::copy(format!("mem/{machine}.x"), out.join("memory.x")).unwrap();
    println!("cargo:rustc-link-search={}", out.display());
    if machine == "riscv-virt" {
        println!("cargo:rustc-link-arg=-Tmemory.x");
    }
    println!("cargo:rustc-link-arg=-Tlink.x");
    println!("cargo:rustc-link-arg=--nmagic");
}
