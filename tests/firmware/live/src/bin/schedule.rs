//! Fourteen retries, polls and sessions at once, for hours; `schedule.py` works out on the host what must happen and when.
//!
//! The operations are played: each takes its time and fails as the table in `schedule.py` says.
#![no_std]
#![no_main]

use core::cell::Cell;
use core::future::pending;
use core::sync::atomic::{AtomicU32, Ordering};
use core::time::Duration;
use embassy_executor::Spawner;
use embassy_time::Timer;
use undaunted::embassy::{Embassy, Session, poll, retry};
use undaunted::{Attempt, Fed, Micros, Outcome, Policy, asynch};
use undaunted_board::{println, semihosting};
use undaunted_live::journal::{begins, over, settled, tell};

/// Consecutive numbers are fine; a real device reads its unique id.
const EMBASSY: Embassy = Embassy::seeded(4711);

#[undaunted_board::entry]
fn main() -> ! {
    undaunted_board::run(|spawner| begin(spawner).expect("a task for each"))
}

/// Each ends by itself; [`ended`] counts them.
fn begin(spawner: Spawner) -> Result<(), embassy_executor::SpawnError> {
    spawner.spawn(steady()?);
    spawner.spawn(fleet()?);
    spawner.spawn(spread()?);
    spawner.spawn(cut()?);
    spawner.spawn(hinted()?);
    spawner.spawn(probe()?);
    spawner.spawn(by_hand()?);
    spawner.spawn(cancelled()?);
    spawner.spawn(forever()?);
    spawner.spawn(nested()?);
    spawner.spawn(delayed()?);
    spawner.spawn(unseeded("one", 10)?);
    spawner.spawn(unseeded("two", 20)?);
    spawner.spawn(fed()?);
    Ok(())
}

const TASKS: u32 = 14;

/// What a played operation fails with.
enum Fault {
    Broken,
    Throttled(Micros),
}

impl Fault {
    fn outcome(answer: &Result<(), Fault>) -> Outcome {
        match answer {
            Ok(()) => Outcome::Succeed,
            Err(Fault::Broken) => Outcome::Fail,
            Err(Fault::Throttled(hint)) => Outcome::Throttle { retry_after: *hint },
        }
    }
}

/// An attempt that takes so long, and fails.
async fn fails(task: &str, attempt: Attempt, millis: u64) -> Result<(), Fault> {
    begins(task, attempt.number());
    Timer::after_millis(millis).await;
    Err(Fault::Broken)
}

#[embassy_executor::task]
async fn steady() {
    static POLICY: Policy = Policy::parse_const("constant 250ms jitter none attempts 5");
    let answer = retry(EMBASSY, &POLICY, |attempt: Attempt| fails("steady", attempt, 10));
    over("steady", answer.seed(0).on_event(tell("steady")).await);
    ended();
}

/// Comes through at the last attempt.
#[embassy_executor::task]
async fn fleet() {
    static POLICY: Policy = Policy::parse_const("exponential 500ms x1.5 cap 20s jitter full attempts 20");
    let send = async |attempt: Attempt| match fails("fleet", attempt, 30).await {
        _ if attempt.number() == 20 => Ok(()),
        failed => failed,
    };
    over("fleet", retry(EMBASSY, &POLICY, send).seed(1).on_event(tell("fleet")).await);
    ended();
}

/// Three hours, to the deadline.
#[embassy_executor::task]
async fn spread() {
    static POLICY: Policy =
        Policy::parse_const("constant 1m cap 2m jitter +-20% attempts unlimited within 3h");
    let answer = retry(EMBASSY, &POLICY, |attempt: Attempt| fails("spread", attempt, 5)).seed(2);
    over("spread", answer.on_event(tell("spread")).await);
    ended();
}

/// Every other attempt hangs, and is cut.
#[embassy_executor::task]
async fn cut() {
    static POLICY: Policy = Policy::parse_const("linear 1s +1s jitter equal attempts 6 attempt_timeout 2s");
    let ask = async |attempt: Attempt| {
        if attempt.number().is_multiple_of(2) {
            return fails("cut", attempt, 1_000).await;
        }
        begins("cut", attempt.number());
        pending().await
    };
    over("cut", retry(EMBASSY, &POLICY, ask).seed(3).on_event(tell("cut")).await);
    ended();
}

/// A server that asks for one minute more each time, until it is too much.
#[embassy_executor::task]
async fn hinted() {
    static POLICY: Policy =
        Policy::parse_const("exponential 100ms jitter full attempts unlimited hint_ceiling 8m");
    let ask = async |attempt: Attempt| {
        let _ = fails("hinted", attempt, 15).await;
        Err(Fault::Throttled(Micros::from_secs(60 * u64::from(attempt.number()))))
    };
    let answer = retry(EMBASSY, &POLICY, ask).classify(Fault::outcome).seed(4);
    over("hinted", answer.on_event(tell("hinted")).await);
    ended();
}

