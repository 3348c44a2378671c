//! Changes of type.

use mw_air::{CastOp, Flags, FloatPredicate, IntPredicate, Scalar, Type, ValueId};
use mw_msl::hir::{Cast, Expr};
use mw_msl::types::{self, TypeId};
use mw_source::Span;

use crate::context::FunctionLowering;
use crate::error::LowerError;
use crate::types::scalar;

/// How `air.convert…` names an operand: kind, length, type.
fn operand(ty: types::Scalar, lanes: u32) -> String {
    let kind = match ty {
        ty if ty.is_float() => 'f',
        ty if ty.is_signed_integer() => 's',
        _ => 'u',
    };
    let suffix = scalar(ty).suffix();
    if lanes > 1 { format!("{kind}.v{lanes}{suffix}") } else { format!("{kind}.{suffix}") }
}

impl FunctionLowering<'_, '_> {
    /// A number, or a vector of numbers, as another kind of number. To bool it tests against zero.
    pub(crate) fn convert(&mut self, value: ValueId, from: types::Scalar, to: types::Scalar) -> ValueId {
        if from == to {
            return value;
        }
        let source = self.ty(value);
        let target = source.with_scalar(scalar(to));
        let lanes = source.lanes().unwrap_or(1);
        match (from.is_float(), to.is_float()) {
            (false, false) if to == types::Scalar::Bool => {
                let zero = self.zero(&source);
                self.icmp(IntPredicate::Ne, value, zero)
            }
            (false, false) => {
                let (from_bits, to_bits) = (scalar(from).bits(), scalar(to).bits());
                if from_bits == to_bits {
                    return value;
                }
                if let Some(bits) = self.function.as_int(value) {
                    let wide = if from.is_signed_integer() {
                        let shift = 64 - from_bits;
                        (((bits << shift) as i64) >> shift) as u64
                    } else {
                        bits
                    };
                    return self.int(&target, wide);
                }
                let op = if from_bits > to_bits {
                    CastOp::Trunc
                } else if from.is_signed_integer() {
                    CastOp::SExt
                } else {
                    CastOp::ZExt
                };
                self.cast(op, value, &target)
            }
            (true, false) if to == types::Scalar::Bool && lanes > 1 => {
                let zero = self.float(&source, 0.0);
                self.fcmp(FloatPredicate::Une, value, zero, Flags::NONE)
            }
            // One scalar that the other format holds, or rounds: an instruction.
            (true, true) if lanes == 1 && (from == types::Scalar::Float || to == types::Scalar::Float) => {
                let op = if to == types::Scalar::Float { CastOp::FpExt } else { CastOp::FpTrunc };
                self.cast(op, value, &target)
            }
            _ => {
                let name = format!("air.convert.{}.{}", operand(to, lanes), operand(from, lanes));
                self.call_value(&name, &target, &[value])
            }
        }
    }

