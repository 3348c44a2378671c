//! The thread that stops launches which run too long.
//!
//! Registering a launch must cost next to nothing, because most launches last microseconds. The thread
//! therefore looks at all launches every few milliseconds while there are any, instead of being told about
//! each; only when it has slept without work for a while does the next launch wake it.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

const TICK: Duration = Duration::from_millis(10);
/// Ticks without a launch after which the thread sleeps until it is woken.
const IDLE_TICKS: u32 = 100;

#[derive(Debug)]
struct Watched {
    deadline: Instant,
    stop: Arc<AtomicU32>,
    expired: Arc<AtomicBool>,
}

#[derive(Debug, Default)]
struct State {
    watched: Vec<Option<Watched>>,
    running: bool,
    asleep: bool,
}

static STATE: Mutex<State> = Mutex::new(State { watched: Vec::new(), running: false, asleep: false });
static WAKE: Condvar = Condvar::new();

/// A launch under watch, until it is dropped.
#[derive(Debug)]
pub(crate) struct Watch {
    slot: usize,
    expired: Arc<AtomicBool>,
}

impl Watch {
    /// Sets `stop` after `limit`.
    pub(crate) fn new(stop: &Arc<AtomicU32>, limit: Duration) -> Self {
        let expired = Arc::new(AtomicBool::new(false));
        let watched = Watched {
            deadline: Instant::now() + limit,
            stop: Arc::clone(stop),
            expired: Arc::clone(&expired),
        };
        let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = state.watched.iter().position(Option::is_none).unwrap_or(state.watched.len());
        if slot == state.watched.len() {
            state.watched.push(None);
        }
        state.watched[slot] = Some(watched);
        if !state.running {
            state.running = true;
            let thread = std::thread::Builder::new().name("mw-watchdog".into()).spawn(run);
            // Without the thread launches are not limited; they still run.
            state.running = thread.is_ok();
        } else if state.asleep {
            state.asleep = false;
            WAKE.notify_one();
        }
        Self { slot, expired }
    }

    /// Whether the limit was hit.
    pub(crate) fn expired(&self) -> bool {
        self.expired.load(Ordering::Relaxed)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        STATE.lock().unwrap_or_else(PoisonError::into_inner).watched[self.slot] = None;
    }
}

fn run() {
    let mut idle = 0;
    loop {
        std::thread::sleep(TICK);
        let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        idle += 1;
        for watched in state.watched.iter().flatten() {
            idle = 0;
            if now >= watched.deadline {
                watched.expired.store(true, Ordering::Relaxed);
                watched.stop.store(1, Ordering::Relaxed);
            }
        }
        if idle >= IDLE_TICKS {
            state.asleep = true;
            while state.asleep {
                state = WAKE.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            idle = 0;
        }
    }
}
