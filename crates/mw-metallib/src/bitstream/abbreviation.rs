//! Abbreviations: how the fields of a record are packed.

use super::bits::Bits;
use crate::error::ReadError;

/// Most fields of an abbreviation.
const MAX_FIELDS: u64 = 256;

/// Encoding of one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Literal(u64),
    Fixed(u32),
    Vbr(u32),
    Char6,
}

/// One field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operand {
    Scalar(Encoding),
    Array(Encoding),
    Blob,
}

/// The fields of a record; the first is a scalar and gives the record's code.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Abbreviation {
    code: Encoding,
    operands: Vec<Operand>,
}

/// An encoding as it stands in a definition, where arrays and blobs are encodings too.
enum Field {
    Scalar(Encoding),
    Array,
    Blob,
}

impl Abbreviation {
    /// Reads a definition, behind its `DEFINE_ABBREV` id.
    pub(super) fn read(bits: &mut Bits<'_>) -> Result<Self, ReadError> {
        let count = bits.vbr(5)?;
        if count == 0 || count > MAX_FIELDS {
            return Err(bits.broken("an abbreviation has 1 to 256 fields"));
        }
        let Field::Scalar(code) = read_field(bits)? else {
            return Err(bits.broken("the first field of an abbreviation is the record code, a single number"));
        };
        let mut operands = Vec::with_capacity(count as usize - 1);
        let mut left = count - 1;
        while left > 0 {
            left -= 1;
            match read_field(bits)? {
                Field::Scalar(encoding) => operands.push(Operand::Scalar(encoding)),
                Field::Array if left == 1 => {
                    left -= 1;
                    operands.push(Operand::Array(read_element(bits)?));
                }
                Field::Blob if left == 0 => operands.push(Operand::Blob),
                Field::Array => {
                    return Err(bits.broken("an array is the last but one field of an abbreviation"));
                }
                Field::Blob => return Err(bits.broken("a blob is the last field of an abbreviation")),
            }
        }
        Ok(Self { code, operands })
    }

    /// The record code's encoding and the fields behind it.
    pub(super) fn split_code(&self) -> (Encoding, &[Operand]) {
        (self.code, &self.operands)
    }
}

/// The element encoding behind an array; it must consume bits, or a count would cost nothing.
fn read_element(bits: &mut Bits<'_>) -> Result<Encoding, ReadError> {
    match read_field(bits)? {
        Field::Scalar(encoding) if encoding.least_bits() > 0 => Ok(encoding),
        Field::Scalar(_) | Field::Array | Field::Blob => {
            Err(bits.broken("the elements of an array are fixed, variable or char6 fields"))
        }
    }
}

fn read_field(bits: &mut Bits<'_>) -> Result<Field, ReadError> {
    if bits.fixed(1)? == 1 {
        return Ok(Field::Scalar(Encoding::Literal(bits.vbr(8)?)));
    }
    Ok(match bits.fixed(3)? {
        1 => match bits.vbr(5)? {
            // LLVM reads a zero-width field as the number zero.
            0 => Field::Scalar(Encoding::Literal(0)),
            width @ 1..=64 => Field::Scalar(Encoding::Fixed(width as u32)),
            _ => return Err(bits.broken("a fixed field is at most 64 bits wide")),
        },
        2 => match bits.vbr(5)? {
            0 => Field::Scalar(Encoding::Literal(0)),
            width @ 2..=32 => Field::Scalar(Encoding::Vbr(width as u32)),
            _ => return Err(bits.broken("a variable field has chunks of 2 to 32 bits")),
        },
        3 => Field::Array,
        4 => Field::Scalar(Encoding::Char6),
        5 => Field::Blob,
        _ => return Err(bits.broken("unknown field encoding in an abbreviation")),
    })
}

impl Encoding {
    #[inline]
    pub(super) fn read(self, bits: &mut Bits<'_>) -> Result<u64, ReadError> {
        match self {
            Self::Literal(value) => Ok(value),
            Self::Fixed(width) => bits.fixed(width),
            Self::Vbr(width) => bits.vbr(width),
            Self::Char6 => Ok(u64::from(char6(bits.fixed(6)?))),
        }
    }

    /// The fewest bits that a value takes.
    pub(super) fn least_bits(self) -> u32 {
        match self {
            Self::Literal(_) => 0,
            Self::Fixed(width) | Self::Vbr(width) => width,
            Self::Char6 => 6,
        }
    }
}

/// The character of a 6-bit code.
fn char6(code: u64) -> u8 {
    const TABLE: [u8; 64] = *b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
    TABLE[(code & 63) as usize]
}
