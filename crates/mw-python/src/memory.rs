//! Memory of Python objects, by the buffer protocol.
//!
//! The protocol entered Python's stable ABI with 3.11, and the wheel supports 3.10, so PyO3 does not offer it.
//! 3.10 has the same two functions and the same structure, which is all that is declared here.

use std::ffi::{c_char, c_int, c_void};
use std::ptr::NonNull;

use pyo3::ffi::PyObject;
use pyo3::prelude::*;

/// `Py_buffer`, as every Python 3 lays it out.
#[repr(C)]
struct PyBuffer {
    buf: *mut c_void,
    obj: *mut PyObject,
    len: isize,
    itemsize: isize,
    readonly: c_int,
    ndim: c_int,
    format: *mut c_char,
    shape: *mut isize,
    strides: *mut isize,
    suboffsets: *mut isize,
    internal: *mut c_void,
}

/// Contiguous bytes.
const PYBUF_SIMPLE: c_int = 0;
/// Contiguous bytes that may be written.
const PYBUF_WRITABLE: c_int = 1;

unsafe extern "C" {
    fn PyObject_GetBuffer(object: *mut PyObject, view: *mut PyBuffer, flags: c_int) -> c_int;
    fn PyBuffer_Release(view: *mut PyBuffer);
}

/// The contiguous bytes of an object, which keeps them where they are until this is dropped.
pub(crate) struct ObjectMemory {
    view: Box<PyBuffer>,
}

// SAFETY: the view is only read, and released with the GIL held (see `drop`); the object that owns the bytes
// is kept alive by the view, from whichever thread.
unsafe impl Send for ObjectMemory {}
// SAFETY: as above.
unsafe impl Sync for ObjectMemory {}

impl ObjectMemory {
    /// # Errors
    /// The object gives no buffer, or none that is contiguous (and, if asked for, writable): Python's own
    /// exception says which.
    pub(crate) fn of(object: &Bound<'_, PyAny>, writable: bool) -> PyResult<Self> {
        let mut view = Box::new(PyBuffer {
            buf: std::ptr::null_mut(),
            obj: std::ptr::null_mut(),
            len: 0,
            itemsize: 0,
            readonly: 0,
            ndim: 0,
            format: std::ptr::null_mut(),
            shape: std::ptr::null_mut(),
            strides: std::ptr::null_mut(),
            suboffsets: std::ptr::null_mut(),
            internal: std::ptr::null_mut(),
        });
        let flags = if writable { PYBUF_WRITABLE } else { PYBUF_SIMPLE };
        // SAFETY: the object is alive and the GIL is held, as `object` proves; `view` is a whole `Py_buffer`
        // at an address that does not change until it is released.
        let code = unsafe { PyObject_GetBuffer(object.as_ptr(), &raw mut *view, flags) };
        if code == 0 { Ok(Self { view }) } else { Err(PyErr::fetch(object.py())) }
    }

    /// Address of the first byte.
    pub(crate) fn address(&self) -> *mut u8 {
        self.view.buf.cast()
    }

    /// Number of bytes.
    pub(crate) fn len(&self) -> usize {
        self.view.len.unsigned_abs()
    }

    /// The bytes, which nobody may change meanwhile: only for a copy while the GIL is held.
    pub(crate) fn bytes(&self, _py: Python<'_>) -> &[u8] {
        match NonNull::new(self.address()) {
            // SAFETY: the view promises `len` readable bytes there; with the GIL held no Python code runs
            // that could write them while they are copied.
            Some(start) if self.len() > 0 => unsafe {
                std::slice::from_raw_parts(start.as_ptr(), self.len())
            },
            _ => &[],
        }
    }
}

impl Drop for ObjectMemory {
    fn drop(&mut self) {
        // Without an interpreter, at its end, there is nothing to give back to.
        let view = &raw mut *self.view;
        Python::try_attach(|_| {
            // SAFETY: the view was filled by `PyObject_GetBuffer` and is released once, with the GIL held.
            unsafe { PyBuffer_Release(view) };
        });
    }
}
