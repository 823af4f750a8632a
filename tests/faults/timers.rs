//! Timers that are too short or panic, on embassy at 32 768 Hz. (tokio and threads: `adapters/sleeps.rs`; other tick
//! rates: the unit tests of the adapter.)

use std::pin::pin;
use std::time::Duration;
use undaunted::Micros;
use undaunted::asynch::Timer;
use undaunted::embassy::Embassy;
use undaunted_tests::embassy as clock;

const EMBASSY: Embassy = Embassy::seeded(4711);

faults! {
    /// A timer of a huge length hangs or panics.
    #[seen("embassy-rs/embassy#3204", "embassy-rs/embassy#5857", "embassy-rs/embassy#6141")]
    #[law("14")]
    #[input("99999999999999999 s, u64::MAX us, Duration::MAX; ten years pass")]
    #[no_peer("the timer that backon takes is asked below")]
    #[right("waits, in 3650 alarms; waits, in 3650 alarms; waits, in 3650 alarms")]
    fn a_huge_timer_hangs_or_panics() -> String {
        let lengths = [Micros::from_secs(99_999_999_999_999_999), Micros::MAX, Micros::from(Duration::MAX)];
        lengths.map(ten_years).join("; ")
    }

    /// Sleeps below a millisecond are rounded down to none. Here a wait is whole ticks, rounded up, and one
    /// more, since the tick under way may be over at once.
    #[seen("backon 1.6 embassy (run)")]
    #[law("14")]
    #[input("1000 sleeps of 999 us on a clock that stands still; then, one after the other, as it goes on")]
    #[right("0 of 1000 are over at once; 1037597 us in all, 34 ticks each")]
    fn short_sleeps_are_rounded_down() -> String {
        let length = Micros::new(999);
        let at_once = (0..1_000).filter(|_| {
            let mut sleep = pin!(EMBASSY.sleep(length));
            // embassy's own timer is pending once in any case.
            (0..2).any(|_| clock::poll(sleep.as_mut()).is_ready())
        });
        let at_once = at_once.count();
        let start = clock::now();
        for _ in 0..1_000 {
            clock::block_on(EMBASSY.sleep(length));
        }
        let (all, ticks) = ((clock::now() - start) / 1_000, (clock::now() - start) * 32_768 / 1_000_000_000);
        assert!(all >= 999_000);
        format!("{at_once} of 1000 are over at once; {all} us in all, {} ticks each", ticks / 1_000)
    }

    /// The longest sleep panics in a debug build, and returns at once in a release build.
    #[seen("backon 1.6 embassy (run)")]
    #[law("14")]
    #[input("a sleep of Duration::MAX, begun after a day of uptime; ten years pass")]
    #[right("waits, in 3650 alarms")]
    fn the_longest_sleep_panics_or_returns() -> String {
        clock::pass(Micros::from_secs(86_400));
        ten_years(Micros::from(Duration::MAX))
    }
}

/// What becomes of so long a wait in ten years.
fn ten_years(length: Micros) -> String {
    let mut sleep = pin!(EMBASSY.sleep(length));
    let (start, mut alarms) = (clock::now(), 0);
    while clock::now() - start < 3_650 * 86_400 * 1_000_000_000 {
        if clock::poll(sleep.as_mut()).is_ready() {
            return format!("over after {} s", (clock::now() - start) / 1_000_000_000);
        }
        alarms += clock::wake();
    }
    format!("waits, in {alarms} alarms")
}
