//! What `--help` teaches beside the arguments.

use crate::policy::{DEFAULT, VARIABLE};

/// After `undaunted --help`.
pub(crate) const COMMAND: &str = "\
Examples:
  undaunted run -- curl -fsS http://127.0.0.1:8080/healthz
  undaunted run exponential 100ms attempts 8 within 2m -- ./deploy.sh
  undaunted plan exponential 100ms x1.5 cap 40s attempts 8
  undaunted presets
  undaunted wait --timeout 30s db:5432 /run/secrets/key -- ./server

`undaunted run --help` explains the words of a policy.";

/// After `undaunted presets --help`.
pub(crate) const PRESETS: &str = "\
Examples:
  undaunted presets
  undaunted presets clusterctl.write.2026
  undaunted plan --preset cni.tag_eni --preset cni.delete_eni
  undaunted run --preset kubeadm.etcd.2020b -- etcdctl endpoint health";

/// After `undaunted completions --help`.
pub(crate) const COMPLETIONS: &str = "\
Examples:
  source <(undaunted completions bash)
  undaunted completions zsh > ~/.zfunc/_undaunted
  undaunted completions fish > ~/.config/fish/completions/undaunted.fish";

/// After `undaunted man --help`.
pub(crate) const MAN: &str = "\
Examples:
  undaunted man | man -l -
  undaunted man ~/.local/share/man/man1";

const LANGUAGE: &str = "\
A policy is a shape with its first wait, then limits in any order:
  exponential 100ms x2      100 ms, 200 ms, 400 ms ... (x2 may be left out)
  linear 1s +500ms          1 s, 1.5 s, 2 s ...
  fibonacci 1s              1 s, 2 s, 3 s, 5 s, 8 s ...
  constant 1s               1 s each time
  schedule 1s,5s,30s        these waits; the last one repeats
  decorrelated 1s x3        from 1 s to 3 times the wait before
  immediate                 no wait
  attempts 5                calls in all, the first included; or `unlimited`
  within 2m                 all in all, work included: no wait begins that would
                            end later
  jitter full               0 to the wait; also equal, none, +-20%, +20%
  cap 30s, floor 1s         no wait is longer, none shorter
  first_delay 5s            a wait before the first attempt
  attempt_timeout 10s       the most time for one attempt
  hint_ceiling 10m          the longest pause that is obeyed when asked for
Units are us, ms, s, m, h and d.";

const FILE: &str = "\
A file is TOML: `policy` at its top, and others by name in `[policies]`, each
one line of text or a table with the same words:
  policy = \"exponential 100ms attempts 8\"
  [policies]
  uplink = \"exponential 1s cap 5m attempts unlimited\"
  [policies.write]
  linear = \"1s +500ms\"
  within = \"2m\"";

const RUN: &str = "\
What is tried again:
  any status but 0, and a death by signal; --retry-on and --stop-on narrow it
  126 and 127 never: the command cannot be executed, or is not there
An attempt ends when the command ends. At attempt_timeout, and when `within` is
over, it is ended with all that it started: by TERM, and after --grace by KILL;
so is what a failed attempt leaves behind, before the next begins. The grace
comes on top of `within`. Where /proc is not mounted only the command is ended.

The command finds in its environment:
  UNDAUNTED_ATTEMPT         which attempt this is, from 1
  UNDAUNTED_ATTEMPTS        how many there may be; absent when unlimited
  UNDAUNTED_TIME_LEFT       how long it may take, such as 10s; absent when
                            unlimited
  UNDAUNTED_HINT_FILE       a file; a length written there (30s, or 30) is the
                            least wait after a failure

Exit status:
  that of the last attempt; 128 + N when signal N killed it
  124  the last attempt was ended at its limit
  125  undaunted could not do its own part: no temporary file, no input
  2    the command line or the policy is wrong
  1    with --supervise: too many clean ends (--intensity)
Signals: TERM, INT, QUIT and HUP are passed on and end it, again: at once; between
two attempts the status is 128 + N. USR1, USR2 and WINCH are passed on, with
--supervise HUP too. Nobody can catch a KILL: it kills the command as well, but
not what the command started, nor a command that changes its user.

--supervise keeps a command running: its waits grow until a run has lasted for
--healthy-after (twice the cap unless said). A run is not cut: `within` then
only keeps a restart from being begun. As process 1 of a container it reaps
what is orphaned; under systemd it passes on what the command notifies.

Examples:
  undaunted run -- curl -fsS http://127.0.0.1:8080/healthz
  undaunted run exponential 100ms attempts 8 within 2m -- ./deploy.sh
  undaunted run --stop-on 2 --attempt-timeout 30s -- ssh node uptime
  pg_dump db | undaunted run --stdin replay -- ssh backup 'cat > db.sql'
  undaunted run --preset clusterctl.connect --quiet -- kubectl get nodes
  undaunted run --supervise exponential 1s cap 5m attempts unlimited \\
      --intensity 5/1m --gate link:eth0 -- flanneld";

const PLAN: &str = "\
Several policies are shown one after another and in one drawing: several quoted
texts, presets and files. --fleet shows what a server sees when many devices
lose it at once; each draws with its serial number, from 0, as the seed. The
drawing of --svg is light or dark as the reader's screen is.

Examples:
  undaunted plan exponential 100ms x1.5 cap 40s attempts 8 within 2m
  undaunted plan \"schedule 1s,5s,30s jitter +-20% attempts 10\"
  undaunted plan --preset kubeadm.etcd.2019 --preset kubeadm.etcd.2020a
  undaunted plan \"constant 5s jitter none\" \"constant 5s\" --fleet 1000
  undaunted plan decorrelated 1s --seed 7 --svg plan.svg
  undaunted plan --file policies.toml --format json";

/// After `undaunted run --help`.
pub(crate) fn run() -> String {
    format!("{LANGUAGE}\n\n{}\n\n{RUN}", default())
}

/// After `undaunted plan --help`.
pub(crate) fn plan() -> String {
    format!("{LANGUAGE}\n\n{}\n\n{PLAN}", default())
}

fn default() -> String {
    format!("{FILE}\n\nWithout any of these the policy is that of {VARIABLE}, else:\n  {DEFAULT}")
}
