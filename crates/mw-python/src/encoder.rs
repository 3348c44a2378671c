//! `ComputeCommandEncoder` and `BlitCommandEncoder`.
//!
//! Their methods chain, and keep the first fault for `end_encoding`, as in Rust.
//! In a `with` statement the end of the block ends the encoder.

use std::sync::{Mutex, MutexGuard, PoisonError};

use metalworking as mw;
use metalworking::BarrierScope;
use pyo3::prelude::*;

use crate::buffer::{PyBufferObject, readable};
use crate::device::PyPipeline;
use crate::error::NativeError;
use crate::size::SizeArg;

/// Encodes kernel launches (``MTLComputeCommandEncoder``).
///
/// Methods return the encoder, so that calls chain. The first fault is raised by :meth:`end_encoding`, which
/// the end of a ``with`` block calls, and by :meth:`CommandBuffer.commit`.
///
/// Example:
///     >>> with commands.compute_command_encoder() as encoder:
///     ...     encoder.set_compute_pipeline_state(pipeline)
///     ...     encoder.set_buffer(0, x).set_bytes(1, np.float32(2))
///     ...     encoder.dispatch_threads(x.length // 4, 256)
#[pyclass(frozen, module = "metalworking", name = "ComputeCommandEncoder")]
pub(crate) struct PyComputeEncoder(Mutex<mw::ComputeCommandEncoder>);

impl PyComputeEncoder {
    pub(crate) fn new(encoder: mw::ComputeCommandEncoder) -> Self {
        Self(Mutex::new(encoder))
    }

