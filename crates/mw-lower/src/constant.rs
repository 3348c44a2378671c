//! Constants of HIR as constants of AIR, in their form in registers and in memory.

use std::sync::Arc;

use mw_air::{AddressSpace, Constant, ConstantExpr, Layout, Scalar, Type, TypedConstant};
use mw_msl::hir;
use mw_msl::types::{self, TypeId};
use mw_source::Span;

use crate::error::{LowerError, LowerErrorKind};
use crate::module::ModuleLowering;
use crate::types::{is_aggregate, value_type};

/// Constants may nest this deep.
const MAX_DEPTH: usize = 64;

/// Bits of the number of a format that is nearest to `value`, ties to even.
pub(crate) fn float_bits(scalar: Scalar, value: f64) -> u64 {
    match scalar {
        Scalar::Float => u64::from((value as f32).to_bits()),
        Scalar::Double => value.to_bits(),
        Scalar::BFloat => round_to_16(value, 8, 7),
        Scalar::Half => round_to_16(value, 5, 10),
        Scalar::Int(_) | Scalar::Ptr(_) => 0,
    }
}

/// Rounds to a 16-bit format with this many bits of exponent and fraction.
fn round_to_16(value: f64, exponent_bits: u32, fraction_bits: u32) -> u64 {
    let bits = value.to_bits();
    let sign = (bits >> 63) << 15;
    let infinity = ((1_u64 << exponent_bits) - 1) << fraction_bits;
    if value.is_nan() {
        return sign | infinity | (1 << (fraction_bits - 1));
    }
    let magnitude = value.abs();
    if magnitude == 0.0 {
        return sign;
    }
    if magnitude.is_infinite() {
        return sign | infinity;
    }
    let bias = (1_i64 << (exponent_bits - 1)) - 1;
    let exponent = ((bits >> 52) & 0x7ff) as i64 - 1023;
    if exponent < 1 - bias - i64::from(fraction_bits) - 1 {
        return sign;
    }
    let significand = (bits & ((1 << 52) - 1)) | (1 << 52);
    // Subnormals have one exponent and fewer bits.
    let target = exponent.max(1 - bias);
    let shift = 52 - i64::from(fraction_bits) + (target - exponent);
    let kept = significand >> shift;
    let rest = significand & ((1 << shift) - 1);
    let half = 1_u64 << (shift - 1);
    let rounded = kept + u64::from(rest > half || (rest == half && kept & 1 == 1));
    // A carry runs into the exponent, which is just right.
    let biased = if exponent < 1 - bias { 0 } else { (target + bias - 1) as u64 };
    sign | ((biased << fraction_bits) + rounded).min(infinity)
}

