//! `http://HOST[:PORT]/PATH`: the server answers with a status that means ready, and its body comes.

use super::limit::Limit;
use super::seen::{Seen, Sight, of_error};
use super::target::Kind;
use std::io::{self, Read};
use undaunted::Probe;
use ureq::http::{Response, Uri};
use ureq::{Agent, Body, Error};

/// As much of a body as is read. Who sends more is well.
const BODY: u64 = 64 * 1024;

#[derive(Debug)]
pub(crate) struct Page {
    uri: Uri,
    statuses: Vec<u16>,
}

impl Page {
    pub(crate) fn parse(text: &str, statuses: &[u16]) -> Result<Page, String> {
        let uri: Option<Uri> = text.parse().ok().filter(|uri: &Uri| uri.scheme_str() == Some("http"));
        let Some(uri) = uri.filter(|uri| uri.host().is_some_and(|host| !host.is_empty())) else {
            return Err("expected http://HOST[:PORT]/PATH".into());
        };
        // What is no port would be passed over, and port 80 asked instead.
        let authority = uri.authority().map_or("", |authority| authority.as_str());
        match authority.rsplit_once([':', ']']) {
            Some((_, port)) if !port.is_empty() && !matches!(uri.port_u16(), Some(1..)) => {
                Err(format!("{port:?} is no port; expected 1 to 65535"))
            }
            _ => Ok(Page { uri, statuses: statuses.into() }),
        }
    }

    fn is_expected(&self, status: u16) -> bool {
        match self.statuses[..] {
            [] => (200..300).contains(&status),
            _ => self.statuses.contains(&status),
        }
    }

    fn read(&self, response: Response<Body>) -> Sight {
        let status = response.status();
        if !self.is_expected(status.as_u16()) {
            return Probe::NotYet(Seen::absent(format!("status {status}")));
        }
        match io::copy(&mut response.into_body().into_reader().take(BODY), &mut io::sink()) {
            Ok(_) => Probe::Ready(()),
            Err(error) => failed(&Error::from(error)),
        }
    }
}

impl Kind for Page {
    /// The server itself is asked: no proxy, no redirection, a connection of its own.
    fn look(&self, limit: &Limit) -> Sight {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None)
            .timeout_global(Some(limit.share(1)))
            .user_agent(concat!("undaunted/", env!("CARGO_PKG_VERSION")));
        match Agent::from(config.build()).get(&self.uri).call() {
            Ok(response) => self.read(response),
            Err(error) => failed(&error),
        }
    }

    fn there(&self) -> &'static str {
        "answers as expected"
    }
}

fn failed(error: &Error) -> Sight {
    match error {
        Error::Io(error) => of_error(error),
        Error::Timeout(_) => Probe::NotYet(Seen::new("no answer")),
        error => Probe::NotYet(Seen::new(error.to_string())),
    }
}
