//! A handle that stops waits at once; feature `std`.

mod sync;

use core::fmt;
use core::future::{Future, IntoFuture};
use core::panic::AssertUnwindSafe;
use core::pin::Pin;
use core::task::{Context, Poll, Waker};
use core::time::Duration;
use std::panic::{catch_unwind, resume_unwind};
use std::sync::{Arc, PoisonError, Weak};
use std::vec::Vec;
use sync::{Condvar, Mutex, MutexGuard};

/// Stops waits at once, in threads and in asynchronous tasks alike: shared by cloning, said once.
///
/// What is promised:
/// * Stopping is for good. A handle is never started again; make a new one, or a [`child`](Stop::child).
/// * Whoever sees it stopped also sees what was written before [`stop`](Stop::stop) was called.
/// * Nothing foreign runs under its locks: it may be stopped, cloned and dropped from inside a waker.
/// * Nothing here panics of its own. A lock that a panic left behind is used on; a waker that panics is heard of when all
///   have been woken.
///
/// It locks a mutex, so it is not for the inside of a handler of signals: let a thread wait for the
/// signal, and stop there.
///
/// ```
/// use std::{thread, time::Duration};
/// use undaunted::Stop;
///
/// let stop = Stop::new();
/// let worker = thread::spawn({
///     let stop = stop.clone();
///     move || stop.wait(Duration::from_secs(3600)) // between two rounds of work
/// });
/// stop.stop();
/// assert!(worker.join().unwrap(), "it was stopped, and did not wait for an hour");
/// ```
#[derive(Clone)]
pub struct Stop(Arc<Node>);

impl Stop {
    /// A handle that is not stopped, and has no parent.
    pub fn new() -> Stop {
        Stop(Arc::new(Node::new(State::default(), None)))
    }

    /// Stops it, and its children, and theirs. Again is the same as once.
    ///
    /// When this returns, [`is_stopped`](Stop::is_stopped) holds for all of them, their threads have been
    /// notified, and each waker has been called, unless another thread is at that very moment doing so.
    pub fn stop(&self) {
        let (mut wakers, mut nodes) = (Vec::new(), Vec::from([self.0.clone()]));
        // A list and no recursion, so that a long line of children needs no stack.
        while let Some(node) = nodes.pop() {
            let (waiting, children) = node.stop();
            wakers.extend(waiting);
            nodes.extend(children.iter().filter_map(Weak::upgrade));
        }
        // Only when everything is stopped: what a waker does may look at any of them. One that panics must not leave
        // the others asleep.
        let woken = wakers.into_iter().map(|waker| catch_unwind(AssertUnwindSafe(|| waker.wake())));
        let panics: Vec<_> = woken.filter_map(Result::err).collect();
        if let Some(panic) = panics.into_iter().next() {
            resume_unwind(panic);
        }
    }

    /// Whether it, or a parent of it, was stopped.
    pub fn is_stopped(&self) -> bool {
        // Up the line: a parent that is stopped may not have come to its children yet.
        let mut node = &self.0;
        loop {
            match (node.state().stopped, &node.parent) {
                (true, _) => return true,
                (false, None) => return false,
                (false, Some((parent, _))) => node = parent,
            }
        }
    }

    /// Blocks this thread until it is stopped, but for no longer than `length`; answers whether it is.
    ///
    /// Unless it is stopped it waits at least `length`, however often the operating system wakes it, and
    /// [`Duration::MAX`] is for ever.
    ///
    /// ```
    /// use std::time::Duration;
    /// use undaunted::Stop;
    ///
    /// let stop = Stop::new();
    /// assert!(!stop.wait(Duration::from_millis(1)), "the time went by");
    /// stop.stop();
    /// assert!(stop.wait(Duration::MAX), "at once");
    /// ```
    pub fn wait(&self, length: Duration) -> bool {
        if self.is_stopped() {
            return true;
        }
        sync::wait_while(&self.0.changed, self.0.state(), length, |state| !state.stopped).stopped
    }

    /// A future that is ready once it is stopped, on any executor.
    ///
    /// ```
    /// use std::{future::Future, pin::pin, task::{Context, Waker}};
    /// use undaunted::Stop;
    ///
    /// let stop = Stop::new();
    /// let mut stopped = pin!(stop.stopped());
    /// let mut context = Context::from_waker(Waker::noop());
    /// assert!(stopped.as_mut().poll(&mut context).is_pending());
    /// stop.stop();
    /// assert!(stopped.as_mut().poll(&mut context).is_ready());
    /// ```
    pub fn stopped(&self) -> Stopped {
        Stopped { stop: self.clone(), slot: None }
    }

