//! The machine timer of RISC-V: a counter of 64 bits, and a point at which it interrupts.

use core::cell::{Cell, RefCell};
use core::task::Waker;
use critical_section::{CriticalSection, Mutex};
use embassy_time_driver::Driver;
use embassy_time_queue_utils::Queue;
use riscv::interrupt::Interrupt;

/// Of QEMU's `virt`: counts at 10 MHz, as embassy does here.
const MTIMECMP: *mut u32 = 0x0200_4000 as *mut u32;
const MTIME: *const u32 = 0x0200_BFF8 as *const u32;

struct ClintDriver {
    /// What the counter counted while the clock was stopped.
    stopped: Mutex<Cell<u64>>,
    queue: Mutex<RefCell<Queue>>,
}

embassy_time_driver::time_driver_impl!(static DRIVER: ClintDriver = ClintDriver {
    stopped: Mutex::new(Cell::new(0)),
    queue: Mutex::new(RefCell::new(Queue::new())),
});

impl ClintDriver {
    /// Wakes what is due and sets the alarm for the next. The alarm is a level: of a point that has passed meanwhile it
    /// interrupts at once.
    fn arm(&self, cs: CriticalSection<'_>) {
        let next = self.queue.borrow_ref_mut(cs).next_expiration(self.now());
        let next = next.saturating_add(self.stopped.borrow(cs).get());
        // SAFETY: the registers of this board; interrupts are masked, so nobody else is writing.
        unsafe {
            MTIMECMP.add(1).write_volatile(u32::MAX); // or the two halves could match in between
            MTIMECMP.write_volatile(next as u32);
            MTIMECMP.add(1).write_volatile((next >> 32) as u32);
        }
    }
}

impl Driver for ClintDriver {
    fn now(&self) -> u64 {
        critical_section::with(|cs| counter() - self.stopped.borrow(cs).get())
    }

    fn schedule_wake(&self, at: u64, waker: &Waker) {
        critical_section::with(|cs| {
            let changed = self.queue.borrow_ref_mut(cs).schedule_wake(at, waker);
            if changed {
                self.arm(cs);
            }
        });
    }
}

/// A 32-bit core reads it in halves, until no carry came between them.
fn counter() -> u64 {
    loop {
        // SAFETY: reading the counter changes nothing.
        let (high, low, again) =
            unsafe { (MTIME.add(1).read_volatile(), MTIME.read_volatile(), MTIME.add(1).read_volatile()) };
        if high == again {
            return u64::from(high) << 32 | u64::from(low);
        }
    }
}

#[riscv_rt::core_interrupt(Interrupt::MachineTimer)]
fn machine_timer() {
    critical_section::with(|cs| DRIVER.arm(cs));
}

/// Enables the timer's interrupt.
pub(crate) fn start() {
    critical_section::with(|cs| DRIVER.arm(cs));
    // SAFETY: no critical section is open, and the handler above is there.
    unsafe {
        riscv::register::mie::set_mtimer();
        riscv::register::mstatus::set_mie();
    }
}

/// See [`stopped`](crate::stopped). The counter cannot be, so what it counts meanwhile is taken off.
pub(crate) fn stopped<T>(wait: impl FnOnce() -> T) -> T {
    critical_section::with(|cs| {
        let before = counter();
        let answer = wait();
        let stopped = DRIVER.stopped.borrow(cs);
        stopped.set(stopped.get() + (counter() - before));
        DRIVER.arm(cs);
        answer
    })
}