    fn lock(&self) -> MutexGuard<'_, mw::ComputeCommandEncoder> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PyComputeEncoder {
    /// The kernel of the dispatches that follow.
    fn set_compute_pipeline_state<'py>(slf: Bound<'py, Self>, pipeline: &PyPipeline) -> Bound<'py, Self> {
        slf.get().lock().set_compute_pipeline_state(&pipeline.0);
        slf
    }

    /// Binds a buffer at ``[[buffer(index)]]``.
    ///
    /// Args:
    ///     index: Buffer index, 0 to 30.
    ///     buffer: The buffer; None unbinds what is there.
    ///     offset: First byte that the kernel sees: bytes, not elements.
    #[pyo3(signature = (index, buffer, offset = 0))]
    fn set_buffer<'py>(
        slf: Bound<'py, Self>,
        index: usize,
        buffer: Option<&PyBufferObject>,
        offset: usize,
    ) -> Bound<'py, Self> {
        match buffer {
            Some(buffer) => slf.get().lock().set_buffer(index, &buffer.0, offset),
            None => slf.get().lock().clear_buffer(index),
        };
        slf
    }

    /// Binds a copy of at most 4,096 bytes at ``[[buffer(index)]]``.
    ///
    /// Args:
    ///     index: Buffer index, 0 to 30.
    ///     data: Anything with contiguous bytes, such as ``np.float32(2)`` or ``np.array([3, 4], np.uint32)``.
    fn set_bytes<'py>(
        slf: Bound<'py, Self>,
        index: usize,
        data: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, Self>> {
        let memory = readable(data)?;
        slf.get().lock().set_bytes(index, memory.bytes(data.py()));
        Ok(slf)
    }

    /// Length in bytes, a multiple of 16, of the threadgroup memory at ``[[threadgroup(index)]]``.
    fn set_threadgroup_memory_length(slf: Bound<'_, Self>, length: usize, index: usize) -> Bound<'_, Self> {
        slf.get().lock().set_threadgroup_memory_length(length, index);
        slf
    }

    /// Makes a buffer reachable through pointers in argument buffers.
    fn use_resource<'py>(slf: Bound<'py, Self>, buffer: &PyBufferObject) -> Bound<'py, Self> {
        slf.get().lock().use_resource(&buffer.0);
        slf
    }

    /// Launches threads.
    ///
    /// Args:
    ///     threads: Size of the grid in threads, not threadgroups: a number or up to three.
    ///     threads_per_threadgroup: Size of a threadgroup. Those at the far edges are smaller where the
    ///         division leaves a rest.
    fn dispatch_threads(
        slf: Bound<'_, Self>,
        threads: SizeArg,
        threads_per_threadgroup: SizeArg,
    ) -> Bound<'_, Self> {
        slf.get().lock().dispatch_threads(threads.0, threads_per_threadgroup.0);
        slf
    }

    /// Launches whole threadgroups.
    ///
    /// Args:
    ///     threadgroups: Number of threadgroups: a number or up to three.
    ///     threads_per_threadgroup: Size of a threadgroup.
    fn dispatch_threadgroups(
        slf: Bound<'_, Self>,
        threadgroups: SizeArg,
        threads_per_threadgroup: SizeArg,
    ) -> Bound<'_, Self> {
        slf.get().lock().dispatch_threadgroups(threadgroups.0, threads_per_threadgroup.0);
        slf
    }

    /// Launches as many threadgroups as three 32-bit numbers in a buffer say when the command runs.
    fn dispatch_threadgroups_indirect<'py>(
        slf: Bound<'py, Self>,
        buffer: &PyBufferObject,
        offset: usize,
        threads_per_threadgroup: SizeArg,
    ) -> Bound<'py, Self> {
        slf.get().lock().dispatch_threadgroups_indirect(&buffer.0, offset, threads_per_threadgroup.0);
        slf
    }

    /// Orders the dispatches before it against those after it.
    fn memory_barrier(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf.get().lock().memory_barrier(BarrierScope::Buffers);
        slf
    }

    /// Name for messages.
    fn set_label(slf: Bound<'_, Self>, label: String) -> Bound<'_, Self> {
        slf.get().lock().set_label(label);
        slf
    }

    /// Ends the encoder.
    ///
    /// Raises:
    ///     EncodeError: The first fault of this encoder; the command buffer will not run then.
    fn end_encoding(&self) -> Result<(), NativeError> {
        Ok(self.lock().end_encoding()?)
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __exit__(
        &self,
        kind: &Bound<'_, PyAny>,
        _error: &Bound<'_, PyAny>,
        _traceback: &Bound<'_, PyAny>,
    ) -> Result<bool, NativeError> {
        finish(self.end_encoding(), kind)
    }
}

/// Encodes copies and fills of buffers (``MTLBlitCommandEncoder``). Chains and ends as a compute encoder does.
#[pyclass(frozen, module = "metalworking", name = "BlitCommandEncoder")]
pub(crate) struct PyBlitEncoder(Mutex<mw::BlitCommandEncoder>);

impl PyBlitEncoder {
    pub(crate) fn new(encoder: mw::BlitCommandEncoder) -> Self {
        Self(Mutex::new(encoder))
    }

    fn lock(&self) -> MutexGuard<'_, mw::BlitCommandEncoder> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PyBlitEncoder {
    /// Copies `length` bytes. Spans of one buffer may overlap.
    fn copy_from_buffer<'py>(
        slf: Bound<'py, Self>,
        source: &PyBufferObject,
        source_offset: usize,
        destination: &PyBufferObject,
        destination_offset: usize,
        length: usize,
    ) -> Bound<'py, Self> {
        slf.get().lock().copy_from_buffer(
            &source.0,
            source_offset,
            &destination.0,
            destination_offset,
            length,
        );
        slf
    }

    /// Sets each of `length` bytes from `offset` on to `value`.
    fn fill_buffer<'py>(
        slf: Bound<'py, Self>,
        buffer: &PyBufferObject,
        offset: usize,
        length: usize,
        value: u8,
    ) -> Bound<'py, Self> {
        slf.get().lock().fill_buffer(&buffer.0, offset..offset.saturating_add(length), value);
        slf
    }

    /// Name for messages.
    fn set_label(slf: Bound<'_, Self>, label: String) -> Bound<'_, Self> {
        slf.get().lock().set_label(label);
        slf
    }

    /// Ends the encoder.
    ///
    /// Raises:
    ///     EncodeError: The first fault of this encoder; the command buffer will not run then.
    fn end_encoding(&self) -> Result<(), NativeError> {
        Ok(self.lock().end_encoding()?)
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __exit__(
        &self,
        kind: &Bound<'_, PyAny>,
        _error: &Bound<'_, PyAny>,
        _traceback: &Bound<'_, PyAny>,
    ) -> Result<bool, NativeError> {
        finish(self.end_encoding(), kind)
    }
}

/// The end of a `with` block: an exception of the block counts more than a fault that follows from it, and a
/// call of `end_encoding` inside the block is none.
fn finish(end: Result<(), NativeError>, kind: &Bound<'_, PyAny>) -> Result<bool, NativeError> {
    match end {
        Err(NativeError::Runtime(mw::Error::Encode(mw::EncodeError::EncodingEnded))) => Ok(false),
        Err(error) if kind.is_none() => Err(error),
        _ => Ok(false),
    }
}
