//! [`Buffer`]: memory that the host and kernels share.

use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use mw_backend::BufferView;
use zerocopy::{FromBytes, FromZeros, Immutable, IntoBytes};

use crate::error::BufferError;
use crate::heap::HeapBlock;
use crate::memory::Memory;
use crate::sync::lock;

/// A buffer in shared memory (`MTLBuffer`). Clones are cheap and mean the same memory.
///
/// Kernels work on the very bytes that the host sees: nothing is copied at a launch.
/// As on Apple's machines, nobody orders the host's accesses against kernels: read results after
/// [`CommandBuffer::wait_until_completed`](crate::CommandBuffer::wait_until_completed), or after an event.
#[derive(Clone)]
pub struct Buffer {
    inner: Arc<Inner>,
}

struct Inner {
    storage: Storage,
    view: BufferView,
    label: Mutex<Option<String>>,
}

enum Storage {
    /// Kept for its `Drop`.
    Own(#[expect(dead_code, reason = "frees the memory when dropped")] Memory),
    Heap(#[expect(dead_code, reason = "gives its span back when dropped")] HeapBlock),
}

impl Buffer {
    pub(crate) fn zeroed(length: usize, counter: &Arc<AtomicU64>) -> Result<Self, BufferError> {
        if length == 0 {
            return Err(BufferError::ZeroLength);
        }
        let memory =
            Memory::zeroed(length, Some(counter.clone())).ok_or(BufferError::OutOfMemory { length })?;
        Ok(Self::of_memory(memory))
    }

    /// # Safety
    /// As for [`Device::new_buffer_with_bytes_no_copy`](crate::Device::new_buffer_with_bytes_no_copy).
    #[expect(unsafe_code, reason = "passes the caller's promise on")]
    pub(crate) unsafe fn borrowed(
        ptr: NonNull<u8>,
        length: usize,
        deallocator: Option<crate::memory::Deallocator>,
        counter: &Arc<AtomicU64>,
    ) -> Self {
        // SAFETY: the caller's promise.
        let memory = unsafe { Memory::borrowed(ptr, length, deallocator, Some(counter.clone())) };
        Self::of_memory(memory)
    }

    fn of_memory(memory: Memory) -> Self {
        let view = memory.view(0, memory.len());
        Self { inner: Arc::new(Inner { storage: Storage::Own(memory), view, label: Mutex::new(None) }) }
    }

    pub(crate) fn of_heap(block: HeapBlock, length: usize) -> Self {
        let view = block.view(length);
        Self { inner: Arc::new(Inner { storage: Storage::Heap(block), view, label: Mutex::new(None) }) }
    }

    /// Size in bytes.
    pub fn length(&self) -> usize {
        self.inner.view.len()
    }

    /// Address of the first byte, for the host. Valid while a clone of the buffer lives.
    pub fn contents(&self) -> *mut u8 {
        self.inner.view.as_ptr()
    }

    /// Address of the first byte, for kernels: what a pointer in an argument buffer holds.
    pub fn gpu_address(&self) -> u64 {
        self.inner.view.address()
    }

    /// The whole buffer as a backend sees it. The view is valid while a clone of the buffer lives.
    pub fn view(&self) -> BufferView {
        self.inner.view
    }

    /// Whether it was made from a heap.
    pub fn is_from_heap(&self) -> bool {
        matches!(self.inner.storage, Storage::Heap(_))
    }

    /// Whether both are the same buffer.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// Copies bytes out, from byte `offset` on.
    pub fn read_bytes(&self, offset: usize, out: &mut [u8]) -> Result<(), BufferError> {
        let length = out.len();
        self.inner.view.read(offset, out).ok_or_else(|| self.out_of_range(offset, length))
    }

    /// Copies bytes in, from byte `offset` on.
    pub fn write_bytes(&self, offset: usize, bytes: &[u8]) -> Result<(), BufferError> {
        self.inner.view.write(offset, bytes).ok_or_else(|| self.out_of_range(offset, bytes.len()))
    }

    /// The contents as a vector of plain values. Bytes that fill no whole element are left out.
    ///
    /// ```
    /// # let device = mw_runtime::doc_device();
    /// let buffer = device.new_buffer_with_data(&[1.0_f32, 2.0])?;
    /// assert_eq!(buffer.to_vec::<f32>(), [1.0, 2.0]);
    /// # Ok::<(), mw_runtime::Error>(())
    /// ```
    pub fn to_vec<T: FromBytes + IntoBytes + FromZeros + Clone>(&self) -> Vec<T> {
        let count = self.length() / size_of::<T>().max(1);
        let mut out = vec![T::new_zeroed(); count];
        self.inner.view.read(0, out.as_mut_slice().as_mut_bytes()).expect("whole elements lie inside");
        out
    }

    /// Copies plain values in, from byte `offset` on.
    pub fn write<T: IntoBytes + Immutable>(&self, offset: usize, values: &[T]) -> Result<(), BufferError> {
        self.write_bytes(offset, values.as_bytes())
    }

    /// Name for messages.
    pub fn label(&self) -> Option<String> {
        lock(&self.inner.label).clone()
    }

    /// Sets the name for messages.
    pub fn set_label(&self, label: impl Into<String>) {
        *lock(&self.inner.label) = Some(label.into());
    }

    fn out_of_range(&self, offset: usize, length: usize) -> BufferError {
        BufferError::OutOfRange { offset, length, buffer_length: self.length() }
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Buffer").field("length", &self.length()).field("label", &self.label()).finish()
    }
}

/// A counter of allocated bytes.
pub(crate) fn read_counter(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}
