//! Events and fences: order between command buffers, queues and the host.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::sync::lock;

type Listener = Box<dyn FnOnce(&SharedEvent, u64) + Send>;

/// A counter that the host and command buffers of any queue set and wait for (`MTLSharedEvent`).
///
/// Its value only matters by comparison: a wait for `v` ends when the value is `v` or more.
#[derive(Clone)]
pub struct SharedEvent {
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    state: Mutex<State>,
    changed: Condvar,
    label: Mutex<Option<String>>,
}

#[derive(Default)]
struct State {
    value: u64,
    /// Called once the value is reached; the key's second part keeps order among equals.
    listeners: BTreeMap<(u64, u64), Listener>,
    next_listener: u64,
}

impl SharedEvent {
    pub(crate) fn new() -> Self {
        Self { inner: Arc::default() }
    }

    /// The value now.
    pub fn signaled_value(&self) -> u64 {
        lock(&self.inner.state).value
    }

    /// Sets the value, wakes who waits for it and calls the listeners that it reaches, on this thread.
    pub fn set_signaled_value(&self, value: u64) {
        let mut reached = Vec::new();
        {
            let mut state = lock(&self.inner.state);
            state.value = value;
            while let Some(entry) = state.listeners.first_entry() {
                if entry.key().0 > value {
                    break;
                }
                reached.push(entry.remove());
            }
        }
        self.inner.changed.notify_all();
        for listener in reached {
            listener(self, value);
        }
    }

    /// Waits until the value is at least `value`; `None` waits for ever. False when the time ran out.
    pub fn wait_until_signaled_value(&self, value: u64, timeout: Option<Duration>) -> bool {
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let mut state = lock(&self.inner.state);
        while state.value < value {
            state = match deadline {
                None => self.inner.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(deadline) => {
                    let now = Instant::now();
                    if now >= deadline {
                        return false;
                    }
                    let woken = self.inner.changed.wait_timeout(state, deadline - now);
                    woken.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
        true
    }

    /// Calls `listener` once the value is at least `value`: at once when it is, otherwise on the thread that
    /// sets it (`notifyListener:atValue:block:`).
    pub fn notify_at(&self, value: u64, listener: impl FnOnce(&Self, u64) + Send + 'static) {
        let mut state = lock(&self.inner.state);
        if state.value >= value {
            let now = state.value;
            drop(state);
            listener(self, now);
            return;
        }
        let turn = state.next_listener;
        state.next_listener += 1;
        state.listeners.insert((value, turn), Box::new(listener));
    }

    /// Name for messages.
    pub fn label(&self) -> Option<String> {
        lock(&self.inner.label).clone()
    }

    /// Sets the name for messages.
    pub fn set_label(&self, label: impl Into<String>) {
        *lock(&self.inner.label) = Some(label.into());
    }
}

impl fmt::Debug for SharedEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedEvent").field("value", &self.signaled_value()).finish_non_exhaustive()
    }
}

/// An event that only command buffers of one device signal and wait for (`MTLEvent`).
#[derive(Clone, Debug)]
pub struct Event(pub(crate) SharedEvent);

impl Event {
    pub(crate) fn new() -> Self {
        Self(SharedEvent::new())
    }
}

/// What an encoder can signal or wait for: [`SharedEvent`] and [`Event`].
pub trait AnyEvent {
    #[doc(hidden)]
    fn shared(&self) -> SharedEvent;
}

impl AnyEvent for SharedEvent {
    fn shared(&self) -> SharedEvent {
        self.clone()
    }
}

impl AnyEvent for Event {
    fn shared(&self) -> SharedEvent {
        self.0.clone()
    }
}

/// Order between encoders of one queue (`MTLFence`).
///
/// Encoders of a queue run in order here, and each sees all that the ones before it wrote, so a fence never
/// has to wait. It exists so that programs written for Metal keep their shape.
#[derive(Clone, Debug, Default)]
pub struct Fence {
    _private: (),
}

impl Fence {
    pub(crate) fn new() -> Self {
        Self::default()
    }
}
