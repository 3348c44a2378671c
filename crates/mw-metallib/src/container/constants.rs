//! Function constants as the container's `CNST` tag lists them.
//!
//! The container's list is the one that Metal reads to answer "which constants does this function take" without
//! opening the bitcode; the bitcode's own list (`air.function_constants`) says the same with type names.

use super::cursor::Cursor;
use super::header::Section;
use super::{ExtensionTag, Layout, Record, next_tag};
use crate::error::LibraryError;

/// A function constant in the public metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContainerConstant<'a> {
    /// Its name in the source.
    pub name: &'a str,
    /// Its type, as a value of Metal's `MTLDataType`.
    pub data_type: u8,
    /// The index in `[[function_constant(index)]]`.
    pub index: u16,
    /// Whether a pipeline must give a value.
    pub is_required: bool,
}

impl ContainerConstant<'_> {
    /// The type in Metal's spelling, where the number is known.
    pub fn type_name(&self) -> Option<&'static str> {
        data_type_name(self.data_type)
    }
}

/// Metal's spelling of a scalar or vector `MTLDataType`.
pub fn data_type_name(data_type: u8) -> Option<&'static str> {
    Some(match data_type {
        3 => "float",
        4 => "float2",
        5 => "float3",
        6 => "float4",
        16 => "half",
        17 => "half2",
        18 => "half3",
        19 => "half4",
        29 => "int",
        30 => "int2",
        31 => "int3",
        32 => "int4",
        33 => "uint",
        34 => "uint2",
        35 => "uint3",
        36 => "uint4",
        37 => "short",
        38 => "short2",
        39 => "short3",
        40 => "short4",
        41 => "ushort",
        42 => "ushort2",
        43 => "ushort3",
        44 => "ushort4",
        45 => "char",
        46 => "char2",
        47 => "char3",
        48 => "char4",
        49 => "uchar",
        50 => "uchar2",
        51 => "uchar3",
        52 => "uchar4",
        53 => "bool",
        54 => "bool2",
        55 => "bool3",
        56 => "bool4",
        81 => "long",
        82 => "long2",
        83 => "long3",
        84 => "long4",
        85 => "ulong",
        86 => "ulong2",
        87 => "ulong3",
        88 => "ulong4",
        121 => "bfloat",
        122 => "bfloat2",
        123 => "bfloat3",
        124 => "bfloat4",
        _ => return None,
    })
}

impl Layout {
    /// The function constants in a function's public metadata.
    pub(crate) fn constants<'a>(
        &self,
        bytes: &'a [u8],
        record: &Record,
    ) -> Result<Vec<ContainerConstant<'a>>, LibraryError> {
        let section = self.header.public_metadata;
        let mut constants = Vec::new();
        let Some(mut tags) = metadata_tags(bytes, section, record.public_metadata)? else {
            return Ok(constants);
        };
        while let Some(ExtensionTag { tag, payload }) = next_tag(&mut tags)? {
            if tag == *b"CNST" {
                let mut payload = Cursor::new(
                    bytes,
                    payload.start as u64,
                    payload.len() as u64,
                    "`CNST` payload",
                    "public metadata",
                )?;
                let count = payload.u16("constant count")?;
                for _ in 0..count {
                    constants.push(read_constant(&mut payload)?);
                }
            }
        }
        Ok(constants)
    }

    /// Where the function's source is said to come from: `DEBI` (line, path) in the private metadata.
    pub(crate) fn source_location<'a>(
        &self,
        bytes: &'a [u8],
        record: &Record,
    ) -> Result<Option<(u32, &'a str)>, LibraryError> {
        let section = self.header.private_metadata;
        let Some(mut tags) = metadata_tags(bytes, section, record.private_metadata)? else {
            return Ok(None);
        };
        while let Some(ExtensionTag { tag, payload }) = next_tag(&mut tags)? {
            if tag == *b"DEBI" {
                let mut payload = Cursor::new(
                    bytes,
                    payload.start as u64,
                    payload.len() as u64,
                    "`DEBI` payload",
                    "private metadata",
                )?;
                let line = payload.u32("source line")?;
                let path = zero_terminated(&mut payload, "source path")?;
                return Ok(Some((line, path)));
            }
        }
        Ok(None)
    }
}

/// The tag list at `offset` in a metadata section; `None` if the section is empty.
fn metadata_tags(bytes: &[u8], section: Section, offset: u64) -> Result<Option<Cursor<'_>>, LibraryError> {
    if section.size == 0 {
        return Ok(None);
    }
    if offset >= section.size {
        return Err(LibraryError::OutOfBounds {
            what: "metadata entry",
            offset: section.offset.saturating_add(offset),
            needed: 4,
            available: 0,
            within: "the metadata section",
        });
    }
    let mut rest = Cursor::new(
        bytes,
        section.offset + offset,
        section.size - offset,
        "metadata entry",
        "the metadata section",
    )?;
    // Apple's own libraries disagree whether this size counts its own four bytes (MLX's says 8 for a lone `ENDT`,
    // torch's 4), so the closing tag decides.
    rest.u32("metadata entry size")?;
    Ok(Some(rest))
}

fn read_constant<'a>(payload: &mut Cursor<'a>) -> Result<ContainerConstant<'a>, LibraryError> {
    Ok(ContainerConstant {
        name: zero_terminated(payload, "constant name")?,
        data_type: payload.u8("constant type")?,
        index: payload.u16("constant index")?,
        is_required: payload.u8("constant flag")? != 0,
    })
}

fn zero_terminated<'a>(cursor: &mut Cursor<'a>, what: &'static str) -> Result<&'a str, LibraryError> {
    let start = cursor.clone();
    let mut length = 0;
    while cursor.u8(what)? != 0 {
        length += 1;
    }
    let text = start.clone().take(length, what)?;
    std::str::from_utf8(text).map_err(|_| start.malformed(what, "names are UTF-8"))
}
