//! LLVM bitcode of AIR modules, read into [`mw_air::Module`] in safe Rust.
//!
//! Reads what Apple's compiler writes for AIR 2.5 to 2.8 (typed pointers) and what LLVM 22 writes (opaque
//! pointers). The result is the module as LLVM 22 would see it after its own upgrades, less what AIR has no place
//! for: value and block names, debug information, comdats, use-list orders, synchronisation scopes. A record that
//! would change what a program does and that this reader does not know is an error that names it.
//!
//! | file | what it reads |
//! | --- | --- |
//! | `module` | the module block: globals, functions, names, order of everything else |
//! | `types` | type table; typed pointers become opaque |
//! | `attributes` | attribute groups and lists, old memory attributes upgraded |
//! | `constants` | constants of module and functions |
//! | `metadata` | nodes, named lists, attachments |
//! | `function`, `instruction`, `call` | bodies |
//! | `upgrade` | spellings of older LLVMs |
//!
//! **Source** the behaviour of LLVM 22's tools and LLVM's "Bitcode File Format" document.

mod attributes;
mod budget;
mod call;
mod constants;
mod debug;
mod function;
mod instruction;
mod metadata;
mod module;
mod opcodes;
mod operands;
mod symbols;
mod types;
mod upgrade;

use crate::bitstream::{Event, Record, Stream};
use crate::error::{ReadError, first_bytes};
use module::ModuleReader;
use symbols::StringTable;

/// Numbers of blocks.
mod block_id {
    pub(super) const MODULE: u32 = 8;
    pub(super) const PARAMATTR: u32 = 9;
    pub(super) const PARAMATTR_GROUP: u32 = 10;
    pub(super) const CONSTANTS: u32 = 11;
    pub(super) const FUNCTION: u32 = 12;
    pub(super) const VALUE_SYMTAB: u32 = 14;
    pub(super) const METADATA: u32 = 15;
    pub(super) const METADATA_ATTACHMENT: u32 = 16;
    pub(super) const TYPE: u32 = 17;
    pub(super) const USELIST: u32 = 18;
    pub(super) const GLOBALVAL_SUMMARY: u32 = 20;
    pub(super) const OPERAND_BUNDLE_TAGS: u32 = 21;
    pub(super) const METADATA_KIND: u32 = 22;
    pub(super) const STRTAB: u32 = 23;
    pub(super) const FULL_LTO_SUMMARY: u32 = 24;
    pub(super) const SYNC_SCOPE_NAMES: u32 = 26;
}

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

/// Reads the module in `bytes`: raw bitcode or in a Darwin wrapper, padding allowed.
///
/// The module is not verified: run [`mw_air`]'s verifier before trusting its SSA form.
///
/// # Errors
/// The bytes are not bitcode, are damaged, or hold what AIR does not.
pub fn read_module(bytes: &[u8]) -> Result<mw_air::Module, ReadError> {
    let raw = unwrap_bitcode(bytes)?;
    // The string table stands behind the module that needs it.
    let strings = find_strings(raw)?;
    let mut stream = Stream::new(raw);
    let mut record = Record::default();
    while !stream.is_at_end() {
        match stream.next(&mut record)? {
            Event::Block(block_id::MODULE) => {
                stream.enter(block_id::MODULE)?;
                let module = ModuleReader::new(strings).read(&mut stream, &mut record)?;
                refuse_second_module(&mut stream, &mut record)?;
                return Ok(module);
            }
            Event::Block(_) => stream.skip()?,
            Event::End | Event::Record => return Err(stray(&stream)),
        }
    }
    Err(ReadError::Missing { what: "module" })
}

fn find_strings(raw: &[u8]) -> Result<StringTable<'_>, ReadError> {
    let mut stream = Stream::new(raw);
    let mut record = Record::default();
    while !stream.is_at_end() {
        match stream.next(&mut record)? {
            Event::Block(block_id::STRTAB) => {
                stream.enter(block_id::STRTAB)?;
                return StringTable::read(&mut stream, &mut record);
            }
            Event::Block(_) => stream.skip()?,
            Event::End | Event::Record => return Err(stray(&stream)),
        }
    }
    Ok(StringTable::default())
}

fn refuse_second_module<'a>(stream: &mut Stream<'a>, record: &mut Record<'a>) -> Result<(), ReadError> {
    while !stream.is_at_end() {
        match stream.next(record)? {
            Event::Block(block_id::MODULE) => {
                return Err(ReadError::Unsupported { what: "more than one module in a bitcode file".into() });
            }
            Event::Block(_) => stream.skip()?,
            Event::End | Event::Record => return Err(stray(stream)),
        }
    }
    Ok(())
}

fn stray(stream: &Stream<'_>) -> ReadError {
    ReadError::Stream { bit: stream.bit() as u64, rule: "only blocks stand outside of blocks" }
}
