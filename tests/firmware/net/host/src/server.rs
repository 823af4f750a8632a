//! The server: one behaviour for each attempt, on a port of the loopback that is kept all the while.

use socket2::{Domain, Socket, Type};
use std::io::{self, BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// What the server does with one attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each says it")]
pub enum Behaviour {
    /// Asks for so many milliseconds of pause.
    Busy(u32),
    Denies,
    /// Answers with what no answer is.
    Garbles,
    /// Half an answer, then the end.
    Halves,
    /// Nothing listens.
    Refuses,
    /// The connection is cut by a reset after the question.
    Resets,
    /// Takes the question and never answers.
    IsSilent,
    Answers(u32),
}

impl Behaviour {
    /// What it says to the question; nothing where it has nothing to say.
    fn answer(self) -> Vec<u8> {
        match self {
            Behaviour::Answers(value) => format!("value {value}\n").into_bytes(),
            Behaviour::Busy(millis) => format!("busy {millis}\n").into_bytes(),
            Behaviour::Denies => b"denied\n".to_vec(),
            Behaviour::Garbles => b"\x00\xFF\x7Fvalue? value! 12\n".to_vec(),
            Behaviour::Halves => b"value 21".to_vec(),
            Behaviour::IsSilent | Behaviour::Refuses | Behaviour::Resets => Vec::new(),
        }
    }
}

/// A port of the loopback. A bound socket that does not listen refuses, and nobody else can have the port.
pub struct Server {
    kept: Socket,
    /// Who deals with the attempt under way.
    attendant: Option<JoinHandle<io::Result<Option<TcpStream>>>>,
}

impl Server {
    /// Takes a port that is free.
    ///
    /// # Errors
    /// The system's.
    pub fn new() -> io::Result<Server> {
        let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        Ok(Server { kept: bound(any)?, attendant: None })
    }

    /// The port.
    ///
    /// # Errors
    /// The system's.
    pub fn port(&self) -> io::Result<u16> {
        self.address().map(|address| address.port())
    }

    fn address(&self) -> io::Result<SocketAddr> {
        self.kept.local_addr()?.as_socket().ok_or_else(|| io::Error::other("no address of IPv4"))
    }

    /// Gets ready for the next attempt. When this returns, who connects is dealt with so.
    ///
    /// # Errors
    /// The system's.
    pub fn expect(&mut self, behaviour: Behaviour) -> io::Result<()> {
        if behaviour == Behaviour::Refuses {
            return Ok(());
        }
        let listener = bound(self.address()?)?;
        listener.listen(1)?;
        listener.set_read_timeout(Some(PATIENCE))?; // of `accept`, too
        self.attendant = Some(thread::spawn(move || attend(&listener, behaviour)));
        Ok(())
    }

    /// The attempt is over: whether it came as was expected. The connection is closed.
    ///
    /// # Errors
    /// The system's; a question that is none; nobody.
    pub fn over(&mut self) -> io::Result<()> {
        match self.attendant.take() {
            None => Ok(()),
            Some(attendant) => {
                attendant.join().map_err(|_| io::Error::other("the server panicked"))?.map(drop)
            }
        }
    }
}

/// Longer than any attempt.
const PATIENCE: Duration = Duration::from_secs(60);

fn bound(address: SocketAddr) -> io::Result<Socket> {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
    // So that two sockets may have the port: one keeps it, another listens for one attempt.
    socket.set_reuse_address(true)?;
    socket.bind(&address.into())?;
    Ok(socket)
}

/// Takes one connection and its question, and behaves. What it gives is kept open until the attempt is over.
fn attend(listener: &Socket, behaviour: Behaviour) -> io::Result<Option<TcpStream>> {
    let (connection, _) = listener.accept()?;
    connection.set_read_timeout(Some(PATIENCE))?;
    if behaviour == Behaviour::Resets {
        connection.set_linger(Some(Duration::ZERO))?; // to close is to reset then
    }
    let mut connection = TcpStream::from(connection);
    let mut question = String::new();
    BufReader::new(&connection).read_line(&mut question)?;
    if question != "value?\n" {
        return Err(io::Error::other(format!("the device asked {question:?}")));
    }
    connection.write_all(&behaviour.answer())?;
    let closes = matches!(behaviour, Behaviour::Halves | Behaviour::Resets);
    Ok((!closes).then_some(connection))
}
