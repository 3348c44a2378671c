//! Bounds-checked little-endian reads over a part of a library.

use crate::error::LibraryError;

/// A cursor over `bytes[start..end]`; offsets in errors count from the start of `bytes`.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    position: usize,
    end: usize,
    within: &'static str,
}

impl<'a> Cursor<'a> {
    /// A cursor over `length` bytes at `offset`, which must lie inside `bytes`.
    pub(super) fn new(
        bytes: &'a [u8],
        offset: u64,
        length: u64,
        what: &'static str,
        within: &'static str,
    ) -> Result<Self, LibraryError> {
        let range = checked_range(bytes.len(), offset, length, what, within)?;
        Ok(Self { bytes, position: range.start, end: range.end, within: what })
    }

    pub(super) fn position(&self) -> usize {
        self.position
    }

    pub(super) fn remaining(&self) -> usize {
        self.end - self.position
    }

    pub(super) fn take(&mut self, length: usize, what: &'static str) -> Result<&'a [u8], LibraryError> {
        if length > self.remaining() {
            return Err(LibraryError::OutOfBounds {
                what,
                offset: self.position as u64,
                needed: length as u64,
                available: self.remaining() as u64,
                within: self.within,
            });
        }
        let taken = &self.bytes[self.position..self.position + length];
        self.position += length;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], LibraryError> {
        let mut out = [0; N];
        out.copy_from_slice(self.take(N, what)?);
        Ok(out)
    }

    pub(super) fn u8(&mut self, what: &'static str) -> Result<u8, LibraryError> {
        Ok(u8::from_le_bytes(self.array(what)?))
    }

    pub(super) fn u16(&mut self, what: &'static str) -> Result<u16, LibraryError> {
        Ok(u16::from_le_bytes(self.array(what)?))
    }

    pub(super) fn u32(&mut self, what: &'static str) -> Result<u32, LibraryError> {
        Ok(u32::from_le_bytes(self.array(what)?))
    }

    pub(super) fn u64(&mut self, what: &'static str) -> Result<u64, LibraryError> {
        Ok(u64::from_le_bytes(self.array(what)?))
    }

    pub(super) fn tag(&mut self, what: &'static str) -> Result<[u8; 4], LibraryError> {
        self.array(what)
    }

    /// An error at the current position.
    pub(super) fn malformed(&self, what: &'static str, rule: &'static str) -> LibraryError {
        LibraryError::Malformed { what, offset: self.position as u64, rule }
    }
}

/// `offset..offset + length` as indices, if it lies inside `available` bytes.
pub(super) fn checked_range(
    available: usize,
    offset: u64,
    length: u64,
    what: &'static str,
    within: &'static str,
) -> Result<std::ops::Range<usize>, LibraryError> {
    let end = offset.checked_add(length).filter(|&end| end <= available as u64);
    match end {
        Some(end) => Ok(offset as usize..end as usize),
        None => Err(LibraryError::OutOfBounds {
            what,
            offset,
            needed: length,
            available: (available as u64).saturating_sub(offset),
            within,
        }),
    }
}
