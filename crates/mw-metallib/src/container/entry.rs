//! One entry of the function list.

use std::ops::Range;

use super::cursor::{Cursor, checked_range};
use super::header::{Header, Section};
use super::{ExtensionTag, next_tag};
use crate::error::LibraryError;

/// What a function is, as the container's `TYPE` tag says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FunctionKind {
    /// A vertex function.
    Vertex,
    /// A fragment function.
    Fragment,
    /// A compute kernel.
    Kernel,
    /// A function without a stage.
    Unqualified,
    /// A `[[visible]]` function.
    Visible,
    /// An external function.
    Extern,
    /// An intersection function.
    Intersection,
    /// A mesh function.
    Mesh,
    /// An object function.
    Object,
    /// A number that no source explains.
    Other(u8),
}

impl FunctionKind {
    /// The number in the `TYPE` tag.
    pub fn to_byte(self) -> u8 {
        match self {
            Self::Vertex => 0,
            Self::Fragment => 1,
            Self::Kernel => 2,
            Self::Unqualified => 3,
            Self::Visible => 4,
            Self::Extern => 5,
            Self::Intersection => 6,
            Self::Mesh => 7,
            Self::Object => 8,
            Self::Other(byte) => byte,
        }
    }

    /// The kind of a `TYPE` tag.
    pub fn from_byte(byte: u8) -> Self {
        match byte {
            0 => Self::Vertex,
            1 => Self::Fragment,
            2 => Self::Kernel,
            3 => Self::Unqualified,
            4 => Self::Visible,
            5 => Self::Extern,
            6 => Self::Intersection,
            7 => Self::Mesh,
            8 => Self::Object,
            other => Self::Other(other),
        }
    }

    /// Metal's word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vertex => "vertex",
            Self::Fragment => "fragment",
            Self::Kernel => "kernel",
            Self::Unqualified => "unqualified",
            Self::Visible => "visible",
            Self::Extern => "extern",
            Self::Intersection => "intersection",
            Self::Mesh => "mesh",
            Self::Object => "object",
            Self::Other(_) => "unknown",
        }
    }
}

/// Where the parts of one function lie; every range was checked against the library.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    /// The name without its final zero; checked to be UTF-8.
    pub(crate) name: Range<usize>,
    pub(crate) kind: FunctionKind,
    pub(crate) hash: Option<[u8; 32]>,
    pub(crate) air_version: (u16, u16),
    pub(crate) language_version: (u16, u16),
    /// The padded bitcode; `None` in stubs.
    pub(crate) bitcode: Option<Range<usize>>,
    /// Where the function's tags start in the public metadata.
    pub(crate) public_metadata: u64,
    /// Where the function's tags start in the private metadata.
    pub(crate) private_metadata: u64,
    /// Where the function's entry starts in the reflection list.
    pub(crate) reflection_offset: Option<u64>,
}

/// The payloads of the tags that matter, as ranges.
#[derive(Default)]
struct Tags {
    name: Option<Range<usize>>,
    kind: Option<u8>,
    hash: Option<[u8; 32]>,
    size: Option<u64>,
    offsets: Option<[u64; 3]>,
    versions: Option<[u16; 4]>,
    reflection: Option<u64>,
}

impl Record {
    /// Reads the entry at the cursor and leaves the cursor behind it.
    pub(super) fn read(
        bytes: &[u8],
        list: &mut Cursor<'_>,
        index: usize,
        header: &Header,
    ) -> Result<Self, LibraryError> {
        let start = list.position();
        let size = list.u32("function entry size")?;
        let Some(body) = (size as usize).checked_sub(4) else {
            return Err(list.malformed("function entry", "its size counts its own four bytes"));
        };
        list.take(body, "function entry")?;
        let mut entry = Cursor::new(bytes, start as u64 + 4, body as u64, "function entry", "function list")?;
        let mut tags = Tags::default();
        while let Some(ExtensionTag { tag, payload }) = next_tag(&mut entry)? {
            tags.set(bytes, tag, payload)?;
        }
        tags.into_record(bytes, index, header)
    }

    pub(crate) fn name<'a>(&self, bytes: &'a [u8]) -> &'a str {
        // The range was checked when the entry was read.
        std::str::from_utf8(&bytes[self.name.clone()]).unwrap_or_default()
    }
}

impl Tags {
    fn set(&mut self, bytes: &[u8], tag: [u8; 4], payload: Range<usize>) -> Result<(), LibraryError> {
        let mut cursor =
            Cursor::new(bytes, payload.start as u64, payload.len() as u64, "tag payload", "function entry")?;
        match &tag {
            b"NAME" => self.name = Some(payload),
            b"TYPE" => self.kind = Some(cursor.u8("`TYPE`")?),
            b"HASH" => {
                let mut hash = [0; 32];
                hash.copy_from_slice(cursor.take(32, "`HASH`")?);
                self.hash = Some(hash);
            }
            b"MDSZ" => self.size = Some(cursor.u64("`MDSZ`")?),
            b"OFFT" => {
                self.offsets = Some([cursor.u64("`OFFT`")?, cursor.u64("`OFFT`")?, cursor.u64("`OFFT`")?]);
            }
            b"VERS" => {
                let mut versions = [0; 4];
                for version in &mut versions {
                    *version = cursor.u16("`VERS`")?;
                }
                self.versions = Some(versions);
            }
            b"RFLT" => self.reflection = Some(cursor.u64("`RFLT`")?),
            // `SOFF` (source), `TESS` (tessellation) and whatever comes later say nothing about compute code.
            _ => {}
        }
        Ok(())
    }

    fn into_record(self, bytes: &[u8], index: usize, header: &Header) -> Result<Record, LibraryError> {
        let missing = |tag| LibraryError::MissingTag { index, tag };
        let mut name = self.name.ok_or_else(|| missing("NAME"))?;
        if name.end > name.start && bytes[name.end - 1] == 0 {
            name.end -= 1;
        }
        if std::str::from_utf8(&bytes[name.clone()]).is_err() {
            return Err(LibraryError::Malformed {
                what: "function name",
                offset: name.start as u64,
                rule: "names are UTF-8",
            });
        }
        let offsets = self.offsets.ok_or_else(|| missing("OFFT"))?;
        let bitcode = match self.size {
            Some(size) if !header.is_stub => {
                Some(within_section(header.bitcode, offsets[2], size, bytes.len())?)
            }
            _ => None,
        };
        let versions = self.versions.unwrap_or_default();
        Ok(Record {
            name,
            kind: FunctionKind::from_byte(self.kind.ok_or_else(|| missing("TYPE"))?),
            hash: self.hash,
            air_version: (versions[0], versions[1]),
            language_version: (versions[2], versions[3]),
            bitcode,
            public_metadata: offsets[0],
            private_metadata: offsets[1],
            reflection_offset: self.reflection,
        })
    }
}

/// The file range of `size` bytes at `offset` into the bitcode section.
fn within_section(
    section: Section,
    offset: u64,
    size: u64,
    file_bytes: usize,
) -> Result<Range<usize>, LibraryError> {
    checked_range(section.size as usize, offset, size, "function bitcode", "the bitcode section")?;
    // Both sums stay below the section's end, which was checked against the file.
    checked_range(file_bytes, section.offset + offset, size, "function bitcode", "the library")
}
