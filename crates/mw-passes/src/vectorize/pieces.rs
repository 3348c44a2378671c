//! Elements that each lane has side by side, at a place of its own.
//!
//! **Before** each lane reads `p[0]`, `p[1]`, … through its own `p`: one gather for each element.
//! **After** one read for each lane, and shuffles; a piece that is only moved on is written as it was read.
//! Where lanes are missing or elements lie apart, a loop over the lanes moves them one by one.
//! **Requires** what [`super::groups`] requires.
//! **Cost** 32 accesses of up to 16 bytes for each 16 bytes of a piece.

use mw_air::{AddressSpace, BinaryOp, BlockId, CastOp, Inst, IntPredicate, Layout, Scalar, Type, ValueId};

use super::groups::Group;
use super::values::{Emitter, LANES, PTR, Wide};
use crate::PassError;

impl Emitter<'_, '_> {
    /// The scalar address of each lane's piece.
    fn lane_addresses(&mut self, pointers: &[(ValueId, i64, u32)]) -> Result<Vec<ValueId>, PassError> {
        let first = Self::lowest(pointers)?;
        if let (Wide::Affine { base, ok: None, .. }, Some(offsets)) =
            (self.wide(first)?, self.uniformity.offsets(first))
        {
            return Ok(offsets
                .iter()
                .map(|offset| {
                    let mut b = self.b();
                    let offset = b.int(&Type::I64, *offset as u64);
                    b.gep(&Type::I8, base, vec![offset])
                })
                .collect());
        }
        let vector = self.vector(first)?;
        let ty = self.function.value_type(vector).clone();
        let slot = self.scratch(Layout::store_size(&ty));
        // Volatile, so that the lanes are read from memory: taking them out of registers one by one is
        // slower.
        let inst = Inst::Store { ptr: slot, value: vector, align: 64, volatile: true, ordering: None };
        self.b().push_void(inst);
        Ok((0..u64::from(LANES))
            .map(|lane| {
                let bytes = Layout::store_size(&PTR);
                let ptr = self.offset(slot, lane * bytes);
                let inst = Inst::Load { ptr, align: bytes as u32, volatile: true, ordering: None };
                self.b().push(inst, PTR)
            })
            .collect())
    }

    /// Whether all lanes are active and each lane's elements lie in one piece.
    fn pieces_condition(&mut self, pointers: &[(ValueId, i64, u32)]) -> Result<ValueId, PassError> {
        let mask = self.mask();
        let mut condition = self.all(mask);
        let first = Self::lowest(pointers)?;
        for (ptr, at, _) in pointers {
            if *at == 0 || self.is_apart_by(first, *ptr, *at) {
                continue;
            }
            let same = match (self.wide(first)?, self.wide(*ptr)?) {
                (
                    Wide::Affine { base, shape, ok: None },
                    Wide::Affine { base: other, shape: other_shape, ok: None },
                ) if shape == other_shape => {
                    let mut b = self.b();
                    let offset = b.int(&Type::I64, *at as u64);
                    let expected = b.gep(&Type::I8, base, vec![offset]);
                    b.icmp(IntPredicate::Eq, other, expected)
                }
                _ => {
                    // As numbers: LLVM 22 breaks modules that compare vectors of computed addresses.
                    let numbers = Type::Vector(Scalar::Int(64), LANES);
                    let (lowest, place) = (self.vector(first)?, self.vector(*ptr)?);
                    let mut b = self.b();
                    let lowest = b.cast(CastOp::PtrToInt, lowest, &numbers);
                    let place = b.cast(CastOp::PtrToInt, place, &numbers);
                    let offset = b.int(&numbers, *at as u64);
                    let expected = b.binary(BinaryOp::Add, lowest, offset);
                    let same = b.icmp(IntPredicate::Eq, place, expected);
                    self.all(same)
                }
            };
            condition = self.b().binary(BinaryOp::And, condition, same);
        }
        Ok(condition)
    }

    /// Whether each lane's elements lie in one piece, whatever the addresses are.
    fn is_one_piece_for_certain(&self, pointers: &[(ValueId, i64, u32)]) -> Result<bool, PassError> {
        let first = Self::lowest(pointers)?;
        Ok(pointers.iter().all(|(ptr, at, _)| *at == 0 || self.is_apart_by(first, *ptr, *at)))
    }

