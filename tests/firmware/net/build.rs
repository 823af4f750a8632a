//! What the linker must be told beside the memory map, which comes with the board.

fn main() {
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("none") {
        for argument in ["-Tlink.x", "-Tdefmt.x", "--nmagic"] {
            println!("cargo:rustc-link-arg={argument}");
        }
    }
}
