//! Conversions between the 16-bit float formats and the wider ones, by integer code where LLVM would call
//! a library function or round differently.

use mw_air::{BinaryOp, CastOp, FloatPredicate, IntPredicate, Scalar, Type, ValueId};

use super::values::Emitter;

impl Emitter<'_, '_> {
    fn shaped(&self, like: ValueId, scalar: Scalar) -> Type {
        self.function.value_type(like).with_scalar(scalar)
    }

    /// Half (as `i16`) to `float`, exact.
    pub(super) fn half_to_float(&mut self, value: ValueId) -> ValueId {
        let (half, float) = (self.shaped(value, Scalar::Half), self.shaped(value, Scalar::Float));
        let mut b = self.b();
        let value = b.cast(CastOp::Bitcast, value, &half);
        b.cast(CastOp::FpExt, value, &float)
    }

    /// `float` to half (as `i16`), to nearest even.
    pub(super) fn float_to_half(&mut self, value: ValueId) -> ValueId {
        let (half, int) = (self.shaped(value, Scalar::Half), self.shaped(value, Scalar::Int(16)));
        let mut b = self.b();
        let value = b.cast(CastOp::FpTrunc, value, &half);
        b.cast(CastOp::Bitcast, value, &int)
    }

    /// bfloat (as `i16`) to `float`, exact.
    pub(super) fn bfloat_to_float(&mut self, value: ValueId) -> ValueId {
        let (int, float) = (self.shaped(value, Scalar::Int(32)), self.shaped(value, Scalar::Float));
        let mut b = self.b();
        let wide = b.cast(CastOp::ZExt, value, &int);
        let count = b.int(&int, 16);
        let bits = b.binary(BinaryOp::Shl, wide, count);
        b.cast(CastOp::Bitcast, bits, &float)
    }

    /// `float` to bfloat (as `i16`), to nearest even; NaN stays a quiet NaN; denormals stay.
    pub(super) fn float_to_bfloat(&mut self, value: ValueId) -> ValueId {
        let (int, short) = (self.shaped(value, Scalar::Int(32)), self.shaped(value, Scalar::Int(16)));
        let mut b = self.b();
        let bits = b.cast(CastOp::Bitcast, value, &int);
        let sixteen = b.int(&int, 16);
        let upper = b.binary(BinaryOp::LShr, bits, sixteen);
        let one = b.int(&int, 1);
        let odd = b.binary(BinaryOp::And, upper, one);
        let half = b.int(&int, 0x7fff);
        let bias = b.binary(BinaryOp::Add, odd, half);
        let sum = b.binary(BinaryOp::Add, bits, bias);
        let rounded = b.binary(BinaryOp::LShr, sum, sixteen);
        let quiet = b.int(&int, 0x40);
        let nan = b.binary(BinaryOp::Or, upper, quiet);
        let is_nan = b.fcmp(FloatPredicate::Uno, value, value);
        let chosen = b.select(is_nan, nan, rounded);
        b.cast(CastOp::Trunc, chosen, &short)
    }

    /// `double` to `float`, to odd: rounding the result once more to a narrower format is then correct.
    pub(super) fn double_to_float_odd(&mut self, value: ValueId) -> ValueId {
        let (float, double) = (self.shaped(value, Scalar::Float), self.shaped(value, Scalar::Double));
        let (int, long) = (self.shaped(value, Scalar::Int(32)), self.shaped(value, Scalar::Int(64)));
        let mut b = self.b();
        let nearest = b.cast(CastOp::FpTrunc, value, &float);
        let back = b.cast(CastOp::FpExt, nearest, &double);
        let bits = b.cast(CastOp::Bitcast, nearest, &int);
        // Compare magnitudes as integers, without the sign.
        let no_sign = b.int(&long, i64::MAX as u64);
        let magnitude = |b: &mut mw_air::Builder<'_>, value: ValueId| {
            let bits = b.cast(CastOp::Bitcast, value, &long);
            b.binary(BinaryOp::And, bits, no_sign)
        };
        let (exact, rounded) = (magnitude(&mut b, value), magnitude(&mut b, back));
        let up = b.icmp(IntPredicate::Ugt, rounded, exact);
        let one = b.int(&int, 1);
        let lower = b.binary(BinaryOp::Sub, bits, one);
        let toward_zero = b.select(up, lower, bits);
        let odd = b.binary(BinaryOp::Or, toward_zero, one);
        let same = b.fcmp(FloatPredicate::Ueq, value, back);
        let chosen = b.select(same, bits, odd);
        b.cast(CastOp::Bitcast, chosen, &float)
    }

    /// A 16-bit float of format `scalar` to `float`; other values as they are.
    pub(super) fn widen_float(&mut self, scalar: Scalar, value: ValueId) -> ValueId {
        match scalar {
            Scalar::Half => self.half_to_float(value),
            Scalar::BFloat => self.bfloat_to_float(value),
            Scalar::Int(_) | Scalar::Float | Scalar::Double | Scalar::Ptr(_) => value,
        }
    }

    /// A `float` to format `scalar`.
    pub(super) fn narrow_float(&mut self, scalar: Scalar, value: ValueId) -> ValueId {
        match scalar {
            Scalar::Half => self.float_to_half(value),
            Scalar::BFloat => self.float_to_bfloat(value),
            Scalar::Int(_) | Scalar::Float | Scalar::Double | Scalar::Ptr(_) => value,
        }
    }
}
