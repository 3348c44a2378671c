//! The switch of checked execution, for `metalworking.checked()`.

use pyo3::prelude::*;

/// Whether kernels are checked now.
#[pyfunction]
pub(crate) fn is_checked() -> bool {
    mw_custom_kernel::is_checked()
}

/// Opens a block of checked execution.
#[pyfunction]
pub(crate) fn enter_checked() {
    mw_custom_kernel::enter_checked();
}

/// Closes it.
#[pyfunction]
pub(crate) fn leave_checked() {
    mw_custom_kernel::leave_checked();
}
