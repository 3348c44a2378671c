//! Writes bitcode record by record, for forms that today's LLVM no longer writes.

/// A bit stream under construction.
#[derive(Default)]
pub(crate) struct BitWriter {
    bits: Vec<bool>,
}

/// Width of abbreviation ids inside blocks.
const WIDTH: u32 = 4;

impl BitWriter {
    /// A stream that starts with the magic of raw bitcode.
    pub(crate) fn bitcode() -> Self {
        let mut writer = Self::default();
        writer.fixed(0xdec0_4342, 32);
        writer
    }

    fn fixed(&mut self, value: u64, width: u32) {
        self.bits.extend((0..width).map(|bit| value >> bit & 1 == 1));
    }

    fn vbr(&mut self, mut value: u64, width: u32) {
        let more = 1 << (width - 1);
        while value >= more {
            self.fixed(value & (more - 1) | more, width);
            value >>= width - 1;
        }
        self.fixed(value, width);
    }

    fn align(&mut self) {
        let length = self.bits.len().next_multiple_of(32);
        self.bits.resize(length, false);
    }

    /// Appends a block at top level.
    pub(crate) fn top_block(&mut self, id: u64, body: Self) {
        self.nested(2, id, body);
    }

    /// Appends a block inside a block.
    pub(crate) fn block(&mut self, id: u64, body: Self) {
        self.nested(WIDTH, id, body);
    }

    fn nested(&mut self, width: u32, id: u64, mut body: Self) {
        body.fixed(0, WIDTH);
        body.align();
        self.fixed(1, width);
        self.vbr(id, 8);
        self.vbr(u64::from(WIDTH), 4);
        self.align();
        self.fixed(body.bits.len() as u64 / 32, 32);
        self.bits.extend(body.bits);
    }

    /// Appends a record without abbreviation.
    pub(crate) fn record(&mut self, code: u64, operands: &[u64]) {
        self.fixed(3, WIDTH);
        self.vbr(code, 6);
        self.vbr(operands.len() as u64, 6);
        for &operand in operands {
            self.vbr(operand, 6);
        }
    }

    /// Appends a record whose operands are the bytes of a text, after some numbers.
    pub(crate) fn text_record(&mut self, code: u64, before: &[u64], text: &str) {
        let operands: Vec<u64> = before.iter().copied().chain(text.bytes().map(u64::from)).collect();
        self.record(code, &operands);
    }

    /// Appends a record that is a blob: its abbreviation, the block's first, then the record.
    pub(crate) fn blob_record(&mut self, code: u64, blob: &[u8]) {
        self.fixed(2, WIDTH);
        self.vbr(2, 5);
        self.fixed(1, 1);
        self.vbr(code, 8);
        self.fixed(0, 1);
        self.fixed(5, 3);
        self.fixed(4, WIDTH);
        self.vbr(blob.len() as u64, 6);
        self.align();
        for &byte in blob {
            self.fixed(u64::from(byte), 8);
        }
        self.align();
    }

    /// The bytes of the stream, whole words.
    pub(crate) fn into_bytes(mut self) -> Vec<u8> {
        self.align();
        self.bits
            .chunks(8)
            .map(|byte| byte.iter().enumerate().fold(0, |sum, (bit, &set)| sum | u8::from(set) << bit))
            .collect()
    }
}
