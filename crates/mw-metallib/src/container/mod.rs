//! The MTLB container: header, function list, header extension and metadata sections.
//!
//! [`Layout::parse`] walks the header and the function list once and checks every offset in them against the
//! bytes at hand, without touching the bitcode, so that listing a library costs the list and nothing else.
//! A [`Layout`] holds numbers only; the bytes stay with their owner ([`crate::Library`]).
//!
//! ```text
//! header 88 bytes │ u32 count, entries │ extension │ public metadata │ private metadata │ bitcode │ reflection
//! ```
//!
//! An entry is `u32 size` (itself included), then tags (`4-byte id, u16 length, payload`) up to `ENDT`.
//! Metadata sections hold one such tag list for each function, found by the entry's `OFFT` offsets.

mod constants;
mod cursor;
mod entry;
mod header;
pub(crate) mod locate;
mod write;

pub use constants::{ContainerConstant, data_type_name};
pub use entry::FunctionKind;
pub use header::{FileKind, Header, Platform};
pub use write::{NewConstant, NewFunction, NewLibrary, write_library};

pub(crate) use entry::Record;

use std::ops::Range;

use crate::error::LibraryError;
use cursor::{Cursor, checked_range};

/// What ends a list of tags.
const END_TAG: [u8; 4] = *b"ENDT";

/// One tag, with its payload's place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtensionTag {
    /// The four letters.
    pub tag: [u8; 4],
    /// Where the payload lies, in bytes from the start of the library.
    pub payload: Range<usize>,
}

/// Where everything in a library lies.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    pub(crate) header: Header,
    pub(crate) records: Vec<Record>,
    pub(crate) extension: Vec<ExtensionTag>,
    /// The list of reflection buffers (`RLST`), when there is one.
    reflection: Option<Range<usize>>,
}

impl Layout {
    /// Reads the header, the function list and the header extension.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, LibraryError> {
        let header = Header::parse(bytes)?;
        let records = read_function_list(bytes, &header)?;
        let extension = read_extension(bytes, &header)?;
        let reflection = reflection_list(bytes, &extension)?;
        Ok(Self { header, records, extension, reflection })
    }

    /// The raw reflection buffer (a `FlatBuffers` file of identifier `AIRR`) of a function.
    pub(crate) fn reflection_buffer<'a>(
        &self,
        bytes: &'a [u8],
        record: &Record,
    ) -> Result<Option<&'a [u8]>, LibraryError> {
        let (Some(list), Some(offset)) = (&self.reflection, record.reflection_offset) else {
            return Ok(None);
        };
        let mut list = Cursor::new(
            bytes,
            list.start as u64 + offset.min(list.len() as u64),
            (list.len() as u64).saturating_sub(offset),
            "reflection entry",
            "reflection list",
        )?;
        let _size = list.u32("reflection entry size")?;
        let tag = list.tag("reflection tag")?;
        if tag != *b"RBUF" {
            // `RBUZ` is a compressed form that nobody outside Apple reads.
            return Ok(None);
        }
        let length = list.u32("reflection buffer length")?;
        let payload = list.take(length as usize, "reflection buffer")?;
        // Padding aligns the FlatBuffers file in the library; its identifier follows a four-byte root offset.
        let start = payload.windows(4).take(32).position(|window| window == b"AIRR");
        Ok(Some(&payload[start.and_then(|identifier| identifier.checked_sub(4)).unwrap_or(0)..]))
    }
}

fn read_function_list(bytes: &[u8], header: &Header) -> Result<Vec<Record>, LibraryError> {
    // The section's size leaves out the four bytes of the count.
    let length = header.function_list.size.saturating_add(4);
    let mut list = Cursor::new(bytes, header.function_list.offset, length, "function list", "the library")?;
    let count = list.u32("function count")? as usize;
    // The smallest entry is its size and `ENDT`: a larger count is a lie, and must not size an allocation.
    if count > list.remaining() / 8 {
        return Err(list.malformed("function count", "larger than the function list has room for"));
    }
    let mut records = Vec::with_capacity(count);
    for index in 0..count {
        records.push(Record::read(bytes, &mut list, index, header)?);
    }
    Ok(records)
}

/// Tags between the function list and the next section; absent in the oldest libraries.
fn read_extension(bytes: &[u8], header: &Header) -> Result<Vec<ExtensionTag>, LibraryError> {
    let start = header.function_list.offset.saturating_add(header.function_list.size).saturating_add(4);
    let end = [&header.public_metadata, &header.private_metadata, &header.bitcode]
        .into_iter()
        .map(|section| section.offset)
        .filter(|&offset| offset >= start)
        .min()
        .unwrap_or(start);
    if end == start {
        return Ok(Vec::new());
    }
    let mut tags = Vec::new();
    let mut cursor = Cursor::new(bytes, start, end - start, "header extension", "the library")?;
    while let Some(tag) = next_tag(&mut cursor)? {
        tags.push(tag);
    }
    Ok(tags)
}

/// The next tag and the place of its payload; `None` at `ENDT`.
fn next_tag(cursor: &mut Cursor<'_>) -> Result<Option<ExtensionTag>, LibraryError> {
    let tag = cursor.tag("tag")?;
    if tag == END_TAG {
        return Ok(None);
    }
    let length = usize::from(cursor.u16("tag length")?);
    let start = cursor.position();
    cursor.take(length, "tag payload")?;
    Ok(Some(ExtensionTag { tag, payload: start..start + length }))
}

fn reflection_list(bytes: &[u8], extension: &[ExtensionTag]) -> Result<Option<Range<usize>>, LibraryError> {
    let Some(tag) = extension.iter().find(|tag| tag.tag == *b"RLST") else { return Ok(None) };
    let mut payload = Cursor::new(
        bytes,
        tag.payload.start as u64,
        tag.payload.len() as u64,
        "`RLST` payload",
        "header extension",
    )?;
    let offset = payload.u64("reflection list offset")?;
    let size = payload.u64("reflection list size")?;
    // As with the function list, the size leaves out the count; a list that ends with the file may do without.
    let whole = checked_range(bytes.len(), offset, size, "reflection list", "the library")?;
    Ok(Some(whole.start..whole.end.saturating_add(4).min(bytes.len())))
}
