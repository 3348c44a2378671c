//! Views of memory that a kernel may touch.
#![expect(
    unsafe_code,
    reason = "the one place where a buffer's memory is turned into checked reads and writes"
)]

/// A span of memory shared between the host and kernels, like the contents of a Metal buffer.
///
/// Kernels on several threads may write it at the same time, so it is no slice: bytes are copied in and out.
#[derive(Clone, Copy, Debug)]
pub struct BufferView {
    ptr: *mut u8,
    len: usize,
}

// SAFETY: a view is an address and a length; what makes access sound is the promise given to `new`, which
// holds on every thread.
unsafe impl Send for BufferView {}
// SAFETY: as above.
unsafe impl Sync for BufferView {}

impl BufferView {
    /// A view of `len` bytes at `ptr`.
    ///
    /// # Safety
    /// The bytes must stay allocated, readable and (where the kernel declares so) writable until the last
    /// launch that uses the view has ended, and the host must not hold Rust references to them meanwhile.
    pub unsafe fn new(ptr: *mut u8, len: usize) -> Self {
        Self { ptr, len }
    }

    /// The address that the kernel sees.
    pub fn address(&self) -> u64 {
        self.ptr as u64
    }

    /// First byte.
    pub fn as_ptr(&self) -> *mut u8 {
        self.ptr
    }

    /// Size in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Copies bytes out. `None`, with nothing read, when they reach past the end.
    #[must_use]
    pub fn read(&self, offset: usize, out: &mut [u8]) -> Option<()> {
        if offset.checked_add(out.len())? > self.len {
            return None;
        }
        // SAFETY: the span is inside the view (checked above), which `new`'s caller promised to keep valid;
        // `out` is a Rust slice of its own.
        unsafe { std::ptr::copy_nonoverlapping(self.ptr.add(offset), out.as_mut_ptr(), out.len()) };
        Some(())
    }

    /// Copies bytes in. `None`, with nothing written, when they reach past the end.
    #[must_use]
    pub fn write(&self, offset: usize, bytes: &[u8]) -> Option<()> {
        if offset.checked_add(bytes.len())? > self.len {
            return None;
        }
        // SAFETY: as in `read`.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.ptr.add(offset), bytes.len()) };
        Some(())
    }
}
