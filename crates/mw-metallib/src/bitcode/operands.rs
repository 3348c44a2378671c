//! Walking the operands of a record, with errors that name the record.

use crate::error::ReadError;

/// A cursor over the operands of one record.
#[derive(Debug, Clone)]
pub(super) struct Operands<'r> {
    values: &'r [u64],
    block: &'static str,
    record: &'static str,
}

impl<'r> Operands<'r> {
    pub(super) fn new(values: &'r [u64], block: &'static str, record: &'static str) -> Self {
        Self { values, block, record }
    }

    /// How many are left.
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// All that are left.
    pub(super) fn rest(&self) -> &'r [u64] {
        self.values
    }

    /// The next operand, which must exist.
    pub(super) fn next(&mut self) -> Result<u64, ReadError> {
        self.optional().ok_or_else(|| self.malformed("it has too few operands"))
    }

    /// The next operand as a 32-bit number.
    pub(super) fn next_u32(&mut self) -> Result<u32, ReadError> {
        let value = self.next()?;
        u32::try_from(value).map_err(|_| self.malformed("an operand does not fit in 32 bits"))
    }

    /// The next operand, if there is one.
    pub(super) fn optional(&mut self) -> Option<u64> {
        let (&first, rest) = self.values.split_first()?;
        self.values = rest;
        Some(first)
    }

    /// Skips `count` operands; fewer are fine.
    pub(super) fn skip(&mut self, count: usize) {
        self.values = self.values.get(count..).unwrap_or_default();
    }

    /// An error about this record.
    #[cold]
    pub(super) fn malformed(&self, rule: &'static str) -> ReadError {
        ReadError::MalformedRecord { block: self.block, record: self.record, rule }
    }
}

/// Text that a record holds as one operand for each byte.
pub(super) fn text(values: &[u64], block: &'static str, record: &'static str) -> Result<String, ReadError> {
    let malformed = |rule| ReadError::MalformedRecord { block, record, rule };
    let bytes: Result<Vec<u8>, _> = values.iter().map(|&value| u8::try_from(value)).collect();
    let bytes = bytes.map_err(|_| malformed("characters are bytes"))?;
    String::from_utf8(bytes).map_err(|_| malformed("text is UTF-8"))
}

/// A signed number whose sign is its lowest bit.
pub(super) fn decode_signed(value: u64) -> i64 {
    match value {
        // "Minus zero" stands for the one number that has no positive twin.
        1 => i64::MIN,
        value if value & 1 == 0 => (value >> 1) as i64,
        value => -((value >> 1) as i64),
    }
}
