//! What is told to each runtime, and what must come of it.

use crate::lines::{Line, assert_one_error, assert_quiet, logged};
use crate::node::{Died, Node};
use std::process::{ExitCode, Stdio};
use std::time::{Duration, Instant};
use undaunted::{Crash, Ended, Last, Policy, Reason, Recovery, Stop, Supervised};
use undaunted_scenarios::{Started, me};

/// How the interface is asked for.
const PATIENT: Policy = Policy::constant(Duration::from_millis(20))
    .no_jitter()
    .unlimited_attempts()
    .within(Duration::from_secs(30));

/// The same with less patience: at most 15 looks.
const IMPATIENT: Policy = PATIENT.within(Duration::from_millis(300));

/// One telling.
#[derive(Clone, Copy)]
pub(crate) struct Story {
    /// How the daemon goes.
    pub(crate) how: &'static str,
    pub(crate) recovery: Recovery,
    pub(crate) gate: Policy,
    /// At which look of the gate the host brings the interface back.
    pub(crate) back_at: Option<u32>,
    /// Clean ends are followed by another start.
    pub(crate) always: bool,
}

/// A wait of an hour, which nobody has who is started when the gate opens.
pub(crate) const STAYS: Story = Story {
    how: "once",
    recovery: Recovery::new(hourly()).reset_after(Duration::from_millis(200)),
    gate: PATIENT,
    back_at: Some(3),
    always: false,
};

pub(crate) const NEVER: Story = Story { gate: IMPATIENT, back_at: None, ..STAYS };

/// Four clean ends, where two attempts are all that there are.
pub(crate) const CLEAN: Story = Story {
    how: "clean",
    recovery: Recovery::new(Policy::constant(Duration::from_millis(20)).no_jitter().attempts(2))
        .intensity(6, Duration::from_secs(60)),
    always: true,
    ..STAYS
};

/// Crashes without an end, and not more than six restarts in a minute.
pub(crate) const CRASH: Story = Story {
    how: "crash",
    recovery: Recovery::new(Policy::constant(Duration::from_millis(20)).no_jitter().unlimited_attempts())
        .intensity(6, Duration::from_secs(60)),
    ..STAYS
};

const fn hourly() -> Policy {
    let hour = Duration::from_secs(3600);
    Policy::constant(hour).cap(hour).no_jitter().attempts(5)
}

/// Tells it, until it is stopped.
pub(crate) type Tell = fn(&Story, &Node, &Stop) -> Supervised<(), Died>;

/// It stops once the daemon stays; what was logged, and how often it was started.
fn told(story: &Story, tell: Tell) -> (Supervised<(), Died>, Vec<Line>, u32) {
    let (node, stop, begun) = (Node::new(), Stop::new(), Instant::now());
    let stopper = node.once_it_stays(&stop, {
        let stop = stop.clone();
        move || stop.stop()
    });
    let (ended, lines) = logged(|| tell(story, &node, &stop));
    stop.stop();
    stopper.join().unwrap();
    let starts = node.starts();
    println!("   {starts} starts in {:.2} s", begun.elapsed().as_secs_f64());
    (ended, lines, starts)
}

pub(crate) fn second_start_stays(tell: Tell) {
    let (ended, lines, starts) = told(&STAYS, tell);
    assert_eq!((ended, starts), (Ok(Ended::Finished(())), 2));
    assert_quiet(&lines);
    assert!(lines[0].1.starts_with("flanneld: attempt 1/5 failed: exit status: 1; next in 1 h"), "{lines:?}");
    let looks = lines.iter().filter(|(_, text)| text.starts_with("interface: attempt ")).count();
    assert!(
        looks > 3,
        "three looks at least at an interface that is away, and one when it is back: {lines:?}"
    );
}

/// And the program that is told of it ends with a status that is not zero.
pub(crate) fn never_back(tell: Tell, role: &str) {
    let (ended, lines, starts) = told(&NEVER, tell);
    let gave_up = ended.unwrap_err();
    assert_eq!((gave_up.reason, gave_up.attempts, starts), (Reason::Deadline, 1, 1));
    assert!(
        matches!(&gave_up.last, Last::Error(Crash::Shut(text)) if text.ends_with("fl0 is down")),
        "{gave_up}"
    );
    assert_one_error(&lines, ": no time left");
    let mut agent = Started::start(me(role).stdout(Stdio::null()).stderr(Stdio::piped())).unwrap();
    let said: Vec<String> = agent.errors().collect();
    let status = agent.wait().unwrap();
    println!("   {}\n   {status}", said.concat());
    assert_eq!((status.code(), said.len()), (Some(1), 1), "{said:?}");
}

/// The program of [`never_back`].
pub(crate) fn agent(tell: Tell) -> ExitCode {
    match tell(&NEVER, &Node::new(), &Stop::new()) {
        Ok(_) => ExitCode::SUCCESS,
        Err(gave_up) => {
            eprintln!("flanneld: {gave_up}");
            ExitCode::FAILURE
        }
    }
}

pub(crate) fn clean_exits(tell: Tell) {
    let (ended, lines, starts) = told(&CLEAN, tell);
    assert_eq!((ended, starts), (Ok(Ended::Finished(())), 5));
    assert_quiet(&lines);
    let clean =
        lines.iter().filter(|(_, text)| text == "flanneld: ended without an error; next in 20 ms").count();
    assert_eq!(clean, 4, "{lines:?}");
}

pub(crate) fn crash_loop(tell: Tell) {
    let (ended, lines, starts) = told(&CRASH, tell);
    let gave_up = ended.unwrap_err();
    assert_eq!((gave_up.reason, gave_up.attempts, starts), (Reason::Intensity, 7, 7));
    assert_one_error(&lines, &format!(": {}", Reason::Intensity));
}
