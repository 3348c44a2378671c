//! `metalworking._native`: the bridge between Python and the Rust crates, and nothing but the bridge.
//!
//! One file per concern; what a user sees (names, docstrings, defaults) lies in `python/metalworking/`, and
//! `_native.pyi` there mirrors this module.
//! Every wait and every compilation releases the GIL; every Rust error becomes an exception of
//! `metalworking.exceptions`.
#![expect(unsafe_code, reason = "Python's memory is reached by address; each place says who keeps it alive")]
#![expect(clippy::doc_markdown, reason = "documentation of classes is Python's, in its markup")]
#![expect(clippy::needless_pass_by_value, reason = "PyO3 hands arguments over by value")]

mod buffer;
mod checked;
mod command_line;
mod device;
mod encoder;
mod error;
mod event;
mod kernel;
mod library;
mod memory;
mod mlx;
mod queue;
mod reflection;
mod size;

use pyo3::prelude::*;

/// The native half of the package `metalworking`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::buffer::{PyBufferObject, PyHeap};
    #[pymodule_export]
    use crate::checked::{enter_checked, is_checked, leave_checked};
    #[pymodule_export]
    use crate::command_line::{main, set_self_command};
    #[pymodule_export]
    use crate::device::{PyDevice, PyPipeline};
    #[pymodule_export]
    use crate::encoder::{PyBlitEncoder, PyComputeEncoder};
    #[pymodule_export]
    use crate::event::PySharedEvent;
    #[pymodule_export]
    use crate::kernel::{CustomKernel, dispatch_counts, dtype_names, reset_dispatch_counts};
    #[pymodule_export]
    use crate::library::{PyFunction, PyLibrary};
    #[pymodule_export]
    use crate::mlx::custom_kernel_table;
    #[pymodule_export]
    use crate::queue::{PyCommandBuffer, PyCommandQueue};
    #[pymodule_export]
    use crate::reflection::{PyBinding, PyFunctionConstant, PyStructMember};

    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python's spelling")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
