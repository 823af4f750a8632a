//! One attempt: a connection, a question, an answer of one line.

use embassy_net::tcp::{ConnectError, Error, TcpSocket};
use embassy_net::{Ipv4Address, Stack};
use undaunted::{Micros, Outcome};

/// The emulator's gateway, behind which is the loopback of the host.
pub const HOST: Ipv4Address = Ipv4Address::new(10, 0, 2, 2);

/// Why an attempt failed.
#[derive(Clone, Copy, defmt::Format)]
pub enum Fault {
    /// The server asks for a pause.
    Busy(Micros),
    /// Closed before the line was complete.
    Closed,
    /// There is no connection.
    Connect(ConnectError),
    /// The server does not answer to such as us.
    Denied,
    /// What came is no answer.
    Garbled,
    /// The connection was reset.
    Reset,
}

impl Fault {
    /// What a fault means for the policy.
    pub fn outcome(&self) -> Outcome {
        match *self {
            Fault::Busy(retry_after) => Outcome::Throttle { retry_after },
            Fault::Denied => Outcome::Abort,
            Fault::Closed | Fault::Connect(_) | Fault::Garbled | Fault::Reset => Outcome::Fail,
        }
    }
}

impl From<Error> for Fault {
    fn from(Error::ConnectionReset: Error) -> Fault {
        Fault::Reset
    }
}

/// Asks for the value.
pub async fn ask(stack: Stack<'static>, port: u16, attempt: u32) -> Result<u32, Fault> {
    defmt::info!("attempt {} begins", attempt);
    let (mut received, mut sent) = ([0; 256], [0; 64]);
    let mut socket = TcpSocket::new(stack, &mut received, &mut sent);
    socket.connect((HOST, port)).await.map_err(Fault::Connect)?;
    let question = b"value?\n";
    let mut rest = question.as_slice();
    while !rest.is_empty() {
        let taken = socket.write(rest).await?;
        rest = &rest[taken..];
    }
    let mut line = [0; 64];
    let value = read(read_line(&mut socket, &mut line).await?)?;
    socket.close();
    socket.flush().await?;
    Ok(value)
}

/// Reads to the first line feed, which is not part of it.
async fn read_line<'a>(socket: &mut TcpSocket<'_>, line: &'a mut [u8]) -> Result<&'a [u8], Fault> {
    let mut length = 0;
    loop {
        if let Some(end) = line[..length].iter().position(|&byte| byte == b'\n') {
            return Ok(&line[..end]);
        }
        let room = &mut line[length..];
        if room.is_empty() {
            return Err(Fault::Garbled);
        }
        match socket.read(room).await? {
            0 => return Err(Fault::Closed),
            taken => length += taken,
        }
    }
}

/// `value NUMBER`, `busy MILLISECONDS` or `denied`.
fn read(line: &[u8]) -> Result<u32, Fault> {
    let line = core::str::from_utf8(line).map_err(|_| Fault::Garbled)?;
    let number = |digits: &str| digits.parse::<u32>().map_err(|_| Fault::Garbled);
    match line.split_once(' ') {
        None if line == "denied" => Err(Fault::Denied),
        Some(("busy", millis)) => Err(Fault::Busy(Micros::from_millis(number(millis)?.into()))),
        Some(("value", value)) => number(value),
        _ => Err(Fault::Garbled),
    }
}
