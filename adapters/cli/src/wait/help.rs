//! What `undaunted wait --help` teaches beside the arguments.

use super::limits;

const TARGETS: &str = "\
Targets:
  tcp:HOST:PORT       a connection is accepted, at any address of the host;
                      [::1]:80 for an IPv6 address
  udp:HOST:PORT       no refusal comes back within 1 s. That is all that can be
                      known: a host that is silent or away looks the same
  unix:PATH           a Unix stream socket accepts
  file:PATH           there is a file, a directory or whatever else
  http://HOST/PATH    the status is 200 to 299, or one of --status, and the body
                      comes (its first 64 KiB). There is no TLS, no proxy and no
                      redirection; for https: 'command:curl -fsS https://...'
  dns:NAME            the name resolves
  link:NAME           a network link is there, up and has a carrier; by its name
  link:MAC            or its address, such as 02:00:00:00:00:01
  process:NAME        a process of this name, or with this number, runs
  command:TEXT        sh -c TEXT ends with 0. Its output is not shown, but for the
                      last line of its standard error when all is over. At the
                      limit its process group is sent TERM, and 40 ms later KILL
  not:TARGET          it was seen to be gone: not:process:4711. Silence is not
                      evidence of that
Short: HOST:PORT is tcp, a path with a slash is a file.";

const RULES: &str = "\
All targets are looked at side by side, each by the policy. The time is for
everything, also for a look that hangs (10 s each, without POLICY), and its end
holds; shortly before it there is one last look. A target that was ready is not
looked at again.

Exit status:
  0        ready, when there is no COMMAND; else the status is that of COMMAND,
           which takes the place of undaunted and gets its signals
  1        a target says never (a permission is missing, a name cannot be valid)
  2        the command line is wrong
  124      time was up, or no attempts were left
  125      nothing could be watched: no thread could be made
  126/127  COMMAND cannot be executed, or is not there
  128+N    signal N ended it; no command of a target is left behind

Examples:
  undaunted wait tcp:db:5432 -- ./server
  undaunted wait --timeout 30s db:5432 /run/secrets/key http://auth:8080/healthz
  undaunted wait --any --interval 200ms unix:/run/a.sock unix:/run/b.sock
  undaunted wait --timeout 2m link:eth0 dns:registry.internal -- dockerd
  undaunted wait not:process:apt-get 'command:test -s /etc/machine-id'
  undaunted wait --status 200,401 http://127.0.0.1:9200/
  undaunted wait --policy 'exponential 100ms cap 5s attempts unlimited within 5m' \\
    'command:pg_isready -q'";

pub(crate) fn help() -> String {
    format!("{TARGETS}\n\n{RULES}\n\nWithout POLICY:\n  {}", limits::default())
}
