//! Writing a metallib.
//!
//! The shape is the one of Apple's macOS 14 libraries: header, function list, `UUID` extension, one tag list for
//! each function in both metadata sections, bitcode in Darwin wrappers padded to 16 bytes. There is no reflection
//! list: Metal builds reflection from the bitcode when it is absent. The `UUID` is derived from the contents, so
//! that equal input gives an equal file. Libraries written here have not been loaded on a Mac.

use sha2::{Digest as _, Sha256};

use super::header::HEADER_BYTES;
use super::{END_TAG, FunctionKind};
use crate::error::LibraryError;

/// A function constant to be listed in the public metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewConstant<'a> {
    /// Its name in the source.
    pub name: &'a str,
    /// Its type, as a value of Metal's `MTLDataType`.
    pub data_type: u8,
    /// The index in `[[function_constant(index)]]`.
    pub index: u16,
    /// Whether a pipeline must give a value.
    pub is_required: bool,
}

/// A function to be written.
#[derive(Debug, Clone, Copy)]
pub struct NewFunction<'a> {
    /// Its name; no zero bytes.
    pub name: &'a str,
    /// What it is.
    pub kind: FunctionKind,
    /// LLVM bitcode, raw or already in a Darwin wrapper.
    pub bitcode: &'a [u8],
    /// AIR version, major and minor.
    pub air_version: (u16, u16),
    /// Metal language version, major and minor.
    pub language_version: (u16, u16),
    /// Its function constants.
    pub constants: &'a [NewConstant<'a>],
}

/// A macOS library to be written.
#[derive(Debug, Clone)]
pub struct NewLibrary<'a> {
    /// Container version; `(2, 7)` reads everywhere, `(2, 9)` came with macOS 26.
    pub version: (u16, u16),
    /// Lowest macOS version, major and minor.
    pub os_version: (u16, u16),
    /// The functions, in the order they shall have in the list.
    pub functions: Vec<NewFunction<'a>>,
}

/// The bytes of a metallib with these functions.
///
/// # Errors
/// A name with a zero byte, or a part that outgrows its length field.
pub fn write_library(library: &NewLibrary<'_>) -> Result<Vec<u8>, LibraryError> {
    let mut list = Vec::new();
    let (mut public, mut private, mut bitcode) = (Vec::new(), Vec::new(), Vec::new());
    list.extend(field32("function count", library.functions.len())?.to_le_bytes());
    for function in &library.functions {
        let offsets = [public.len() as u64, private.len() as u64, bitcode.len() as u64];
        let blob = padded_bitcode(function.bitcode)?;
        write_entry(&mut list, function, offsets, &blob)?;
        write_constants(&mut public, function.constants)?;
        finish_tags(&mut private, Vec::new())?;
        bitcode.extend_from_slice(&blob);
    }

    let mut extension = Vec::new();
    tag(&mut extension, *b"UUID", &contents_uuid(&list, &public, &bitcode))?;
    extension.extend_from_slice(&END_TAG);

    let list_offset = HEADER_BYTES as u64;
    let public_offset = list_offset + list.len() as u64 + extension.len() as u64;
    let private_offset = public_offset + public.len() as u64;
    let bitcode_offset = private_offset + private.len() as u64;
    let file_size = bitcode_offset + bitcode.len() as u64;

    let mut out = Vec::with_capacity(file_size as usize);
    out.extend_from_slice(&super::header::MAGIC);
    out.extend(0x8001_u16.to_le_bytes());
    out.extend(library.version.0.to_le_bytes());
    out.extend(library.version.1.to_le_bytes());
    out.extend([0_u8, 0x81]);
    out.extend(library.os_version.0.to_le_bytes());
    out.extend(library.os_version.1.to_le_bytes());
    out.extend(file_size.to_le_bytes());
    let sections = [
        // The list's size leaves out its count.
        (list_offset, list.len() as u64 - 4),
        (public_offset, public.len() as u64),
        (private_offset, private.len() as u64),
        (bitcode_offset, bitcode.len() as u64),
    ];
    for (offset, size) in sections {
        out.extend(offset.to_le_bytes());
        out.extend(size.to_le_bytes());
    }
    for part in [list, extension, public, private, bitcode] {
        out.extend_from_slice(&part);
    }
    Ok(out)
}

