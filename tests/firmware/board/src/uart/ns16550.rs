//! 16550, on the RISC-V board: its registers are bytes.

const DATA: *mut u8 = 0x1000_0000 as *mut u8;
const FIFO: *mut u8 = 0x1000_0002 as *mut u8;
const STATUS: *mut u8 = 0x1000_0005 as *mut u8;

const SOMETHING_CAME: u8 = 0x01;
const ROOM: u8 = 0x20;

pub(super) fn enable() {
    // SAFETY: the port of this board, and `Uart` is its only user; so below.
    unsafe { FIFO.write_volatile(1) }
}

pub(super) fn put(byte: u8) {
    // SAFETY: as above.
    unsafe {
        while STATUS.read_volatile() & ROOM == 0 {}
        DATA.write_volatile(byte);
    }
}

pub(super) fn get() -> Option<u8> {
    // SAFETY: as above.
    unsafe { (STATUS.read_volatile() & SOMETHING_CAME != 0).then(|| DATA.read_volatile()) }
}
