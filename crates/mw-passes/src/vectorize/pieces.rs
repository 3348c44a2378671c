//! Elements that each lane has side by side, at a place of its own.
//!
//! **Before** each lane reads `p[0]`, `p[1]`, … through its own `p`: one gather for each element.
//! **After** one read for each lane, and shuffles; a piece that is only moved on is written as it was read.
//! **Requires** what [`super::groups`] requires.
//! **Cost** 32 accesses for a group, whatever it holds.

use mw_air::{AddressSpace, BinaryOp, CastOp, Inst, IntPredicate, Scalar, Type, ValueId};

use super::groups::Group;
use super::values::{Emitter, LANES, Wide};
use crate::PassError;

impl Emitter<'_, '_> {
    /// The scalar address of each lane's piece.
    fn lane_addresses(&mut self, pointers: &[(ValueId, i64, u32)]) -> Result<Vec<ValueId>, PassError> {
        let first = Self::lowest(pointers)?;
        // Where it holds under a condition only, `pieces_condition` has it.
        if let (Wide::Affine { base, .. }, Some(offsets)) =
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
        let slot = self.slot(&ty);
        // Volatile, so that the lanes are read from memory: taking them out of registers one by one is
        // slower.
        let inst = Inst::Store { ptr: slot, value: vector, align: 64, volatile: true, ordering: None };
        self.b().push_void(inst);
        Ok((0..u64::from(LANES))
            .map(|lane| {
                let lane = self.function.const_int(Type::I64, lane);
                self.lane_of((slot, Scalar::Ptr(AddressSpace::THREAD)), lane)
            })
            .collect())
    }

    /// Whether all lanes are active and each lane's elements lie in one piece.
    fn pieces_condition(&mut self, pointers: &[(ValueId, i64, u32)]) -> Result<ValueId, PassError> {
        let mask = self.mask();
        let mut condition = self.all(mask);
        let first = Self::lowest(pointers)?;
        if let Wide::Affine { ok: Some(ok), .. } = self.wide(first)? {
            condition = self.b().binary(BinaryOp::And, condition, ok);
        }
        for (ptr, at, _) in pointers {
            if *at == 0 || self.is_apart_by(first, *ptr, *at) {
                continue;
            }
            let same = match (self.wide(first)?, self.wide(*ptr)?) {
                (Wide::Affine { base, shape, .. }, Wide::Affine { base: other, shape: other_shape, ok })
                    if shape == other_shape =>
                {
                    let mut b = self.b();
                    let offset = b.int(&Type::I64, *at as u64);
                    let expected = b.gep(&Type::I8, base, vec![offset]);
                    let same = b.icmp(IntPredicate::Eq, other, expected);
                    ok.map_or(same, |ok| self.b().binary(BinaryOp::And, same, ok))
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

    /// Each lane's piece of `count` elements, one behind the other.
    pub(super) fn emit_pieces_load(
        &mut self,
        group: &Group,
        pointers: &[(ValueId, i64, u32)],
        memory: Scalar,
    ) -> Result<bool, PassError> {
        let count = group.members.len() as i32;
        let align =
            pointers.iter().map(|(_, _, align)| *align).min().unwrap_or(0).clamp(1, group.size as u32);
        let condition = self.pieces_condition(pointers)?;
        let mask = self.mask();
        let whole = self.if_else(
            condition,
            |this| {
                let mut pieces = Vec::new();
                for address in this.lane_addresses(pointers)? {
                    pieces.push(this.b().load(&Type::Vector(memory, count as u32), address, align));
                }
                Ok(this.concatenate(pieces))
            },
            |this| {
                let mut elements = vec![mask; count as usize];
                for (ptr, at, _) in pointers {
                    let addresses = this.vector(*ptr)?;
                    elements[(at / group.size) as usize] = this.gather(memory, addresses, align, mask);
                }
                Ok(this.interleave(&elements))
            },
        )?;
        let mut results = vec![ValueId(0); count as usize];
        for (member, at) in &group.members {
            let first = (at / group.size) as i32;
            let order = (0..LANES as i32).map(|lane| lane * count + first).collect();
            let bits = self.b().shuffle(whole, whole, order);
            let result = self.source.inst(*member).result.expect("loads have a value");
            let ty = self.source.value_type(result).clone();
            let value = self.bits_to_value(bits, &ty);
            self.set(result, Wide::Varying(value));
            results[first as usize] = result;
        }
        self.groups.pieces.insert(results, whole);
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
        let align = pointers.iter().map(|(_, _, align)| *align).min().unwrap_or(0).clamp(1, size as u32);
        let mut order = vec![ValueId(0); count];
        let mut elements = vec![values[0]; count];
        for (((_, at, _), source), value) in pointers.iter().zip(sources).zip(values) {
            order[(at / size) as usize] = *source;
            elements[(at / size) as usize] = *value;
        }
        // What was read in the same pieces needs no shuffling in between.
        let whole = match self.groups.pieces.get(&order) {
            Some(whole) => *whole,
            None => self.interleave(&elements),
        };
        let condition = self.pieces_condition(pointers)?;
        let mask = self.mask();
        self.if_else_void(
            condition,
            |this| {
                for (lane, address) in this.lane_addresses(pointers)?.into_iter().enumerate() {
                    let first = (lane * count) as i32;
                    let piece = this.b().shuffle(whole, whole, (first..first + count as i32).collect());
                    this.b().store(address, piece, align);
                }
                Ok(())
            },
            |this| {
                for ((ptr, _, _), value) in pointers.iter().zip(values) {
                    let addresses = this.vector(*ptr)?;
                    this.scatter(addresses, *value, align, mask)?;
                }
                Ok(())
            },
        )?;
        Ok(true)
    }
}
