//! Reading ahead for simdgroups that come next.
//!
//! **Before** each simdgroup reads its part of a row, meets a barrier, and the next simdgroup reads on where
//! this one stopped: between the reads lies so much code that neither the CPU's window nor its prefetchers
//! reach them.
//! **After** a simdgroup also asks for what lies a page further on, which comes while others compute.
//! **Ensures** nothing but speed changes: a prefetch never faults.

use mw_air::{AddressSpace, BinaryOp, BlockId, CastOp, FunctionType, Inst, Layout, Type, ValueId};

use super::values::{Emitter, PTR};
use crate::PassError;

/// How far ahead: far enough to hide memory, near enough to be in the cache still when its turn comes.
const DISTANCE_BYTES: i64 = 4096;
const LINE_BYTES: i64 = 64;

impl Emitter<'_, '_> {
    /// Asks for the bytes `DISTANCE_BYTES` behind those that the simdgroup reads from `base` on.
    pub(super) fn prefetch(&mut self, block: BlockId, ptr: ValueId, base: ValueId, bytes: i64) {
        let once = self.control.loops.innermost[block.index()].is_none();
        let device = self.source.value_type(ptr).address_space() == Some(AddressSpace::DEVICE);
        // Without barriers the reads follow one another closely, and the CPU sees where they go.
        if !self.meets_at_barriers || !once || !device {
            return;
        }
        for line in 0..(bytes + LINE_BYTES - 1) / LINE_BYTES {
            let offset = self.b().int(&Type::I64, (DISTANCE_BYTES + line * LINE_BYTES) as u64);
            self.prefetch_at(base, offset);
        }
    }

    /// Asks for what lanes read in the next round of a loop that advances the pointer by a fixed step: each
    /// lane on a row of its own is more than the CPU's prefetchers follow.
    pub(super) fn prefetch_next_round(
        &mut self,
        block: BlockId,
        ptr: ValueId,
        addresses: &[ValueId],
    ) -> Result<(), PassError> {
        let device = self.source.value_type(ptr).address_space() == Some(AddressSpace::DEVICE);
        if !self.meets_at_barriers || !device {
            return Ok(());
        }
        let Some((index, size)) = self.step(block, ptr) else { return Ok(()) };
        let index = self.uniform(index)?;
        let narrow = *self.function.value_type(index) != Type::I64;
        let mut b = self.b();
        let index = if narrow { b.cast(CastOp::SExt, index, &Type::I64) } else { index };
        let size = b.int(&Type::I64, size);
        let step = b.binary(BinaryOp::Mul, index, size);
        for address in addresses {
            self.prefetch_at(*address, step);
        }
        Ok(())
    }

    /// By how many elements of what size the innermost loop around `block` advances a pointer.
    fn step(&self, block: BlockId, ptr: ValueId) -> Option<(ValueId, u64)> {
        let around = self.control.loops.get(self.control.loops.innermost[block.index()]?);
        let gep = |value: ValueId| match &self.source.inst(self.source.defining_inst(value)?).inst {
            Inst::Gep { source, base, indices, .. } => Some((source, *base, indices)),
            _ => None,
        };
        let mut start = ptr;
        while let Some((_, base, indices)) = gep(start)
            && indices.iter().all(|index| self.source.as_int(*index).is_some())
        {
            start = base;
        }
        let id = self.source.defining_inst(start)?;
        let Inst::Phi { incoming, .. } = &self.source.inst(id).inst else { return None };
        if !self.source.block(around.header).insts.contains(&id) {
            return None;
        }
        let (_, next) = incoming.iter().find(|(from, _)| around.latches.contains(from))?;
        let (source, base, indices) = gep(*next)?;
        let [index] = **indices else { return None };
        // Known before the loop, so that it can be used here.
        let known = self.source.as_int(index).is_some()
            || self.is_emitted(index)
                && self.is_uniform(index)
                && self.source.value_type(index).scalar().is_some_and(|scalar| scalar.bits() <= 64);
        (base == start && known).then(|| (index, Layout::alloc_size(source)))
    }

    fn prefetch_at(&mut self, base: ValueId, offset: ValueId) {
        let ty = FunctionType {
            ret: Type::Void,
            params: vec![PTR, Type::I32, Type::I32, Type::I32],
            varargs: false,
        };
        let callee = self.shared.external("llvm.prefetch.p0", &ty);
        let mut b = self.b();
        let place = b.gep(&Type::I8, base, vec![offset]);
        let (read, keep, data) = (b.int(&Type::I32, 0), b.int(&Type::I32, 3), b.int(&Type::I32, 1));
        b.call(callee, &ty, vec![place, read, keep, data]);
    }
}
