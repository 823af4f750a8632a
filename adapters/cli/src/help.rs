//! What `--help` teaches beside the arguments.

use crate::policy::DEFAULT;

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

const RUN: &str = "\
Any status but 0 is a failure and is tried again, and so is a death by signal.
126 and 127 end it at once: the command cannot be executed, or is not there.
The exit status is that of the last attempt (128 + N after signal N); 2 when
the command line or the policy is wrong. Lines about the attempts go to
standard error. Standard input goes to the command: what one attempt has read,
the next does not see. A command that hangs is not cut: `within` only keeps
further waits from beginning, and `attempt_timeout` does nothing here. A signal
sent to undaunted alone ends it and not the command.

Examples:
  undaunted run -- curl -fsS http://127.0.0.1:8080/healthz
  undaunted run exponential 100ms attempts 8 within 2m -- ./deploy.sh
  undaunted run \"constant 5s attempts unlimited\" -- ssh node uptime
  undaunted run --preset clusterctl.connect --quiet -- kubectl get nodes";

const PLAN: &str = "\
Examples:
  undaunted plan exponential 100ms x1.5 cap 40s attempts 8 within 2m
  undaunted plan \"schedule 1s,5s,30s jitter +-20% attempts 10\"
  undaunted plan --preset kubeadm.etcd.2019 --preset kubeadm.etcd.2020a
  undaunted plan decorrelated 1s --seed 7";

/// After `undaunted run --help`.
pub(crate) fn run() -> String {
    format!("{LANGUAGE}\n\n{}\n\n{RUN}", default())
}

/// After `undaunted plan --help`.
pub(crate) fn plan() -> String {
    format!("{LANGUAGE}\n\n{}\n\n{PLAN}", default())
}

fn default() -> String {
    format!("Without POLICY and --preset:\n  {DEFAULT}")
}