fn write_entry(
    list: &mut Vec<u8>,
    function: &NewFunction<'_>,
    offsets: [u64; 3],
    blob: &[u8],
) -> Result<(), LibraryError> {
    let mut tags = Vec::new();
    tag(&mut tags, *b"NAME", &zero_terminated(function.name)?)?;
    tag(&mut tags, *b"TYPE", &[function.kind.to_byte()])?;
    tag(&mut tags, *b"HASH", &Sha256::digest(blob))?;
    tag(&mut tags, *b"OFFT", &offsets.map(u64::to_le_bytes).concat())?;
    let versions = [
        function.air_version.0,
        function.air_version.1,
        function.language_version.0,
        function.language_version.1,
    ];
    tag(&mut tags, *b"VERS", &versions.map(u16::to_le_bytes).concat())?;
    tag(&mut tags, *b"MDSZ", &(blob.len() as u64).to_le_bytes())?;
    finish_tags(list, tags)
}

fn write_constants(public: &mut Vec<u8>, constants: &[NewConstant<'_>]) -> Result<(), LibraryError> {
    let mut tags = Vec::new();
    if !constants.is_empty() {
        let mut payload = Vec::new();
        payload.extend(field16("function constant count", constants.len())?.to_le_bytes());
        for constant in constants {
            payload.extend(zero_terminated(constant.name)?);
            payload.push(constant.data_type);
            payload.extend(constant.index.to_le_bytes());
            payload.push(u8::from(constant.is_required));
        }
        tag(&mut tags, *b"CNST", &payload)?;
    }
    finish_tags(public, tags)
}

/// Appends a list of tags with its leading size (itself included) and the closing `ENDT`.
fn finish_tags(out: &mut Vec<u8>, tags: Vec<u8>) -> Result<(), LibraryError> {
    let size = field32("metadata entry", tags.len() + 8)?;
    out.extend(size.to_le_bytes());
    out.extend(tags);
    out.extend_from_slice(&END_TAG);
    Ok(())
}

fn tag(out: &mut Vec<u8>, name: [u8; 4], payload: &[u8]) -> Result<(), LibraryError> {
    out.extend_from_slice(&name);
    out.extend(field16("tag payload", payload.len())?.to_le_bytes());
    out.extend_from_slice(payload);
    Ok(())
}

/// The bitcode in a Darwin wrapper, padded to 16 bytes.
fn padded_bitcode(bitcode: &[u8]) -> Result<Vec<u8>, LibraryError> {
    const WRAPPER_BYTES: u32 = 20;
    let mut blob = Vec::with_capacity(bitcode.len() + 36);
    if !bitcode.starts_with(&crate::bitcode::WRAPPER_MAGIC) {
        blob.extend_from_slice(&crate::bitcode::WRAPPER_MAGIC);
        blob.extend(0_u32.to_le_bytes());
        blob.extend(WRAPPER_BYTES.to_le_bytes());
        blob.extend(field32("bitcode", bitcode.len())?.to_le_bytes());
        // The CPU type that Apple writes: any.
        blob.extend(u32::MAX.to_le_bytes());
    }
    blob.extend_from_slice(bitcode);
    blob.resize(blob.len().next_multiple_of(16), 0);
    Ok(blob)
}

fn contents_uuid(list: &[u8], public: &[u8], bitcode: &[u8]) -> [u8; 16] {
    let digest = Sha256::new().chain_update(list).chain_update(public).chain_update(bitcode).finalize();
    let mut uuid = [0; 16];
    uuid.copy_from_slice(&digest[..16]);
    // Version 8 ("custom") and the RFC 4122 variant.
    uuid[6] = (uuid[6] & 0x0f) | 0x80;
    uuid[8] = (uuid[8] & 0x3f) | 0x80;
    uuid
}

fn zero_terminated(name: &str) -> Result<Vec<u8>, LibraryError> {
    if name.contains('\0') {
        return Err(LibraryError::ZeroInName { name: name.escape_default().to_string() });
    }
    let mut bytes = name.as_bytes().to_vec();
    bytes.push(0);
    Ok(bytes)
}

fn field16(what: &'static str, value: usize) -> Result<u16, LibraryError> {
    u16::try_from(value).map_err(|_| LibraryError::TooLarge {
        what,
        value: value as u64,
        limit: u64::from(u16::MAX),
    })
}

fn field32(what: &'static str, value: usize) -> Result<u32, LibraryError> {
    u32::try_from(value).map_err(|_| LibraryError::TooLarge {
        what,
        value: value as u64,
        limit: u64::from(u32::MAX),
    })
}
