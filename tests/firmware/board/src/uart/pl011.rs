//! PL011, on the Cortex-M3 board.

use super::Register;

const DATA: Register = Register(0x4000_C000);
const FLAGS: Register = Register(0x4000_C018);
const LINE: Register = Register(0x4000_C02C);
const CONTROL: Register = Register(0x4000_C030);

const NOTHING_CAME: u32 = 0x10;
const NO_ROOM: u32 = 0x20;

pub(super) fn enable() {
    LINE.write(0x70); // eight bits, FIFO
    CONTROL.write(0x301); // receiver, transmitter, the port
}

pub(super) fn put(byte: u8) {
    while FLAGS.read() & NO_ROOM != 0 {}
    DATA.write(byte.into());
}

pub(super) fn get() -> Option<u8> {
    (FLAGS.read() & NOTHING_CAME == 0).then(|| DATA.read() as u8)
}
