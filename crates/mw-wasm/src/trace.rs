//! Traces: what one threadgroup did, event by event, as numbers that JavaScript reads without parsing.
//!
//! A trace is a list of words of four bytes. An event is a head of four words and a payload:
//!
//! | word | content |
//! | --- | --- |
//! | 0 | kind (byte 0), simdgroup (byte 1), [`Format`] of values or [`Memory`] of accesses (byte 2), rows (byte 3) |
//! | 1 | place: index of a position in the source, or 2^32 - 1 |
//! | 2 | active mask |
//! | 3 | by kind, see below |
//!
//! | kind | word 3 | payload |
//! | --- | --- | --- |
//! | 0 block: lanes enter | block | – |
//! | 1 values of an instruction | lanes without a defined value | for each row 32 low words, then 32 high words if the format has 64 bits |
//! | 2 load, 3 store, 4 atomic | bytes of each lane | 32 offsets; for buffers then 32 buffer indices |
//! | 5 stored values | 0 | 32 low words, 32 high words |
//! | 6 barrier | 0 | – |
//! | 7 call | function | – |
//! | 8 return | 0 | – |
//! | 9 phase: every simdgroup stands at a barrier or has ended | bytes of threadgroup memory | the bytes, then a bit for each that is set where the byte was written |
//! | 10 finding | which | – |
//!
//! An access to a buffer from outside of all buffers has the buffer index 2^32 - 1.

use std::collections::BTreeMap;

use mw_air::{FuncId, LocationId, Module, Scalar, Type};
use mw_interp::{
    Access, FindingKind, Observer, PRIVATE_MEMORY, Place, Position, THREADGROUP_MEMORY, place_of,
};
use serde_json::{Value, json};

use crate::frame::Bytes;
use crate::request::TraceOptions;

/// Words of a trace, unless the request says less: 32 MiB.
const MAX_WORDS: usize = 8 << 20;
/// No place, no buffer.
const NONE: u32 = u32::MAX;
const LANES: usize = 32;

/// How the bits of a value are to be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Format {
    /// Not a number that anybody wants to see.
    Other = 0,
    /// 0 or 1.
    Bool = 1,
    /// Integer of 8 bits.
    Int8 = 2,
    /// Integer of 16 bits.
    Int16 = 3,
    /// Integer of 32 bits.
    Int32 = 4,
    /// Integer of 64 bits.
    Int64 = 5,
    /// IEEE binary16.
    Half = 6,
    /// bfloat16.
    Bfloat = 7,
    /// IEEE binary32.
    Float = 8,
    /// An address.
    Pointer = 9,
}

/// Which memory an access goes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Memory {
    /// Buffers.
    Device = 0,
    /// Threadgroup memory.
    Threadgroup = 1,
    /// Memory of one thread.
    Private = 2,
    /// Data of the module.
    Constant = 3,
    /// Anything else.
    Other = 4,
}

/// Records one threadgroup.
pub(crate) struct Recorder {
    words: Vec<u32>,
    max_words: usize,
    is_truncated: bool,
    threadgroup: [u32; 3],
    /// The threadgroup that runs is the one to record.
    is_on: bool,
    size: [u32; 3],
    /// Buffers by address: index and length.
    addresses: BTreeMap<u64, (u32, u64)>,
    /// Position of each instruction, and format of its result, by function.
    insts: Vec<Vec<(Option<LocationId>, Format)>>,
    /// Position of each terminator.
    terminators: Vec<Vec<Option<LocationId>>>,
    /// Calls under way by simdgroup: where a library function was called from.
    calls: BTreeMap<u32, Vec<Option<LocationId>>>,
    /// Positions in the order in which they were met.
    places: Vec<LocationId>,
    numbers: BTreeMap<LocationId, u32>,
    events: u64,
}

#[derive(Clone, Copy)]
#[repr(u8)]
enum Kind {
    Block = 0,
    Values = 1,
    Load = 2,
    Store = 3,
    Atomic = 4,
    Stored = 5,
    Barrier = 6,
    Call = 7,
    Return = 8,
    Phase = 9,
    Finding = 10,
}

fn format_of(ty: &Type) -> Format {
    match ty.scalar() {
        Some(Scalar::Int(1)) => Format::Bool,
        Some(Scalar::Int(8)) => Format::Int8,
        Some(Scalar::Int(16)) => Format::Int16,
        Some(Scalar::Int(32)) => Format::Int32,
        Some(Scalar::Int(64)) => Format::Int64,
        Some(Scalar::Half) => Format::Half,
        Some(Scalar::BFloat) => Format::Bfloat,
        Some(Scalar::Float) => Format::Float,
        Some(Scalar::Ptr(_)) => Format::Pointer,
        _ => Format::Other,
    }
}

