//! Memory that knows which of its bytes were never written.
//!
//! Private, threadgroup and constant memory are kept in words of eight bytes, each with a mask of its
//! undefined bytes. Private memory holds one copy for each lane, interleaved by word.

/// Bytes of a word.
const WORD: usize = 8;

/// Words with a mask of undefined bytes, `stride` copies of each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shadowed {
    words: Vec<u64>,
    /// Bit b: byte b of the word is undefined.
    undef: Vec<u8>,
    stride: usize,
    len: usize,
}

/// Mask of the lowest `size` bytes of a word.
#[inline(always)]
fn value_mask(size: usize) -> u64 {
    if size >= WORD { u64::MAX } else { (1 << (size * 8)) - 1 }
}

#[inline(always)]
fn byte_mask(size: usize) -> u8 {
    if size >= WORD { 0xff } else { (1 << size) - 1 }
}

impl Shadowed {
    /// `len` undefined zero bytes for each of `stride` lanes.
    pub(crate) fn new(len: usize, stride: usize) -> Self {
        let mut shadowed = Self { words: Vec::new(), undef: Vec::new(), stride, len: 0 };
        shadowed.grow(len);
        shadowed
    }

    /// Size in bytes of one lane's copy.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Makes it at least `len` bytes long; new bytes are undefined zeros.
    pub(crate) fn grow(&mut self, len: usize) {
        if len > self.len {
            let words = len.div_ceil(WORD) * self.stride;
            self.words.resize(words, 0);
            self.undef.resize(words, 0xff);
            self.len = len;
        }
    }

    /// Takes over another's contents, keeping the allocation.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.words.clone_from(&other.words);
        self.undef.clone_from(&other.undef);
        self.stride = other.stride;
        self.len = other.len;
    }

    /// Whether `size` bytes at `offset` lie inside.
    #[inline(always)]
    pub(crate) fn contains(&self, offset: u64, size: usize) -> bool {
        offset.checked_add(size as u64).is_some_and(|end| end <= self.len as u64)
    }

    /// Bytes as a little-endian number, and the mask of the undefined ones. The span must lie inside and
    /// `size` be at most eight.
    #[inline(always)]
    pub(crate) fn read(&self, offset: u64, size: usize, lane: usize) -> (u64, u8) {
        let (word, byte) = (offset as usize / WORD, offset as usize % WORD);
        let index = word * self.stride + lane;
        if byte + size <= WORD {
            let value = (self.words[index] >> (byte * 8)) & value_mask(size);
            return (value, (self.undef[index] >> byte) & byte_mask(size));
        }
        let first = WORD - byte;
        let (low, low_undef) = self.read(offset, first, lane);
        let (high, high_undef) = self.read(offset + first as u64, size - first, lane);
        (low | high << (first * 8), low_undef | high_undef << first)
    }

    /// Writes `size` bytes of `value`, of which those in `undef` are undefined. Span as in [`Self::read`].
    #[inline(always)]
    pub(crate) fn write(&mut self, offset: u64, size: usize, lane: usize, value: u64, undef: u8) {
        let (word, byte) = (offset as usize / WORD, offset as usize % WORD);
        let index = word * self.stride + lane;
        if byte + size <= WORD {
            let bits = value_mask(size) << (byte * 8);
            self.words[index] = self.words[index] & !bits | value << (byte * 8) & bits;
            let bytes = byte_mask(size) << byte;
            self.undef[index] = self.undef[index] & !bytes | undef << byte & bytes;
            return;
        }
        let first = WORD - byte;
        self.write(offset, first, lane, value, undef);
        self.write(offset + first as u64, size - first, lane, value >> (first * 8), undef >> first);
    }

    /// Makes a span of one lane's copy zero, defined or not. The span must lie inside.
    pub(crate) fn clear(&mut self, offset: u64, size: usize, lane: usize, defined: bool) {
        let (mut offset, mut size) = (offset, size);
        while size > 0 {
            let chunk = size.min(WORD - offset as usize % WORD);
            self.write(offset, chunk, lane, 0, if defined { 0 } else { 0xff });
            offset += chunk as u64;
            size -= chunk;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_cross_words_and_keep_lanes_apart() {
        let mut memory = Shadowed::new(32, 3);
        memory.write(5, 8, 1, 0x1122_3344_5566_7788, 0);
        assert_eq!(memory.read(5, 8, 1), (0x1122_3344_5566_7788, 0));
        assert_eq!(memory.read(6, 2, 1), (0x6677, 0));
        assert_eq!(memory.read(5, 8, 0), (0, 0xff));
        // One byte before the written ones is still undefined.
        assert_eq!(memory.read(4, 2, 1), (0x8800, 1));
        memory.write(6, 4, 1, 0, 0b0110);
        assert_eq!(memory.read(5, 8, 1), (0x1122_3300_0000_0088, 0b1100));
    }

    #[test]
    fn clearing_marks_bytes() {
        let mut memory = Shadowed::new(20, 1);
        memory.clear(3, 15, 0, true);
        assert_eq!(memory.read(0, 8, 0), (0, 0b111));
        assert_eq!(memory.read(12, 8, 0), (0, 0b1100_0000));
        memory.clear(8, 4, 0, false);
        assert_eq!(memory.read(8, 8, 0), (0, 0b1111));
        assert!(memory.contains(12, 8) && !memory.contains(13, 8) && !memory.contains(u64::MAX, 2));
    }
}