    /// Lowers a cast of HIR.
    pub(crate) fn cast_value(
        &mut self,
        cast: Cast,
        inner: &Expr,
        ty: TypeId,
        span: Span,
    ) -> Result<ValueId, LowerError> {
        match cast {
            Cast::Numeric | Cast::Enum => {
                let value = self.value(inner)?;
                let (Some(from), Some(to)) = (self.element(inner.ty), self.element(ty)) else {
                    return Err(LowerError::malformed(span, "a numeric conversion of what is no number"));
                };
                let converted = self.convert(value, from, to);
                // A scalar may widen to a vector of copies.
                let target = self.value_type(ty, span)?;
                if let (Type::Vector(_, lanes), Some(1)) = (&target, self.ty(converted).lanes()) {
                    return Ok(self.splat(converted, *lanes));
                }
                Ok(converted)
            }
            Cast::Bits => self.bits(inner, ty, span),
            Cast::Pointer => {
                let value = self.value(inner)?;
                let target = self.value_type(ty, span)?;
                if self.ty(value) == target {
                    return Ok(value);
                }
                if self.function.constant(value) == Some(&mw_air::Constant::Zero) {
                    return Ok(self.zero(&target));
                }
                Ok(self.cast(CastOp::AddrSpaceCast, value, &target))
            }
            Cast::PointerToInt => {
                let value = self.value(inner)?;
                let target = self.value_type(ty, span)?;
                Ok(self.cast(CastOp::PtrToInt, value, &target))
            }
            Cast::IntToPointer => {
                let value = self.value(inner)?;
                let target = self.value_type(ty, span)?;
                if let Some(from) = self.element(inner.ty) {
                    let wide = self.convert(value, from, types::Scalar::ULong);
                    return Ok(self.cast(CastOp::IntToPtr, wide, &target));
                }
                Ok(self.cast(CastOp::IntToPtr, value, &target))
            }
            Cast::Packed => {
                // Both stand in registers as plain vectors.
                let value = self.value(inner)?;
                match (self.element(inner.ty), self.element(ty)) {
                    (Some(from), Some(to)) => Ok(self.convert(value, from, to)),
                    _ => Err(LowerError::malformed(span, "a packed vector without elements")),
                }
            }
            Cast::Matrix => {
                let value = self.value(inner)?;
                let (
                    types::Type::Matrix { element: from, columns, .. },
                    types::Type::Matrix { element: to, .. },
                ) = (self.shape(inner.ty), self.shape(ty))
                else {
                    return Err(LowerError::malformed(span, "a matrix conversion of what is no matrix"));
                };
                let mut parts = Vec::new();
                for index in 0..*columns {
                    let column = self.extract_value(value, u32::from(index));
                    parts.push(self.convert(column, *from, *to));
                }
                Ok(self.columns(&parts))
            }
            Cast::SimdgroupMatrix => {
                let value = self.value(inner)?;
                let (Some(from), Some(to)) = (self.element(inner.ty), self.element(ty)) else {
                    return Err(LowerError::malformed(span, "a matrix conversion of what is no matrix"));
                };
                // Only the first two elements are the lane's own.
                let own = self.swizzle(value, &[0, 1]);
                let converted = self.convert(own, from, to);
                let mut whole = self.undef(&Type::Vector(scalar(to), 64));
                for index in 0..2 {
                    let element = self.extract(converted, index);
                    whole = self.insert(whole, element, index);
                }
                Ok(whole)
            }
            Cast::ToVoid => Err(LowerError::malformed(span, "a void value where one is needed")),
        }
    }

    fn bits(&mut self, inner: &Expr, ty: TypeId, span: Span) -> Result<ValueId, LowerError> {
        let program = self.program();
        let target = self.value_type(ty, span)?;
        let plain = |id: TypeId| {
            matches!(
                program.ty(id),
                types::Type::Scalar(_)
                    | types::Type::Vector(..)
                    | types::Type::PackedVector(..)
                    | types::Type::Enum(_)
            ) && !matches!(
                program.ty(id),
                types::Type::Scalar(types::Scalar::Bool)
                    | types::Type::Vector(types::Scalar::Bool, _)
                    | types::Type::PackedVector(types::Scalar::Bool, _)
            )
        };
        let bits = |ty: &Type| ty.scalar().map_or(0, Scalar::bits) * ty.lanes().unwrap_or(0);
        if plain(inner.ty) && plain(ty) {
            let value = self.value(inner)?;
            if bits(&self.ty(value)) == bits(&target) {
                return Ok(self.bitcast(value, &target));
            }
            let address = self.wider_temporary(inner.ty, ty, span)?;
            self.store_object(address, inner.ty, value, span)?;
            return self.load_object(address, ty, span);
        }
        // Anything else goes through memory.
        let address = self.wider_temporary(inner.ty, ty, span)?;
        self.initialise(address, inner.ty, inner)?;
        self.load_object(address, ty, span)
    }

    /// Room for either of two types.
    pub(crate) fn wider_temporary(
        &mut self,
        first: TypeId,
        second: TypeId,
        span: Span,
    ) -> Result<crate::place::Address, LowerError> {
        let wider = if self.layout(first).0 >= self.layout(second).0 { first } else { second };
        self.temporary(wider, span)
    }
}
