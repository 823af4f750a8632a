//! Prints a line for each policy of the grid: its place, its waits, and its digest in two halves.
#![cfg_attr(target_os = "none", no_std, no_main)]

use undaunted_firmware::vectors;

fn play(print: impl Fn(u32)) -> bool {
    vectors::all(|line| {
        let [shape, jitter, limits] = line.policy;
        print((shape << 8 | jitter << 4 | limits) as u32);
        print(line.waits);
        print((line.digest.0 >> 32) as u32);
        print(line.digest.0 as u32);
    })
}

#[cfg(target_os = "none")]
#[undaunted_firmware::entry]
fn main() -> ! {
    let whole = play(undaunted_firmware::device::print);
    undaunted_firmware::device::exit(whole)
}

#[cfg(not(target_os = "none"))]
fn main() {
    assert!(play(|word| println!("{word:08x}")), "a text of the grid is refused");
}