    /// Moves elements between each active lane's places and a slot that has them in chunks.
    fn move_lane_by_lane(
        &mut self,
        pointers: &[(ValueId, i64, u32)],
        chunks: Chunks,
        align: u32,
        (slot, to_slot): (ValueId, bool),
    ) -> Result<(), PassError> {
        let certain = self.is_one_piece_for_certain(pointers)?;
        let size = u64::from(chunks.memory.bits() / 8);
        let first = Self::lowest(pointers)?;
        let addresses: Vec<ValueId> =
            if certain { vec![first] } else { pointers.iter().map(|(ptr, _, _)| *ptr).collect() };
        // Not of the size of the other slot, or they would be one.
        let row = u64::from(LANES) * Layout::store_size(&PTR);
        let table = self.scratch(row * addresses.len() as u64 + 64);
        for (index, ptr) in (0..).zip(&addresses) {
            let addresses = self.vector(*ptr)?;
            let place = self.offset(table, index * row);
            self.b().store(place, addresses, 64);
        }
        // From where in the piece, to what chunk and place in it, how much.
        let whole = Type::Vector(chunks.memory, chunks.elements as u32);
        let single = Type::Scalar(chunks.memory);
        let moves: Vec<(u64, u64, usize, &Type)> = if certain {
            let chunk_bytes = chunks.elements as u64 * size;
            (0..chunks.per_piece() as u64)
                .map(|chunk| (0, chunk * chunk_bytes, chunk as usize, &whole))
                .collect()
        } else {
            (0..)
                .zip(pointers)
                .map(|(index, (_, at, _))| {
                    let chunk = *at as usize / size as usize / chunks.elements;
                    (index, *at as u64, chunk, &single)
                })
                .collect()
        };
        let mask = self.mask();
        self.for_each_lane(mask, |this, lane| {
            // The lane's place in the first chunk: vector `lane % c`, elements from `lane / c · c` on.
            let mut b = this.b();
            let low = b.int(&Type::I64, chunks.elements as u64 - 1);
            let vector = b.binary(BinaryOp::And, lane, low);
            let element = b.binary(BinaryOp::Xor, lane, vector);
            let width = b.int(&Type::I64, u64::from(LANES));
            let start = b.binary(BinaryOp::Mul, vector, width);
            let start = b.binary(BinaryOp::Add, start, element);
            for (index, at, chunk, ty) in moves {
                let addresses = this.offset(table, index * row);
                let address = this.lane_of((addresses, Scalar::Ptr(AddressSpace::THREAD)), lane);
                let address = if certain { this.offset(address, at) } else { address };
                let mut b = this.b();
                let place = b.gep(&Type::Scalar(chunks.memory), slot, vec![start]);
                let within = at % (chunks.elements as u64 * size);
                let vectors = (chunk * chunks.elements) as u64 * u64::from(LANES) * size;
                let place = this.offset(place, vectors + within);
                let (from, to) = if to_slot { (address, place) } else { (place, address) };
                let (from_align, to_align) =
                    if to_slot { (align, size as u32) } else { (size as u32, align) };
                let value = this.b().load(ty, from, from_align);
                this.b().store(to, value, to_align);
            }
            Ok(())
        })
    }

    /// `bytes` behind `base`.
    fn offset(&mut self, base: ValueId, bytes: u64) -> ValueId {
        if bytes == 0 {
            return base;
        }
        let mut b = self.b();
        let offset = b.int(&Type::I64, bytes);
        b.gep(&Type::I8, base, vec![offset])
    }

