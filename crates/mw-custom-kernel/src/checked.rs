//! The switch of checked execution: kernels run on the interpreter, which reports what they should not do.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many callers want it now. Counted for the process, not for a thread: MLX runs kernels on its own threads.
static WANTED: AtomicUsize = AtomicUsize::new(0);

static BY_ENVIRONMENT: LazyLock<bool> =
    LazyLock::new(|| std::env::var("MW_CHECK").is_ok_and(|value| !matches!(&*value, "" | "0")));

/// Whether kernels are checked now: somebody asked for it, or `MW_CHECK` is set.
pub fn is_checked() -> bool {
    WANTED.load(Ordering::Relaxed) > 0 || *BY_ENVIRONMENT
}

/// Asks for it, until [`leave_checked`].
pub fn enter_checked() {
    WANTED.fetch_add(1, Ordering::Relaxed);
}

/// Takes one [`enter_checked`] back.
pub fn leave_checked() {
    // The count never goes below zero, whatever callers do.
    let _ = WANTED.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |wanted| wanted.checked_sub(1));
}
