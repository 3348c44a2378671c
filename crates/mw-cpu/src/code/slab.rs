//! Executable memory, handed out in pieces of a few large mappings.
//!
//! Each slab is mapped twice: writable for the linker, executable for the CPU. No page is ever both through
//! one address, and no kernel needs a mapping of its own.
#![expect(unsafe_code, reason = "maps memory")]

use std::collections::BTreeMap;
use std::io;
use std::ptr::{self, NonNull};
use std::sync::{Mutex, PoisonError};

/// Size of a slab; larger objects get one of their own.
const SLAB_BYTES: usize = 16 << 20;

/// Pieces start at multiples of this: two cache lines, so that vector constants stay aligned.
const GRANULE_BYTES: usize = 128;

/// A slab, by its two addresses.
struct Slab {
    writable: NonNull<u8>,
    executable: NonNull<u8>,
    len: usize,
    /// Free pieces: length by offset. Neighbours are always joined.
    free: BTreeMap<usize, usize>,
}

// SAFETY: a slab is two addresses of memory that belongs to the process, not to a thread.
unsafe impl Send for Slab {}

static SLABS: Mutex<Vec<Slab>> = Mutex::new(Vec::new());

/// A piece of a slab. Gives itself back when dropped.
#[derive(Debug)]
pub(super) struct CodeMemory {
    writable: NonNull<u8>,
    executable: NonNull<u8>,
    len: usize,
}

// SAFETY: the piece belongs to this value alone until it is dropped; after linking nobody writes it.
unsafe impl Send for CodeMemory {}
// SAFETY: as above: shared access only reads and executes.
unsafe impl Sync for CodeMemory {}

impl CodeMemory {
    /// A piece of at least `len` bytes.
    pub(super) fn allocate(len: usize) -> io::Result<Self> {
        let len = len.max(1).next_multiple_of(GRANULE_BYTES);
        let mut slabs = SLABS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(piece) = slabs.iter_mut().find_map(|slab| slab.take(len)) {
            return Ok(piece);
        }
        let mut slab = Slab::map(len.max(SLAB_BYTES))?;
        let piece = slab.take(len).ok_or_else(|| io::Error::other("a fresh slab is too small"))?;
        slabs.push(slab);
        Ok(piece)
    }

    /// Address at which the CPU sees it.
    pub(super) fn executable(&self) -> *const u8 {
        self.executable.as_ptr()
    }

    /// The bytes, to write them.
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the piece is mapped writable at this address and belongs to this value alone.
        unsafe { std::slice::from_raw_parts_mut(self.writable.as_ptr(), self.len) }
    }

    /// Makes what was written visible to instruction fetch.
    #[cfg_attr(
        target_arch = "x86_64",
        expect(clippy::unused_self, reason = "instruction fetch sees every write on x86-64")
    )]
    pub(super) fn publish(&self) {
        #[cfg(target_arch = "aarch64")]
        {
            unsafe extern "C" {
                fn __clear_cache(start: *mut u8, end: *mut u8);
            }
            for base in [self.writable, self.executable] {
                // SAFETY: both ranges are mapped.
                unsafe { __clear_cache(base.as_ptr(), base.as_ptr().add(self.len)) };
            }
        }
    }
}

impl Drop for CodeMemory {
    fn drop(&mut self) {
        let mut slabs = SLABS.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(index) = slabs.iter().position(|slab| slab.contains(self.executable)) else { return };
        slabs[index].give_back(self.executable, self.len);
        // One empty slab stays for the next kernel.
        let empty = slabs.iter().filter(|slab| slab.is_empty()).count();
        if empty > 1 && slabs[index].is_empty() {
            slabs.swap_remove(index);
        }
    }
}

