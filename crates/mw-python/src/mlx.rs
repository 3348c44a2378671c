//! Hands the custom-kernel contract to the library that stock MLX is joined with.

use mw_custom_kernel::c_abi;
use pyo3::prelude::*;

/// The address of the table of C functions that `metalworking_custom_kernel.h` declares. It is valid as long as the
/// process lives.
#[pyfunction]
pub(crate) fn custom_kernel_table() -> usize {
    std::ptr::from_ref(c_abi::table()).addr()
}
