//! Memory between guard pages: a kernel that leaves its buffer faults instead of passing unseen.
#![expect(unsafe_code, reason = "maps memory and protects pages")]

use std::io;
use std::ptr::NonNull;

use mw_backend::BufferView;

/// Pages of the systems that this runs on are not larger.
const PAGE: usize = 16 << 10;

/// Address space that may be used in parts. Pages that are not opened fault.
#[derive(Debug)]
struct Reservation {
    base: NonNull<u8>,
    len: usize,
}

// SAFETY: an owned mapping; access goes through views whose makers state the rules.
unsafe impl Send for Reservation {}

impl Reservation {
    fn new(len: usize) -> io::Result<Self> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a fresh mapping at an address of the system's choice.
        let base = unsafe { libc::mmap(std::ptr::null_mut(), len, libc::PROT_NONE, flags, -1, 0) };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let base = NonNull::new(base.cast()).ok_or_else(io::Error::last_os_error)?;
        Ok(Self { base, len })
    }

    /// Makes pages readable and writable.
    fn open(&self, offset: usize, len: usize) -> io::Result<()> {
        if len == 0 {
            return Ok(());
        }
        assert!(offset + len <= self.len, "pages outside of the reservation");
        // SAFETY: the pages belong to this mapping (checked above).
        let done = unsafe {
            libc::mprotect(self.base.as_ptr().add(offset).cast(), len, libc::PROT_READ | libc::PROT_WRITE)
        };
        if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        // SAFETY: the mapping is owned, and views of it have ended with the launches that used them.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.len) };
    }
}

/// A buffer that ends at a guard page, up to its alignment, and starts behind one.
#[derive(Debug)]
pub struct GuardedBuffer {
    memory: Reservation,
    start: usize,
    len: usize,
}

impl GuardedBuffer {
    /// A buffer that holds `bytes`, at an address of the given alignment (a power of two).
    pub fn new(bytes: &[u8], align: usize) -> io::Result<Self> {
        let room = bytes.len().next_multiple_of(align);
        let pages = room.next_multiple_of(PAGE);
        let memory = Reservation::new(pages + 2 * PAGE)?;
        memory.open(PAGE, pages)?;
        let buffer = Self { memory, start: PAGE + pages - room, len: bytes.len() };
        // The rest up to the alignment is watched by its contents.
        let mut all = vec![super::plan::PATTERN; room];
        all[..bytes.len()].copy_from_slice(bytes);
        // SAFETY: the pages were opened, nothing else refers to them, and `room` bytes fit before their end.
        unsafe {
            let start = buffer.memory.base.as_ptr().add(buffer.start);
            std::ptr::copy_nonoverlapping(all.as_ptr(), start, room);
        }
        Ok(buffer)
    }

    /// What a launch gets. The buffer must outlive the launch.
    pub fn view(&self) -> BufferView {
        // SAFETY: the bytes stay mapped as long as the buffer lives, and no Rust reference to them is made.
        unsafe { BufferView::new(self.memory.base.as_ptr().add(self.start), self.len) }
    }

    /// The contents now.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.len];
        self.view().read(0, &mut bytes).expect("the whole buffer is read");
        bytes
    }

    /// Whether nothing was written between the end of the buffer and the guard page.
    pub fn rest_is_untouched(&self) -> bool {
        let rest = self.memory.len - PAGE - self.start - self.len;
        let mut bytes = vec![0; rest];
        // SAFETY: the bytes behind the buffer, up to the guard page, are open pages of the mapping.
        let view = unsafe { BufferView::new(self.memory.base.as_ptr().add(self.start + self.len), rest) };
        view.read(0, &mut bytes).expect("the rest is read");
        bytes.iter().all(|byte| *byte == super::plan::PATTERN)
    }
}

/// A buffer that can grow in place, with room before it, so that accesses outside can be told apart.
#[derive(Debug)]
pub struct GrowingBuffer {
    memory: Reservation,
    len: usize,
}

impl GrowingBuffer {
    /// Room before the buffer.
    const BEFORE: usize = 64 << 20;

    /// An empty buffer that can grow to `limit` bytes.
    pub fn new(limit: usize) -> io::Result<Self> {
        let memory = Reservation::new(2 * Self::BEFORE + limit.next_multiple_of(PAGE))?;
        Ok(Self { memory, len: 0 })
    }

    /// Size in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Grows to `len` bytes; `write` fills the new ones. Shorter lengths change nothing.
    pub fn grow(&mut self, len: usize, write: impl FnOnce(usize, &mut [u8])) -> io::Result<()> {
        if len <= self.len {
            return Ok(());
        }
        self.memory.open(Self::BEFORE, len.next_multiple_of(PAGE))?;
        let old = std::mem::replace(&mut self.len, len);
        let mut bytes = vec![0; len - old];
        write(old, &mut bytes);
        self.view().write(old, &bytes).expect("the new bytes are inside");
        Ok(())
    }

    /// Replaces the contents.
    pub fn set(&mut self, write: impl FnOnce(usize, &mut [u8])) {
        let mut bytes = vec![0; self.len];
        write(0, &mut bytes);
        self.view().write(0, &bytes).expect("the buffer has this size");
    }

    /// What a launch gets. The buffer must outlive the launch.
    pub fn view(&self) -> BufferView {
        // SAFETY: as in `GuardedBuffer::view`; pages up to `len` are open.
        unsafe { BufferView::new(self.memory.base.as_ptr().add(Self::BEFORE), self.len) }
    }

    /// The offset of an address from the start of the buffer, when it is in the buffer's address space.
    #[inline]
    pub fn offset_of(&self, address: u64) -> Option<i64> {
        let offset = address.wrapping_sub(self.memory.base.as_ptr() as u64);
        (offset < self.memory.len as u64).then(|| offset as i64 - Self::BEFORE as i64)
    }

    /// The first `len` bytes.
    pub fn bytes(&self, len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        self.view().read(0, &mut bytes).expect("a prefix of the buffer is read");
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_end_at_the_guard() {
        let buffer = GuardedBuffer::new(&[1, 2, 3, 4, 5, 6], 4).unwrap();
        let end = buffer.view().address() as usize + 6;
        assert_eq!(buffer.view().address() % 4, 0);
        assert!(end.next_multiple_of(4096) - end < 4, "{end:#x}");
        assert_eq!(buffer.bytes(), [1, 2, 3, 4, 5, 6]);
        assert!(buffer.rest_is_untouched());
        // SAFETY: two bytes behind the six are open.
        let beyond = unsafe { BufferView::new(buffer.view().as_ptr(), 8) };
        beyond.write(6, &[0]).unwrap();
        assert!(!buffer.rest_is_untouched());
    }

    #[test]
    fn growing_keeps_the_start() {
        let mut buffer = GrowingBuffer::new(1 << 20).unwrap();
        buffer.grow(3, |start, out| out.fill(start as u8 + 1)).unwrap();
        buffer.grow(5, |start, out| out.fill(start as u8 + 1)).unwrap();
        assert_eq!(buffer.bytes(5), [1, 1, 1, 4, 4]);
        assert_eq!(buffer.offset_of(buffer.view().address() + 9), Some(9));
        assert_eq!(buffer.offset_of(buffer.view().address() - 1), Some(-1));
        assert_eq!(buffer.offset_of(0), None);
    }
}
