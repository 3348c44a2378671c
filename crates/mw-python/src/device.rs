//! `Device` and `ComputePipelineState`.

use std::path::PathBuf;
use std::time::Duration;

use metalworking as mw;
use metalworking::{Engine, GpuFamily};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::buffer::{PyBufferObject, PyHeap, no_copy, readable};
use crate::error::NativeError;
use crate::event::PySharedEvent;
use crate::library::{PyFunction, PyLibrary, SourceArgs};
use crate::queue::PyCommandQueue;
use crate::reflection::PyBinding;

/// A Metal device (``MTLDevice``): a chip whose limits hold, and an engine that runs the kernels.
///
/// Args:
///     engine: ``"cpu"`` compiles kernels to SIMD code of this machine; ``"interp"`` runs them on the reference
///         interpreter, which is slow and checks every access; ``"checked"`` also takes what it finds
///         suspicious (uninitialised values that matter, barriers that not all threads reach) for an error.
///         By default ``MW_ENGINE``, or ``"checked"`` under :func:`metalworking.checked` or ``MW_CHECK=1``, or
///         ``"cpu"``.
///     chip: The chip to claim to be, such as ``"m4-max"``. By default ``MW_CHIP``, or ``"m2"``.
///
/// Raises:
///     SettingError: There is no such engine or chip.
#[pyclass(frozen, module = "metalworking", name = "Device")]
pub(crate) struct PyDevice(pub(crate) mw::Device);

#[pymethods]
impl PyDevice {
    #[new]
    #[pyo3(signature = (engine = None, chip = None))]
    fn new(engine: Option<&str>, chip: Option<&str>) -> Result<Self, NativeError> {
        let setting = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let engine: Engine = match engine {
            Some(name) => name.parse()?,
            None if mw_custom_kernel::is_checked() => Engine::Checked,
            None => setting("MW_ENGINE").map_or(Ok(Engine::default()), |name| name.parse())?,
        };
        Ok(Self(engine.device(chip.map(str::to_owned).or_else(|| setting("MW_CHIP")).as_deref())?))
    }

    /// The name that Metal reports, such as ``"Apple M2"``.
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    /// The architecture's name, such as ``"applegpu_g14g"``.
    #[getter]
    fn architecture(&self) -> Option<&str> {
        self.0.architecture()
    }

    /// What runs the kernels: ``"cpu"``, ``"interp"`` or ``"checked"``.
    #[getter]
    fn engine(&self) -> &str {
        self.0.backend_name()
    }

    /// Longest buffer in bytes.
    #[getter]
    fn max_buffer_length(&self) -> u64 {
        self.0.max_buffer_length()
    }

    /// How much memory a program should use at a time, in bytes.
    #[getter]
    fn recommended_max_working_set_size(&self) -> u64 {
        self.0.recommended_max_working_set_size()
    }

    /// Bytes of all buffers and heaps that live now.
    #[getter]
    fn current_allocated_size(&self) -> u64 {
        self.0.current_allocated_size()
    }

    /// Threads of a threadgroup, at most.
    #[getter]
    fn max_threads_per_threadgroup(&self) -> u32 {
        self.0.max_threads_per_threadgroup()
    }

    /// Bytes of threadgroup memory of one threadgroup, at most.
    #[getter]
    fn max_threadgroup_memory_length(&self) -> u32 {
        self.0.max_threadgroup_memory_length()
    }

    /// Host and device share memory: always true.
    #[getter]
    fn has_unified_memory(&self) -> bool {
        self.0.has_unified_memory()
    }

    /// Whether the chip belongs to a GPU family.
    ///
    /// Args:
    ///     family: Its name, such as ``"Apple9"``, ``"Common3"``, ``"Mac2"`` or ``"Metal3"``.
    ///
    /// Raises:
    ///     ValueError: No family has this name.
    fn supports_family(&self, family: &str) -> PyResult<bool> {
        let family = GpuFamily::parse(family).ok_or_else(|| {
            PyValueError::new_err(format!(
                "`{family}` is no GPU family: write Apple1 to Apple10, Common1 to Common3, Mac2, Metal3 or Metal4"
            ))
        })?;
        Ok(self.0.supports_family(family))
    }

    /// Stops kernels that run longer.
    ///
    /// Args:
    ///     seconds: The limit; None leaves it to the engine.
    #[pyo3(signature = (seconds))]
    fn set_time_limit(&self, seconds: Option<f64>) -> PyResult<()> {
        let limit = seconds.map(Duration::try_from_secs_f64).transpose();
        self.0.set_time_limit(limit.map_err(|error| PyValueError::new_err(error.to_string()))?);
        Ok(())
    }

    /// A buffer of zero bytes.
    ///
    /// Args:
    ///     length: Size in bytes, at least 1.
    ///
    /// Raises:
    ///     BufferError: The length is 0, or more than the device or the system has.
    fn new_buffer(&self, length: usize) -> Result<PyBufferObject, NativeError> {
        Ok(PyBufferObject(self.0.new_buffer(length)?))
    }

    /// A buffer with a copy of what an object holds.
    ///
    /// Args:
    ///     data: ``bytes``, a NumPy array, a Torch tensor, a JAX array, anything with a buffer: its elements in
    ///         row-major order.
    fn new_buffer_with_data(&self, data: &Bound<'_, PyAny>) -> Result<PyBufferObject, NativeError> {
        let memory = readable(data)?;
        Ok(PyBufferObject(self.0.new_buffer_with_bytes(memory.bytes(data.py()))?))
    }

