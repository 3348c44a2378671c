//! LLVM bitcode of AIR modules, read into [`mw_air::Module`] in safe Rust.

use crate::error::{ReadError, first_bytes};
use crate::library::ModuleFunction;

/// First bytes of raw bitcode: `BC` 0xC0DE.
const RAW_MAGIC: [u8; 4] = [0x42, 0x43, 0xc0, 0xde];
/// First bytes of the Darwin wrapper, 0x0B17C0DE in little-endian order.
pub(crate) const WRAPPER_MAGIC: [u8; 4] = [0xde, 0xc0, 0x17, 0x0b];

/// Whether the bytes start as bitcode does.
pub(crate) fn is_bitcode(bytes: &[u8]) -> bool {
    bytes.starts_with(&RAW_MAGIC) || bytes.starts_with(&WRAPPER_MAGIC)
}

/// The raw bitcode, taken out of its Darwin wrapper if it has one.
pub fn unwrap_bitcode(bytes: &[u8]) -> Result<&[u8], ReadError> {
    let mut raw = bytes;
    if bytes.starts_with(&WRAPPER_MAGIC) {
        let field = |at: usize| -> Option<usize> {
            Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize)
        };
        raw = field(8)
            .zip(field(12))
            .and_then(|(offset, size)| bytes.get(offset..offset.checked_add(size)?))
            .ok_or(ReadError::Missing { what: "whole wrapper: its offset and size point past the end" })?;
    }
    if raw.starts_with(&RAW_MAGIC) { Ok(raw) } else { Err(ReadError::NotBitcode { found: first_bytes(raw) }) }
}

/// Reads a module.
pub fn read_module(bytes: &[u8]) -> Result<mw_air::Module, ReadError> {
    unwrap_bitcode(bytes)?;
    Err(ReadError::Missing { what: "reader yet" })
}

pub(crate) fn entry_points(bytes: &[u8]) -> Result<Vec<ModuleFunction>, ReadError> {
    read_module(bytes).map(|_| Vec::new())
}
