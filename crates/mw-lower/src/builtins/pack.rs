//! Packing of several numbers into the bits of one integer.

use mw_air::{BinaryOp, Flags, FloatPredicate, Scalar, Type, ValueId};
use mw_msl::stdlib::table::Expansion;
use mw_msl::types::TypeId;

use super::{Lowering, suffix};
use crate::error::LowerError;

/// Bits of each component, from the lowest on.
fn widths(expansion: Expansion) -> &'static [u32] {
    use Expansion as E;
    match expansion {
        E::PackUnorm2x16 | E::PackSnorm2x16 | E::UnpackUnorm2x16 | E::UnpackSnorm2x16 => &[16, 16],
        E::PackUnorm10a2 | E::UnpackUnorm10a2 => &[10, 10, 10, 2],
        _ => &[8, 8, 8, 8],
    }
}

fn is_signed(expansion: Expansion) -> bool {
    use Expansion as E;
    matches!(expansion, E::PackSnorm4x8 | E::PackSnorm2x16 | E::UnpackSnorm4x8 | E::UnpackSnorm2x16)
}

fn is_srgb(expansion: Expansion) -> bool {
    matches!(expansion, Expansion::PackSrgb4x8 | Expansion::UnpackSrgb4x8)
}

/// The greatest integer of a component, which stands for 1.
fn scale(width: u32, signed: bool) -> f64 {
    f64::from((1_u32 << (width - u32::from(signed))) - 1)
}

impl Lowering<'_, '_, '_> {
    /// Numbers are held in the range and rounded to nearest; NaN is 0.
    pub(super) fn pack(&mut self, expansion: Expansion) -> Result<ValueId, LowerError> {
        let x = self.argument(0)?;
        let lanes = self.cx.ty(x).lanes().ok_or_else(|| self.malformed())?;
        let wide = self.convert_float(x, &Type::Vector(Scalar::Float, lanes));
        let signed = is_signed(expansion);
        let mut packed = self.cx.int(&Type::I32, 0);
        let mut position = 0;
        for (index, width) in widths(expansion).iter().enumerate() {
            let mut component = self.cx.extract(wide, index as u32);
            if is_srgb(expansion) && index < 3 {
                component = self.srgb_from_linear(component);
            }
            let zero = self.cx.float(&Type::FLOAT, 0.0);
            let (low, high) = (self.cx.float(&Type::FLOAT, if signed { -1.0 } else { 0.0 }), 1.0);
            let high = self.cx.float(&Type::FLOAT, high);
            let is_number = self.cx.fcmp(FloatPredicate::Ord, component, zero, Flags::NONE);
            let component = self.cx.select(is_number, component, zero);
            let held = self.cx.call_value("air.clamp.f32", &Type::FLOAT, &[component, low, high]);
            let factor = self.cx.float(&Type::FLOAT, scale(*width, signed));
            let scaled = self.cx.binary(BinaryOp::FMul, held, factor);
            let whole = self.cx.call_value("air.rint.f32", &Type::FLOAT, &[scaled]);
            let kind = if signed { 's' } else { 'u' };
            let bits = self.cx.call_value(&format!("air.convert.{kind}.i32.f.f32"), &Type::I32, &[whole]);
            let mask = self.cx.int(&Type::I32, (1 << width) - 1);
            let bits = self.cx.binary(BinaryOp::And, bits, mask);
            let by = self.cx.i32(position);
            let bits = self.cx.binary(BinaryOp::Shl, bits, by);
            packed = self.cx.binary(BinaryOp::Or, packed, bits);
            position += width;
        }
        Ok(packed)
    }

    /// The least signed integer is −1 too.
    pub(super) fn unpack(&mut self, expansion: Expansion, result: TypeId) -> Result<ValueId, LowerError> {
        let packed = self.argument(0)?;
        let result = self.value_type(result)?;
        let signed = is_signed(expansion);
        let mut position = 0;
        let mut components = Vec::new();
        for (index, width) in widths(expansion).iter().enumerate() {
            // Up against the top, then down with the sign or with zeros.
            let up = self.cx.i32(32 - position - width);
            let down = self.cx.i32(32 - width);
            let bits = self.cx.binary(BinaryOp::Shl, packed, up);
            let op = if signed { BinaryOp::AShr } else { BinaryOp::LShr };
            let bits = self.cx.binary(op, bits, down);
            let kind = if signed { 's' } else { 'u' };
            let number = self.cx.call_value(&format!("air.convert.f.f32.{kind}.i32"), &Type::FLOAT, &[bits]);
            let factor = self.cx.float(&Type::FLOAT, scale(*width, signed));
            let mut component = self.cx.binary(BinaryOp::FDiv, number, factor);
            if signed {
                let least = self.cx.float(&Type::FLOAT, -1.0);
                component = self.cx.call_value("air.fmax.f32", &Type::FLOAT, &[component, least]);
            }
            if is_srgb(expansion) && index < 3 {
                component = self.linear_from_srgb(component);
            }
            components.push(component);
            position += width;
        }
        let wide = self.cx.vector(&components);
        if suffix(&self.cx.ty(wide)) == suffix(&result) {
            return Ok(wide);
        }
        Ok(self.convert_float(wide, &result))
    }

    /// `c ≤ 0.0031308 ? 12.92 c : 1.055 c^(1/2.4) − 0.055`
    fn srgb_from_linear(&mut self, c: ValueId) -> ValueId {
        let mut number = |value: f64| self.cx.float(&Type::FLOAT, value);
        let (limit, slope) = (number(0.003_130_8), number(12.92));
        let (exponent, factor, offset) = (number(1.0 / 2.4), number(1.055), number(0.055));
        let is_dark = self.cx.fcmp(FloatPredicate::Ole, c, limit, Flags::NONE);
        let dark = self.cx.binary(BinaryOp::FMul, c, slope);
        let power = self.cx.call_value("air.pow.f32", &Type::FLOAT, &[c, exponent]);
        let bright = self.cx.binary(BinaryOp::FMul, power, factor);
        let bright = self.cx.binary(BinaryOp::FSub, bright, offset);
        self.cx.select(is_dark, dark, bright)
    }

    /// `c ≤ 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055)^2.4`
    fn linear_from_srgb(&mut self, c: ValueId) -> ValueId {
        let mut number = |value: f64| self.cx.float(&Type::FLOAT, value);
        let (limit, slope) = (number(0.040_45), number(12.92));
        let (exponent, factor, offset) = (number(2.4), number(1.055), number(0.055));
        let is_dark = self.cx.fcmp(FloatPredicate::Ole, c, limit, Flags::NONE);
        let dark = self.cx.binary(BinaryOp::FDiv, c, slope);
        let shifted = self.cx.binary(BinaryOp::FAdd, c, offset);
        let base = self.cx.binary(BinaryOp::FDiv, shifted, factor);
        let bright = self.cx.call_value("air.pow.f32", &Type::FLOAT, &[base, exponent]);
        self.cx.select(is_dark, dark, bright)
    }
}
