//! Constants and constant expressions.

use super::{Printer, push_escaped, push_hex, push_uint};
use crate::{Constant, ConstantExpr, Scalar, Type, TypedConstant};

impl Printer<'_> {
    /// Writes type and value.
    pub(super) fn typed_constant(&mut self, constant: &TypedConstant) {
        self.ty(&constant.ty);
        self.out.push(' ');
        self.constant(&constant.ty, &constant.value);
    }

    /// Writes the value of a constant of type `ty`.
    pub(super) fn constant(&mut self, ty: &Type, value: &Constant) {
        match value {
            Constant::Int(bits) => match ty {
                Type::Scalar(Scalar::Int(width)) => push_int(&mut self.out, *width, *bits),
                _ => self.out.push_str("<badref>"),
            },
            Constant::Float(bits) => match ty {
                Type::Scalar(scalar) => push_float(&mut self.out, *scalar, *bits),
                _ => self.out.push_str("<badref>"),
            },
            Constant::Zero => match ty {
                Type::Scalar(Scalar::Int(width)) => push_int(&mut self.out, *width, 0),
                Type::Scalar(Scalar::Ptr(_)) => self.out.push_str("null"),
                Type::Scalar(scalar) => push_float(&mut self.out, *scalar, 0),
                _ => self.out.push_str("zeroinitializer"),
            },
            Constant::Undef => self.out.push_str("undef"),
            Constant::Poison => self.out.push_str("poison"),
            Constant::Aggregate(elements) => self.aggregate(ty, elements),
            Constant::Global(global) => match self.symbols.globals.get(global.index()) {
                Some(symbol) => self.out.push_str(symbol),
                None => self.out.push_str("<badref>"),
            },
            Constant::Function(function) => match self.symbols.functions.get(function.index()) {
                Some(symbol) => self.out.push_str(symbol),
                None => self.out.push_str("<badref>"),
            },
            Constant::Expr(expr) => self.constant_expr(ty, expr),
        }
    }

    fn aggregate(&mut self, ty: &Type, elements: &[TypedConstant]) {
        let (open, close) = match ty {
            Type::Vector(..) => {
                if let Some(element) = splat_element(elements) {
                    self.out.push_str("splat (");
                    self.typed_constant(element);
                    self.out.push(')');
                    return;
                }
                ("<", ">")
            }
            Type::Array(..) => {
                if let Some(bytes) = as_bytes(elements) {
                    self.out.push_str("c\"");
                    push_escaped(&mut self.out, &bytes);
                    self.out.push('"');
                    return;
                }
                ("[", "]")
            }
            Type::Struct(structure) if structure.packed => ("<{ ", " }>"),
            _ => ("{ ", " }"),
        };
        if elements.is_empty() {
            self.out.push_str("zeroinitializer");
            return;
        }
        self.out.push_str(open);
        for (index, element) in elements.iter().enumerate() {
            if index != 0 {
                self.out.push_str(", ");
            }
            self.typed_constant(element);
        }
        self.out.push_str(close);
    }

    fn constant_expr(&mut self, ty: &Type, expr: &ConstantExpr) {
        match expr {
            ConstantExpr::Gep { source, base, indices, inbounds } => {
                self.out.push_str(if *inbounds { "getelementptr inbounds (" } else { "getelementptr (" });
                self.ty(source);
                self.out.push_str(", ");
                self.typed_constant(base);
                for index in indices {
                    self.out.push_str(", ");
                    self.typed_constant(index);
                }
                self.out.push(')');
            }
            ConstantExpr::Cast { op, value } => {
                self.out.push_str(op.name());
                self.out.push_str(" (");
                self.typed_constant(value);
                self.out.push_str(" to ");
                self.ty(ty);
                self.out.push(')');
            }
            ConstantExpr::Binary { op, lhs, rhs } => {
                self.out.push_str(op.name());
                self.out.push_str(" (");
                self.typed_constant(lhs);
                self.out.push_str(", ");
                self.typed_constant(rhs);
                self.out.push(')');
            }
        }
    }
}

/// The number that all elements of a vector are, if they are one and the same.
fn splat_element(elements: &[TypedConstant]) -> Option<&TypedConstant> {
    let (first, rest) = elements.split_first()?;
    let number = matches!(first.value, Constant::Int(_) | Constant::Float(_));
    (number && rest.iter().all(|element| element == first)).then_some(first)
}

/// The bytes of an array of `i8` numbers.
fn as_bytes(elements: &[TypedConstant]) -> Option<Vec<u8>> {
    if elements.first()?.ty != Type::I8 {
        return None;
    }
    elements.iter().map(|element| element.as_int().map(|byte| byte as u8)).collect()
}

/// Writes an integer as LLVM does: signed, booleans as words.
pub(super) fn push_int(out: &mut String, width: u16, bits: u64) {
    if width == 1 {
        out.push_str(if bits & 1 == 0 { "false" } else { "true" });
        return;
    }
    let unused = 64_u32.saturating_sub(u32::from(width));
    let value = ((bits << unused) as i64) >> unused;
    if value < 0 {
        out.push('-');
    }
    push_uint(out, value.unsigned_abs());
}

/// Writes a float in hexadecimal: `float` and `double` as the bits of a double.
fn push_float(out: &mut String, scalar: Scalar, bits: u64) {
    let (prefix, bits, digits) = match scalar {
        Scalar::Half => ("0xH", bits, 4),
        Scalar::BFloat => ("0xR", bits, 4),
        Scalar::Float => ("0x", float_as_double(bits as u32), 16),
        Scalar::Double => ("0x", bits, 16),
        Scalar::Int(_) | Scalar::Ptr(_) => {
            out.push_str("<badref>");
            return;
        }
    };
    out.push_str(prefix);
    push_hex(out, bits, digits);
}

/// Bits of the double that equals a float; a NaN keeps its sign and payload, quiet or not.
fn float_as_double(bits: u32) -> u64 {
    let value = f32::from_bits(bits);
    if value.is_nan() {
        let sign = u64::from(bits >> 31) << 63;
        return sign | (0x7ff << 52) | (u64::from(bits & 0x7f_ffff) << 29);
    }
    f64::from(value).to_bits()
}
