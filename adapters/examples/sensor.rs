//! A driver of an I2C sensor, blocking and asynchronous, on the traits of embedded-hal: what the bus says decides what is
//! worth another attempt, and the worst case is checked against the watchdog where the policy is written.
//!
//! ```sh
//! cargo run -p undaunted --features embedded-hal,embedded-hal-async --example sensor
//! ```

use embedded_hal_mock::eh1::delay::{CheckedDelay, NoopDelay, Transaction as Wait};
use embedded_hal_mock::eh1::i2c::{Mock, Transaction};
use std::convert::Infallible;
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use undaunted::{GaveUp, Last, Outcome, Policy, Reason};

use embedded_hal::i2c::{ErrorKind, NoAcknowledgeSource};

/// The sensor does not answer while it converts, for a millisecond or two.
const READ: Policy =
    Policy::exponential(Duration::from_micros(500)).cap(Duration::from_millis(4)).no_jitter().attempts(5);

/// How long a transfer takes, clock stretching included.
const TRANSFER: Duration = Duration::from_millis(2);
const WATCHDOG: Duration = Duration::from_millis(20);

// 10 ms of work and 0.5, 1, 2 and 4 ms of waits: the watchdog need not be fed meanwhile, or this does not compile.
const _: () = assert!(READ.worst_case_with(TRANSFER).as_micros() < WATCHDOG.as_micros() as u64);

/// What goes wrong in a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure<E> {
    /// On the bus.
    Bus(E),
    /// On its way: the checksum is wrong.
    Checksum,
}

/// A sensor that is busy and a bus that is shared get over it; a bus that is broken does not.
fn passes(error: &Failure<impl embedded_hal::i2c::Error>) -> bool {
    match error {
        Failure::Bus(error) => {
            matches!(error.kind(), ErrorKind::NoAcknowledge(_) | ErrorKind::ArbitrationLoss)
        }
        Failure::Checksum => true,
    }
}

const ADDRESS: u8 = 0x44;
const TEMPERATURE: u8 = 0xE0;

/// Hundredths of a degree, from two bytes and their sum.
fn decoded<E>([high, low, sum]: [u8; 3]) -> Result<i16, Failure<E>> {
    if high.wrapping_add(low) == sum { Ok(i16::from_be_bytes([high, low])) } else { Err(Failure::Checksum) }
}

mod blocking {
    use super::*;
    use embedded_hal::{delay::DelayNs, i2c::I2c};
    use undaunted::embedded_hal::{Hal, retry};

    pub(crate) struct Sensor<I, D> {
        pub(crate) i2c: I,
        pub(crate) hal: Hal<D>,
    }

    impl<I: I2c, D: DelayNs> Sensor<I, D> {
        pub(crate) fn read(&mut self) -> Result<i16, GaveUp<i16, Failure<I::Error>>> {
            retry(&self.hal, &READ, || {
                let mut answer = [0; 3];
                self.i2c.write_read(ADDRESS, &[TEMPERATURE], &mut answer).map_err(Failure::Bus)?;
                decoded(answer)
            })
            .when(passes)
            .run()
        }
    }
}

mod asynchronous {
    use super::*;
    use embedded_hal_async::{delay::DelayNs, i2c::I2c};
    use undaunted::embedded_hal_async::{Hal, session};

    pub(crate) struct Sensor<I, D> {
        pub(crate) i2c: I,
        pub(crate) hal: Hal<D>,
    }

    impl<I: I2c, D: DelayNs> Sensor<I, D> {
        /// A loop of its own, since each attempt borrows the bus.
        pub(crate) async fn read(&mut self) -> Result<i16, GaveUp<Infallible, Failure<I::Error>>> {
            let mut session = session(&mut self.hal, &READ);
            loop {
                let mut answer = [0; 3];
                let sent = self.i2c.write_read(ADDRESS, &[TEMPERATURE], &mut answer).await;
                match sent.map_err(Failure::Bus).and_then(|()| decoded(answer)) {
                    Ok(temperature) => return Ok(temperature),
                    Err(e) => session.settle(Outcome::retry_if(passes(&e))).await.or_give_up(e)?,
                }
            }
        }
    }
}

/// What the bus does: `Ok` with an answer, or an error.
fn bus(script: &[Result<[u8; 3], ErrorKind>]) -> Mock {
    let transfer = |said: &Result<[u8; 3], ErrorKind>| match said {
        Ok(answer) => Transaction::write_read(ADDRESS, vec![TEMPERATURE], answer.to_vec()),
        Err(kind) => Transaction::write_read(ADDRESS, vec![TEMPERATURE], vec![0; 3]).with_error(*kind),
    };
    Mock::new(&script.iter().map(transfer).collect::<Vec<_>>())
}

const SERIAL: u64 = 4711;
const BUSY: ErrorKind = ErrorKind::NoAcknowledge(NoAcknowledgeSource::Address);

fn main() {
    let good = [0x08, 0x66, 0x6E]; // 21.50 degrees
    let script = [Err(BUSY), Err(ErrorKind::ArbitrationLoss), Ok([0x08, 0x66, 0]), Ok(good)];

    // Blocking: it waits 0.5, 1 and 2 ms.
    let waits =
        [Wait::blocking_delay_us(500), Wait::blocking_delay_us(1_000), Wait::blocking_delay_us(2_000)];
    let mut sensor = blocking::Sensor {
        i2c: bus(&script),
        hal: undaunted::embedded_hal::Hal::seeded(SERIAL, CheckedDelay::new(&waits)),
    };
    assert_eq!(sensor.read(), Ok(2_150));
    sensor.i2c.done();
    sensor.hal.release().done();

    // Asynchronous: the same.
    let waits = [Wait::async_delay_us(500), Wait::async_delay_us(1_000), Wait::async_delay_us(2_000)];
    let mut sensor = asynchronous::Sensor {
        i2c: bus(&script),
        hal: undaunted::embedded_hal_async::Hal::seeded(SERIAL, CheckedDelay::new(&waits)),
    };
    assert_eq!(block_on(sensor.read()), Ok(2_150));
    sensor.i2c.done();
    sensor.hal.release().done();

    // A bus that is broken is not asked again, and a sensor that is not there five times.
    for (script, reason, attempts, error) in [
        (&[Err(ErrorKind::Bus)][..], Reason::Permanent, 1, ErrorKind::Bus),
        (&[Err(BUSY), Err(ErrorKind::Overrun)], Reason::Permanent, 2, ErrorKind::Overrun),
        (&[Err(BUSY); 5], Reason::Attempts, 5, BUSY),
    ] {
        let hal = undaunted::embedded_hal::Hal::seeded(SERIAL, NoopDelay::new());
        let mut sensor = blocking::Sensor { i2c: bus(script), hal };
        let gave_up = sensor.read().unwrap_err();
        assert_eq!((gave_up.reason, gave_up.attempts), (reason, attempts));
        assert_eq!(gave_up.last, Last::Error(Failure::Bus(error)));
        sensor.i2c.done();

        let hal = undaunted::embedded_hal_async::Hal::seeded(SERIAL, NoopDelay::new());
        let mut sensor = asynchronous::Sensor { i2c: bus(script), hal };
        let gave_up = block_on(sensor.read()).unwrap_err();
        assert_eq!((gave_up.reason, gave_up.attempts), (reason, attempts));
        assert_eq!(gave_up.last, Last::Error(Failure::Bus(error)));
        sensor.i2c.done();
    }
    println!("both drivers ride out a busy sensor, and give up on a broken bus");
}

/// The mocks are ready at once.
fn block_on<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => unreachable!("the mocks do not wait"),
    }
}
