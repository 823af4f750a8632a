// says: unused `Settled` that must be used
#![deny(unused_must_use)]
use undaunted::blocking::{Session, Sleep};
use undaunted::{Outcome, Policy};

pub fn forget<R: Sleep>(session: &mut Session<R, &Policy>) {
    session.settle(Outcome::Fail);
}
