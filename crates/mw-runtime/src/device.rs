//! [`Device`]: where everything starts.

use std::fmt;
use std::path::Path;
use std::ptr::NonNull;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mw_backend::Backend;
use mw_machine::{Chip, GpuFamily, Limits, MemoryLimits};
use zerocopy::{Immutable, IntoBytes};

use crate::buffer::{Buffer, read_counter};
use crate::error::{BufferError, DeviceError, LibraryError, PipelineError};
use crate::event::{Event, Fence, SharedEvent};
use crate::function::Function;
use crate::heap::Heap;
use crate::library::Library;
use crate::pipeline::ComputePipelineState;
use crate::queue::CommandQueue;
use crate::source::CompileOptions;
use crate::sync::lock;

/// A Metal device (`MTLDevice`): a chip whose limits are reported and kept to, and a backend that runs the
/// kernels. Clones are cheap and mean the same device.
#[derive(Clone)]
pub struct Device {
    inner: Arc<Inner>,
}

struct Inner {
    chip: &'static Chip,
    limits: Limits,
    memory: MemoryLimits,
    backend: Arc<dyn Backend>,
    allocated: Arc<AtomicU64>,
    time_limit: Mutex<Option<Duration>>,
}

impl Device {
    /// A device of the chip that `MW_CHIP` names (default: [`mw_machine::DEFAULT_CHIP`]).
    ///
    /// # Errors
    /// `MW_CHIP` names no chip.
    pub fn new(backend: Arc<dyn Backend>) -> Result<Self, DeviceError> {
        let setting = std::env::var("MW_CHIP").ok();
        Ok(Self::with_chip(backend, Chip::from_setting(setting.as_deref())?))
    }

    /// A device of a given chip.
    pub fn with_chip(backend: Arc<dyn Backend>, chip: &'static Chip) -> Self {
        Self {
            inner: Arc::new(Inner {
                chip,
                limits: chip.limits(),
                memory: MemoryLimits::for_memory(host_memory_bytes()),
                backend,
                allocated: Arc::new(AtomicU64::new(0)),
                time_limit: Mutex::new(None),
            }),
        }
    }

    /// The name that Metal reports, such as `Apple M2`.
    pub fn name(&self) -> &str {
        self.inner.chip.name()
    }