impl ModuleLowering<'_> {
    /// The constant as a value in a register.
    pub(crate) fn value_constant(
        &mut self,
        ty: TypeId,
        constant: &hir::Constant,
        span: Span,
    ) -> Result<TypedConstant, LowerError> {
        let air = value_type(self.program, ty)
            .ok_or_else(|| LowerError::malformed(span, "a constant of a type without values"))?;
        self.convert_constant(ty, air, constant, false, 0, span)
    }

    /// The constant as an object in memory.
    pub(crate) fn memory_constant(
        &mut self,
        ty: TypeId,
        constant: &hir::Constant,
        span: Span,
    ) -> Result<TypedConstant, LowerError> {
        let air = self.memory_type(ty, span)?;
        self.convert_constant(ty, air, constant, true, 0, span)
    }

    fn convert_constant(
        &mut self,
        ty: TypeId,
        air: Type,
        constant: &hir::Constant,
        in_memory: bool,
        depth: usize,
        span: Span,
    ) -> Result<TypedConstant, LowerError> {
        if depth > MAX_DEPTH {
            return Err(LowerError { span, kind: LowerErrorKind::TooDeep { limit: MAX_DEPTH } });
        }
        let value = match constant {
            hir::Constant::Zero => Constant::Zero,
            hir::Constant::Undefined => Constant::Undef,
            hir::Constant::Bool(value) => match air.scalar() {
                Some(Scalar::Int(_)) => Constant::Int(u64::from(*value)),
                _ => return Err(LowerError::malformed(span, format!("a truth value of type {air}"))),
            },
            hir::Constant::Int(value) => match air.scalar() {
                Some(scalar @ Scalar::Int(_)) => {
                    let bits = scalar.bits();
                    let value = *value as u64;
                    Constant::Int(if bits < 64 { value & ((1 << bits) - 1) } else { value })
                }
                Some(scalar @ (Scalar::Float | Scalar::Half | Scalar::BFloat)) => {
                    Constant::Float(float_bits(scalar, *value as f64))
                }
                Some(Scalar::Ptr(_)) if *value == 0 => Constant::Zero,
                Some(Scalar::Ptr(_)) => Constant::Expr(Arc::new(ConstantExpr::Cast {
                    op: mw_air::CastOp::IntToPtr,
                    value: TypedConstant::int(Type::I64, *value as u64),
                })),
                _ => return Err(LowerError::malformed(span, format!("an integer constant of type {air}"))),
            },
            hir::Constant::Float(value) => match air.scalar() {
                Some(scalar) if scalar.is_float() => Constant::Float(float_bits(scalar, *value)),
                _ => return Err(LowerError::malformed(span, format!("a float constant of type {air}"))),
            },
            hir::Constant::Aggregate(parts) => {
                return self.aggregate_constant(ty, air, parts, in_memory, depth, span);
            }
            hir::Constant::Union(index, part) => {
                return self.union_constant(ty, air, *index, part, depth, span);
            }
            hir::Constant::Address(global, offset) => {
                let (id, space) = self.global(*global)?;
                let base = TypedConstant { ty: Type::ptr(space), value: Constant::Global(id) };
                if *offset == 0 {
                    base.value
                } else {
                    Constant::Expr(Arc::new(ConstantExpr::Gep {
                        source: Type::I8,
                        base,
                        indices: vec![TypedConstant::int(Type::I64, *offset as u64)],
                        inbounds: false,
                    }))
                }
            }
            hir::Constant::Function(function) => Constant::Function(self.function(*function)?),
        };
        // A scalar constant of a vector type stands for each component.
        let is_number = matches!(value, Constant::Int(_) | Constant::Float(_));
        if is_number && let Type::Vector(scalar, lanes) = air {
            let element = TypedConstant { ty: Type::Scalar(scalar), value };
            return Ok(TypedConstant {
                ty: air,
                value: Constant::Aggregate(vec![element; lanes as usize].into()),
            });
        }
        Ok(TypedConstant { ty: air, value })
    }

    fn aggregate_constant(
        &mut self,
        ty: TypeId,
        air: Type,
        parts: &[hir::Constant],
        in_memory: bool,
        depth: usize,
        span: Span,
    ) -> Result<TypedConstant, LowerError> {
        let program = self.program;
        let mut elements: Vec<TypedConstant> = Vec::new();
        match program.ty(ty) {
            types::Type::Vector(..) | types::Type::PackedVector(..) | types::Type::SimdgroupMatrix { .. } => {
                let (element, lanes) = match &air {
                    Type::Vector(scalar, lanes) => (Type::Scalar(*scalar), u64::from(*lanes)),
                    Type::Array(element, lanes) => ((**element).clone(), *lanes),
                    _ => return Err(LowerError::malformed(span, "a vector constant")),
                };
                for index in 0..lanes {
                    let part = parts.get(index as usize).unwrap_or(&hir::Constant::Zero);
                    // Components are scalars: their own type says all.
                    elements.push(self.convert_constant(
                        ty,
                        element.clone(),
                        part,
                        in_memory,
                        depth + 1,
                        span,
                    )?);
                }
            }
            types::Type::Matrix { columns, .. } => {
                let Some(column) = air.element(0) else {
                    return Err(LowerError::malformed(span, "a matrix constant"));
                };
                for index in 0..*columns {
                    let part = parts.get(usize::from(index)).unwrap_or(&hir::Constant::Zero);
                    elements.push(match part {
                        hir::Constant::Aggregate(parts) => {
                            let scalar = Type::Scalar(column.scalar().unwrap_or(Scalar::Float));
                            let lanes = column.lanes().unwrap_or(1);
                            let mut list = Vec::new();
                            for lane in 0..lanes {
                                let part = parts.get(lane as usize).unwrap_or(&hir::Constant::Zero);
                                list.push(self.convert_constant(
                                    ty,
                                    scalar.clone(),
                                    part,
                                    in_memory,
                                    depth + 1,
                                    span,
                                )?);
                            }
                            TypedConstant { ty: column.clone(), value: Constant::Aggregate(list.into()) }
                        }
                        other => {
                            self.convert_constant(ty, column.clone(), other, in_memory, depth + 1, span)?
                        }
                    });
                }
            }
            types::Type::Array(element, count) => {
                let part_type = self.memory_type(*element, span)?;
                for index in 0..*count {
                    let part = parts.get(index as usize).unwrap_or(&hir::Constant::Zero);
                    elements.push(self.convert_constant(
                        *element,
                        part_type.clone(),
                        part,
                        true,
                        depth + 1,
                        span,
                    )?);
                }
            }
            types::Type::Record(id) => {
                let layout = self.record_layout(*id, span)?;
                let Type::Struct(structure) = &layout.ty else {
                    return Err(LowerError::malformed(span, "a record constant"));
                };
                elements = structure.fields.iter().map(|field| TypedConstant::zero(field.clone())).collect();
                let record = program.record(*id);
                for ((field, position), part) in record.fields.iter().zip(&layout.positions).zip(parts) {
                    if *position == crate::types::NO_ROOM {
                        continue;
                    }
                    let part_type = self.memory_type(field.ty.ty, span)?;
                    elements[*position as usize] =
                        self.convert_constant(field.ty.ty, part_type, part, true, depth + 1, span)?;
                }
            }
            _ => match parts {
                [] => return Ok(TypedConstant::zero(air)),
                [part] => return self.convert_constant(ty, air, part, in_memory, depth + 1, span),
                _ => return Err(LowerError::malformed(span, "a list as the constant of a scalar")),
            },
        }
        Ok(TypedConstant { ty: air, value: Constant::Aggregate(elements.into()) })
    }

    fn union_constant(
        &mut self,
        ty: TypeId,
        air: Type,
        index: u32,
        part: &hir::Constant,
        depth: usize,
        span: Span,
    ) -> Result<TypedConstant, LowerError> {
        let types::Type::Record(id) = self.program.ty(ty) else {
            return Err(LowerError::malformed(span, "a union constant of another type"));
        };
        let Some(field) = self.program.record(*id).fields.get(index as usize) else {
            return Err(LowerError::malformed(span, "a union constant without its member"));
        };
        let part_type = self.memory_type(field.ty.ty, span)?;
        let value = self.convert_constant(field.ty.ty, part_type.clone(), part, true, depth + 1, span)?;
        let Type::Struct(structure) = &air else {
            return Err(LowerError::malformed(span, "a union constant"));
        };
        let mut elements: Vec<_> =
            structure.fields.iter().map(|field| TypedConstant::zero(field.clone())).collect();
        let Some(first) = elements.first_mut() else { return Ok(TypedConstant::zero(air)) };
        if first.ty == part_type {
            *first = value;
        } else if matches!(value.value, Constant::Int(_))
            && first.ty.scalar().is_some_and(Scalar::is_int)
            && first.ty.lanes() == Some(1)
        {
            // Little endian: the bytes of a narrower integer come first.
            first.value = value.value;
        } else if value.value != Constant::Zero {
            return Err(LowerError::unsupported(
                span,
                "a constant union whose initialised member is not its widest one",
            ));
        }
        Ok(TypedConstant { ty: air, value: Constant::Aggregate(elements.into()) })
    }

    /// Whether the constant stands for zero bytes only.
    pub(crate) fn is_zero(constant: &hir::Constant) -> bool {
        match constant {
            hir::Constant::Zero => true,
            hir::Constant::Bool(value) => !value,
            hir::Constant::Int(value) => *value == 0,
            hir::Constant::Float(value) => value.to_bits() == 0,
            hir::Constant::Aggregate(parts) => parts.iter().all(Self::is_zero),
            hir::Constant::Union(_, part) => Self::is_zero(part),
            hir::Constant::Undefined | hir::Constant::Address(..) | hir::Constant::Function(_) => false,
        }
    }

    /// A constant object in constant memory, for copies of lists into variables.
    pub(crate) fn constant_object(
        &mut self,
        ty: TypeId,
        constant: &hir::Constant,
        span: Span,
    ) -> Result<mw_air::GlobalId, LowerError> {
        debug_assert!(is_aggregate(self.program, ty));
        let value = self.memory_constant(ty, constant, span)?;
        let name = self.unique_name("__const");
        let mut global = mw_air::Global::new(&name, value.ty.clone(), AddressSpace::CONSTANT);
        global.align = Layout::align(&value.ty).max(self.program.layout(ty).1 as u32);
        global.initializer = Some(value);
        global.is_constant = true;
        global.linkage = mw_air::Linkage::Private;
        global.unnamed_addr = 1;
        Ok(self.module.add_global(global))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_round_to_nearest_even_in_16_bits() {
        let half = |value| float_bits(Scalar::Half, value);
        assert_eq!(half(1.0), 0x3c00);
        assert_eq!(half(-2.0), 0xc000);
        assert_eq!(half(65504.0), 0x7bff);
        assert_eq!(half(65520.0), 0x7c00);
        assert_eq!(half(65519.0), 0x7bff);
        assert_eq!(half(2049.0), 0x6800);
        assert_eq!(half(2051.0), 0x6802);
        assert_eq!(half(6.103_515_625e-5), 0x0400);
        assert_eq!(half(5.960_464_477_539_063e-8), 0x0001);
        assert_eq!(half(2.980_232_238_769_531_3e-8), 0x0000);
        assert_eq!(half(2.99e-8), 0x0001);
        assert_eq!(half(f64::INFINITY), 0x7c00);
        let bfloat = |value| float_bits(Scalar::BFloat, value);
        assert_eq!(bfloat(1.0), 0x3f80);
        assert_eq!(bfloat(1.0 + 1.0 / 256.0), 0x3f80);
        assert_eq!(bfloat(1.0 + 3.0 / 256.0), 0x3f82);
        assert_eq!(bfloat(f64::MAX), 0x7f80);
    }
}
