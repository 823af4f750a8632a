//! What is waited for: `KIND:REST`, or short for one.

use super::command::Shell;
use super::dns::Name;
use super::file::File;
use super::http::Page;
use super::limit::Limit;
use super::link::Link;
use super::process::Process;
use super::seen::{Seen, Sight};
use super::tcp::Tcp;
use super::udp::Udp;
use super::unix::Socket;
use undaunted::Probe;

pub(crate) const KINDS: &str = "tcp, udp, unix, file, http, dns, link, process or command";

/// One kind of target: how to look, and the words for what there is to see.
pub(crate) trait Kind: Send + Sync {
    /// Looks once. It should keep to the limit; when it does not, it is not waited for.
    fn look(&self, limit: &Limit) -> Sight;

    /// What is said of it while it is there and should not be.
    fn there(&self) -> &'static str;

    /// What is said when a look did not end within its limit.
    fn silent(&self) -> &'static str {
        "no answer"
    }

    /// Whether a look has a process that must not be left behind.
    fn has_children(&self) -> bool {
        false
    }
}

/// A target as it was said.
pub(crate) struct Target {
    pub(crate) name: String,
    /// It is waited for until it is gone.
    gone: bool,
    pub(crate) kind: Box<dyn Kind>,
}

impl Target {
    /// Reads one. `statuses` are those with which an HTTP server is ready; none means 200 to 299.
    pub(crate) fn parse(text: &str, statuses: &[u16]) -> Result<Target, String> {
        let (gone, rest) = match text.strip_prefix("not:") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        match kind(rest, statuses) {
            Ok(kind) => Ok(Target { name: text.into(), gone, kind }),
            Err(wrong) => Err(format!("the target {text:?} cannot be read: {wrong}")),
        }
    }

    /// Looks once.
    pub(crate) fn look(&self, limit: &Limit) -> Sight {
        match self.kind.look(limit) {
            Probe::NotYet(seen) if self.gone && seen.is_absent() => Probe::Ready(()),
            Probe::Ready(()) if self.gone => Probe::NotYet(Seen::new(self.kind.there())),
            sight => sight,
        }
    }
}

/// The kind that is said, or else meant.
fn kind(text: &str, statuses: &[u16]) -> Result<Box<dyn Kind>, String> {
    let (word, rest) = text.split_once(':').unwrap_or((text, ""));
    Ok(match word {
        "command" => Box::new(Shell::parse(rest)?),
        "dns" => Box::new(Name::parse(rest)?),
        "file" => Box::new(File::parse(rest)?),
        "http" => Box::new(Page::parse(text, statuses)?),
        "https" => {
            return Err("there is no TLS here; expected http, or `command:curl -fsS https://...`".into());
        }
        "link" => Box::new(Link::parse(rest)?),
        "process" => Box::new(Process::parse(rest)?),
        "tcp" => Box::new(Tcp::parse(rest)?),
        "udp" => Box::new(Udp::parse(rest)?),
        "unix" => Box::new(Socket::parse(rest)?),
        _ if word.contains('/') => Box::new(File::parse(text)?),
        _ => match rest.contains(['/', ':']) && !word.starts_with('[') {
            true => return Err(format!("there is no kind {word:?}; expected {KINDS}")),
            false if text.contains(':') => Box::new(Tcp::parse(text)?),
            false => return Err("expected KIND:REST, HOST:PORT, or a path with a slash".into()),
        },
    })
}

/// What is after the colon, if there is anything.
pub(crate) fn some<'a>(rest: &'a str, expected: &str) -> Result<&'a str, String> {
    if rest.is_empty() { Err(format!("expected {expected}")) } else { Ok(rest) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_short_is_read_as_what_it_means() {
        for (text, there) in [
            ("db:5432", "accepts connections"),
            ("[::1]:80", "accepts connections"),
            ("127.0.0.1:80", "accepts connections"),
            ("/run/ready", "exists"),
            ("./a:b", "exists"),
            ("run/ready", "exists"),
            ("not:file:x", "exists"),
            ("http://a/b", "answers as expected"),
            ("http://[::1]/b", "answers as expected"),
            ("http://[::1]:8080", "answers as expected"),
            ("link:02:00:00:00:00:01", "is up"),
            ("command:true", "exit status 0"),
            ("dns:db", "resolves"),
            ("file:ready", "exists"),
            ("process:sleep", "runs"),
            ("tcp:db:5432", "accepts connections"),
            ("udp:db:53", "refuses nothing"),
            ("unix:ready", "accepts connections"),
        ] {
            assert_eq!(Target::parse(text, &[]).map(|target| target.kind.there()), Ok(there), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_what_was_expected() {
        for (text, wrong) in [
            ("", "expected KIND:REST, HOST:PORT, or a path with a slash"),
            ("db", "expected KIND:REST, HOST:PORT, or a path with a slash"),
            ("tpc:db:5432", "there is no kind \"tpc\"; expected tcp, udp"),
            ("ftp://db/", "there is no kind \"ftp\"; expected tcp, udp"),
            ("https://db/", "there is no TLS here; expected http, or `command:curl -fsS https://...`"),
            ("db:http", "\"http\" is no port; expected 1 to 65535"),
            ("tcp:db", "expected HOST:PORT"),
            ("tcp::80", "expected HOST:PORT"),
            ("tcp:db:0", "\"0\" is no port; expected 1 to 65535"),
            ("udp:db:65536", "\"65536\" is no port; expected 1 to 65535"),
            ("tcp:::1:80", "expected an IPv6 address in brackets, [ADDRESS]:PORT"),
            ("tcp:[::1]80", "expected [ADDRESS]:PORT"),
            ("file:", "expected file:PATH"),
            ("not:", "expected KIND:REST"),
            ("http://", "expected http://HOST[:PORT]/PATH"),
            ("http:", "expected http://HOST[:PORT]/PATH"),
            ("http:db", "expected http://HOST[:PORT]/PATH"),
            ("http://db:99999/", "\"99999\" is no port; expected 1 to 65535"),
            ("http://db:web/", "\"web\" is no port; expected 1 to 65535"),
            ("http://db:0/", "\"0\" is no port; expected 1 to 65535"),
            ("link:02:00:00:00:00", "expected a name without colons"),
        ] {
            let said = Target::parse(text, &[]).err().unwrap();
            assert!(said.contains(wrong), "{text}: {said}");
        }
    }
}
