//! The command line `mw`, called from Python: the wheel's script needs no second binary.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs `mw` with `argv` (the program's name first) and returns its exit code.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, argv: Vec<OsString>) -> u8 {
    py.detach(|| mw_cli::run(argv))
}

/// Says how this process starts itself anew: `mw conform` runs workers, and the program of this process is Python.
#[pyfunction]
pub(crate) fn set_self_command(words: Vec<OsString>) {
    mw_conform::sweep::set_self_command(words);
}
