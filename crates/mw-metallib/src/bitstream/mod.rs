//! LLVM's bit stream container: blocks, abbreviations and records, before any meaning.
//!
//! [`Stream::next`] yields one [`Event`] at a time; `BLOCKINFO` blocks and abbreviation definitions are handled
//! inside and never seen. Everything is bounded: each event consumes at least two bits, blocks must lie inside
//! their parents and end where they say, nesting is limited to [`MAX_DEPTH`], a record to [`MAX_OPERANDS`]
//! operands, and no allocation is sized by a count that the remaining bits cannot fill.
//!
//! **Source** LLVM's "Bitcode File Format" document.

mod abbreviation;
mod bits;

use std::rc::Rc;

use crate::error::ReadError;
use abbreviation::{Abbreviation, Operand};
pub(crate) use bits::Bits;

/// Deepest nesting of blocks; LLVM writes four levels.
const MAX_DEPTH: usize = 16;
/// Most operands of one record.
const MAX_OPERANDS: usize = 1 << 22;
/// Most operands of all records together, each record counting as one more: what a reader builds out of a stream
/// is some hundred bytes for each of them. Each of the 85,000 kernels at hand fits in 2^18.
const MAX_TOTAL_OPERANDS: usize = 1 << 22;
/// Most abbreviations in scope of a block.
const MAX_ABBREVIATIONS: usize = 1 << 12;

const END_BLOCK: u64 = 0;
const ENTER_SUBBLOCK: u64 = 1;
const DEFINE_ABBREV: u64 = 2;
const UNABBREV_RECORD: u64 = 3;
const FIRST_ABBREVIATION: u64 = 4;

const BLOCKINFO_BLOCK: u32 = 0;
const BLOCKINFO_SETBID: u32 = 1;

/// What comes next in a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    /// A block starts: [`Stream::enter`] or [`Stream::skip`] it.
    Block(u32),
    /// The current block ends.
    End,
    /// A record was read into the [`Record`] at hand.
    Record,
}

/// One record.
#[derive(Debug, Default)]
pub(crate) struct Record<'a> {
    pub(crate) code: u32,
    pub(crate) operands: Vec<u64>,
    pub(crate) blob: &'a [u8],
}

/// A block that is being read.
struct Scope {
    end_bit: usize,
    outer_width: u32,
    outer_abbreviations: Vec<Rc<Abbreviation>>,
}

/// A reader of one stream.
pub(crate) struct Stream<'a> {
    bits: Bits<'a>,
    /// Width of abbreviation ids in the current block.
    width: u32,
    abbreviations: Vec<Rc<Abbreviation>>,
    scopes: Vec<Scope>,
    /// Abbreviations that `BLOCKINFO` registered for blocks; a handful of entries.
    block_info: Vec<(u32, Vec<Rc<Abbreviation>>)>,
    /// Of [`MAX_TOTAL_OPERANDS`].
    operands_left: usize,
}

/// Header of a block whose start was just read.
struct BlockHeader {
    width: u32,
    end_bit: usize,
}

