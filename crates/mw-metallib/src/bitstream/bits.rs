//! Reading bits: fixed-width fields, variable-width fields, alignment, raw bytes.

use crate::error::ReadError;

/// A position in a string of bits, low bit of each byte first.
#[derive(Debug, Clone)]
pub(crate) struct Bits<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl<'a> Bits<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, position: 0 }
    }

    pub(crate) fn position(&self) -> usize {
        self.position
    }

    pub(crate) fn end(&self) -> usize {
        self.bytes.len() * 8
    }

    pub(crate) fn remaining(&self) -> usize {
        self.end() - self.position
    }

    /// Moves to a bit that is known to lie inside.
    pub(crate) fn seek(&mut self, bit: usize) {
        debug_assert!(bit <= self.end(), "the caller checked the target");
        self.position = bit.min(self.end());
    }

    /// A field of `width` bits, at most 64.
    #[inline]
    pub(crate) fn fixed(&mut self, width: u32) -> Result<u64, ReadError> {
        debug_assert!(width <= 64, "widths are checked where they are read");
        if width as usize > self.remaining() {
            return Err(self.broken("the stream ends inside a field"));
        }
        let value = self.peek(width);
        self.position += width as usize;
        Ok(value)
    }

    /// The next `width` bits, which exist.
    #[inline]
    fn peek(&self, width: u32) -> u64 {
        let byte = self.position / 8;
        let shift = (self.position % 8) as u32;
        let low = self.word(byte) >> shift;
        let value = if shift + width > 64 { low | self.word(byte + 8) << (64 - shift) } else { low };
        if width == 64 { value } else { value & ((1 << width) - 1) }
    }

    /// Eight bytes from `byte` on, with zeros past the end.
    #[inline]
    fn word(&self, byte: usize) -> u64 {
        let mut raw = [0; 8];
        if let Some(whole) = self.bytes.get(byte..byte + 8) {
            raw.copy_from_slice(whole);
        } else if let Some(rest) = self.bytes.get(byte..) {
            raw[..rest.len()].copy_from_slice(rest);
        }
        u64::from_le_bytes(raw)
    }

    /// A number in chunks of `width` bits (2 to 32), of which the top bit says whether more follow.
    #[inline]
    pub(crate) fn vbr(&mut self, width: u32) -> Result<u64, ReadError> {
        debug_assert!((2..=32).contains(&width), "widths are checked where they are read");
        let more = 1_u64 << (width - 1);
        let chunk = self.fixed(width)?;
        if chunk & more == 0 {
            return Ok(chunk);
        }
        let mut value = chunk & (more - 1);
        let mut shift = width - 1;
        loop {
            let chunk = self.fixed(width)?;
            let digits = chunk & (more - 1);
            if shift >= 64 || digits << shift >> shift != digits {
                // Writers may pad with zero chunks, but not past what a number can hold.
                if digits != 0 || shift >= 96 {
                    return Err(self.broken("a number does not fit in 64 bits"));
                }
            } else {
                value |= digits << shift;
            }
            if chunk & more == 0 {
                return Ok(value);
            }
            shift += width - 1;
        }
    }

    /// Moves to the next multiple of 32 bits.
    pub(crate) fn align32(&mut self) -> Result<(), ReadError> {
        let aligned = self.position.next_multiple_of(32);
        if aligned > self.end() {
            return Err(self.broken("the stream ends inside a word"));
        }
        self.position = aligned;
        Ok(())
    }

    /// `length` bytes at the current position, which is a multiple of 8.
    pub(crate) fn bytes(&mut self, length: u64) -> Result<&'a [u8], ReadError> {
        if length > self.remaining() as u64 / 8 {
            return Err(self.broken("a blob is longer than the stream"));
        }
        let start = self.position / 8;
        let length = length as usize;
        self.position += length * 8;
        Ok(&self.bytes[start..start + length])
    }

    /// Whether only zero bytes follow; asked at byte borders.
    pub(crate) fn rest_is_zero(&self) -> bool {
        self.bytes.get(self.position / 8..).is_none_or(|rest| rest.iter().all(|&byte| byte == 0))
    }

    /// An error at the current position.
    #[cold]
    pub(crate) fn broken(&self, rule: &'static str) -> ReadError {
        ReadError::Stream { bit: self.position as u64, rule }
    }
}
