//! Functions of Metal's library that the compiler knows, as AIR.
//!
//! A function whose AIR name is known becomes a call of that name; every other one is spelled out in
//! instructions. No name is made up.

mod atomic;
mod collective;
mod float;
mod geometric;
mod integer;
mod matrix;
mod pack;
mod relational;

use mw_air::{CastOp, Flags, Scalar, Type, ValueId};
use mw_msl::ast::MathMode;
use mw_msl::hir::BuiltinCall;
use mw_msl::stdlib::Op;
use mw_msl::stdlib::table::Expansion;
use mw_msl::types::{self, TypeId};
use mw_source::Span;

use crate::context::{self, FunctionLowering};
use crate::error::LowerError;

/// Lowers one call.
///
/// `arguments` are the values of `call.arguments`, whose types tell the overload; `result` is the type of
/// the call. Gives `None` when that is void. Arguments and results of record type do not occur.
pub(crate) fn lower(
    cx: &mut FunctionLowering<'_, '_>,
    call: &BuiltinCall,
    arguments: &[ValueId],
    result: TypeId,
    span: Span,
) -> Result<Option<ValueId>, LowerError> {
    let row = call.builtin.row();
    let types: Vec<TypeId> = call.arguments.iter().map(|argument| argument.ty).collect();
    let mut mode = call.math_mode;
    let mut arguments = arguments;
    // The internal form has a flag for the math mode behind the arguments of the public one.
    let declared = row.signature.split_ascii_whitespace().count().saturating_sub(1);
    if !row.signature.is_empty() && arguments.len() > declared {
        mode = match arguments.get(declared).and_then(|flag| cx.function.as_int(*flag)) {
            Some(0) => MathMode::Safe,
            Some(1) => MathMode::Fast,
            Some(2) => mode,
            _ => {
                return Err(LowerError::unsupported(
                    span,
                    format!(
                        "`__metal_{}` with a math mode that is not one of the library's constants",
                        row.name
                    ),
                ));
            }
        };
        arguments = &arguments[..declared];
    }
    let mut lowering = Lowering { cx, mode, arguments, types: &types, span, name: row.name };
    lowering.call(row.op, result)
}

/// One call on its way to AIR.
struct Lowering<'c, 'a, 'p> {
    cx: &'c mut FunctionLowering<'a, 'p>,
    mode: MathMode,
    arguments: &'c [ValueId],
    types: &'c [TypeId],
    span: Span,
    /// Metal's name of the function, for messages.
    name: &'static str,
}

/// `v4f32`, `i32`: how AIR's names write a type.
fn suffix(ty: &Type) -> String {
    let scalar = ty.scalar().map_or_else(String::new, Scalar::suffix);
    match ty.lanes() {
        Some(lanes) if lanes > 1 => format!("v{lanes}{scalar}"),
        _ => scalar,
    }
}

/// The integer type as wide as a type of numbers.
fn bits_of(ty: &Type) -> Type {
    ty.with_scalar(Scalar::Int(ty.scalar().map_or(32, |scalar| scalar.bits() as u16)))
}

