//! The lock of a handle; under a model checker (`--cfg loom`) its double, which tries every order of events.

#[cfg(loom)]
pub(super) use loom::sync::{Condvar, Mutex, MutexGuard};
#[cfg(not(loom))]
pub(super) use std::sync::{Condvar, Mutex, MutexGuard};

use core::time::Duration;
use std::sync::PoisonError;

/// Waits while `waiting` says so, but for no longer than `length`.
#[cfg(not(loom))]
pub(super) fn wait_while<'a, T>(
    changed: &Condvar,
    guard: MutexGuard<'a, T>,
    length: Duration,
    waiting: fn(&mut T) -> bool,
) -> MutexGuard<'a, T> {
    changed.wait_timeout_while(guard, length, waiting).unwrap_or_else(PoisonError::into_inner).0
}

/// In a model there is no time: what is not woken stays asleep, and is found.
#[cfg(loom)]
pub(super) fn wait_while<'a, T>(
    changed: &Condvar,
    mut guard: MutexGuard<'a, T>,
    _: Duration,
    waiting: fn(&mut T) -> bool,
) -> MutexGuard<'a, T> {
    while waiting(&mut guard) {
        guard = changed.wait(guard).unwrap_or_else(PoisonError::into_inner);
    }
    guard
}
