//! The Ethernet controller of the LM3S6965 as a driver of embassy-net: by interrupt, one frame at a time.

use core::task::Context;
use embassy_net_driver::{Capabilities, Driver, HardwareAddress, LinkState, RxToken, TxToken};
use embassy_sync::waitqueue::AtomicWaker;

/// Its number at the interrupt controller.
const INTERRUPT: u8 = 42;

/// A frame with its header.
const LARGEST: usize = 1514;
/// Two bytes of length before it and four of checksum after it, all of which the length counts.
const AROUND: usize = 2 + 4;
const BUFFER: usize = (LARGEST + AROUND).next_multiple_of(4);

static WAKER: AtomicWaker = AtomicWaker::new();

/// The controller, and room for a frame in each direction.
pub struct Enet {
    received: [u8; BUFFER],
    sent: [u8; BUFFER],
}

impl Enet {
    /// Starts the controller. To be called once.
    pub fn start() -> Enet {
        Register::INTERRUPT_MASK.write(0);
        Register::TRANSMIT_CONTROL.write(ENABLE | PAD | CHECKSUM | DUPLEX);
        Register::RECEIVE_CONTROL.write(ENABLE | MULTICAST | RESET_FIFO);
        NVIC_ENABLE[usize::from(INTERRUPT / 32)].write(1 << (INTERRUPT % 32));
        Enet { received: [0; BUFFER], sent: [0; BUFFER] }
    }

    /// Whether there is nothing to do now. Then the task is woken when that may have changed.
    ///
    /// What arrives before the interrupt is acknowledged is seen by the second look, what arrives after it interrupts.
    fn must_wait(context: &mut Context<'_>, is_ready: fn() -> bool) -> bool {
        if is_ready() {
            return false;
        }
        WAKER.register(context.waker());
        Register::INTERRUPT_STATUS.write(RECEIVED | SENT);
        Register::INTERRUPT_MASK.write(RECEIVED | SENT);
        !is_ready()
    }

    /// Takes the next frame from the controller, and gives its length.
    fn take_frame(&mut self) -> usize {
        let first = Register::DATA.read().to_le_bytes();
        let length = usize::from(u16::from_le_bytes([first[0], first[1]]));
        let (word, rest) = self.received[..length.next_multiple_of(4)].split_at_mut(4);
        word.copy_from_slice(&first);
        for word in rest.chunks_exact_mut(4) {
            word.copy_from_slice(&Register::DATA.read().to_le_bytes());
        }
        length - AROUND
    }
}

/// What the vector table has for the controller; masked until somebody waits again.
#[cortex_m_rt::exception]
unsafe fn DefaultHandler(number: i16) {
    assert!(number == i16::from(INTERRUPT), "an interrupt that nobody enabled");
    Register::INTERRUPT_MASK.write(0);
    WAKER.wake();
}

fn can_receive() -> bool {
    Register::NUMBER_OF_PACKETS.read() != 0
}

fn can_send() -> bool {
    Register::TRANSMIT_REQUEST.read() & REQUESTED == 0
}

impl Driver for Enet {
    type RxToken<'a> = Received<'a>;
    type TxToken<'a> = Sending<'a>;

    fn receive(&mut self, context: &mut Context<'_>) -> Option<(Received<'_>, Sending<'_>)> {
        if Self::must_wait(context, || can_receive() && can_send()) {
            return None;
        }
        let length = self.take_frame();
        Some((Received(&mut self.received[2..2 + length]), Sending(&mut self.sent)))
    }

    fn transmit(&mut self, context: &mut Context<'_>) -> Option<Sending<'_>> {
        if Self::must_wait(context, can_send) { None } else { Some(Sending(&mut self.sent)) }
    }

    fn link_state(&mut self, _: &mut Context<'_>) -> LinkState {
        LinkState::Up // the emulated cable is always plugged in
    }

    fn capabilities(&self) -> Capabilities {
        let mut capabilities = Capabilities::default();
        capabilities.max_transmission_unit = LARGEST;
        capabilities
    }

    fn hardware_address(&self) -> HardwareAddress {
        let (low, high) = (Register::ADDRESS_LOW.read(), Register::ADDRESS_HIGH.read());
        let ([a, b, c, d], [e, f, ..]) = (low.to_le_bytes(), high.to_le_bytes());
        HardwareAddress::Ethernet([a, b, c, d, e, f])
    }
}

/// A frame that has come.
pub struct Received<'a>(&'a mut [u8]);

impl RxToken for Received<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, read: F) -> R {
        read(self.0)
    }
}

/// Room for a frame to send.
pub struct Sending<'a>(&'a mut [u8; BUFFER]);

impl TxToken for Sending<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, length: usize, write: F) -> R {
        // The controller wants the length without the header before it.
        let payload = (length - 14) as u16;
        self.0[..2].copy_from_slice(&payload.to_le_bytes());
        let result = write(&mut self.0[2..2 + length]);
        for word in self.0[..(2 + length).next_multiple_of(4)].chunks_exact(4) {
            Register::DATA.write(u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
        }
        Register::TRANSMIT_REQUEST.write(REQUESTED);
        result
    }
}

const ENABLE: u32 = 1 << 0;
const MULTICAST: u32 = 1 << 1;
const RESET_FIFO: u32 = 1 << 4;
const PAD: u32 = 1 << 1;
const CHECKSUM: u32 = 1 << 2;
const DUPLEX: u32 = 1 << 4;
const RECEIVED: u32 = 1 << 0;
const SENT: u32 = 1 << 2;
const REQUESTED: u32 = 1 << 0;

const NVIC_ENABLE: [Register; 2] = [Register(0xE000_E100), Register(0xE000_E104)];

/// A register by its address.
struct Register(usize);

impl Register {
    const INTERRUPT_STATUS: Register = Register(0x4004_8000);
    const INTERRUPT_MASK: Register = Register(0x4004_8004);
    const RECEIVE_CONTROL: Register = Register(0x4004_8008);
    const TRANSMIT_CONTROL: Register = Register(0x4004_800C);
    const DATA: Register = Register(0x4004_8010);
    const ADDRESS_LOW: Register = Register(0x4004_8014);
    const ADDRESS_HIGH: Register = Register(0x4004_8018);
    const NUMBER_OF_PACKETS: Register = Register(0x4004_8034);
    const TRANSMIT_REQUEST: Register = Register(0x4004_8038);

    fn read(&self) -> u32 {
        // SAFETY: the addresses above are registers of this board, which only this file uses.
        unsafe { (self.0 as *const u32).read_volatile() }
    }

    fn write(&self, word: u32) {
        // SAFETY: as above.
        unsafe { (self.0 as *mut u32).write_volatile(word) }
    }
}
