//! embassy's executor, with the sleep that the emulator skips.

use core::sync::atomic::{AtomicBool, Ordering};
use embassy_executor::{Spawner, raw::Executor};
use static_cell::StaticCell;

static EXECUTOR: StaticCell<Executor> = StaticCell::new();

/// Whether something was woken since the last poll.
static WOKEN: AtomicBool = AtomicBool::new(false);

/// Starts the clock and runs the tasks that `begin` spawns, and theirs.
///
/// embassy's own loop for the Cortex-M sleeps by WFE, and the emulator runs WFE as a busy loop. From WFI it goes
/// to the next interrupt at once.
pub fn run(begin: impl FnOnce(Spawner)) -> ! {
    crate::time::start();
    let executor = EXECUTOR.init(Executor::new(core::ptr::null_mut()));
    begin(executor.spawner());
    loop {
        // SAFETY: only here, and no task polls the executor that runs it.
        unsafe { executor.poll() };
        sleep_unless_woken();
    }
}

/// With interrupts masked nothing is woken between the look and the sleep; an interrupt that is pending ends WFI
/// all the same, and is served when the mask is lifted.
fn sleep_unless_woken() {
    critical_section::with(|_| {
        if WOKEN.load(Ordering::Relaxed) {
            WOKEN.store(false, Ordering::Relaxed);
        } else {
            #[cfg(target_arch = "arm")]
            cortex_m::asm::wfi();
            #[cfg(target_arch = "riscv32")]
            riscv::asm::wfi();
        }
    });
}

/// embassy calls this when it wakes a task.
#[unsafe(export_name = "__pender")]
fn pender(_: *mut ()) {
    WOKEN.store(true, Ordering::Relaxed);
}
