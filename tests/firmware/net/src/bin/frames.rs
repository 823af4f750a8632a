//! Every public type of the core, and what an observer hears, as frames: a line each. The host has the words.

#![no_std]
#![no_main]

use core::time::Duration;
use defmt::println;
use semihosting::process::exit;
use undaunted::*;
use undaunted_net as _;

#[undaunted_board::entry]
fn main() -> ! {
    values();
    policies();
    states();
    reports();
    exit(0)
}

const SECOND: Duration = Duration::from_secs(1);
const START: Instant = Instant::from_micros(1_500_000);

fn values() {
    println!("{} {} {}", Micros::new(1_500), Micros::MAX, Micros::from_millis(2).readable());
    println!("{}", START);
    println!("{}", Ratio::new(3, 2));
    println!("{} {}", Jitter::Full, Jitter::Proportional { share: Ratio::new(1, 4) });
    println!("{}", Backoff::Linear { first: Micros::new(7), step: Micros::new(9) });
    println!("{} {}", Outcome::Fail, Outcome::Throttle { retry_after: Micros::from_secs(5) });
    println!("{} {}", Verdict::RetryAfter(Micros::new(740)), Verdict::GiveUp(Reason::Deadline));
    println!("{}", Rng::seeded(5));
    println!("{}", TickRate::hertz(32_768));
    println!("{}", Counter::start(TickRate::hertz(1_000_000), 77));
}

fn policies() {
    static STEPS: [Micros; 2] = [Micros::from_secs(1), Micros::from_secs(5)];
    let policy = Policy::exponential(SECOND).factor(3, 2).cap(60 * SECOND).attempts(8).within(120 * SECOND);
    println!("{}", policy);
    println!("{}", policy.settings());
    println!("{}", Policy::schedule(&STEPS).no_jitter().unlimited_attempts().attempt_timeout(3 * SECOND));
    println!("{}", policy.plan());
    println!("{}", policy.plan().next());
    println!("{}", Policy::draft().constant(SECOND).attempts(0));
    println!("{}", Policy::draft().constant(SECOND).attempts(0).build().err());
    let recovery = Recovery::new(policy.unlimited_attempts()).intensity(5, 60 * SECOND);
    println!("{}", recovery);
    println!("{}", recovery.settings());
    println!("{}", Recovery::draft(policy).reset_after(9 * SECOND));
    let text = "constant 1 s";
    if let Err(error) = Policy::parse(text) {
        println!("{}", error);
        println!("{}", error.caret(text));
    }
    println!("{}", presets::named("clusterctl.write.2026"));
}

fn states() {
    let policy = Policy::constant(SECOND).no_jitter().attempts(2);
    let mut retry = Retry::start(&policy, START);
    println!("{}", retry);
    let _ = retry.next(&policy, Outcome::Abort, START, 0);
    println!("{}", retry);
    let mut pending = Pending::start(&policy.within(9 * SECOND), START);
    let _ = pending.settle(&policy, Outcome::Fail, START, 0);
    println!("{}", pending);
    let recovery = Recovery::new(policy.unlimited_attempts());
    println!("{}", Restarts::start(&recovery, START, [START; 1]));
    let keyed = Keyed::<u8, 2>::start(&recovery).map(|mut keyed| {
        let _ = keyed.next(&recovery, 7, Outcome::Fail, START, 0);
        keyed
    });
    println!("{}", keyed);
    let mut trail = Trail::<2, Reason>::new();
    println!("{}", trail);
    for (attempt, error) in [(1, Reason::Budget), (2, Reason::Hint), (3, Reason::Breaker)] {
        trail.push(attempt, Instant::from_micros(u64::from(attempt) * 1_000), error);
    }
    println!("{}", trail);
    println!("{}", trail.last());
}

/// What may be asked of a sensor, and fail.
#[derive(Clone, Copy, defmt::Format)]
enum Fault {
    NoAnswer,
}

fn reports() {
    let elapsed = Micros::from_millis(812);
    let wait = Verdict::RetryAfter(Micros::from_millis(740));
    let event = |attempt, limit, last, verdict| Event { attempt, limit, last, verdict, elapsed };
    let failed = Last::Error(&Fault::NoAnswer);
    println!("{}", event(2, Some(5), failed, wait));
    println!("{}", event(2, None, Last::Cut, wait));
    println!("{}", event(3, Some(5), Last::NotYet(()), wait));
    println!("{}", event(5, Some(5), failed, Verdict::GiveUp(Reason::Attempts)));
    println!("{}", event(1, None, Last::Cut, Verdict::GiveUp(Reason::Cancelled)));
    println!("{}", event(0, Some(5), Last::Nothing, Verdict::GiveUp(Reason::Deadline)));
    println!("{}", event(4, Some(5), Last::Finished(()), Verdict::Done));
    println!("{}", event(4, None, Last::Finished(()), wait));
    let reason = Reason::Permanent;
    println!("{}", GaveUp::<u8, Fault> { last: Last::Error(Fault::NoAnswer), reason, attempts: 3, elapsed });
    println!("{}", Report { value: 21, attempts: 3, elapsed });
    println!("{}", Settled { verdict: wait, attempts: 3, elapsed });
}