/// Ready at the ninth; asked every five seconds, however long it takes to ask.
#[embassy_executor::task]
async fn probe() {
    static POLICY: Policy = Policy::parse_const("constant 5s jitter none attempts unlimited within 10m");
    let ask = async |attempt: Attempt| {
        let _ = fails("probe", attempt, 1_200).await;
        attempt.number() == 9
    };
    over("probe", poll(EMBASSY, &POLICY, ask).fixed_rate().on_event(tell("probe")).await);
    ended();
}

/// A loop of its own, that meets something which is not worth another attempt.
#[embassy_executor::task]
async fn by_hand() {
    static POLICY: Policy = Policy::parse_const("decorrelated 10ms x3 cap 10s attempts 30");
    let mut session = Session::start_on(EMBASSY, &POLICY).seed(5);
    loop {
        let attempt = session.attempt();
        let _ = fails("by-hand", attempt, 20).await;
        let outcome = if attempt.number() < 25 { Outcome::Fail } else { Outcome::Abort };
        let step = session.settle(outcome).await;
        settled("by-hand", step);
        if let Err(gave_up) = step.or_give_up(()) {
            over("by-hand", Err::<core::convert::Infallible, _>(gave_up));
            return ended();
        }
    }
}

/// Somebody else has enough after twenty minutes.
#[embassy_executor::task]
async fn cancelled() {
    static POLICY: Policy = Policy::parse_const("fibonacci 7s cap 10m jitter none attempts unlimited");
    let answer = retry(EMBASSY, &POLICY, |attempt: Attempt| fails("cancelled", attempt, 40));
    let answer = answer.cancel(Timer::after_secs(1_200)).on_event(tell("cancelled"));
    over("cancelled", answer.await);
    ended();
}

/// Told to wait for longer than any clock runs: it neither returns nor panics.
#[embassy_executor::task]
async fn forever() {
    const POLICY: Policy = Policy::constant(Duration::from_secs(1)).hint_ceiling(Duration::MAX);
    let ask = async |attempt: Attempt| {
        let _ = fails("forever", attempt, 1).await;
        Err(Fault::Throttled(Micros::MAX))
    };
    let answer = retry(EMBASSY, &POLICY, ask).classify(Fault::outcome).cancel(Timer::after_secs(7_200));
    over("forever", answer.seed(9).on_event(tell("forever")).await);
    ended();
}

/// What is nested takes over the deadline of the attempt that it is part of.
#[embassy_executor::task]
async fn nested() {
    static JOIN: Policy = Policy::parse_const("constant 2s jitter none attempts 10 within 30s");
    static ASK: Policy = Policy::parse_const("exponential 1s x2 cap 8s jitter full attempts 4");
    let join = async |attempt: Attempt| {
        begins("outer", attempt.number());
        let ask = retry(EMBASSY, &ASK, |attempt: Attempt| fails("inner", attempt, 100));
        let ask = ask.seed(100 + u64::from(attempt.number())).deadline(attempt.deadline());
        ask.on_event(tell("inner")).await
    };
    over("outer", retry(EMBASSY, &JOIN, join).on_event(tell("outer")).await);
    ended();
}

/// The first attempt waits, as the devices of a fleet do that are switched on at once.
#[embassy_executor::task]
async fn delayed() {
    static POLICY: Policy = Policy::parse_const("exponential 200ms jitter full attempts 3 first_delay 5s");
    let answer = retry(EMBASSY, &POLICY, |attempt: Attempt| fails("delayed", attempt, 25)).seed(8);
    over("delayed", answer.on_event(tell("delayed")).await);
    ended();
}

/// Two sessions of one device: each draws from a seed of its own.
#[embassy_executor::task(pool_size = 2)]
async fn unseeded(task: &'static str, millis: u64) {
    static POLICY: Policy = Policy::parse_const("constant 1s jitter full attempts 6");
    let answer = retry(EMBASSY, &POLICY, |attempt: Attempt| fails(task, attempt, millis));
    over(task, answer.on_event(tell(task)).await);
    ended();
}

/// The waits are longer than a watchdog's patience.
#[embassy_executor::task]
async fn fed() {
    static POLICY: Policy = Policy::parse_const("constant 20s jitter none attempts 3");
    let meals = Cell::new(0);
    let runtime = Fed::new(EMBASSY, Duration::from_secs(4), || meals.set(meals.get() + 1));
    let answer = asynch::retry(runtime, &POLICY, |attempt: Attempt| fails("fed", attempt, 50));
    over("fed", answer.on_event(tell("fed")).await);
    println!("fed meals {}", meals.get());
    ended();
}

/// The last one ends the emulator.
fn ended() {
    static ENDED: AtomicU32 = AtomicU32::new(0);
    let count = ENDED.load(Ordering::Relaxed) + 1; // all tasks are of one executor
    ENDED.store(count, Ordering::Relaxed);
    if count == TASKS {
        semihosting::exit(true);
    }
}