impl<'a> Stream<'a> {
    /// A stream over raw bitcode, the magic included.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        let mut bits = Bits::new(bytes);
        bits.seek(32.min(bytes.len() * 8));
        Self {
            bits,
            width: 2,
            abbreviations: Vec::new(),
            scopes: Vec::new(),
            block_info: Vec::new(),
            operands_left: MAX_TOTAL_OPERANDS,
        }
    }

    /// Whether everything but padding was read. Only asked at top level, where blocks follow each other to the end.
    pub(crate) fn is_at_end(&self) -> bool {
        self.bits.remaining() < 32 || self.bits.rest_is_zero()
    }

    /// The current place, for messages and for going back.
    pub(crate) fn bit(&self) -> usize {
        self.bits.position()
    }

    /// The next event; records are read into `record`.
    pub(crate) fn next(&mut self, record: &mut Record<'a>) -> Result<Event, ReadError> {
        loop {
            let id = self.bits.fixed(self.width)?;
            match id {
                END_BLOCK => {
                    self.leave()?;
                    return Ok(Event::End);
                }
                ENTER_SUBBLOCK => {
                    let block = self.bits.vbr(8)?;
                    let block =
                        u32::try_from(block).map_err(|_| self.bits.broken("block ids are 32-bit numbers"))?;
                    if block != BLOCKINFO_BLOCK {
                        return Ok(Event::Block(block));
                    }
                    self.read_block_info()?;
                }
                DEFINE_ABBREV => {
                    let abbreviation = Abbreviation::read(&mut self.bits)?;
                    if self.abbreviations.len() >= MAX_ABBREVIATIONS {
                        return Err(self.bits.broken("more than 4096 abbreviations in one block"));
                    }
                    self.abbreviations.push(Rc::new(abbreviation));
                }
                UNABBREV_RECORD => {
                    self.read_unabbreviated(record)?;
                    self.count(record)?;
                    return Ok(Event::Record);
                }
                _ => {
                    let index = (id - FIRST_ABBREVIATION) as usize;
                    let Some(abbreviation) = self.abbreviations.get(index) else {
                        return Err(self.bits.broken("the abbreviation was never defined"));
                    };
                    let abbreviation = Rc::clone(abbreviation);
                    self.read_abbreviated(&abbreviation, record)?;
                    self.count(record)?;
                    return Ok(Event::Record);
                }
            }
        }
    }

    /// Enters the block that [`Event::Block`] announced.
    pub(crate) fn enter(&mut self, block: u32) -> Result<(), ReadError> {
        let header = self.read_block_header()?;
        if self.scopes.len() >= MAX_DEPTH {
            return Err(self.bits.broken("blocks nest more than 16 deep"));
        }
        let inherited = self
            .block_info
            .iter()
            .find(|(id, _)| *id == block)
            .map_or_else(Vec::new, |(_, abbreviations)| abbreviations.clone());
        self.scopes.push(Scope {
            end_bit: header.end_bit,
            outer_width: std::mem::replace(&mut self.width, header.width),
            outer_abbreviations: std::mem::replace(&mut self.abbreviations, inherited),
        });
        Ok(())
    }

    /// Skips the block that [`Event::Block`] announced.
    pub(crate) fn skip(&mut self) -> Result<(), ReadError> {
        let header = self.read_block_header()?;
        self.bits.seek(header.end_bit);
        Ok(())
    }

    fn leave(&mut self) -> Result<(), ReadError> {
        let Some(scope) = self.scopes.pop() else {
            return Err(self.bits.broken("a block ends that never began"));
        };
        self.bits.align32()?;
        if self.bits.position() != scope.end_bit {
            return Err(self.bits.broken("a block ends elsewhere than its length says"));
        }
        self.restore(scope);
        Ok(())
    }

    fn restore(&mut self, scope: Scope) {
        self.width = scope.outer_width;
        self.abbreviations = scope.outer_abbreviations;
    }

    fn read_block_header(&mut self) -> Result<BlockHeader, ReadError> {
        let width = self.bits.vbr(4)?;
        if !(2..=32).contains(&width) {
            return Err(self.bits.broken("abbreviation ids are 2 to 32 bits wide"));
        }
        self.bits.align32()?;
        let words = self.bits.fixed(32)?;
        let end_bit = words
            .checked_mul(32)
            .and_then(|length| length.checked_add(self.bits.position() as u64))
            .filter(|&end| end <= self.outer_end() as u64);
        match end_bit {
            Some(end_bit) => Ok(BlockHeader { width: width as u32, end_bit: end_bit as usize }),
            None => Err(self.bits.broken("a block reaches past the end of what holds it")),
        }
    }

    fn outer_end(&self) -> usize {
        self.scopes.last().map_or(self.bits.end(), |scope| scope.end_bit)
    }

    fn read_unabbreviated(&mut self, record: &mut Record<'a>) -> Result<(), ReadError> {
        record.blob = &[];
        record.operands.clear();
        record.code = self.record_code(|bits| bits.vbr(6))?;
        let count = self.bits.vbr(6)?;
        self.check_count(count, 6)?;
        record.operands.reserve(count as usize);
        for _ in 0..count {
            record.operands.push(self.bits.vbr(6)?);
        }
        Ok(())
    }

    fn read_abbreviated(
        &mut self,
        abbreviation: &Abbreviation,
        record: &mut Record<'a>,
    ) -> Result<(), ReadError> {
        record.blob = &[];
        record.operands.clear();
        let (first, rest) = abbreviation.split_code();
        record.code = self.record_code(|bits| first.read(bits))?;
        for operand in rest {
            match *operand {
                Operand::Scalar(encoding) => record.operands.push(encoding.read(&mut self.bits)?),
                Operand::Array(encoding) => {
                    let count = self.bits.vbr(6)?;
                    self.check_count(count, encoding.least_bits())?;
                    record.operands.reserve(count as usize);
                    for _ in 0..count {
                        record.operands.push(encoding.read(&mut self.bits)?);
                    }
                }
                Operand::Blob => {
                    let length = self.bits.vbr(6)?;
                    self.bits.align32()?;
                    record.blob = self.bits.bytes(length)?;
                    self.bits.align32()?;
                }
            }
        }
        Ok(())
    }

    fn record_code(
        &mut self,
        read: impl FnOnce(&mut Bits<'a>) -> Result<u64, ReadError>,
    ) -> Result<u32, ReadError> {
        let code = read(&mut self.bits)?;
        u32::try_from(code).map_err(|_| self.bits.broken("record codes are 32-bit numbers"))
    }

    fn count(&mut self, record: &Record<'_>) -> Result<(), ReadError> {
        match self.operands_left.checked_sub(1 + record.operands.len()) {
            Some(left) => {
                self.operands_left = left;
                Ok(())
            }
            None => Err(ReadError::Limit {
                what: "operands in all records",
                value: (MAX_TOTAL_OPERANDS + record.operands.len()) as u64,
                limit: MAX_TOTAL_OPERANDS as u64,
            }),
        }
    }

    /// Refuses counts that the remaining bits cannot hold.
    fn check_count(&self, count: u64, least_bits: u32) -> Result<(), ReadError> {
        let room = (self.bits.remaining() / least_bits.max(1) as usize).min(MAX_OPERANDS);
        if count > room as u64 {
            return Err(self.bits.broken("a record has more operands than there are bits for"));
        }
        Ok(())
    }

    /// Reads a whole `BLOCKINFO` block, of which only the abbreviations matter.
    fn read_block_info(&mut self) -> Result<(), ReadError> {
        self.enter(BLOCKINFO_BLOCK)?;
        let mut record = Record::default();
        let mut current: Option<usize> = None;
        loop {
            match self.bits.fixed(self.width)? {
                END_BLOCK => return self.leave(),
                ENTER_SUBBLOCK => {
                    self.bits.vbr(8)?;
                    self.skip()?;
                }
                DEFINE_ABBREV => {
                    let abbreviation = Rc::new(Abbreviation::read(&mut self.bits)?);
                    let Some(current) = current else {
                        return Err(self
                            .bits
                            .broken("`BLOCKINFO` defines an abbreviation before it names a block"));
                    };
                    let list = &mut self.block_info[current].1;
                    if list.len() >= MAX_ABBREVIATIONS {
                        return Err(self.bits.broken("more than 4096 abbreviations for one block"));
                    }
                    list.push(abbreviation);
                }
                UNABBREV_RECORD => {
                    self.read_unabbreviated(&mut record)?;
                    if record.code == BLOCKINFO_SETBID {
                        current = Some(self.block_info_for(record.operands.first().copied())?);
                    }
                }
                _ => return Err(self.bits.broken("`BLOCKINFO` holds an abbreviated record")),
            }
        }
    }

    fn block_info_for(&mut self, block: Option<u64>) -> Result<usize, ReadError> {
        let Some(block) = block.and_then(|block| u32::try_from(block).ok()) else {
            return Err(self.bits.broken("`SETBID` needs a block id"));
        };
        if let Some(index) = self.block_info.iter().position(|(id, _)| *id == block) {
            return Ok(index);
        }
        if self.block_info.len() >= 256 {
            return Err(self.bits.broken("`BLOCKINFO` describes more than 256 blocks"));
        }
        self.block_info.push((block, Vec::new()));
        Ok(self.block_info.len() - 1)
    }
}

#[cfg(test)]
mod tests;
