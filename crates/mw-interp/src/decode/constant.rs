//! Constants: their scalars, and their bytes in memory.

use mw_air::{CastOp, Constant, ConstantExpr, Layout, Scalar, Type, TypedConstant};

use super::layout::{self, MAX_DEPTH};
use super::{Decoder, Result, invalid, unsupported};
use crate::memory::function_address;
use crate::number::{self, Format};
use crate::shadow::Shadowed;

/// Bits, and whether they are undefined.
pub(super) type Bits = (u64, bool);

impl Decoder<'_> {
    /// The scalars of a constant.
    pub(super) fn scalars(&mut self, ty: &Type, value: &Constant, depth: u32) -> Result<Vec<Bits>> {
        if depth > MAX_DEPTH {
            return unsupported("a constant expression of great depth", "compute it in a function");
        }
        let count = layout::scalar_count(ty)?;
        Ok(match value {
            Constant::Int(bits) | Constant::Float(bits) => {
                let Some(scalar) = ty.scalar() else {
                    return invalid(format!("a number is used as a constant of type {ty}"));
                };
                vec![(bits & number::mask(scalar.bits().min(64) as u8), false); count]
            }
            Constant::Zero => vec![(0, false); count],
            Constant::Undef | Constant::Poison => vec![(0, true); count],
            Constant::Aggregate(elements) => {
                let mut out = Vec::with_capacity(count);
                for element in elements.iter() {
                    if out.len() == count {
                        break;
                    }
                    out.extend(self.scalars(&element.ty, &element.value, depth + 1)?);
                }
                if out.len() != count {
                    return invalid(format!("a constant of type {ty} has {} scalars", out.len()));
                }
                out
            }
            Constant::Global(global) => match self.addresses.get(global.index()) {
                Some(address) => vec![(*address, false)],
                None => return invalid(format!("global variable {} does not exist", global.0)),
            },
            Constant::Function(function) => {
                let id = *function;
                if self.module.functions.get(id.index()).is_some_and(|function| !function.is_declaration()) {
                    self.position_of(id)?;
                }
                vec![(function_address(id), false)]
            }
            Constant::Expr(expression) => self.expression(ty, expression, depth + 1)?,
        })
    }

    fn typed(&mut self, constant: &TypedConstant, depth: u32) -> Result<Vec<Bits>> {
        self.scalars(&constant.ty, &constant.value, depth)
    }

    fn expression(&mut self, ty: &Type, expression: &ConstantExpr, depth: u32) -> Result<Vec<Bits>> {
        match expression {
            ConstantExpr::Gep { source, base, indices, .. } => {
                let base = self.typed(base, depth)?;
                let mut values = Vec::new();
                for index in indices {
                    let Some((bits, undef)) = self.typed(index, depth)?.first().copied() else {
                        return invalid("a constant address has an empty index");
                    };
                    let width = super::int_bits(&index.ty)?;
                    values.push(Some(if undef { 0 } else { number::signed(bits, width) }));
                }
                let offset = layout::walk(source, &values)?.offset;
                Ok(base.into_iter().map(|(bits, undef)| (bits.wrapping_add(offset as u64), undef)).collect())
            }
            ConstantExpr::Cast { op, value } => {
                let operand = self.typed(value, depth)?;
                let flushing = self.program.flushing;
                match (value.ty.scalar(), ty.scalar()) {
                    (Some(from), Some(to)) if layout::scalar_count(ty)? == operand.len() => operand
                        .into_iter()
                        .map(|(bits, undef)| Ok((cast(*op, from, to, flushing, bits)?, undef)))
                        .collect(),
                    _ => unsupported(
                        format!("a constant {} from {} to {ty}", op.name(), value.ty),
                        "compute it in a function",
                    ),
                }
            }
            ConstantExpr::Binary { op, lhs, rhs } => {
                let (left, right) = (self.typed(lhs, depth)?, self.typed(rhs, depth)?);
                let Some(scalar) = ty.scalar() else {
                    return invalid(format!("arithmetic on type {ty}"));
                };
                let flushing = self.program.flushing;
                left.into_iter()
                    .zip(right)
                    .map(|((x, x_undef), (y, y_undef))| {
                        let bits = match Format::of(scalar) {
                            Some(format) => match super::block::float_op(*op) {
                                Some(op) => number::float2(op, format, flushing, x, y),
                                None => return invalid(format!("{} of floats", op.name())),
                            },
                            None => match super::block::int_op(*op) {
                                Some(op) => number::int2(op, scalar.bits().min(64) as u8, x, y),
                                None => return invalid(format!("{} of integers", op.name())),
                            },
                        };
                        Ok((bits, x_undef || y_undef))
                    })
                    .collect()
            }
        }
    }

    /// Writes a constant to memory. What is undefined stays undefined.
    pub(super) fn write_constant(
        &mut self,
        memory: &mut Shadowed,
        offset: u64,
        ty: &Type,
        value: &Constant,
        depth: u32,
    ) -> Result<()> {
        if depth > MAX_DEPTH {
            return unsupported("an initial value of great depth", "fill the variable in a function");
        }
        let size = Layout::alloc_size(ty) as usize;
        if !memory.contains(offset, size) {
            return invalid(format!("an initial value of type {ty} is larger than its variable"));
        }
        match value {
            Constant::Undef | Constant::Poison => Ok(()),
            Constant::Zero => {
                memory.clear(offset, size, 0, true);
                Ok(())
            }
            Constant::Aggregate(elements) if !matches!(ty, Type::Vector(..)) => {
                for (index, element) in elements.iter().enumerate() {
                    let place = match ty {
                        Type::Struct(structure) => Layout::field_offset(structure, index),
                        _ => index as u64 * Layout::alloc_size(&element.ty),
                    };
                    self.write_constant(memory, offset + place, &element.ty, &element.value, depth + 1)?;
                }
                Ok(())
            }
            _ => {
                let leaves = layout::leaves(ty)?;
                for (leaf, (bits, undef)) in leaves.iter().zip(self.scalars(ty, value, depth + 1)?) {
                    match leaf.packed {
                        None if undef => {}
                        None => memory.write(offset + leaf.offset, usize::from(leaf.size()), 0, bits, 0),
                        Some((shift, size)) => {
                            let size = usize::from(size);
                            let (old, _) = memory.read(offset + leaf.offset, size, 0);
                            memory.write(offset + leaf.offset, size, 0, old | bits << shift, 0);
                        }
                    }
                }
                Ok(())
            }
        }
    }
}

