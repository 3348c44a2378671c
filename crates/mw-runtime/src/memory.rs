//! Owned memory behind buffers, heaps and inline bytes.
#![expect(
    unsafe_code,
    reason = "allocates memory that the host and kernels share, and hands out its address"
)]

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use memmap2::MmapMut;
use mw_backend::BufferView;

/// Alignment of memory of a page or more.
pub(crate) const PAGE: usize = 4096;

/// Alignment of smaller memory: more than any type of Metal's or any register of a CPU needs.
pub(crate) const SMALL_ALIGN: usize = 256;

/// From this size on memory is mapped: zero pages then cost nothing until they are touched.
const MAPPED_FROM: usize = 256 * 1024;

/// From this size on the system is asked for huge pages: streaming kernels spend a good part of their time
/// on translating addresses otherwise, in virtual machines above all.
#[cfg(target_os = "linux")]
const HUGE_PAGES_FROM: usize = 4 << 20;

/// What is called with address and length when borrowed memory is given back.
pub(crate) type Deallocator = Box<dyn FnOnce(*mut u8, usize) + Send + Sync>;

/// A span of memory with one owner.
pub(crate) struct Memory {
    ptr: NonNull<u8>,
    len: usize,
    owner: Owner,
    /// Counts the bytes in use, for `current_allocated_size`.
    counter: Option<Arc<AtomicU64>>,
}

enum Owner {
    Allocated(Layout),
    /// Kept for its `Drop`.
    Mapped(#[expect(dead_code, reason = "unmaps when dropped")] MmapMut),
    Borrowed(Option<Deallocator>),
}

// SAFETY: `Memory` owns its bytes (or was promised them for its lifetime) and only gives out raw addresses
// and `BufferView`s, which are thread-safe in themselves.
unsafe impl Send for Memory {}
// SAFETY: as above; no method forms a Rust reference to the bytes.
unsafe impl Sync for Memory {}

impl Memory {
    /// `len` zero bytes; `None` when the system has no room. `len` is not 0.
    pub(crate) fn zeroed(len: usize, counter: Option<Arc<AtomicU64>>) -> Option<Self> {
        if len >= MAPPED_FROM {
            let mut map = MmapMut::map_anon(len).ok()?;
            #[cfg(target_os = "linux")]
            if len >= HUGE_PAGES_FROM {
                // A system without them does without.
                let _ = map.advise(memmap2::Advice::HugePage);
            }
            let ptr = NonNull::new(map.as_mut_ptr())?;
            return Some(Self::counted(ptr, len, Owner::Mapped(map), counter));
        }
        let align = if len >= PAGE { PAGE } else { SMALL_ALIGN };
        let layout = Layout::from_size_align(len.max(1), align).ok()?;
        // SAFETY: the layout has a size of at least one byte.
        let ptr = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        Some(Self::counted(ptr, len, Owner::Allocated(layout), counter))
    }

    /// Memory of somebody else.
    ///
    /// # Safety
    /// `ptr` must be valid for reads and writes of `len` bytes until `deallocator` is called, and the host
    /// must hold no Rust references to them meanwhile.
    pub(crate) unsafe fn borrowed(
        ptr: NonNull<u8>,
        len: usize,
        deallocator: Option<Deallocator>,
        counter: Option<Arc<AtomicU64>>,
    ) -> Self {
        Self::counted(ptr, len, Owner::Borrowed(deallocator), counter)
    }

    fn counted(ptr: NonNull<u8>, len: usize, owner: Owner, counter: Option<Arc<AtomicU64>>) -> Self {
        if let Some(counter) = &counter {
            counter.fetch_add(len as u64, Ordering::Relaxed);
        }
        Self { ptr, len, owner, counter }
    }

    /// Size in bytes.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// First byte.
    pub(crate) fn as_ptr(&self) -> *mut u8 {
        self.ptr.as_ptr()
    }

    /// A view of a part, which must lie inside. Whoever keeps the view keeps this memory.
    pub(crate) fn view(&self, offset: usize, len: usize) -> BufferView {
        assert!(offset.checked_add(len).is_some_and(|end| end <= self.len), "view outside its memory");
        // SAFETY: the part lies inside (checked above); the bytes live as long as `self`, which the runtime
        // keeps (through `Buffer`s and arenas in command buffers) until the launch has ended.
        unsafe { BufferView::new(self.as_ptr().add(offset), len) }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Some(counter) = &self.counter {
            counter.fetch_sub(self.len as u64, Ordering::Relaxed);
        }
        match &mut self.owner {
            // SAFETY: `ptr` came from `alloc_zeroed` with this very layout and is freed once, here.
            Owner::Allocated(layout) => unsafe { dealloc(self.ptr.as_ptr(), *layout) },
            Owner::Mapped(_) => {}
            Owner::Borrowed(deallocator) => {
                if let Some(deallocator) = deallocator.take() {
                    deallocator(self.ptr.as_ptr(), self.len);
                }
            }
        }
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Memory({:p}, {} bytes)", self.ptr, self.len)
    }
}

/// Append-only storage for `set_bytes`: addresses stay valid until the arena is dropped.
#[derive(Debug, Default)]
pub(crate) struct Arena {
    chunks: Vec<Memory>,
    used: usize,
}

impl Arena {
    const CHUNK: usize = 16 * 1024;
    /// The largest alignment of a Metal type.
    const ALIGN: usize = 32;

    /// Copies bytes in; `None` when the system has no room.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Option<BufferView> {
        let start = self.used.next_multiple_of(Self::ALIGN);
        let fits = self.chunks.last().is_some_and(|chunk| start + bytes.len() <= chunk.len());
        let start = if fits {
            start
        } else {
            // The first chunk is small: most command buffers hold a handful of scalars.
            let chunk = if self.chunks.is_empty() { 1024 } else { Self::CHUNK };
            self.chunks.push(Memory::zeroed(chunk.max(bytes.len()), None)?);
            0
        };
        let view = self.chunks.last()?.view(start, bytes.len());
        view.write(0, bytes)?;
        self.used = start + bytes.len();
        Some(view)
    }
}

/// Copies all of `from` to the start of `to`, which is at least as long. They may overlap.
pub(crate) fn copy(from: BufferView, to: BufferView) {
    assert!(from.len() <= to.len(), "copy past the end of its target");
    // SAFETY: both views are valid (their makers' promise) and `from.len()` bytes lie inside both.
    unsafe { std::ptr::copy(from.as_ptr(), to.as_ptr(), from.len()) };
}

/// Sets every byte.
pub(crate) fn fill(view: BufferView, value: u8) {
    // SAFETY: the view is valid (its maker's promise) for its whole length.
    unsafe { std::ptr::write_bytes(view.as_ptr(), value, view.len()) };
}

/// A part of a view, which must lie inside.
pub(crate) fn part(view: BufferView, offset: usize, len: usize) -> BufferView {
    assert!(offset.checked_add(len).is_some_and(|end| end <= view.len()), "part outside its view");
    // SAFETY: the part lies inside `view`, whose maker's promise covers it.
    unsafe { BufferView::new(view.as_ptr().add(offset), len) }
}
