//! The command line `mw`, called from Python: the wheel's script needs no second binary.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs `mw` with `argv` (the program's name first) and returns its exit code.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, argv: Vec<OsString>) -> u8 {
    py.detach(|| mw_cli::run(argv))
}