/// One conversion of a scalar.
fn cast(op: CastOp, from: Scalar, to: Scalar, flushing: bool, bits: u64) -> Result<u64> {
    let (from_bits, to_bits) = (from.bits().min(64) as u8, to.bits().min(64) as u8);
    let formats = (Format::of(from), Format::of(to));
    Ok(match (op, formats) {
        (CastOp::Trunc | CastOp::PtrToInt, _) => bits & number::mask(to_bits),
        (CastOp::ZExt | CastOp::IntToPtr | CastOp::AddrSpaceCast, _) => bits,
        (CastOp::Bitcast, _) if from_bits == to_bits => bits,
        (CastOp::SExt, _) => number::signed(bits, from_bits) as u64 & number::mask(to_bits),
        (CastOp::FpTrunc | CastOp::FpExt, (Some(from), Some(to))) => {
            number::float_to_float(from, to, flushing, bits)
        }
        (CastOp::FpToUi, (Some(from), _)) => number::float_to_int(from, to_bits, false, bits),
        (CastOp::FpToSi, (Some(from), _)) => number::float_to_int(from, to_bits, true, bits),
        (CastOp::UiToFp, (_, Some(to))) => number::int_to_float(from_bits, false, to, bits),
        (CastOp::SiToFp, (_, Some(to))) => number::int_to_float(from_bits, true, to, bits),
        _ => return invalid(format!("{} from {from} to {to}", op.name())),
    })
}
