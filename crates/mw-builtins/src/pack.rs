//! `air.pack.*` and `air.unpack.*`: vectors of numbers in 0…1 or −1…1 in the fields of one integer.
//!
//! `unorm` is `round(saturate(x) (2ⁿ − 1))`, `snorm` is `round(clamp(x, −1, 1) (2ⁿ⁻¹ − 1))`, ties to even,
//! computed in f32, NaN giving 0; the first element is the lowest field. Unpacking divides; the most negative `snorm`
//! gives −1.

use mw_air::{CastOp, Scalar, Type};

use crate::expr::{Expr, select};
use crate::name::Shape;
use crate::vector::{collect, elements};

/// A format: whether it is signed, and the widths of its fields from the lowest up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Format {
    signed: bool,
    fields: Vec<u32>,
}

impl Format {
    /// The format called `name`, if this file knows it.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let (signed, rest) = match name.split_at_checked(5)? {
            ("unorm", rest) => (false, rest),
            ("snorm", rest) => (true, rest),
            _ => return None,
        };
        let fields = match rest {
            "4x8" => vec![8; 4],
            "2x16" => vec![16; 2],
            "4x16" => vec![16; 4],
            "2x8" => vec![8; 2],
            "1x8" => vec![8],
            "1x16" => vec![16],
            ".rgb10a2" if !signed => vec![10, 10, 10, 2],
            _ => return None,
        };
        Some(Self { signed, fields })
    }

    /// Type of the packed integer.
    pub(crate) fn packed(&self) -> Type {
        Type::int(self.fields.iter().sum::<u32>() as u16)
    }

    /// Whether values of this shape fit the fields.
    pub(crate) fn fits(&self, shape: Shape) -> bool {
        shape.scalar.is_float() && shape.lanes.unwrap_or(1) as usize == self.fields.len()
    }

    fn scale(&self, field: u32) -> f64 {
        f64::from((1u32 << (field - u32::from(self.signed))) - 1)
    }
}

/// Vector (or scalar) to integer.
pub(crate) fn pack<'a>(x: Expr<'a>, format: &Format) -> Expr<'a> {
    let body = x.body;
    let packed = format.packed();
    let values = if matches!(x.ty(), Type::Vector(..)) { elements(x) } else { vec![x] };
    let mut shift = 0;
    let mut sum = body.int(&packed, 0);
    for (value, field) in values.into_iter().zip(&format.fields) {
        let low = if format.signed { -1.0 } else { 0.0 };
        let value = value.to_f32().at_least(low).at_most(1.0);
        let value = select(value.is_nan(), body.f32(0.0), value);
        // The number is small, so the conversion is exact.
        let number = (value * format.scale(*field)).roundeven().cast(CastOp::FpToSi, &Type::I32);
        let bits = number & ((1i64 << field) - 1);
        sum = sum | (bits.to_int(&packed, false) << i64::from(shift));
        shift += field;
    }
    sum
}

/// Integer to vector (or scalar) of type `ty`.
pub(crate) fn unpack<'a>(x: Expr<'a>, format: &Format, ty: &Type) -> Expr<'a> {
    let wide = x.to_int(&Type::I64, false);
    let scalar = ty.scalar().unwrap_or(Scalar::Float);
    let mut shift = 0;
    let mut values = Vec::new();
    for field in &format.fields {
        let top = 64 - i64::from(shift + field);
        let aligned = wide << top;
        let down = 64 - i64::from(*field);
        let bits = if format.signed { aligned.ashr(down) } else { aligned.lshr(down) };
        let number = bits.to_int(&Type::I32, true).cast(CastOp::SiToFp, &Type::FLOAT);
        let value = (number / format.scale(*field)).at_least(if format.signed { -1.0 } else { 0.0 });
        values.push(value.to_float(&Type::Scalar(scalar)));
        shift += field;
    }
    if matches!(ty, Type::Vector(..)) { collect(ty, &values) } else { values[0] }
}
