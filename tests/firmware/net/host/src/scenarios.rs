//! What the server does, under which policy, and how it must end.

use crate::said::{Calls, Said, Shape, Spread};
use crate::server::Behaviour::{self, *};
use undaunted_core::Reason;

/// A server, a policy, and the end.
pub struct Scenario {
    /// For the table.
    pub name: &'static str,
    /// The policy, as said.
    pub said: Said,
    /// Of the device's jitter.
    pub seed: u64,
    /// The server, attempt by attempt.
    pub server: &'static [Behaviour],
    /// How it ends.
    pub end: End,
}

/// How it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By giving up, with the last attempt of the server's list.
    GiveUp(Reason),
    /// Because no time is left: after how many attempts depends on what each takes, so that the list may be longer.
    OutOfTime,
    /// With this value.
    Value(u32),
}

/// All of them.
pub fn all() -> Vec<Scenario> {
    vec![
        rides_out(),
        Scenario {
            name: "answers at once",
            said: exponential(200_000),
            seed: 1,
            server: &[Answers(4_294_967_295)],
            end: End::Value(u32::MAX),
        },
        Scenario {
            name: "never recovers",
            said: Said { jitter: Some(Spread::Equal), ..exponential(100_000) },
            seed: 2,
            server: &[Refuses, Refuses, Resets, Refuses, Refuses],
            end: End::GiveUp(Reason::Attempts),
        },
        Scenario {
            name: "is busy, and says how long",
            said: Said { jitter: Some(Spread::Proportional(1, 5)), ..exponential(100_000) },
            seed: 3,
            // The second is no hint, the third is below the delay, and all count as attempts.
            server: &[Busy(700), Busy(0), Busy(5), Busy(1_100), Answers(3)],
            end: End::Value(3),
        },
        Scenario {
            name: "is busy for too long",
            said: Said { hint_ceiling: Some(5_000_000), ..exponential(100_000) },
            seed: 4,
            server: &[Busy(100), Busy(5_001)],
            end: End::GiveUp(Reason::Hint),
        },
        Scenario {
            name: "denies",
            said: exponential(100_000),
            seed: 5,
            server: &[Refuses, Denies],
            end: End::GiveUp(Reason::Permanent),
        },
        Scenario {
            name: "draws from the draw before",
            said: Said::only(Shape::Decorrelated { first: 50_000 }),
            seed: 6,
            server: &[Refuses, Halves, Resets, Answers(6)],
            end: End::Value(6),
        },
        out_of_time(),
        Scenario {
            name: "is silent up to the deadline",
            // Enough for the question, on a busy machine too.
            said: Said { within: Some(4_000_000), ..exponential(100_000) },
            seed: 8,
            server: &[IsSilent],
            end: End::GiveUp(Reason::Deadline),
        },
    ]
}

fn rides_out() -> Scenario {
    let said = Said {
        cap: Some(2_000_000),
        attempts: Some(Calls::Limited(9)),
        attempt_timeout: Some(5_000_000),
        within: Some(600_000_000),
        ..exponential(200_000)
    };
    let server = &[Refuses, Refuses, Resets, IsSilent, Halves, Garbles, Answers(2_150)];
    Scenario {
        name: "refuses, resets, is silent, answers",
        said,
        seed: 4_711,
        server,
        end: End::Value(2_150),
    }
}

fn out_of_time() -> Scenario {
    let said = Said {
        jitter: Some(Spread::None),
        attempts: Some(Calls::Unlimited),
        within: Some(1_000_000),
        ..Said::only(Shape::Constant { delay: 400_000 })
    };
    Scenario {
        name: "refuses until no time is left",
        said,
        seed: 7,
        server: &[Refuses; 3],
        end: End::OutOfTime,
    }
}

fn exponential(first: u64) -> Said {
    Said::only(Shape::Exponential { first })
}
