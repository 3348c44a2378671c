//! The 88-byte header of a metallib.

use super::cursor::Cursor;
use crate::error::LibraryError;

/// Length of the header in bytes.
pub(super) const HEADER_BYTES: usize = 88;
/// The first four bytes of every library.
pub(crate) const MAGIC: [u8; 4] = *b"MTLB";

/// A part of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Section {
    pub(crate) offset: u64,
    pub(crate) size: u64,
}

/// What a library file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileKind {
    /// An ordinary library.
    Executable,
    /// A Core Image kernel library.
    CoreImage,
    /// A dynamic library.
    Dynamic,
    /// Symbols that accompany another library.
    SymbolCompanion,
    /// A number that no source explains.
    Other(u8),
}

/// The system a library was built for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Platform {
    /// macOS.
    MacOs,
    /// iOS and its simulator-free relatives.
    Ios,
    /// tvOS.
    TvOs,
    /// watchOS.
    WatchOs,
    /// A number that no source explains.
    Other(u8),
}

/// The fixed part of a library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The platform word; bit 15 is set for macOS.
    pub platform_word: u16,
    /// Version of the container format, major and minor; minor 7 came with macOS 13, 8 with 15, 9 with 26.
    pub version: (u16, u16),
    /// What the file is for.
    pub kind: FileKind,
    /// A stub names functions without their code.
    pub is_stub: bool,
    /// The system the library was built for.
    pub platform: Platform,
    /// Whether the target is 64-bit.
    pub is_64_bit: bool,
    /// Lowest system version, major and minor.
    pub os_version: (u16, u16),
    /// Length of the library in bytes, as the header states it.
    pub file_size: u64,
    pub(crate) function_list: Section,
    pub(crate) public_metadata: Section,
    pub(crate) private_metadata: Section,
    pub(crate) bitcode: Section,
}

impl Header {
    /// Reads the header and checks that each section lies inside `bytes`.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, LibraryError> {
        let mut cursor = Cursor::new(bytes, 0, bytes.len() as u64, "header", "the library")?;
        let magic = cursor.tag("magic")?;
        if magic != MAGIC {
            return Err(LibraryError::NotALibrary { found: crate::error::first_bytes(bytes) });
        }
        let platform_word = cursor.u16("platform word")?;
        let version = (cursor.u16("container version")?, cursor.u16("container version")?);
        let kind_byte = cursor.u8("file type")?;
        let system_byte = cursor.u8("system")?;
        let os_version = (cursor.u16("system version")?, cursor.u16("system version")?);
        let file_size = cursor.u64("file size")?;
        let mut section = || -> Result<Section, LibraryError> {
            Ok(Section { offset: cursor.u64("section offset")?, size: cursor.u64("section size")? })
        };
        let (function_list, public_metadata, private_metadata, bitcode) =
            (section()?, section()?, section()?, section()?);
        if file_size > bytes.len() as u64 {
            return Err(LibraryError::OutOfBounds {
                what: "library",
                offset: 0,
                needed: file_size,
                available: bytes.len() as u64,
                within: "the file",
            });
        }
        let header = Self {
            platform_word,
            version,
            kind: file_kind(kind_byte & 0x7f),
            is_stub: kind_byte & 0x80 != 0,
            platform: platform(system_byte & 0x7f),
            is_64_bit: system_byte & 0x80 != 0,
            os_version,
            file_size,
            function_list,
            public_metadata,
            private_metadata,
            bitcode,
        };
        header.check_sections(bytes)?;
        Ok(header)
    }

    fn check_sections(&self, bytes: &[u8]) -> Result<(), LibraryError> {
        let sections = [
            ("function list", self.function_list),
            ("public metadata", self.public_metadata),
            ("private metadata", self.private_metadata),
            ("bitcode section", self.bitcode),
        ];
        for (what, section) in sections {
            super::checked_range(bytes.len(), section.offset, section.size, what, "the library")?;
            if section.size != 0 && section.offset < HEADER_BYTES as u64 {
                return Err(LibraryError::Malformed {
                    what,
                    offset: section.offset,
                    rule: "sections start after the 88-byte header",
                });
            }
        }
        Ok(())
    }
}

fn file_kind(byte: u8) -> FileKind {
    match byte {
        0 => FileKind::Executable,
        1 => FileKind::CoreImage,
        2 => FileKind::Dynamic,
        3 => FileKind::SymbolCompanion,
        other => FileKind::Other(other),
    }
}

fn platform(byte: u8) -> Platform {
    match byte {
        1 => Platform::MacOs,
        2 => Platform::Ios,
        3 => Platform::TvOs,
        4 => Platform::WatchOs,
        other => Platform::Other(other),
    }
}
