//! Finding Metal libraries inside other files.
//!
//! Programs carry libraries in a section of their Mach-O file (torch's `libtorch_cpu.dylib` holds two), Apple's
//! own tools also use universal ("fat") files whose slices are libraries. Each is a plain MTLB file at some
//! byte offset.

use std::ops::Range;

use object::{Object as _, ObjectSection as _};

use super::header::MAGIC;
use super::{Header, checked_range};
use crate::error::{LibraryError, first_bytes};

/// What a file turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Contents {
    /// One or more libraries, each as its byte range.
    Libraries(Vec<Range<usize>>),
    /// A single module of LLVM bitcode.
    Bitcode,
}

/// Says what `bytes` hold.
pub(crate) fn locate(bytes: &[u8]) -> Result<Contents, LibraryError> {
    if bytes.starts_with(&MAGIC) {
        let size = Header::parse(bytes)?.file_size as usize;
        // A size of zero is what some writers leave behind: take the whole file then.
        return Ok(Contents::Libraries(
            std::iter::once(0..if size == 0 { bytes.len() } else { size }).collect(),
        ));
    }
    if crate::bitcode::is_bitcode(bytes) {
        return Ok(Contents::Bitcode);
    }
    let mut found = Vec::new();
    if let Some(slices) = universal_slices(bytes)? {
        for slice in slices {
            if let Ok(Contents::Libraries(inner)) = locate_in_slice(&bytes[slice.clone()]) {
                found.extend(
                    inner.into_iter().map(|range| slice.start + range.start..slice.start + range.end),
                );
            }
        }
    } else if is_mach_o(bytes) {
        found = libraries_in_mach_o(bytes)?;
    } else {
        return Err(LibraryError::NotALibrary { found: first_bytes(bytes) });
    }
    if found.is_empty() { Err(LibraryError::NoEmbeddedLibrary) } else { Ok(Contents::Libraries(found)) }
}

/// As [`locate`], for one slice of a universal file: universal files do not nest.
fn locate_in_slice(slice: &[u8]) -> Result<Contents, LibraryError> {
    if slice.starts_with(&MAGIC) {
        let size = Header::parse(slice)?.file_size as usize;
        return Ok(Contents::Libraries(std::iter::once(0..size).collect()));
    }
    if is_mach_o(slice) {
        return libraries_in_mach_o(slice).map(Contents::Libraries);
    }
    Err(LibraryError::NotALibrary { found: first_bytes(slice) })
}

fn is_mach_o(bytes: &[u8]) -> bool {
    // 64-bit and 32-bit, either byte order.
    const MAGICS: [[u8; 4]; 4] = [
        [0xcf, 0xfa, 0xed, 0xfe],
        [0xce, 0xfa, 0xed, 0xfe],
        [0xfe, 0xed, 0xfa, 0xcf],
        [0xfe, 0xed, 0xfa, 0xce],
    ];
    bytes.len() >= 4 && MAGICS.iter().any(|magic| bytes.starts_with(magic))
}

/// The slices of a universal file: the common big-endian form, its 64-bit form, and the little-endian form
/// (`0xcbfebabe`) of Apple's GPU binaries.
fn universal_slices(bytes: &[u8]) -> Result<Option<Vec<Range<usize>>>, LibraryError> {
    let read32: fn([u8; 4]) -> u32;
    let read64: fn([u8; 8]) -> u64;
    let wide;
    match bytes.get(..4) {
        Some([0xca, 0xfe, 0xba, 0xbe]) => {
            (read32, read64, wide) = (u32::from_be_bytes, u64::from_be_bytes, false);
        }
        Some([0xca, 0xfe, 0xba, 0xbf]) => {
            (read32, read64, wide) = (u32::from_be_bytes, u64::from_be_bytes, true);
        }
        Some([0xbe, 0xba, 0xfe, 0xcb]) => {
            (read32, read64, wide) = (u32::from_le_bytes, u64::from_le_bytes, false);
        }
        _ => return Ok(None),
    }
    let field32 = |offset: usize| -> Result<u64, LibraryError> {
        let range = checked_range(bytes.len(), offset as u64, 4, "universal header", "the file")?;
        let mut raw = [0; 4];
        raw.copy_from_slice(&bytes[range]);
        Ok(u64::from(read32(raw)))
    };
    let field64 = |offset: usize| -> Result<u64, LibraryError> {
        let range = checked_range(bytes.len(), offset as u64, 8, "universal header", "the file")?;
        let mut raw = [0; 8];
        raw.copy_from_slice(&bytes[range]);
        Ok(read64(raw))
    };
    let count = field32(4)? as usize;
    let entry_bytes = if wide { 32 } else { 20 };
    checked_range(
        bytes.len(),
        8,
        (count as u64).saturating_mul(entry_bytes as u64),
        "universal header",
        "the file",
    )?;
    let mut slices = Vec::new();
    for index in 0..count {
        let entry = 8 + index * entry_bytes;
        let (offset, size) = if wide {
            (field64(entry + 8)?, field64(entry + 16)?)
        } else {
            (field32(entry + 8)?, field32(entry + 12)?)
        };
        slices.push(checked_range(bytes.len(), offset, size, "universal slice", "the file")?);
    }
    Ok(Some(slices))
}

/// Sections that start with a library; if there are none, every place where a library header makes sense.
fn libraries_in_mach_o(bytes: &[u8]) -> Result<Vec<Range<usize>>, LibraryError> {
    let file = object::File::parse(bytes).map_err(LibraryError::MachO)?;
    let mut found = Vec::new();
    for section in file.sections() {
        let Some((offset, size)) = section.file_range() else { continue };
        let Ok(range) = checked_range(bytes.len(), offset, size, "section", "the file") else { continue };
        // A section may hold several, one after the other.
        let mut start = range.start;
        while let Some(library) = library_at(bytes, start, range.end) {
            start = library.end;
            found.push(library);
        }
    }
    if found.is_empty() {
        found = scan(bytes);
    }
    Ok(found)
}

/// The library that starts at `start`, if its header is sound and it ends before `end`.
fn library_at(bytes: &[u8], start: usize, end: usize) -> Option<Range<usize>> {
    let slice = bytes.get(start..end)?;
    if !slice.starts_with(&MAGIC) {
        return None;
    }
    let size = Header::parse(slice).ok()?.file_size as usize;
    (size != 0).then(|| start..start + size)
}

fn scan(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut position = 0;
    while let Some(step) = bytes[position..].iter().position(|&byte| byte == MAGIC[0]) {
        position += step;
        if let Some(library) = library_at(bytes, position, bytes.len()) {
            position = library.end;
            found.push(library);
        } else {
            position += 1;
        }
    }
    found
}
