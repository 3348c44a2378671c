//! `Buffer` and `Heap`.

use std::ptr::NonNull;

use metalworking as mw;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::error::NativeError;
use crate::memory::ObjectMemory;

/// Memory that the host and kernels share (``MTLBuffer``).
///
/// Kernels work on the very bytes that Python sees; nothing is copied at a launch. NumPy and everything that
/// reads its array interface looks at them in place (``numpy.asarray(buffer)``), and so does
/// :meth:`contents`. As on Apple's machines nobody orders the host's accesses against kernels: read results
/// after :meth:`CommandBuffer.wait_until_completed`.
///
/// Made by :meth:`Device.new_buffer` and its relatives.
#[pyclass(frozen, module = "metalworking", name = "Buffer")]
pub(crate) struct PyBufferObject(pub(crate) mw::Buffer);

#[pymethods]
impl PyBufferObject {
    /// Size in bytes.
    #[getter]
    fn length(&self) -> usize {
        self.0.length()
    }

    fn __len__(&self) -> usize {
        self.0.length()
    }

    /// Address of the first byte, for kernels: what a pointer in an argument buffer holds.
    #[getter]
    fn gpu_address(&self) -> u64 {
        self.0.gpu_address()
    }

    /// Name for messages.
    #[getter]
    fn label(&self) -> Option<String> {
        self.0.label()
    }

    #[setter]
    fn set_label(&self, label: String) {
        self.0.set_label(label);
    }

    /// The bytes, writable, as a memoryview that keeps the buffer alive.
    fn contents<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let buffer = &slf.get().0;
        let helper = slf.py().import("metalworking._memory")?.getattr("contents")?;
        helper.call1((slf, buffer.contents() as usize, buffer.length()))
    }

    /// A NumPy array over the buffer's own memory, writable.
    ///
    /// Args:
    ///     dtype: Element type: a NumPy dtype or its name, or ``"bfloat16"`` with `ml_dtypes` installed.
    ///     shape: Shape; one dimension may be -1. By default one dimension of whole elements.
    ///     offset: First byte.
    ///
    /// Raises:
    ///     ValueError: The shape does not fit into the buffer.
    #[pyo3(signature = (dtype = None, shape = None, offset = 0))]
    fn array<'py>(
        slf: &Bound<'py, Self>,
        dtype: Option<&Bound<'py, PyAny>>,
        shape: Option<&Bound<'py, PyAny>>,
        offset: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let helper = slf.py().import("metalworking._memory")?.getattr("array")?;
        helper.call1((slf, dtype, shape, offset))
    }

    /// NumPy's protocol for memory in place: the buffer as unsigned bytes.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let interface = PyDict::new(py);
        interface.set_item("version", 3)?;
        interface.set_item("typestr", "|u1")?;
        interface.set_item("shape", (self.0.length(),))?;
        interface.set_item("data", (self.0.contents() as usize, false))?;
        Ok(interface)
    }

    /// Copies bytes out.
    ///
    /// Args:
    ///     offset: First byte.
    ///     length: Number of bytes; by default all that follow.
    ///
    /// Raises:
    ///     BufferError: The span reaches past the end.
    #[pyo3(signature = (offset = 0, length = None))]
    fn read<'py>(
        &self,
        py: Python<'py>,
        offset: usize,
        length: Option<usize>,
    ) -> Result<Bound<'py, PyBytes>, NativeError> {
        let whole = self.0.length();
        let length = length.unwrap_or_else(|| whole.saturating_sub(offset));
        if offset.checked_add(length).is_none_or(|end| end > whole) {
            return Err(mw::BufferError::OutOfRange { offset, length, buffer_length: whole }.into());
        }
        Ok(PyBytes::new_with(py, length, |out| {
            self.0.read_bytes(offset, out).map_err(|error| NativeError::from(error).into())
        })?)
    }

    /// Copies bytes in.
    ///
    /// Args:
    ///     data: Anything with contiguous bytes: ``bytes``, a NumPy array, a Torch tensor, …
    ///     offset: First byte of the buffer that is written.
    ///
    /// Raises:
    ///     BufferError: The data reaches past the end.
    #[pyo3(signature = (data, offset = 0))]
    fn write(&self, data: &Bound<'_, PyAny>, offset: usize) -> Result<(), NativeError> {
        let memory = readable(data)?;
        Ok(self.0.write_bytes(offset, memory.bytes(data.py()))?)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| self.0.is_same(&other.get().0))
    }

    fn __hash__(&self) -> u64 {
        self.0.gpu_address()
    }

    fn __repr__(&self) -> String {
        let label = self.0.label().map(|label| format!(" {label:?}")).unwrap_or_default();
        format!("<metalworking.Buffer{label}: {} bytes>", self.0.length())
    }
}

/// Memory for many small buffers (``MTLHeap``). Made by :meth:`Device.new_heap`.
#[pyclass(frozen, module = "metalworking", name = "Heap")]
pub(crate) struct PyHeap(pub(crate) mw::Heap);

#[pymethods]
impl PyHeap {
    /// Size in bytes.
    #[getter]
    fn size(&self) -> usize {
        self.0.size()
    }

    /// Bytes of the buffers that live in it.
    #[getter]
    fn used_size(&self) -> usize {
        self.0.used_size()
    }

    /// Length of the longest buffer that still fits, in bytes.
    #[getter]
    fn max_available_size(&self) -> usize {
        self.0.max_available_size()
    }

    /// A buffer in this heap; its bytes are not cleared.
    ///
    /// Args:
    ///     length: Size in bytes.
    ///
    /// Raises:
    ///     BufferError: No free span is long enough.
    fn new_buffer(&self, length: usize) -> Result<PyBufferObject, NativeError> {
        Ok(PyBufferObject(self.0.new_buffer(length)?))
    }
}

/// The contiguous bytes of an object: by the buffer protocol, or by way of NumPy where it offers none.
pub(crate) fn readable(data: &Bound<'_, PyAny>) -> PyResult<ObjectMemory> {
    if let Ok(memory) = ObjectMemory::of(data, false) {
        return Ok(memory);
    }
    let helper = data.py().import("metalworking._memory")?.getattr("readable")?;
    ObjectMemory::of(&helper.call1((data,))?, false)
}

/// A buffer over the object's own memory; the object lives as long as the buffer.
#[expect(unsafe_code, reason = "hands an address of Python's to the runtime")]
pub(crate) fn no_copy(device: &mw::Device, data: &Bound<'_, PyAny>) -> Result<mw::Buffer, NativeError> {
    let memory = if let Ok(memory) = ObjectMemory::of(data, true) {
        memory
    } else {
        let helper = data.py().import("metalworking._memory")?.getattr("writable")?;
        ObjectMemory::of(&helper.call1((data,))?, true)?
    };
    let Some(address) = NonNull::new(memory.address()) else {
        return Err(PyTypeError::new_err("the object has no memory").into());
    };
    let length = memory.len();
    // SAFETY: the view inside `memory` keeps the bytes where they are; it is dropped by the deallocator, which
    // the buffer calls when it and every command buffer that uses it are gone.
    let buffer = unsafe {
        device.new_buffer_with_bytes_no_copy(address, length, Some(Box::new(move |_, _| drop(memory))))
    };
    Ok(buffer?)
}