    /// The chip.
    pub fn chip(&self) -> &'static Chip {
        self.inner.chip
    }

    /// `MTLArchitecture.name`, such as `applegpu_g14g`.
    pub fn architecture(&self) -> Option<&str> {
        self.inner.chip.architecture().map(|fact| fact.value.as_str())
    }

    /// What runs the kernels: `cpu` or `interp`.
    pub fn backend_name(&self) -> &'static str {
        self.inner.backend.name()
    }

    /// The limits that the runtime keeps to.
    pub fn limits(&self) -> &Limits {
        &self.inner.limits
    }

    /// `supportsFamily:`.
    pub fn supports_family(&self, family: GpuFamily) -> bool {
        self.inner.chip.supports_family(family)
    }

    /// The longest buffer in bytes.
    pub fn max_buffer_length(&self) -> u64 {
        self.inner.memory.max_buffer_bytes
    }

    /// How much memory a program should use at a time, in bytes.
    pub fn recommended_max_working_set_size(&self) -> u64 {
        self.inner.memory.recommended_working_set_bytes
    }

    /// Bytes of all buffers and heaps that live now.
    pub fn current_allocated_size(&self) -> u64 {
        read_counter(&self.inner.allocated)
    }

    /// Threads of a threadgroup, at most.
    pub fn max_threads_per_threadgroup(&self) -> u32 {
        self.inner.limits.max_threads_per_threadgroup
    }

    /// Bytes of threadgroup memory of one threadgroup, at most.
    pub fn max_threadgroup_memory_length(&self) -> u32 {
        self.inner.limits.max_threadgroup_memory_bytes
    }

    /// Host and device share memory: always.
    pub fn has_unified_memory(&self) -> bool {
        true
    }

    /// Stops kernels that run longer; `None` leaves the limit to the backend.
    pub fn set_time_limit(&self, limit: Option<Duration>) {
        *lock(&self.inner.time_limit) = limit;
    }

    pub(crate) fn time_limit(&self) -> Option<Duration> {
        *lock(&self.inner.time_limit)
    }

    pub(crate) fn backend(&self) -> &Arc<dyn Backend> {
        &self.inner.backend
    }

    /// Whether both are the same device.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// A buffer of `length` zero bytes. From 4 KiB on it starts at a page.
    pub fn new_buffer(&self, length: usize) -> Result<Buffer, BufferError> {
        self.check_length(length)?;
        Buffer::zeroed(length, &self.inner.allocated)
    }

    /// A buffer with a copy of these values.
    pub fn new_buffer_with_data<T: IntoBytes + Immutable>(&self, data: &[T]) -> Result<Buffer, BufferError> {
        let buffer = self.new_buffer(size_of_val(data))?;
        buffer.write(0, data)?;
        Ok(buffer)
    }

    /// A buffer with a copy of these bytes.
    pub fn new_buffer_with_bytes(&self, bytes: &[u8]) -> Result<Buffer, BufferError> {
        self.new_buffer_with_data(bytes)
    }

    /// A buffer over memory that exists already: kernels work on it in place. Unlike Metal, any address will
    /// do. `deallocator` is called with address and length when the last clone is dropped.
    ///
    /// # Safety
    /// The `length` bytes at `pointer` must stay valid for reads and writes until the last clone of the
    /// buffer, and every command buffer that uses it, is gone; no Rust reference to them may be used while
    /// kernels run.
    #[expect(unsafe_code, reason = "the address is the caller's, and so is the promise about it")]
    pub unsafe fn new_buffer_with_bytes_no_copy(
        &self,
        pointer: NonNull<u8>,
        length: usize,
        deallocator: Option<Box<dyn FnOnce(*mut u8, usize) + Send + Sync>>,
    ) -> Result<Buffer, BufferError> {
        self.check_length(length)?;
        // SAFETY: the caller's promise.
        Ok(unsafe { Buffer::borrowed(pointer, length, deallocator, &self.inner.allocated) })
    }

    /// A heap of `size` bytes for many small buffers.
    pub fn new_heap(&self, size: usize) -> Result<Heap, BufferError> {
        self.check_length(size)?;
        Heap::new(size, &self.inner.allocated)
    }

    fn check_length(&self, length: usize) -> Result<(), BufferError> {
        let limit = self.max_buffer_length();
        match length {
            0 => Err(BufferError::ZeroLength),
            _ if length as u64 > limit => Err(BufferError::TooLong { length, limit }),
            _ => Ok(()),
        }
    }

    /// Opens a `.metallib`, an `.air` file, or a program that embeds a library.
    pub fn new_library_with_file(&self, path: impl AsRef<Path>) -> Result<Library, LibraryError> {
        Library::open(path.as_ref())
    }

    /// A library out of bytes in memory.
    pub fn new_library_with_data(&self, bytes: impl Into<Arc<[u8]>>) -> Result<Library, LibraryError> {
        Library::from_bytes(bytes.into())
    }

    /// Compiles Metal source (`newLibraryWithSource:options:`).
    ///
    /// The whole text is checked now; a kernel is lowered when it is taken out.
    ///
    /// # Errors
    /// The text has mistakes: the error shows each in its place.
    pub fn new_library_with_source(
        &self,
        source: &str,
        options: &CompileOptions,
    ) -> Result<Library, LibraryError> {
        Library::from_source(source, options)
    }

    /// Compiles a function to something that can be dispatched.
    pub fn new_compute_pipeline_state(
        &self,
        function: &Function,
    ) -> Result<ComputePipelineState, PipelineError> {
        ComputePipelineState::new(self, function)
    }

    /// A queue for command buffers.
    pub fn new_command_queue(&self) -> CommandQueue {
        CommandQueue::new(self.clone())
    }

    /// A shared event with value 0.
    pub fn new_shared_event(&self) -> SharedEvent {
        SharedEvent::new()
    }

    /// An event between queues.
    pub fn new_event(&self) -> Event {
        Event::new()
    }

    /// A fence between encoders.
    pub fn new_fence(&self) -> Fence {
        Fence::new()
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device").field("name", &self.name()).field("backend", &self.backend_name()).finish()
    }
}

/// Memory of this machine; 8 GiB, the smallest that any of the chips in a Mac has, where it cannot be told.
fn host_memory_bytes() -> u64 {
    const UNKNOWN: u64 = 8 << 30;
    let Ok(text) = std::fs::read_to_string("/proc/meminfo") else { return UNKNOWN };
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kib = line.and_then(|rest| rest.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kib.map_or(UNKNOWN, |kib| kib.saturating_mul(1024))
}
