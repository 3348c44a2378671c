//! Code that runs once for each active lane, in lane order: for what has no vector form.

use mw_air::{BinaryOp, CastOp, IntPredicate, Scalar, Type, ValueId};

use super::values::{Emitter, LANES};
use crate::PassError;

impl Emitter<'_, '_> {
    /// Runs `body` for each lane of `mask`, lowest first; it gets the lane as `i64`.
    pub(super) fn for_each_lane(
        &mut self,
        mask: ValueId,
        body: impl FnOnce(&mut Self, ValueId) -> Result<(), PassError>,
    ) -> Result<(), PassError> {
        let rest = self.slot(&Type::I32);
        let bits = self.mask_bits(mask);
        self.write(rest, bits);
        let (head, inside, after) =
            (self.function.add_block(), self.function.add_block(), self.function.add_block());
        self.b().br(head);
        self.block = head;
        let bits = self.read(&Type::I32, rest);
        let mut b = self.b();
        let zero = b.int(&Type::I32, 0);
        let more = b.icmp(IntPredicate::Ne, bits, zero);
        b.cond_br(more, inside, after);
        self.block = inside;
        let no = self.b().int(&Type::I1, 0);
        let lane = self.call_value("llvm.cttz.i32", vec![bits, no], &Type::I32);
        let mut b = self.b();
        let lane = b.cast(CastOp::ZExt, lane, &Type::I64);
        let one = b.int(&Type::I32, 1);
        let below = b.binary(BinaryOp::Sub, bits, one);
        let left = b.binary(BinaryOp::And, bits, below);
        self.write(rest, left);
        body(self, lane)?;
        self.b().br(head);
        self.block = after;
        Ok(())
    }

    /// Puts a vector where single lanes can be taken out and put in; gives the address and the element.
    pub(super) fn spill(&mut self, vector: ValueId) -> (ValueId, Scalar) {
        let ty = self.function.value_type(vector).clone();
        let scalar = ty.scalar().expect("vector");
        let (ty, vector, scalar) = if scalar == Scalar::Int(1) {
            let bytes = Type::Vector(Scalar::Int(8), LANES);
            (bytes.clone(), self.b().cast(CastOp::ZExt, vector, &bytes), Scalar::Int(8))
        } else {
            (ty, vector, scalar)
        };
        let slot = self.slot(&ty);
        self.write(slot, vector);
        (slot, scalar)
    }

    /// One lane of a spilled vector.
    pub(super) fn lane_of(&mut self, spilled: (ValueId, Scalar), lane: ValueId) -> ValueId {
        let element = Type::Scalar(spilled.1);
        let mut b = self.b();
        let place = b.gep(&element, spilled.0, vec![lane]);
        b.load(&element, place, spilled.1.bits() / 8)
    }

    /// Replaces one lane of a spilled vector.
    pub(super) fn set_lane(&mut self, spilled: (ValueId, Scalar), lane: ValueId, value: ValueId) {
        let element = Type::Scalar(spilled.1);
        let mut b = self.b();
        let place = b.gep(&element, spilled.0, vec![lane]);
        b.store(place, value, spilled.1.bits() / 8);
    }

    /// The vector in a spill slot.
    pub(super) fn unspill(&mut self, spilled: (ValueId, Scalar)) -> ValueId {
        self.read(&Type::Vector(spilled.1, LANES), spilled.0)
    }
}
