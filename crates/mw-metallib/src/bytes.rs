//! The bytes of a library and who owns them: a read-only file mapping or memory.

use std::ops::{Deref, Range};
use std::path::Path;
use std::sync::Arc;

use crate::error::LibraryError;

/// A shared view into bytes that stay where they are; clones share the owner.
#[derive(Clone)]
pub(crate) struct Bytes {
    owner: Arc<Owner>,
    range: Range<usize>,
}

enum Owner {
    Memory(Arc<[u8]>),
    #[cfg(not(target_family = "wasm"))]
    Mapped(memmap2::Mmap),
}

impl Bytes {
    pub(crate) fn from_memory(bytes: Arc<[u8]>) -> Self {
        Self { range: 0..bytes.len(), owner: Arc::new(Owner::Memory(bytes)) }
    }

    /// Maps a file read-only.
    pub(crate) fn open(path: &Path) -> Result<Self, LibraryError> {
        let owner = open_owner(path).map_err(|source| LibraryError::Io { path: path.to_owned(), source })?;
        Ok(Self { range: 0..owner.len(), owner: Arc::new(owner) })
    }

    /// The part at `range`, which must lie inside.
    pub(crate) fn slice(&self, range: Range<usize>) -> Self {
        assert!(range.start <= range.end && range.end <= self.range.len(), "range was checked by the caller");
        let start = self.range.start;
        Self { owner: Arc::clone(&self.owner), range: start + range.start..start + range.end }
    }
}

#[cfg(target_family = "wasm")]
fn open_owner(path: &Path) -> std::io::Result<Owner> {
    Ok(Owner::Memory(std::fs::read(path)?.into()))
}

#[cfg(not(target_family = "wasm"))]
fn open_owner(path: &Path) -> std::io::Result<Owner> {
    let file = std::fs::File::open(path)?;
    if file.metadata()?.len() == 0 {
        // An empty file cannot be mapped.
        return Ok(Owner::Memory(Arc::new([])));
    }
    map(&file).map(Owner::Mapped)
}

#[cfg(not(target_family = "wasm"))]
#[expect(unsafe_code, reason = "mapping a file is the one unsafe act of this crate")]
fn map(file: &std::fs::File) -> std::io::Result<memmap2::Mmap> {
    // SAFETY: the mapping is private to this process, read-only, and only ever handed out as `&[u8]` that lives
    // no longer than its owner. What the type system cannot rule out is another process that changes or truncates
    // the file meanwhile; `Library::open` states that it must not, and `Library::from_bytes` is the way without
    // that condition. No reader in this crate takes a length from the bytes twice and trusts both.
    unsafe { memmap2::Mmap::map(file) }
}

impl Owner {
    fn len(&self) -> usize {
        self.as_slice().len()
    }

    fn as_slice(&self) -> &[u8] {
        match self {
            Self::Memory(bytes) => bytes,
            #[cfg(not(target_family = "wasm"))]
            Self::Mapped(map) => map,
        }
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.owner.as_slice()[self.range.clone()]
    }
}

impl std::fmt::Debug for Bytes {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Bytes({} bytes)", self.range.len())
    }
}
