//! [`Heap`]: one allocation from which many small buffers are made.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

use mw_backend::BufferView;

use crate::buffer::Buffer;
use crate::error::BufferError;
use crate::memory::{Memory, SMALL_ALIGN};
use crate::sync::lock;

/// A heap (`MTLHeap`) of shared memory: buffers are cut out of it and their room is used again when their
/// last clone is dropped.
#[derive(Clone, Debug)]
pub struct Heap {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    memory: Memory,
    /// Free spans: offset to length; neighbours are always joined.
    free: Mutex<BTreeMap<usize, usize>>,
}

impl Heap {
    pub(crate) fn new(size: usize, counter: &Arc<AtomicU64>) -> Result<Self, BufferError> {
        if size == 0 {
            return Err(BufferError::ZeroLength);
        }
        let memory =
            Memory::zeroed(size, Some(counter.clone())).ok_or(BufferError::OutOfMemory { length: size })?;
        Ok(Self { inner: Arc::new(Inner { free: Mutex::new(BTreeMap::from([(0, memory.len())])), memory }) })
    }

    /// Size in bytes.
    pub fn size(&self) -> usize {
        self.inner.memory.len()
    }

    /// Bytes in use by buffers, alignment included.
    pub fn used_size(&self) -> usize {
        self.size() - lock(&self.inner.free).values().sum::<usize>()
    }

    /// The largest buffer that can be made now.
    pub fn max_available_size(&self) -> usize {
        lock(&self.inner.free).values().copied().max().unwrap_or(0)
    }

    /// A buffer out of the heap. Its contents are whatever was there before, as in Metal.
    ///
    /// # Errors
    /// No free span is long enough: make the buffer from the device then.
    pub fn new_buffer(&self, length: usize) -> Result<Buffer, BufferError> {
        if length == 0 {
            return Err(BufferError::ZeroLength);
        }
        let span = length.checked_next_multiple_of(SMALL_ALIGN).unwrap_or(usize::MAX);
        let offset = {
            let mut free = lock(&self.inner.free);
            let found = free.iter().find(|(_, room)| **room >= span).map(|(offset, room)| (*offset, *room));
            let Some((offset, room)) = found else {
                let available = free.values().copied().max().unwrap_or(0);
                return Err(BufferError::HeapFull { length, available });
            };
            free.remove(&offset);
            if room > span {
                free.insert(offset + span, room - span);
            }
            offset
        };
        let block = HeapBlock { heap: self.inner.clone(), offset, span };
        Ok(Buffer::of_heap(block, length))
    }
}

/// A span of a heap; given back when dropped.
#[derive(Debug)]
pub(crate) struct HeapBlock {
    heap: Arc<Inner>,
    offset: usize,
    span: usize,
}

impl HeapBlock {
    pub(crate) fn view(&self, length: usize) -> BufferView {
        self.heap.memory.view(self.offset, length)
    }
}

impl Drop for HeapBlock {
    fn drop(&mut self) {
        let mut free = lock(&self.heap.free);
        let (mut start, mut span) = (self.offset, self.span);
        if let Some(next) = free.remove(&(start + span)) {
            span += next;
        }
        let before = free.range(..start).next_back().map(|(offset, room)| (*offset, *room));
        if let Some((offset, room)) = before
            && offset + room == start
        {
            free.remove(&offset);
            start = offset;
            span += room;
        }
        free.insert(start, span);
    }
}
