#![no_std]
#![no_main]
use undaunted_board::println;
#[undaunted_board::entry]
fn main() -> ! {
    undaunted_board::run(|spawner| spawner.spawn(task().unwrap()))
}
#[embassy_executor::task]
async fn task() {
    for i in 0..3 {
        embassy_time::Timer::after_secs(1200).await;
        println!("{i} {}", embassy_time::Instant::now().as_micros());
    }
    undaunted_board::semihosting::exit(true)
}