    /// A handle that stops with this one, and can be stopped alone.
    ///
    /// It leaves nothing behind: when its last clone is dropped, its parent has forgotten it.
    ///
    /// ```
    /// use undaunted::Stop;
    ///
    /// let program = Stop::new();
    /// let (first, second) = (program.child(), program.child());
    /// first.stop();
    /// assert!(first.is_stopped() && !second.is_stopped() && !program.is_stopped());
    /// program.stop();
    /// assert!(second.is_stopped() && program.child().is_stopped());
    /// ```
    #[must_use = "a child that is dropped stops nothing"]
    pub fn child(&self) -> Stop {
        // Held until the child is whole: a stop in between could neither see it nor be seen by it.
        let mut state = self.0.state();
        if state.stopped {
            let stopped = State { stopped: true, ..State::default() };
            return Stop(Arc::new(Node::new(stopped, None)));
        }
        Stop(Arc::new_cyclic(|child| {
            let slot = state.children.insert(child.clone());
            Node::new(State::default(), Some((self.0.clone(), slot)))
        }))
    }
}

impl Default for Stop {
    fn default() -> Stop {
        Stop::new()
    }
}

/// Ready once it is stopped: `.cancel(&stop)`, `(&stop).await`.
impl IntoFuture for &Stop {
    type Output = ();
    type IntoFuture = Stopped;

    fn into_future(self) -> Stopped {
        self.stopped()
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stop").field("stopped", &self.is_stopped()).finish()
    }
}

/// The future of [`Stop::stopped`]: ready once it is stopped, and ready ever after.
///
/// It wakes whoever polled it last. Dropping it takes its waker back.
#[must_use = "a future that is not polled waits for nothing"]
pub struct Stopped {
    stop: Stop,
    slot: Option<usize>,
}

impl Future for Stopped {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let this = self.get_mut();
        if this.stop.is_stopped() {
            return Poll::Ready(());
        }
        // Wakers are cloned and dropped outside of the lock: both run code of an executor.
        let mut waker = Some(context.waker().clone());
        let mut state = this.stop.0.state();
        if state.stopped {
            return Poll::Ready(());
        }
        match this.slot.and_then(|slot| state.wakers.get_mut(slot)) {
            Some(held) => core::mem::swap(held, &mut waker),
            None => this.slot = waker.take().map(|waker| state.wakers.insert(waker)),
        }
        Poll::Pending
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        let Some(slot) = self.slot else { return };
        let waker = self.stop.0.state().wakers.remove(slot);
        drop(waker);
    }
}

impl fmt::Debug for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stopped").field("stopped", &self.stop.is_stopped()).finish()
    }
}

/// One handle, and the way up to its parent with the place that it has there.
struct Node {
    state: Mutex<State>,
    changed: Condvar,
    parent: Option<(Arc<Node>, usize)>,
}

#[derive(Default)]
struct State {
    stopped: bool,
    wakers: Slots<Waker>,
    children: Slots<Weak<Node>>,
}

impl Node {
    fn new(state: State, parent: Option<(Arc<Node>, usize)>) -> Node {
        Node { state: Mutex::new(state), changed: Condvar::new(), parent }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change of the state is whole before anything could panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stops this one, and hands out whom to tell. Nobody comes after: a stopped node takes no waker and
    /// no child.
    fn stop(&self) -> (Vec<Waker>, Vec<Weak<Node>>) {
        let mut state = self.state();
        state.stopped = true;
        self.changed.notify_all();
        (state.wakers.take(), state.children.take())
    }
}

impl Drop for Node {
    /// Leaves its parent, and takes along each parent that nobody else holds: a loop and no recursion.
    fn drop(&mut self) {
        let mut parent = self.parent.take();
        while let Some((node, slot)) = parent {
            node.state().children.remove(slot);
            parent = Arc::into_inner(node).and_then(|mut node| node.parent.take());
        }
    }
}

/// Places that keep their number while others come and go, and are used again.
struct Slots<T> {
    places: Vec<Option<T>>,
    free: Vec<usize>,
}

impl<T> Slots<T> {
    fn insert(&mut self, value: T) -> usize {
        let slot = self.free.pop().unwrap_or(self.places.len());
        match self.places.get_mut(slot) {
            Some(place) => *place = Some(value),
            None => self.places.push(Some(value)),
        }
        slot
    }

    fn get_mut(&mut self, slot: usize) -> Option<&mut Option<T>> {
        self.places.get_mut(slot)
    }

    /// Nothing when all were taken before.
    fn remove(&mut self, slot: usize) -> Option<T> {
        let value = self.places.get_mut(slot)?.take()?;
        self.free.push(slot);
        Some(value)
    }

    fn take(&mut self) -> Vec<T> {
        core::mem::take(self).places.into_iter().flatten().collect()
    }
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Slots { places: Vec::new(), free: Vec::new() }
    }
}