    /// A buffer over an object's own memory: kernels work on it in place. The object lives as long as the
    /// buffer.
    ///
    /// Args:
    ///     data: A writable, contiguous object: a NumPy array, a Torch tensor, a ``bytearray``, ….
    ///
    /// Raises:
    ///     TypeError, ValueError: It is read-only or not contiguous.
    fn new_buffer_no_copy(&self, data: &Bound<'_, PyAny>) -> Result<PyBufferObject, NativeError> {
        Ok(PyBufferObject(no_copy(&self.0, data)?))
    }

    /// A heap for many small buffers.
    ///
    /// Args:
    ///     size: Its size in bytes.
    fn new_heap(&self, size: usize) -> Result<PyHeap, NativeError> {
        Ok(PyHeap(self.0.new_heap(size)?))
    }

    /// Opens a ``.metallib``, an ``.air`` or ``.ll`` file, or a program that embeds a library.
    ///
    /// Args:
    ///     path: The file, which must not change while the library is in use.
    ///
    /// Raises:
    ///     LibraryError: It cannot be read, or is no library.
    fn new_library_with_file(&self, py: Python<'_>, path: PathBuf) -> Result<PyLibrary, NativeError> {
        Ok(PyLibrary(py.detach(|| self.0.new_library_with_file(path))?))
    }

    /// A library out of the bytes of a ``.metallib`` or ``.air`` file.
    fn new_library_with_data(
        &self,
        py: Python<'_>,
        data: &Bound<'_, PyAny>,
    ) -> Result<PyLibrary, NativeError> {
        let bytes = readable(data)?.bytes(py).to_vec();
        Ok(PyLibrary(py.detach(|| self.0.new_library_with_data(bytes))?))
    }

    /// Compiles Metal source.
    ///
    /// Args:
    ///     source: The text.
    ///     language_version: ``"metal2.4"`` to ``"metal4.0"``; the newest by default.
    ///     fast_math: Arithmetic may assume no NaN and no infinity, as Metal does by default.
    ///     macros: Macros defined before the first line: ``{"N": 4, "USE_BIAS": True}``.
    ///     include_folders: Folders in which ``#include`` looks.
    ///     headers: Included files by name, as text: ``{"common.h": "…"}``.
    ///     file_name: Name of the source in messages.
    ///
    /// Raises:
    ///     CompileError: The text has mistakes; its `diagnostics` say where.
    #[pyo3(signature = (
        source, *, language_version = None, fast_math = true, macros = None, include_folders = Vec::new(),
        headers = None, file_name = None,
    ))]
    #[expect(clippy::too_many_arguments, reason = "Python's keywords")]
    fn new_library_with_source(
        &self,
        py: Python<'_>,
        source: &str,
        language_version: Option<&str>,
        fast_math: bool,
        macros: Option<&Bound<'_, PyDict>>,
        include_folders: Vec<PathBuf>,
        headers: Option<&Bound<'_, PyDict>>,
        file_name: Option<String>,
    ) -> Result<PyLibrary, NativeError> {
        let args = SourceArgs { language_version, fast_math, macros, include_folders, headers, file_name };
        let options = args.options()?;
        Ok(PyLibrary(py.detach(|| self.0.new_library_with_source(source, &options))?))
    }

    /// Compiles a function to something that can be dispatched. The GIL is released meanwhile.
    ///
    /// Raises:
    ///     FunctionError: A required function constant has no value.
    ///     UnsupportedError: The kernel uses what this engine cannot run.
    ///     PipelineError: It needs more threadgroup memory than the device has.
    fn new_compute_pipeline_state(
        &self,
        py: Python<'_>,
        function: &PyFunction,
    ) -> Result<PyPipeline, NativeError> {
        Ok(PyPipeline(py.detach(|| self.0.new_compute_pipeline_state(&function.0))?))
    }

    /// A queue for command buffers.
    fn new_command_queue(&self) -> PyCommandQueue {
        PyCommandQueue(self.0.new_command_queue())
    }

    /// A shared event with value 0.
    fn new_shared_event(&self) -> PySharedEvent {
        PySharedEvent(self.0.new_shared_event())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| self.0.is_same(&other.get().0))
    }

    fn __repr__(&self) -> String {
        format!("<metalworking.Device {:?} on {}>", self.0.name(), self.0.backend_name())
    }
}

/// A kernel that is ready to be dispatched (``MTLComputePipelineState``).
#[pyclass(frozen, module = "metalworking", name = "ComputePipelineState")]
pub(crate) struct PyPipeline(pub(crate) mw::ComputePipelineState);

#[pymethods]
impl PyPipeline {
    /// Name of the kernel.
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    /// The device that it was made for.
    #[getter]
    fn device(&self) -> PyDevice {
        PyDevice(self.0.device().clone())
    }

    /// Most threads that a threadgroup of this kernel may have.
    #[getter]
    fn max_total_threads_per_threadgroup(&self) -> u32 {
        self.0.max_total_threads_per_threadgroup()
    }

    /// Threads in a simdgroup: 32.
    #[getter]
    fn thread_execution_width(&self) -> u32 {
        self.0.thread_execution_width()
    }

    /// Bytes of threadgroup memory that the kernel declares itself.
    #[getter]
    fn static_threadgroup_memory_length(&self) -> u32 {
        self.0.static_threadgroup_memory_length()
    }

    /// The arguments in order (``MTLComputePipelineReflection``).
    #[getter]
    fn bindings(&self) -> Vec<PyBinding> {
        self.0.bindings().iter().map(PyBinding::of).collect()
    }

    fn __repr__(&self) -> String {
        format!("<metalworking.ComputePipelineState {:?}>", self.0.name())
    }
}