impl Slab {
    /// Maps a slab twice, or once with all rights where the kernel has no anonymous files.
    fn map(len: usize) -> io::Result<Self> {
        let len = len.next_multiple_of(SLAB_BYTES);
        // SAFETY: a name and a flag; the descriptor is checked and closed below.
        let file = unsafe { libc::memfd_create(c"mw-code".as_ptr(), libc::MFD_CLOEXEC) };
        let (writable, executable) = if file >= 0 {
            // SAFETY: the descriptor is ours; mappings stay valid after it is closed.
            unsafe {
                let sized = libc::ftruncate(file, len as libc::off_t);
                let writable = map(len, libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED, file);
                let executable = map(len, libc::PROT_READ | libc::PROT_EXEC, libc::MAP_SHARED, file);
                libc::close(file);
                if sized != 0 {
                    return Err(io::Error::last_os_error());
                }
                (writable?, executable?)
            }
        } else {
            let rights = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
            // SAFETY: a fresh anonymous mapping touches nothing else.
            let both = unsafe { map(len, rights, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1)? };
            (both, both)
        };
        Ok(Self { writable, executable, len, free: BTreeMap::from([(0, len)]) })
    }

    /// Takes `len` bytes from the first free piece that is large enough.
    fn take(&mut self, len: usize) -> Option<CodeMemory> {
        let (&offset, &free) = self.free.iter().find(|(_, free)| **free >= len)?;
        self.free.remove(&offset);
        if free > len {
            self.free.insert(offset + len, free - len);
        }
        // SAFETY: `offset + len` is inside both mappings.
        let (writable, executable) = unsafe { (self.writable.add(offset), self.executable.add(offset)) };
        Some(CodeMemory { writable, executable, len })
    }

    fn contains(&self, executable: NonNull<u8>) -> bool {
        let (base, address) = (self.executable.as_ptr() as usize, executable.as_ptr() as usize);
        (base..base + self.len).contains(&address)
    }

    /// Returns a piece and joins it with its free neighbours.
    fn give_back(&mut self, executable: NonNull<u8>, mut len: usize) {
        let mut offset = executable.as_ptr() as usize - self.executable.as_ptr() as usize;
        if let Some(after) = self.free.remove(&(offset + len)) {
            len += after;
        }
        if let Some((&before, &free)) = self.free.range(..offset).next_back()
            && before + free == offset
        {
            self.free.remove(&before);
            offset = before;
            len += free;
        }
        self.free.insert(offset, len);
    }

    fn is_empty(&self) -> bool {
        self.free.get(&0) == Some(&self.len)
    }
}

impl Drop for Slab {
    fn drop(&mut self) {
        // SAFETY: both mappings were made by `map` with this length, and no piece is left in them.
        unsafe {
            libc::munmap(self.writable.as_ptr().cast(), self.len);
            if self.executable != self.writable {
                libc::munmap(self.executable.as_ptr().cast(), self.len);
            }
        }
    }
}

/// # Safety
/// `file` must be -1 for an anonymous mapping, or an open descriptor of at least `len` bytes.
unsafe fn map(len: usize, rights: i32, flags: i32, file: i32) -> io::Result<NonNull<u8>> {
    // SAFETY: the kernel chooses the address, so nothing that exists is replaced.
    let address = unsafe { libc::mmap(ptr::null_mut(), len, rights, flags, file, 0) };
    if address == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    NonNull::new(address.cast()).ok_or_else(|| io::Error::other("mapped at address zero"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_come_back_and_join() {
        let mut slab = Slab::map(1).expect("memory can be mapped");
        let pieces: Vec<CodeMemory> =
            (1..=4).map(|index| slab.take(index * GRANULE_BYTES).expect("there is room")).collect();
        for index in [0, 2, 1, 3] {
            slab.give_back(pieces[index].executable, pieces[index].len);
        }
        assert!(slab.is_empty(), "free pieces are left apart: {:?}", slab.free);
        pieces.into_iter().for_each(std::mem::forget);
    }

    #[test]
    fn both_addresses_show_the_same_bytes() {
        let mut piece = CodeMemory::allocate(1000).expect("memory can be mapped");
        piece.bytes_mut()[999] = 0x5a;
        // SAFETY: the piece has at least 1000 bytes, which are readable here too.
        assert_eq!(unsafe { *piece.executable().add(999) }, 0x5a);
    }
}
