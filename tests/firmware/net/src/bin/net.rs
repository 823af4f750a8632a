//! A device that asks a server for a value until it gets one, under a policy that comes with its command line:
//! `net PORT SEED 'POLICY'`.
//!
//! It reports by defmt, and ends with 0 or with a code for the reason. After each event it waits for a byte on
//! standard input, so that the server is in place before the next attempt, however slow the host is.

#![no_std]
#![no_main]

use embassy_executor::Spawner;
use embassy_net::{Config, Ipv4Cidr, Runner, Stack, StackResources, StaticConfigV4};
use semihosting::io::{Read, Stdin, stdin};
use semihosting::process::exit;
use static_cell::StaticCell;
use undaunted::embassy::{Embassy, retry};
use undaunted::{Attempt, Event, GaveUp, Outcome, Policy, Reason};
use undaunted_net::enet::Enet;
use undaunted_net::question::{Fault, HOST, ask};

#[undaunted_board::entry]
fn main() -> ! {
    undaunted_board::run(|spawner| match order() {
        Some(order) => spawner.spawn(device(spawner, order).unwrap()),
        None => exit(WRONG_ORDER),
    })
}

/// What the command line says.
struct Order {
    port: u16,
    seed: u64,
    policy: Policy,
}

/// Reads the command line, and says what cannot be read.
fn order() -> Option<Order> {
    let arguments = semihosting::experimental::env::args::<256>().ok()?;
    let mut words = arguments.into_iter().skip(1).map_while(Result::ok);
    let (port, seed, text) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?, words.next()?);
    match Policy::parse(text) {
        Ok(policy) => Some(Order { port, seed, policy }),
        Err(error) => {
            defmt::error!("{=str}: {}", text, error);
            None
        }
    }
}

#[embassy_executor::task]
async fn device(spawner: Spawner, order: Order) {
    let Order { port, seed, policy } = order;
    defmt::info!("{}", policy);
    let stack = start_network(spawner, seed);
    let mut host = stdin().unwrap();
    let result = retry(Embassy::seeded(seed), &policy, |attempt: Attempt| ask(stack, port, attempt.number()))
        .seed(seed)
        .classify(|answer| answer.as_ref().map_or_else(Fault::outcome, |_| Outcome::Succeed))
        .on_event(|event| report(event, &mut host))
        .report()
        .await;
    match result {
        Ok(report) => defmt::info!("{}", report),
        Err(ref gave_up) => defmt::error!("{}", gave_up),
    }
    exit(result.err().map_or(0, |GaveUp { reason, .. }| code(reason)))
}

fn start_network(spawner: Spawner, seed: u64) -> Stack<'static> {
    static RESOURCES: StaticCell<StackResources<2>> = StaticCell::new();
    let address = Ipv4Cidr::new(embassy_net::Ipv4Address::new(10, 0, 2, 15), 24);
    let config = StaticConfigV4 { address, gateway: Some(HOST), dns_servers: Default::default() };
    let resources = RESOURCES.init(StackResources::new());
    let (stack, runner) = embassy_net::new(Enet::start(), Config::ipv4_static(config), resources, seed);
    spawner.spawn(network(runner).unwrap());
    stack
}

#[embassy_executor::task]
async fn network(mut runner: Runner<'static, Enet>) {
    runner.run().await
}

/// Reports an event, and waits until the host has heard it.
fn report(event: &Event<'_, Fault>, host: &mut Stdin) {
    defmt::info!("{} (at {})", event, event.elapsed);
    match host.read(&mut [0]) {
        Ok(1) => {}
        _ => exit(NOBODY_LISTENS),
    }
}

/// What it ends with, for each reason that it can have.
fn code(reason: Reason) -> i32 {
    match reason {
        Reason::Attempts => 10,
        Reason::Deadline => 11,
        Reason::Hint => 12,
        Reason::Permanent => 13,
        Reason::Breaker | Reason::Budget | Reason::Cancelled | Reason::Intensity => 19,
    }
}

const WRONG_ORDER: i32 = 64;
const NOBODY_LISTENS: i32 = 74;
