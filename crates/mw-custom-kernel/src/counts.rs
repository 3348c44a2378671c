//! How often each kernel was launched: tests use it to prove that a kernel really ran.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

type Counts = BTreeMap<String, Arc<AtomicU64>>;

static COUNTS: Mutex<Counts> = Mutex::new(BTreeMap::new());

fn lock() -> MutexGuard<'static, Counts> {
    COUNTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The counter of a name.
pub(crate) fn counter(name: &str) -> Arc<AtomicU64> {
    lock().entry(name.to_owned()).or_default().clone()
}

/// Launches since the start or the last reset, by the name that `metal_kernel` was given; kernels of imported
/// functions count under their mangled name without its prefix.
pub fn dispatch_counts() -> BTreeMap<String, u64> {
    let counts = lock();
    let read = counts.iter().map(|(name, count)| (name.clone(), count.load(Ordering::Relaxed)));
    read.filter(|(_, count)| *count > 0).collect()
}

/// Sets all counters to zero.
pub fn reset_dispatch_counts() {
    for count in lock().values() {
        count.store(0, Ordering::Relaxed);
    }
}