impl Recorder {
    pub(crate) fn new(module: &Module, options: &TraceOptions, addresses: BTreeMap<u64, (u32, u64)>) -> Self {
        let insts = (module.functions.iter())
            .map(|function| {
                (0..function.inst_count())
                    .map(|index| {
                        let data = function.inst(mw_air::InstId::new(index));
                        let format =
                            data.result.map_or(Format::Other, |it| format_of(function.value_type(it)));
                        (data.location, format)
                    })
                    .collect()
            })
            .collect();
        let terminators = (module.functions.iter())
            .map(|function| function.blocks.iter().map(|block| block.location).collect())
            .collect();
        Self {
            words: Vec::new(),
            max_words: options.max_words.unwrap_or(MAX_WORDS).min(MAX_WORDS),
            is_truncated: false,
            threadgroup: options.threadgroup,
            is_on: false,
            size: [0; 3],
            addresses,
            insts,
            terminators,
            calls: BTreeMap::new(),
            places: Vec::new(),
            numbers: BTreeMap::new(),
            events: 0,
        }
    }

    fn own_location(&self, at: &Position) -> Option<LocationId> {
        match at.inst {
            Some(inst) => self.insts.get(at.function.index())?.get(inst.index())?.0,
            None => *self.terminators.get(at.function.index())?.get(at.block.index())?,
        }
    }

    /// Where it happened, or where the library function was called that it happened in.
    fn location(&self, at: &Position) -> Option<LocationId> {
        self.own_location(at)
            .or_else(|| self.calls.get(&at.simdgroup)?.iter().rev().find_map(|location| *location))
    }

    fn place(&mut self, at: &Position) -> u32 {
        let Some(location) = self.location(at) else { return NONE };
        let next = self.places.len() as u32;
        let number = *self.numbers.entry(location).or_insert(next);
        if number == next {
            self.places.push(location);
        }
        number
    }

    /// Writes the head of an event with `payload` words to come; false if there is no room.
    fn begin(
        &mut self,
        kind: Kind,
        detail: u8,
        rows: u8,
        at: &Position,
        words: [u32; 2],
        payload: usize,
    ) -> bool {
        if !self.is_on || self.is_truncated {
            return false;
        }
        if self.words.len() + 4 + payload > self.max_words {
            self.is_truncated = true;
            return false;
        }
        let place = self.place(at);
        self.words.push(u32::from_le_bytes([kind as u8, at.simdgroup as u8, detail, rows]));
        self.words.extend([place, words[0], words[1]]);
        self.events += 1;
        true
    }

    fn access(&mut self, kind: Kind, at: &Position, access: &Access<'_>) {
        if access.mask == 0 {
            return;
        }
        let lead = access.addresses[access.mask.trailing_zeros() as usize & (LANES - 1)];
        let (memory, base) = match place_of(lead) {
            Place::Host => (Memory::Device, 0),
            Place::Threadgroup => (Memory::Threadgroup, THREADGROUP_MEMORY),
            Place::Private => (Memory::Private, PRIVATE_MEMORY),
            Place::Constants => (Memory::Constant, 0xf3 << 56),
            Place::Functions | Place::Absent => (Memory::Other, 0),
        };
        let payload = if memory == Memory::Device { 2 * LANES } else { LANES };
        let size = u32::try_from(access.size).unwrap_or(u32::MAX);
        if !self.begin(kind, memory as u8, 0, at, [access.mask, size], payload) {
            return;
        }
        let mut buffers = [NONE; LANES];
        for (lane, address) in access.addresses.iter().enumerate() {
            let is_active = access.mask >> lane & 1 != 0;
            let offset = if !is_active {
                0
            } else if memory == Memory::Device {
                match self.addresses.range(..=*address).next_back() {
                    Some((start, (index, length))) if *address - start < *length => {
                        buffers[lane] = *index;
                        (*address - start) as u32
                    }
                    _ => *address as u32,
                }
            } else {
                address.wrapping_sub(base) as u32
            };
            self.words.push(offset);
        }
        if memory == Memory::Device {
            self.words.extend(buffers);
        }
    }

    /// The trace as JSON, with its words among the bytes.
    pub(crate) fn finish(self, module: &Module, bytes: &mut Bytes) -> Value {
        let debug = &module.debug;
        let places: Vec<Value> = (self.places.iter())
            .map(|id| {
                let Some(location) = debug.location(*id) else { return Value::Null };
                let function = debug.subprogram(location.scope);
                json!({
                    "file": debug.file_of(location).map(|file| &*file.name),
                    "line": location.line,
                    "column": location.column,
                    "end_line": location.end.map(|(line, _)| line),
                    "end_column": location.end.map(|(_, column)| column),
                    "function": function.map(|function| &*function.name),
                })
            })
            .collect();
        let functions: Vec<&str> = module.functions.iter().map(|function| &*function.name).collect();
        let words: Vec<u8> = self.words.iter().flat_map(|word| word.to_le_bytes()).collect();
        json!({
            "threadgroup": self.threadgroup,
            "threadgroup_size": self.size,
            "places": places,
            "functions": functions,
            "event_count": self.events,
            "truncated": self.is_truncated,
            "words": bytes.push(&words),
        })
    }
}

