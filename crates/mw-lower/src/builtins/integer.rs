//! Integer functions.

use mw_air::{BinaryOp, IntPredicate, Type, ValueId};
use mw_msl::types::TypeId;

use super::{Lowering, suffix};
use crate::error::LowerError;

fn width(ty: &Type) -> u64 {
    u64::from(ty.scalar().map_or(32, mw_air::Scalar::bits))
}

impl Lowering<'_, '_, '_> {
    /// A function whose name says the sign.
    pub(super) fn integer(&mut self, name: &str) -> Result<ValueId, LowerError> {
        self.argument(0)?;
        Ok(self.call_integer(name, self.arguments))
    }

    /// A function for which the sign does not matter.
    pub(super) fn unsigned_integer(&mut self, name: &str, result: TypeId) -> Result<ValueId, LowerError> {
        let ty = self.argument_type(0)?;
        let name = format!("air.{name}.{}", suffix(&ty));
        let value = self.cx.call_value(&name, &ty, self.arguments);
        let result = self.value_type(result)?;
        Ok(self.resize(value, &result))
    }

    /// Zero gives the width.
    pub(super) fn count_zeros(&mut self, name: &str, result: TypeId) -> Result<ValueId, LowerError> {
        let x = self.argument(0)?;
        let ty = self.cx.ty(x);
        let name = format!("air.{name}.{}", suffix(&ty));
        let zero_is_poison = self.cx.bool(false);
        let value = self.cx.call_value(&name, &ty, &[x, zero_is_poison]);
        let result = self.value_type(result)?;
        Ok(self.resize(value, &result))
    }

    fn less(&mut self, a: ValueId, b: ValueId) -> ValueId {
        let predicate = if self.is_signed() { IntPredicate::Slt } else { IntPredicate::Ult };
        self.cx.icmp(predicate, a, b)
    }

    /// To the right by a constant, with the sign where there is one.
    fn shift_right(&mut self, x: ValueId, count: u64) -> ValueId {
        let op = if self.is_signed() { BinaryOp::AShr } else { BinaryOp::LShr };
        let count = self.cx.int(&self.cx.ty(x), count);
        self.cx.binary(op, x, count)
    }

    pub(super) fn abs_diff(&mut self) -> Result<ValueId, LowerError> {
        let (x, y) = self.arguments2()?;
        let is_less = self.less(x, y);
        let up = self.cx.binary(BinaryOp::Sub, y, x);
        let down = self.cx.binary(BinaryOp::Sub, x, y);
        Ok(self.cx.select(is_less, up, down))
    }

    /// For signed numbers: the end of the range on the side of `like`'s sign.
    fn signed_limit(&mut self, like: ValueId) -> ValueId {
        let ty = self.cx.ty(like);
        let width = width(&ty);
        let last = self.cx.int(&ty, width - 1);
        let sign = self.cx.binary(BinaryOp::AShr, like, last);
        let most = self.cx.int(&ty, (1 << (width - 1)) - 1);
        self.cx.binary(BinaryOp::Xor, sign, most)
    }

    pub(super) fn add_sat(&mut self) -> Result<ValueId, LowerError> {
        let (x, y) = self.arguments2()?;
        let ty = self.cx.ty(x);
        let sum = self.cx.binary(BinaryOp::Add, x, y);
        if !self.is_signed() {
            let wrapped = self.cx.icmp(IntPredicate::Ult, sum, x);
            let most = self.cx.int(&ty, u64::MAX);
            return Ok(self.cx.select(wrapped, most, sum));
        }
        // Both have a sign that the sum has not.
        let (dx, dy) = (self.cx.binary(BinaryOp::Xor, x, sum), self.cx.binary(BinaryOp::Xor, y, sum));
        Ok(self.held(x, dx, dy, sum))
    }

    pub(super) fn sub_sat(&mut self) -> Result<ValueId, LowerError> {
        let (x, y) = self.arguments2()?;
        let ty = self.cx.ty(x);
        let difference = self.cx.binary(BinaryOp::Sub, x, y);
        if !self.is_signed() {
            let wrapped = self.cx.icmp(IntPredicate::Ult, x, y);
            let zero = self.cx.zero(&ty);
            return Ok(self.cx.select(wrapped, zero, difference));
        }
        let (dx, dy) = (self.cx.binary(BinaryOp::Xor, x, difference), self.cx.binary(BinaryOp::Xor, x, y));
        Ok(self.held(x, dx, dy, difference))
    }

    /// `value`, or the limit on the side of `x` where both differences have their sign bit.
    fn held(&mut self, x: ValueId, a: ValueId, b: ValueId, value: ValueId) -> ValueId {
        let both = self.cx.binary(BinaryOp::And, a, b);
        let zero = self.cx.zero(&self.cx.ty(x));
        let overflow = self.cx.icmp(IntPredicate::Slt, both, zero);
        let limit = self.signed_limit(x);
        self.cx.select(overflow, limit, value)
    }

    pub(super) fn hadd(&mut self) -> Result<ValueId, LowerError> {
        let (x, y) = self.arguments2()?;
        let common = self.cx.binary(BinaryOp::And, x, y);
        let differing = self.cx.binary(BinaryOp::Xor, x, y);
        let half = self.shift_right(differing, 1);
        Ok(self.cx.binary(BinaryOp::Add, common, half))
    }

    pub(super) fn rhadd(&mut self) -> Result<ValueId, LowerError> {
        let (x, y) = self.arguments2()?;
        let either = self.cx.binary(BinaryOp::Or, x, y);
        let differing = self.cx.binary(BinaryOp::Xor, x, y);
        let half = self.shift_right(differing, 1);
        Ok(self.cx.binary(BinaryOp::Sub, either, half))
    }

    /// The low 24 bits, with their sign where there is one.
    fn low24(&mut self, x: ValueId) -> ValueId {
        let eight = self.cx.int(&self.cx.ty(x), 8);
        let high = self.cx.binary(BinaryOp::Shl, x, eight);
        self.shift_right(high, 8)
    }

    pub(super) fn mul24(&mut self) -> Result<ValueId, LowerError> {
        let (x, y) = self.arguments2()?;
        let (x, y) = (self.low24(x), self.low24(y));
        Ok(self.cx.binary(BinaryOp::Mul, x, y))
    }

    pub(super) fn mad24(&mut self) -> Result<ValueId, LowerError> {
        let product = self.mul24()?;
        let z = self.argument(2)?;
        Ok(self.cx.binary(BinaryOp::Add, product, z))
    }

    pub(super) fn mad_hi(&mut self) -> Result<ValueId, LowerError> {
        let (a, b, c) = self.arguments3()?;
        let high = self.call_integer("mul_hi", &[a, b]);
        Ok(self.cx.binary(BinaryOp::Add, high, c))
    }

    /// The product in two halves, then the addition with its carry; it fits if the upper half only repeats
    /// the sign.
    pub(super) fn mad_sat(&mut self) -> Result<ValueId, LowerError> {
        let (a, b, c) = self.arguments3()?;
        let ty = self.cx.ty(a);
        let low = self.cx.binary(BinaryOp::Mul, a, b);
        let high = self.call_integer("mul_hi", &[a, b]);
        let sum = self.cx.binary(BinaryOp::Add, low, c);
        let carry = self.cx.icmp(IntPredicate::Ult, sum, low);
        let (zero, one) = (self.cx.zero(&ty), self.cx.int(&ty, 1));
        let carry = self.cx.select(carry, one, zero);
        let last = width(&ty) - 1;
        let c_high = if self.is_signed() { self.shift_right(c, last) } else { zero };
        let high = self.cx.binary(BinaryOp::Add, high, c_high);
        let high = self.cx.binary(BinaryOp::Add, high, carry);
        if !self.is_signed() {
            let fits = self.cx.icmp(IntPredicate::Eq, high, zero);
            let most = self.cx.int(&ty, u64::MAX);
            return Ok(self.cx.select(fits, sum, most));
        }
        let sign = self.shift_right(sum, last);
        let fits = self.cx.icmp(IntPredicate::Eq, high, sign);
        let limit = self.signed_limit(high);
        Ok(self.cx.select(fits, sum, limit))
    }

    pub(super) fn rotate(&mut self) -> Result<ValueId, LowerError> {
        let (x, by) = self.arguments2()?;
        let ty = self.cx.ty(x);
        let name = format!("llvm.fshl.{}", suffix(&ty));
        Ok(self.cx.call_value(&name, &ty, &[x, x, by]))
    }
}