    /// Each lane's piece, and its elements.
    pub(super) fn emit_pieces_load(
        &mut self,
        block: BlockId,
        group: &Group,
        pointers: &[(ValueId, i64, u32)],
        memory: Scalar,
    ) -> Result<bool, PassError> {
        let count = group.members.len();
        let chunks = Chunks::new(memory, count);
        let align =
            pointers.iter().map(|(_, _, align)| *align).min().unwrap_or(0).clamp(1, group.size as u32);
        let condition = self.pieces_condition(pointers)?;
        let vectors = self.if_else_all(
            condition,
            |this| {
                let addresses = this.lane_addresses(pointers)?;
                this.prefetch_next_round(block, Self::lowest(pointers)?, &addresses)?;
                let ty = Type::Vector(memory, chunks.elements as u32);
                let mut vectors = Vec::new();
                for chunk in 0..chunks.per_piece() as u64 {
                    for first in 0..chunks.elements {
                        let mut pieces = Vec::new();
                        for address in addresses.iter().skip(first).step_by(chunks.elements) {
                            let place = this.offset(*address, chunk * chunks.bytes());
                            pieces.push(this.b().load(&ty, place, align));
                        }
                        vectors.push(this.concatenate(pieces));
                    }
                }
                Ok(vectors)
            },
            |this| {
                let slot = this.scratch(chunks.slot_bytes());
                let zero = this.b().zero(&Type::Vector(memory, LANES));
                this.store_run(&vec![zero; count], slot, chunks.slot_align());
                this.move_lane_by_lane(pointers, chunks, align, (slot, true))?;
                Ok(this.load_run(memory, count as i64, slot, chunks.slot_align()))
            },
        )?;
        let elements: Vec<ValueId> =
            vectors.chunks(chunks.elements).flat_map(|chunk| self.transpose_chunks(chunk)).collect();
        let mut results = vec![ValueId(0); count];
        for (member, at) in &group.members {
            let place = (at / group.size) as usize;
            let result = self.source.inst(*member).result.expect("loads have a value");
            let ty = self.source.value_type(result).clone();
            let value = self.bits_to_value(elements[place], &ty);
            self.set(result, Wide::Varying(value));
            results[place] = result;
        }
        self.groups.pieces.insert(results, vectors);
        Ok(true)
    }

    /// Writes each lane's piece.
    pub(super) fn emit_pieces_store(
        &mut self,
        pointers: &[(ValueId, i64, u32)],
        sources: &[ValueId],
        values: &[ValueId],
        size: i64,
    ) -> Result<bool, PassError> {
        let count = values.len();
        let chunks = Chunks::new(Scalar::Int(size as u16 * 8), count);
        let align = pointers.iter().map(|(_, _, align)| *align).min().unwrap_or(0).clamp(1, size as u32);
        let mut order = vec![ValueId(0); count];
        let mut elements = vec![values[0]; count];
        for (((_, at, _), source), value) in pointers.iter().zip(sources).zip(values) {
            order[(at / size) as usize] = *source;
            elements[(at / size) as usize] = *value;
        }
        // What was read in the same pieces needs no shuffling in between.
        let vectors = match self.groups.pieces.get(&order) {
            Some(vectors) => vectors.clone(),
            None => elements.chunks(chunks.elements).flat_map(|chunk| self.transpose_chunks(chunk)).collect(),
        };
        let condition = self.pieces_condition(pointers)?;
        self.if_else_void(
            condition,
            |this| {
                let addresses = this.lane_addresses(pointers)?;
                for (lane, address) in addresses.into_iter().enumerate() {
                    for chunk in 0..chunks.per_piece() {
                        let vector = vectors[chunk * chunks.elements + lane % chunks.elements];
                        let first = lane / chunks.elements * chunks.elements;
                        let order = (first as i32..(first + chunks.elements) as i32).collect();
                        let piece = this.b().shuffle(vector, vector, order);
                        let place = this.offset(address, chunk as u64 * chunks.bytes());
                        this.b().store(place, piece, align);
                    }
                }
                Ok(())
            },
            |this| {
                let slot = this.scratch(chunks.slot_bytes());
                this.store_run(&vectors, slot, chunks.slot_align());
                this.move_lane_by_lane(pointers, chunks, align, (slot, false))
            },
        )?;
        Ok(true)
    }
}

/// How pieces are cut into chunks: see [`super::interleave`].
#[derive(Clone, Copy, Debug)]
struct Chunks {
    memory: Scalar,
    /// Elements of a piece.
    count: usize,
    /// Elements of a chunk.
    elements: usize,
}

impl Chunks {
    fn new(memory: Scalar, count: usize) -> Self {
        const CHUNK_BITS: u32 = 128;
        Self { memory, count, elements: count.min((CHUNK_BITS / memory.bits()) as usize) }
    }

    fn per_piece(self) -> usize {
        self.count / self.elements
    }

    fn bytes(self) -> u64 {
        u64::from(self.memory.bits() / 8) * self.elements as u64
    }

    /// Size of the pieces of all lanes.
    fn slot_bytes(self) -> u64 {
        u64::from(LANES * self.memory.bits() / 8) * self.count as u64
    }

    fn slot_align(self) -> u32 {
        64.min(LANES * self.memory.bits() / 8)
    }
}