impl Observer for Recorder {
    fn begin_threadgroup(&mut self, position: [u32; 3], size: [u32; 3]) {
        self.is_on = position == self.threadgroup;
        self.calls.clear();
        if self.is_on {
            self.size = size;
        }
    }

    fn enter_block(&mut self, at: &Position, mask: u32) {
        self.begin(Kind::Block, 0, 0, at, [mask, at.block.0], 0);
    }

    fn values(&mut self, at: &Position, mask: u32, rows: &[&[u64; LANES]], undef: u32) {
        let format = at
            .inst
            .and_then(|inst| self.insts.get(at.function.index())?.get(inst.index()))
            .map_or(Format::Other, |(_, format)| *format);
        if format == Format::Other || rows.len() > 16 {
            return;
        }
        let is_wide = matches!(format, Format::Int64 | Format::Pointer);
        let payload = rows.len() * LANES * if is_wide { 2 } else { 1 };
        if !self.begin(Kind::Values, format as u8, rows.len() as u8, at, [mask, undef], payload) {
            return;
        }
        for row in rows {
            self.words.extend(row.iter().map(|value| *value as u32));
            if is_wide {
                self.words.extend(row.iter().map(|value| (*value >> 32) as u32));
            }
        }
    }

    fn load(&mut self, at: &Position, access: &Access<'_>) {
        self.access(Kind::Load, at, access);
    }

    fn store(&mut self, at: &Position, access: &Access<'_>) {
        self.access(Kind::Store, at, access);
    }

    fn atomic(&mut self, at: &Position, access: &Access<'_>) {
        self.access(Kind::Atomic, at, access);
    }

    fn stored(&mut self, at: &Position, mask: u32, row: &[u64; LANES]) {
        if self.begin(Kind::Stored, 0, 1, at, [mask, 0], 2 * LANES) {
            self.words.extend(row.iter().map(|value| *value as u32));
            self.words.extend(row.iter().map(|value| (*value >> 32) as u32));
        }
    }

    fn barrier(&mut self, at: &Position, mask: u32) {
        self.begin(Kind::Barrier, 0, 0, at, [mask, 0], 0);
    }

    fn call(&mut self, at: &Position, callee: FuncId, mask: u32) {
        self.begin(Kind::Call, 0, 0, at, [mask, callee.0], 0);
        if self.is_on {
            let location = self.location(at);
            self.calls.entry(at.simdgroup).or_default().push(location);
        }
    }

    fn ret(&mut self, at: &Position, mask: u32) {
        self.begin(Kind::Return, 0, 0, at, [mask, 0], 0);
        // Lanes may return one after the other; only the place of library code depends on it.
        if self.is_on
            && let Some(calls) = self.calls.get_mut(&at.simdgroup)
        {
            calls.pop();
        }
    }

    fn phase(&mut self, threadgroup: [u32; 3], memory: &mw_interp::ThreadgroupMemory<'_>) {
        if threadgroup != self.threadgroup {
            return;
        }
        let length = memory.len();
        let payload = length.div_ceil(4) + length.div_ceil(32);
        let nowhere = Position {
            threadgroup,
            simdgroup: 0,
            function: FuncId(u32::MAX),
            block: mw_air::BlockId(0),
            inst: None,
        };
        if !self.begin(Kind::Phase, 0, 0, &nowhere, [0, length as u32], payload) {
            return;
        }
        let contents: Vec<Option<u8>> = (0..length).map(|offset| memory.byte(offset)).collect();
        for chunk in contents.chunks(4) {
            let mut bytes = [0; 4];
            for (slot, byte) in bytes.iter_mut().zip(chunk) {
                *slot = byte.unwrap_or(0);
            }
            self.words.push(u32::from_le_bytes(bytes));
        }
        for chunk in contents.chunks(32) {
            let bits = chunk
                .iter()
                .enumerate()
                .fold(0, |bits, (index, byte)| bits | u32::from(byte.is_some()) << index);
            self.words.push(bits);
        }
    }

    fn finding(&mut self, at: &Position, kind: FindingKind, mask: u32) {
        self.begin(Kind::Finding, 0, 0, at, [mask, kind as u32], 0);
    }
}
