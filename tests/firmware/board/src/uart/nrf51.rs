//! The port of the nRF51, on the Cortex-M0 board: events instead of flags.

use super::Register;

const START_RX: Register = Register(0x4000_2000);
const START_TX: Register = Register(0x4000_2008);
const RX_READY: Register = Register(0x4000_2108);
const TX_READY: Register = Register(0x4000_211C);
const ENABLE: Register = Register(0x4000_2500);
const RX_DATA: Register = Register(0x4000_2518);
const TX_DATA: Register = Register(0x4000_251C);

pub(super) fn enable() {
    ENABLE.write(4);
    START_RX.write(1);
    START_TX.write(1);
}

pub(super) fn put(byte: u8) {
    TX_READY.write(0);
    TX_DATA.write(byte.into());
    while TX_READY.read() == 0 {}
}

pub(super) fn get() -> Option<u8> {
    if RX_READY.read() == 0 {
        return None;
    }
    // Before the data is read, or the event of the next byte would be lost.
    RX_READY.write(0);
    Some(RX_DATA.read() as u8)
}
