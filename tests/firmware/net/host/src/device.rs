//! The device: the emulator with the program, its command line, and what it reports, decoded as it comes.

use defmt_decoder::{DecodeError, Frame, StreamDecoder, Table};
use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

/// A line of the report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The device's clock, in microseconds.
    pub at: u64,
    /// What it says.
    pub text: String,
}

/// A program in the emulator.
pub struct Device<'a> {
    emulator: Child,
    output: ChildStdout,
    decoder: Box<dyn StreamDecoder + Send + Sync + 'a>,
    lines: VecDeque<Line>,
}

impl<'a> Device<'a> {
    /// Starts the program with a command line; `table` is of its frames.
    ///
    /// Time is counted in instructions, but where the device sleeps it goes with the clock of this machine: there
    /// are real sockets to wait for.
    ///
    /// # Errors
    /// The system's.
    pub fn start(elf: &Path, table: &'a Table, arguments: &[&str]) -> io::Result<Device<'a>> {
        let arguments: String = arguments.iter().map(|argument| format!(",arg='{argument}'")).collect();
        let mut emulator = Command::new("qemu-system-arm")
            .args(["-M", "lm3s6965evb", "-nographic", "-monitor", "none", "-serial", "none"])
            .args(["-nic", "user,model=stellaris", "-icount", "shift=6,sleep=on"])
            .args(["-semihosting-config", &format!("enable=on,target=native,arg=net{arguments}"), "-kernel"])
            .arg(elf)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let output = emulator.stdout.take().expect("it is piped");
        Ok(Device { emulator, output, decoder: table.new_stream_decoder(), lines: VecDeque::new() })
    }

    /// The next line; none when the device has ended.
    ///
    /// # Errors
    /// The system's; bytes that are no frame.
    pub fn line(&mut self) -> io::Result<Option<Line>> {
        let mut bytes = [0; 256];
        loop {
            if let Some(line) = self.lines.pop_front() {
                return Ok(Some(line));
            }
            let length = self.output.read(&mut bytes)?;
            if length == 0 {
                return Ok(None);
            }
            self.decoder.received(&bytes[..length]);
            self.decode()?;
        }
    }

    /// All frames that are complete.
    fn decode(&mut self) -> io::Result<()> {
        loop {
            match self.decoder.decode() {
                Ok(frame) => self.lines.push_back(line(&frame)?),
                Err(DecodeError::UnexpectedEof) => return Ok(()),
                Err(DecodeError::Malformed) => return Err(io::Error::other("a frame cannot be decoded")),
            }
        }
    }

    /// Lets the device go on after an event.
    ///
    /// # Errors
    /// The system's.
    pub fn go_on(&mut self) -> io::Result<()> {
        self.emulator.stdin.as_mut().expect("it is piped").write_all(b".")
    }

    /// What it ended with; what it had to say beside its frames, a panic, goes to standard error.
    ///
    /// # Errors
    /// The system's; a signal.
    pub fn code(mut self) -> io::Result<i32> {
        let mut said = String::new();
        self.emulator.stderr.take().expect("it is piped").read_to_string(&mut said)?;
        // The emulator says the first of its timer at each start.
        said.lines()
            .filter(|line| *line != "Timer with period zero, disabling")
            .for_each(|line| eprintln!("{line}"));
        let status = self.emulator.wait()?;
        status.code().ok_or_else(|| io::Error::other(format!("the emulator: {status}")))
    }
}

/// Nothing is left running, whatever happened.
impl Drop for Device<'_> {
    fn drop(&mut self) {
        let _ = self.emulator.kill();
        let _ = self.emulator.wait();
    }
}

fn line(frame: &Frame<'_>) -> io::Result<Line> {
    let stamp = frame.display_timestamp().map(|stamp| stamp.to_string()).unwrap_or_default();
    // Seconds with six decimals.
    let at = stamp.replacen('.', "", 1).parse();
    let at = at.map_err(|_| io::Error::other(format!("the time stamp {stamp:?}")))?;
    Ok(Line { at, text: frame.display_message().to_string() })
}