impl Lowering<'_, '_, '_> {
    fn call(&mut self, op: Op, result: TypeId) -> Result<Option<ValueId>, LowerError> {
        Ok(match op {
            Op::Math(name) => Some(self.math(name)?),
            Op::PreciseMath(name) => Some(self.precise_math(name)?),
            Op::Integer(name) => Some(self.integer(name)?),
            Op::UnsignedInteger(name) => Some(self.unsigned_integer(name, result)?),
            Op::CountZeros(name) => Some(self.count_zeros(name, result)?),
            Op::Relational(name) => {
                let ty = self.argument_type(0)?;
                let name = format!("air.{name}.{}", suffix(&ty));
                Some(self.cx.call_value(&name, &Type::I1, self.arguments))
            }
            Op::Simd(name) => Some(self.collective("simd", name, result)?),
            Op::Quad(name) => Some(self.collective("quad", name, result)?),
            Op::ThreadgroupBarrier => {
                self.barrier("air.wg.barrier");
                None
            }
            Op::SimdgroupBarrier => {
                self.simdgroup_barrier()?;
                None
            }
            Op::Fence => {
                self.barrier("air.atomic.fence");
                None
            }
            Op::SimdgroupSize => Some(self.identity("air.get_simdgroup_size", result)?),
            Op::ThreadIndexInSimdgroup => Some(self.identity("air.get_thread_index_in_simdgroup", result)?),
            Op::Atomic(kind, name) => self.atomic(kind, name)?,
            Op::SimdgroupMatrix(kind, name) => self.simdgroup_matrix(kind, name, result)?,
            Op::Expand(expansion) => Some(self.expand(expansion, result)?),
            Op::Unsupported(what) if self.name.starts_with("__metal_") => {
                return Err(LowerError::unsupported(self.span, format!("use of {what}")));
            }
            Op::Unsupported(what) => {
                return Err(LowerError::unsupported(self.span, format!("`{}` ({what})", self.name)));
            }
        })
    }

    fn expand(&mut self, expansion: Expansion, result: TypeId) -> Result<ValueId, LowerError> {
        use Expansion as E;
        match expansion {
            E::Copysign => self.copysign(),
            E::Divide => self.divide(),
            E::Fdim => self.fdim(),
            E::Frexp => self.frexp(),
            E::Ilogb => self.ilogb(),
            E::Modf => self.modf(),
            E::Mix => self.mix(),
            E::Sign => self.sign(),
            E::Smoothstep => self.smoothstep(),
            E::Step => self.step(),
            E::Median3 => self.median3(),
            E::AbsDiff => self.abs_diff(),
            E::AddSat => self.add_sat(),
            E::SubSat => self.sub_sat(),
            E::HAdd => self.hadd(),
            E::RHAdd => self.rhadd(),
            E::Mul24 => self.mul24(),
            E::Mad24 => self.mad24(),
            E::MadHi => self.mad_hi(),
            E::MadSat => self.mad_sat(),
            E::Rotate => self.rotate(),
            E::IsFinite => self.is_finite(),
            E::IsInf => self.is_inf(),
            E::IsNan => self.is_nan(),
            E::IsNormal => self.is_normal(),
            E::IsOrdered => self.is_ordered(true),
            E::IsUnordered => self.is_ordered(false),
            E::SignBit => self.sign_bit(),
            E::Not => self.not(),
            E::Select => self.select(),
            E::Cross => self.cross(),
            E::Distance => self.distance(),
            E::DistanceSquared => self.distance_squared(),
            E::FaceForward => self.faceforward(),
            E::Length => self.length(),
            E::LengthSquared => self.length_squared(),
            E::Normalize => self.normalize(),
            E::Reflect => self.reflect(),
            E::Refract => self.refract(),
            E::Determinant => self.determinant(),
            E::Transpose => self.transpose(),
            E::ActiveThreadsMask => Ok(self.active_threads_mask()),
            E::PackUnorm4x8
            | E::PackSnorm4x8
            | E::PackUnorm2x16
            | E::PackSnorm2x16
            | E::PackSrgb4x8
            | E::PackUnorm10a2 => self.pack(expansion),
            E::UnpackUnorm4x8
            | E::UnpackSnorm4x8
            | E::UnpackUnorm2x16
            | E::UnpackSnorm2x16
            | E::UnpackSrgb4x8
            | E::UnpackUnorm10a2 => self.unpack(expansion, result),
        }
    }

    /// Argument `index`.
    fn argument(&self, index: usize) -> Result<ValueId, LowerError> {
        self.arguments.get(index).copied().ok_or_else(|| self.malformed())
    }

    /// Type of the value of argument `index`.
    fn argument_type(&self, index: usize) -> Result<Type, LowerError> {
        Ok(self.cx.ty(self.argument(index)?))
    }

    fn arguments2(&self) -> Result<(ValueId, ValueId), LowerError> {
        Ok((self.argument(0)?, self.argument(1)?))
    }

    fn arguments3(&self) -> Result<(ValueId, ValueId, ValueId), LowerError> {
        Ok((self.argument(0)?, self.argument(1)?, self.argument(2)?))
    }

    fn malformed(&self) -> LowerError {
        LowerError::malformed(self.span, format!("`{}` with arguments of another shape", self.name))
    }

    /// Metal's element type of argument `index`.
    fn element(&self, index: usize) -> Option<types::Scalar> {
        let id = *self.types.get(index)?;
        self.cx.element(id).or_else(|| self.cx.element(self.cx.pointee(id)?.ty))
    }

    /// Whether the first argument is of signed integers.
    fn is_signed(&self) -> bool {
        self.element(0).is_some_and(types::Scalar::is_signed_integer)
    }

    /// Type of the value of the result.
    fn value_type(&self, result: TypeId) -> Result<Type, LowerError> {
        self.cx.value_type(result, self.span)
    }

    /// Fast-math flags of this call: none in a module without fast math, whatever the function's form.
    fn flags(&self) -> Flags {
        if self.cx.module.options.fast_math { context::flags(self.mode) } else { Flags::NONE }
    }

    /// `air.<name>.<T>` or its fast form: that one is for float alone.
    fn call_math(&mut self, name: &str, arguments: &[ValueId]) -> ValueId {
        let ty = self.cx.ty(arguments[0]);
        let fast =
            if self.mode != MathMode::Safe && ty.scalar() == Some(Scalar::Float) { "fast_" } else { "" };
        let name = format!("air.{fast}{name}.{}", suffix(&ty));
        let flags = self.flags();
        self.cx.call_external_flags(&name, &ty, arguments, flags).unwrap_or(arguments[0])
    }

    /// `air.<name>.{s,u}.<T>`
    fn call_integer(&mut self, name: &str, arguments: &[ValueId]) -> ValueId {
        let ty = self.cx.ty(arguments[0]);
        let sign = if self.is_signed() { 's' } else { 'u' };
        let name = format!("air.{name}.{sign}.{}", suffix(&ty));
        self.cx.call_value(&name, &ty, arguments)
    }

    /// An integer as another integer type, without sign.
    fn resize(&mut self, value: ValueId, to: &Type) -> ValueId {
        let from = self.cx.ty(value);
        let width = |ty: &Type| ty.scalar().map_or(0, Scalar::bits);
        match width(&from).cmp(&width(to)) {
            std::cmp::Ordering::Less => self.cx.cast(CastOp::ZExt, value, to),
            std::cmp::Ordering::Greater => self.cx.cast(CastOp::Trunc, value, to),
            std::cmp::Ordering::Equal => value,
        }
    }

    /// A scalar in every component that `like` has.
    fn splat_like(&mut self, scalar: ValueId, like: ValueId) -> ValueId {
        match self.cx.ty(like).lanes() {
            Some(lanes) if lanes > 1 => self.cx.splat(scalar, lanes),
            _ => scalar,
        }
    }
}
