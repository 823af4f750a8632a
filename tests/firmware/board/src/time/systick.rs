//! SysTick, which every Cortex-M has: 24 bits that count down, and an interrupt at zero.
//!
//! It runs to the next alarm and not to the next tick, so that a sleeping core is woken about once a second and
//! not a thousand times. To set it anew costs it a cycle or two: the clock is a little slow and never fast.

use core::cell::RefCell;
use core::task::Waker;
use cortex_m::peripheral::{Peripherals, SCB, SYST, syst::SystClkSource};
use critical_section::Mutex;
use embassy_time_driver::{Driver, TICK_HZ};
use embassy_time_queue_utils::Queue;

/// What SysTick counts, as the emulator has it.
#[cfg(machine = "microbit")]
const CORE_HZ: u32 = 16_000_000;
#[cfg(machine = "lm3s6965evb")]
const CORE_HZ: u32 = 12_500_000;
#[cfg(machine = "mps2-an386")]
const CORE_HZ: u32 = 25_000_000;
#[cfg(machine = "mps2-an505")]
const CORE_HZ: u32 = 20_000_000;

/// Cycles in a tick, and the ticks that 24 bits hold.
const TICK: u32 = CORE_HZ / TICK_HZ as u32;
const MOST: u64 = (1 << 24) as u64 / TICK as u64;

/// A round must outlast its interrupt, or one would be lost: what is due before is due then.
const LEAST: u32 = TICK / 8;

struct Alarm {
    /// Ticks that were over when the counter was last set, and cycles of the next one.
    ticks: u64,
    cycles: u32,
    /// What it was set to; it needs one cycle more to come round.
    reload: u32,
    queue: Queue,
}

struct SysTickDriver(Mutex<RefCell<Alarm>>);

embassy_time_driver::time_driver_impl!(static DRIVER: SysTickDriver = SysTickDriver(Mutex::new(RefCell::new(
    Alarm { ticks: 0, cycles: 0, reload: 0, queue: Queue::new() },
))));

impl Alarm {
    /// Cycles since the counter was set. Zero is the end of a round, which is pending then, or the moment before the
    /// first: nothing of a round is over.
    fn counted(&self) -> u32 {
        let before = SYST::get_current();
        let (rounds, left) = match SCB::is_pendst_pending() {
            true => (self.reload + 1, SYST::get_current()),
            false => (0, before),
        };
        rounds + if left == 0 { 0 } else { self.reload + 1 - left }
    }

    fn now(&self) -> u64 {
        self.ticks + u64::from((self.cycles + self.counted()) / TICK)
    }

    /// Wakes what is due, and runs to what is due next.
    fn set(&mut self) {
        let counted = self.cycles + self.counted();
        self.ticks += u64::from(counted / TICK);
        self.cycles = counted % TICK;
        let next = self.queue.next_expiration(self.ticks);
        let ahead = next.saturating_sub(self.ticks).clamp(1, MOST) as u32;
        self.reload = (ahead * TICK - self.cycles).max(LEAST) - 1;
        let mut syst = syst();
        syst.set_reload(self.reload);
        syst.clear_current();
        SCB::clear_pendst();
    }
}

impl Driver for SysTickDriver {
    fn now(&self) -> u64 {
        critical_section::with(|cs| self.0.borrow_ref(cs).now())
    }

    fn schedule_wake(&self, at: u64, waker: &Waker) {
        critical_section::with(|cs| {
            let mut alarm = self.0.borrow_ref_mut(cs);
            if alarm.queue.schedule_wake(at, waker) {
                alarm.set();
            }
        });
    }
}

#[cortex_m_rt::exception]
fn SysTick() {
    critical_section::with(|cs| {
        let mut alarm = DRIVER.0.borrow_ref_mut(cs);
        // The interrupt that is served is pending no more: its round is counted here.
        alarm.cycles += alarm.reload + 1;
        alarm.set();
    });
}

/// SysTick is the driver's from [`start`] on; its registers are written in critical sections.
fn syst() -> SYST {
    // SAFETY: as said above.
    unsafe { Peripherals::steal().SYST }
}

/// Starts the clock.
pub(crate) fn start() {
    critical_section::with(|cs| {
        let mut syst = syst();
        syst.set_clock_source(SystClkSource::Core);
        DRIVER.0.borrow_ref_mut(cs).set();
        syst.enable_interrupt();
        syst.enable_counter();
    });
}

/// See [`stopped`](crate::stopped).
pub(crate) fn stopped<T>(wait: impl FnOnce() -> T) -> T {
    critical_section::with(|_| {
        syst().disable_counter();
        let answer = wait();
        syst().enable_counter();
        answer
    })
}
