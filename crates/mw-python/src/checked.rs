//! The switch of checked execution: `metalworking.checked()` and `MW_CHECK`.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use pyo3::prelude::*;

/// `with` blocks that are open, in all threads: MLX runs kernels on threads of its own.
static OPEN: AtomicUsize = AtomicUsize::new(0);

static BY_ENVIRONMENT: LazyLock<bool> =
    LazyLock::new(|| std::env::var("MW_CHECK").is_ok_and(|value| !matches!(&*value, "" | "0")));

/// Whether kernels are to be checked now.
pub(crate) fn is_on() -> bool {
    OPEN.load(Ordering::Relaxed) > 0 || *BY_ENVIRONMENT
}

/// Whether kernels are checked now.
#[pyfunction]
pub(crate) fn is_checked() -> bool {
    is_on()
}

/// Opens a block of checked execution.
#[pyfunction]
pub(crate) fn enter_checked() {
    OPEN.fetch_add(1, Ordering::Relaxed);
}

/// Closes it.
#[pyfunction]
pub(crate) fn leave_checked() {
    // More leaves than enters would be our own mistake; the count never goes below zero.
    let _ = OPEN.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |open| open.checked_sub(1));
}
