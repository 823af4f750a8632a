//! The command `undaunted`; everything is in the library, where the tests reach it.

fn main() {
    undaunted_cli::main();
}
