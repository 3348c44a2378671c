//! Floating-point functions of the chapters on mathematics and common functions.

use mw_air::{BinaryOp, CastOp, Flags, FloatPredicate, IntPredicate, Layout, Scalar, Type, ValueId};

use super::{Lowering, bits_of, suffix};
use crate::error::LowerError;

/// The fields of a format: bits of the fraction and bias of the exponent.
struct Format {
    fraction_bits: u64,
    bias: u64,
    exponent_mask: u64,
}

const FLOAT: Format = Format { fraction_bits: 23, bias: 127, exponent_mask: 0xff };

impl Lowering<'_, '_, '_> {
    /// A function with a fast form.
    pub(super) fn math(&mut self, name: &str) -> Result<ValueId, LowerError> {
        self.argument(0)?;
        Ok(self.call_math(name, self.arguments))
    }

    /// A function with one form.
    pub(super) fn precise_math(&mut self, name: &str) -> Result<ValueId, LowerError> {
        let ty = self.argument_type(0)?;
        let ret = if name == "dot" { Type::Scalar(ty.scalar().unwrap_or(Scalar::Float)) } else { ty.clone() };
        let name = format!("air.{name}.{}", suffix(&ty));
        let flags = self.flags();
        self.cx.call_external_flags(&name, &ret, self.arguments, flags).ok_or_else(|| self.malformed())
    }

    pub(super) fn arithmetic(&mut self, op: BinaryOp, a: ValueId, b: ValueId) -> ValueId {
        let flags = self.flags();
        self.cx.binary_flags(op, a, b, flags)
    }

    /// Sign from the second, the rest from the first, by bits.
    pub(super) fn copysign(&mut self) -> Result<ValueId, LowerError> {
        let (x, y) = self.arguments2()?;
        let ty = self.cx.ty(x);
        Ok(self.with_sign(x, y, &ty))
    }

    fn with_sign(&mut self, x: ValueId, sign: ValueId, ty: &Type) -> ValueId {
        let bits = bits_of(ty);
        let sign_bit = 1_u64 << (bits.scalar().map_or(32, Scalar::bits) - 1);
        let magnitude_mask = self.cx.int(&bits, sign_bit - 1);
        let sign_mask = self.cx.int(&bits, sign_bit);
        let (x, sign) = (self.cx.bitcast(x, &bits), self.cx.bitcast(sign, &bits));
        let magnitude = self.cx.binary(BinaryOp::And, x, magnitude_mask);
        let sign = self.cx.binary(BinaryOp::And, sign, sign_mask);
        let both = self.cx.binary(BinaryOp::Or, magnitude, sign);
        self.cx.bitcast(both, ty)
    }

    pub(super) fn divide(&mut self) -> Result<ValueId, LowerError> {
        let (x, y) = self.arguments2()?;
        Ok(self.arithmetic(BinaryOp::FDiv, x, y))
    }

    /// A NaN on either side gives NaN.
    pub(super) fn fdim(&mut self) -> Result<ValueId, LowerError> {
        let (x, y) = self.arguments2()?;
        let zero = self.cx.zero(&self.cx.ty(x));
        let difference = self.arithmetic(BinaryOp::FSub, x, y);
        let not_above = self.cx.fcmp(FloatPredicate::Ole, x, y, Flags::NONE);
        Ok(self.cx.select(not_above, zero, difference))
    }

    /// Half and float as float, whose exponent is wide enough for denormals of half.
    fn widened(&mut self, x: ValueId) -> ValueId {
        let ty = self.cx.ty(x);
        self.convert_float(x, &ty.with_scalar(Scalar::Float))
    }

    /// A floating-point number in another format.
    pub(super) fn convert_float(&mut self, x: ValueId, to: &Type) -> ValueId {
        let from = self.cx.ty(x);
        if from == *to {
            return x;
        }
        if to.lanes() != Some(1) {
            let name = format!("air.convert.f.{}.f.{}", suffix(to), suffix(&from));
            return self.cx.call_value(&name, to, &[x]);
        }
        let wider = to.scalar().map(Scalar::bits) > from.scalar().map(Scalar::bits);
        self.cx.cast(if wider { CastOp::FpExt } else { CastOp::FpTrunc }, x, to)
    }

    /// For a float: its number scaled out of the denormals, the biased exponent of that, by how much it was
    /// scaled, and whether the number is zero, infinite or NaN.
    fn exponent_parts(&mut self, x: ValueId) -> (ValueId, ValueId, ValueId, ValueId) {
        const SCALE: u64 = 25;
        let ty = self.cx.ty(x);
        let bits_ty = bits_of(&ty);
        let magnitude_mask = self.cx.int(&bits_ty, 0x7fff_ffff);
        let bits = self.cx.bitcast(x, &bits_ty);
        let magnitude = self.cx.binary(BinaryOp::And, bits, magnitude_mask);
        let least_normal = self.cx.int(&bits_ty, 1 << FLOAT.fraction_bits);
        let is_small = self.cx.icmp(IntPredicate::Ult, magnitude, least_normal);
        let factor = self.cx.float(&ty, (1_u64 << SCALE) as f64);
        let scaled = self.cx.binary(BinaryOp::FMul, x, factor);
        let scaled = self.cx.select(is_small, scaled, x);
        let scaled_bits = self.cx.bitcast(scaled, &bits_ty);
        let scaled_magnitude = self.cx.binary(BinaryOp::And, scaled_bits, magnitude_mask);
        let shift = self.cx.int(&bits_ty, FLOAT.fraction_bits);
        let exponent = self.cx.binary(BinaryOp::LShr, scaled_magnitude, shift);
        let (by, none) = (self.cx.int(&bits_ty, SCALE), self.cx.int(&bits_ty, 0));
        let scale = self.cx.select(is_small, by, none);
        let is_zero = self.cx.icmp(IntPredicate::Eq, scaled_magnitude, none);
        let infinity = self.cx.int(&bits_ty, FLOAT.exponent_mask << FLOAT.fraction_bits);
        let is_not_finite = self.cx.icmp(IntPredicate::Uge, magnitude, infinity);
        let is_special = self.cx.binary(BinaryOp::Or, is_zero, is_not_finite);
        (scaled_bits, exponent, scale, is_special)
    }

    /// The exponent goes where the second argument points.
    pub(super) fn frexp(&mut self) -> Result<ValueId, LowerError> {
        let (x, target) = self.arguments2()?;
        let ty = self.cx.ty(x);
        let wide = self.widened(x);
        let wide_ty = self.cx.ty(wide);
        let bits_ty = bits_of(&wide_ty);
        let (bits, exponent, scale, is_special) = self.exponent_parts(wide);
        let zero = self.cx.int(&bits_ty, 0);
        let bias = self.cx.int(&bits_ty, FLOAT.bias - 1);
        let exponent = self.cx.binary(BinaryOp::Sub, exponent, bias);
        let exponent = self.cx.binary(BinaryOp::Sub, exponent, scale);
        let exponent = self.cx.select(is_special, zero, exponent);
        let exponent_align = Layout::align(&bits_ty);
        self.cx.store(target, exponent, exponent_align);
        // The fraction with the exponent of 1/2.
        let keep = self.cx.int(&bits_ty, !(FLOAT.exponent_mask << FLOAT.fraction_bits));
        let half = self.cx.int(&bits_ty, (FLOAT.bias - 1) << FLOAT.fraction_bits);
        let fraction = self.cx.binary(BinaryOp::And, bits, keep);
        let fraction = self.cx.binary(BinaryOp::Or, fraction, half);
        let fraction = self.cx.bitcast(fraction, &wide_ty);
        let fraction = self.cx.select(is_special, wide, fraction);
        Ok(self.convert_float(fraction, &ty))
    }

    /// Zero and NaN give the least integer (`FP_ILOGB0`, `FP_ILOGBNAN`), infinity the greatest.
    pub(super) fn ilogb(&mut self) -> Result<ValueId, LowerError> {
        let x = self.argument(0)?;
        let wide = self.widened(x);
        let ty = self.cx.ty(wide);
        let bits_ty = bits_of(&ty);
        let (_, exponent, scale, is_special) = self.exponent_parts(wide);
        let bias = self.cx.int(&bits_ty, FLOAT.bias);
        let exponent = self.cx.binary(BinaryOp::Sub, exponent, bias);
        let exponent = self.cx.binary(BinaryOp::Sub, exponent, scale);
        let bits = self.cx.bitcast(wide, &bits_ty);
        let magnitude_mask = self.cx.int(&bits_ty, 0x7fff_ffff);
        let magnitude = self.cx.binary(BinaryOp::And, bits, magnitude_mask);
        let infinity = self.cx.int(&bits_ty, FLOAT.exponent_mask << FLOAT.fraction_bits);
        let is_infinite = self.cx.icmp(IntPredicate::Eq, magnitude, infinity);
        let (most, least) = (self.cx.int(&bits_ty, 0x7fff_ffff), self.cx.int(&bits_ty, 0x8000_0000));
        let special = self.cx.select(is_infinite, most, least);
        Ok(self.cx.select(is_special, special, exponent))
    }

    /// The whole part goes where the second argument points; both parts have the sign of the number.
    pub(super) fn modf(&mut self) -> Result<ValueId, LowerError> {
        let (x, target) = self.arguments2()?;
        let ty = self.cx.ty(x);
        let whole = self.call_math("trunc", &[x]);
        self.cx.store(target, whole, Layout::align(&ty));
        let fraction = self.cx.binary(BinaryOp::FSub, x, whole);
        // Infinity less infinity would be NaN.
        let zero = self.cx.zero(&ty);
        let is_infinite = self.is_infinite(x);
        let fraction = self.cx.select(is_infinite, zero, fraction);
        Ok(self.with_sign(fraction, x, &ty))
    }

    pub(super) fn mix(&mut self) -> Result<ValueId, LowerError> {
        let (x, y, a) = self.arguments3()?;
        let span = self.arithmetic(BinaryOp::FSub, y, x);
        let part = self.arithmetic(BinaryOp::FMul, span, a);
        Ok(self.arithmetic(BinaryOp::FAdd, x, part))
    }

    pub(super) fn sign(&mut self) -> Result<ValueId, LowerError> {
        let x = self.argument(0)?;
        let ty = self.cx.ty(x);
        let zero = self.cx.zero(&ty);
        let one = self.cx.float(&ty, 1.0);
        let signed_one = self.with_sign(one, x, &ty);
        let signed_zero = self.with_sign(zero, x, &ty);
        let is_other = self.cx.fcmp(FloatPredicate::One, x, zero, Flags::NONE);
        let is_number = self.cx.fcmp(FloatPredicate::Ord, x, zero, Flags::NONE);
        let of_zero = self.cx.select(is_number, signed_zero, zero);
        Ok(self.cx.select(is_other, signed_one, of_zero))
    }

    pub(super) fn smoothstep(&mut self) -> Result<ValueId, LowerError> {
        let (low, high, x) = self.arguments3()?;
        let ty = self.cx.ty(x);
        let above = self.arithmetic(BinaryOp::FSub, x, low);
        let width = self.arithmetic(BinaryOp::FSub, high, low);
        let ratio = self.arithmetic(BinaryOp::FDiv, above, width);
        let t = self.call_math("saturate", &[ratio]);
        let (two, three) = (self.cx.float(&ty, 2.0), self.cx.float(&ty, 3.0));
        let double = self.arithmetic(BinaryOp::FMul, two, t);
        let rest = self.arithmetic(BinaryOp::FSub, three, double);
        let square = self.arithmetic(BinaryOp::FMul, t, t);
        Ok(self.arithmetic(BinaryOp::FMul, square, rest))
    }

    pub(super) fn step(&mut self) -> Result<ValueId, LowerError> {
        let (edge, x) = self.arguments2()?;
        let ty = self.cx.ty(x);
        let (zero, one) = (self.cx.zero(&ty), self.cx.float(&ty, 1.0));
        let is_below = self.cx.fcmp(FloatPredicate::Olt, x, edge, Flags::NONE);
        Ok(self.cx.select(is_below, zero, one))
    }

    /// The middle one of three numbers of any kind.
    pub(super) fn median3(&mut self) -> Result<ValueId, LowerError> {
        let (a, b, c) = self.arguments3()?;
        if self.cx.ty(a).is_float() {
            let low = self.call_math("fmin", &[a, b]);
            let high = self.call_math("fmax", &[a, b]);
            let capped = self.call_math("fmin", &[high, c]);
            return Ok(self.call_math("fmax", &[low, capped]));
        }
        let low = self.call_integer("min", &[a, b]);
        let high = self.call_integer("max", &[a, b]);
        let capped = self.call_integer("min", &[high, c]);
        Ok(self.call_integer("max", &[low, capped]))
    }
}
