//! What may stand on the command line of `undaunted run`.

use super::input::Stdin;
use super::output::Show;
use super::statuses::Statuses;
use super::teller::Lines;
use crate::policy;
use std::ffi::OsString;
use undaunted::{Intensity, Micros};

/// `undaunted run`.
#[derive(Debug, clap::Args)]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) source: policy::Source,
    /// Count the waits from the beginning of an attempt and not from its end: every 5 s is then every 5 s, however
    /// long the command takes.
    #[arg(long, conflicts_with = "supervise")]
    pub(crate) fixed_rate: bool,
    /// Only these exit statuses are tried again: 75,100-110,SIGSEGV,signals.
    #[arg(long, value_name = "LIST", help_heading = "What is tried again")]
    pub(crate) retry_on: Option<Statuses>,
    /// These exit statuses end it at once, in the same way.
    #[arg(long, value_name = "LIST", help_heading = "What is tried again")]
    pub(crate) stop_on: Option<Statuses>,
    /// The most time for one attempt, as `attempt_timeout` in the policy; it is ended with all that it started.
    #[arg(long, value_name = "LENGTH", conflicts_with = "supervise", help_heading = "Ending a command")]
    pub(crate) attempt_timeout: Option<Micros>,
    /// How long a command that is told to end may take, before it is killed.
    #[arg(long, value_name = "LENGTH", default_value = "5s", help_heading = "Ending a command")]
    pub(crate) grace: Micros,
    /// What the command reads.
    #[arg(long, value_name = "HOW", default_value = "inherit", help_heading = "Input and output")]
    pub(crate) stdin: Stdin,
    /// Which output is shown.
    #[arg(long, value_name = "WHICH", default_value = "stream", help_heading = "Input and output")]
    pub(crate) output: Show,
    /// How the lines about attempts are written, to standard error.
    #[arg(long, value_name = "HOW", default_value = "text", help_heading = "Input and output")]
    pub(crate) events: Lines,
    /// Say nothing but why it gave up.
    #[arg(short, long, help_heading = "Input and output")]
    pub(crate) quiet: bool,
    /// Draw the jitter from this number: the same number, the same waits.
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Keep the command running: start it again when it ends.
    #[arg(long, help_heading = "Supervision")]
    pub(crate) supervise: bool,
    /// Which ends are followed by another start.
    #[arg(
        long,
        value_name = "WHICH",
        default_value = "on-failure",
        requires = "supervise",
        help_heading = "Supervision"
    )]
    pub(crate) restart: Restart,
    /// The waits begin again after a run of this length, as `reset_after` in the policy.
    #[arg(long, value_name = "LENGTH", requires = "supervise", help_heading = "Supervision")]
    pub(crate) healthy_after: Option<Micros>,
    /// At most so many restarts in any window, as `intensity` in the policy: 5/1m.
    #[arg(long, value_name = "N/LENGTH", requires = "supervise", help_heading = "Supervision")]
    pub(crate) intensity: Option<Intensity>,
    /// After a failure, start again only once this target of `undaunted wait` is ready, such as link:eth0 or
    /// tcp:db:5432; or once this shell command succeeds.
    #[arg(long, value_name = "TARGET|SHELL", requires = "supervise", help_heading = "Supervision")]
    pub(crate) gate: Option<OsString>,
    /// How the gate is asked.
    #[arg(
        long,
        value_name = "POLICY",
        default_value = "constant 1s jitter none attempts unlimited attempt_timeout 10s",
        requires = "gate",
        help_heading = "Supervision"
    )]
    pub(crate) gate_policy: String,
    /// The command and its arguments, after `--`.
    #[arg(value_name = "COMMAND", last = true, required = true)]
    pub(crate) command: Vec<OsString>,
}

/// Which ends are followed by another start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Restart {
    /// Every end; a clean one is no failure and uses up no attempt.
    Always,
    /// Every end but a clean one, which is the end.
    OnFailure,
}
