//! Tests of numbers, and selection.
//!
//! Tests look at bits, so that fast math cannot decide them.

use mw_air::{BinaryOp, Flags, FloatPredicate, IntPredicate, Scalar, Type, ValueId};

use super::{Lowering, bits_of};
use crate::error::LowerError;

/// The bits of infinity in a format.
fn infinity_bits(ty: &Type) -> u64 {
    match ty.scalar() {
        Some(Scalar::Half) => 0x7c00,
        Some(Scalar::BFloat) => 0x7f80,
        _ => 0x7f80_0000,
    }
}

/// The bits of the least normal number in a format.
fn least_normal_bits(ty: &Type) -> u64 {
    match ty.scalar() {
        Some(Scalar::Half) => 0x0400,
        Some(Scalar::BFloat) => 0x0080,
        _ => 0x0080_0000,
    }
}

impl Lowering<'_, '_, '_> {
    /// The bits without the sign, and those of infinity.
    fn magnitude(&mut self, x: ValueId) -> (ValueId, ValueId) {
        let ty = self.cx.ty(x);
        let bits_ty = bits_of(&ty);
        let sign = 1_u64 << (bits_ty.scalar().map_or(32, Scalar::bits) - 1);
        let mask = self.cx.int(&bits_ty, sign - 1);
        let bits = self.cx.bitcast(x, &bits_ty);
        let magnitude = self.cx.binary(BinaryOp::And, bits, mask);
        (magnitude, self.cx.int(&bits_ty, infinity_bits(&ty)))
    }

    fn test(&mut self, predicate: IntPredicate) -> Result<ValueId, LowerError> {
        let x = self.argument(0)?;
        let (magnitude, infinity) = self.magnitude(x);
        Ok(self.cx.icmp(predicate, magnitude, infinity))
    }

    pub(super) fn is_infinite(&mut self, x: ValueId) -> ValueId {
        let (magnitude, infinity) = self.magnitude(x);
        self.cx.icmp(IntPredicate::Eq, magnitude, infinity)
    }

    pub(super) fn is_finite(&mut self) -> Result<ValueId, LowerError> {
        self.test(IntPredicate::Ult)
    }

    pub(super) fn is_inf(&mut self) -> Result<ValueId, LowerError> {
        self.test(IntPredicate::Eq)
    }

    pub(super) fn is_nan(&mut self) -> Result<ValueId, LowerError> {
        self.test(IntPredicate::Ugt)
    }

    pub(super) fn is_normal(&mut self) -> Result<ValueId, LowerError> {
        let x = self.argument(0)?;
        let ty = self.cx.ty(x);
        let (magnitude, infinity) = self.magnitude(x);
        let least = self.cx.int(&bits_of(&ty), least_normal_bits(&ty));
        let is_large = self.cx.icmp(IntPredicate::Uge, magnitude, least);
        let is_finite = self.cx.icmp(IntPredicate::Ult, magnitude, infinity);
        Ok(self.cx.binary(BinaryOp::And, is_large, is_finite))
    }

    pub(super) fn is_ordered(&mut self, ordered: bool) -> Result<ValueId, LowerError> {
        let (x, y) = self.arguments2()?;
        let predicate = if ordered { FloatPredicate::Ord } else { FloatPredicate::Uno };
        Ok(self.cx.fcmp(predicate, x, y, Flags::NONE))
    }

    pub(super) fn sign_bit(&mut self) -> Result<ValueId, LowerError> {
        let x = self.argument(0)?;
        let bits_ty = bits_of(&self.cx.ty(x));
        let bits = self.cx.bitcast(x, &bits_ty);
        let zero = self.cx.zero(&bits_ty);
        Ok(self.cx.icmp(IntPredicate::Slt, bits, zero))
    }

    pub(super) fn not(&mut self) -> Result<ValueId, LowerError> {
        let x = self.argument(0)?;
        let ones = self.cx.int(&self.cx.ty(x), 1);
        Ok(self.cx.binary(BinaryOp::Xor, x, ones))
    }

    /// `select(a, b, c)` gives b where c is true.
    pub(super) fn select(&mut self) -> Result<ValueId, LowerError> {
        let (a, b, c) = self.arguments3()?;
        Ok(self.cx.select(c, b, a))
    }
}
