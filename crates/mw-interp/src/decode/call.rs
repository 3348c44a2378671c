//! Calls: functions of the module, and the primitives of [`crate::primitive`].

use mw_air::intrinsics::AtomicOp;
use mw_air::{Call, Callee, Constant, IntPredicate, Scalar, Type};

use super::block::FunctionDecoder;
use super::layout;
use super::{Result, int_bits, invalid, unsupported};
use crate::number::{self, FloatOp, Format, IntOp};
use crate::primitive::{Primitive, Reduction};
use crate::program::{Combine, LANES, MatrixFormats, Op, Reg, ShuffleKind, SignOp, VoteKind};

/// Lanes of a quadgroup.
const QUAD: u8 = 4;

impl<'m> FunctionDecoder<'_, 'm> {
    /// Decodes a call and gives the registers of its result.
    pub(super) fn call(&mut self, call: &Call, result: &Type) -> Result<Option<Vec<Reg>>> {
        let callee = match call.callee {
            Callee::Function(function) => Some(function),
            Callee::Value(value) => match self.function.constant(value) {
                Some(Constant::Function(function)) => Some(*function),
                _ => None,
            },
        };
        let Some(callee) = callee else { return self.call_pointer(call, result).map(Some) };
        let Some(target) = self.module.module.functions.get(callee.index()) else {
            return invalid(format!("function {} does not exist", callee.0));
        };
        if target.is_declaration() {
            let Some(primitive) = Primitive::named(&target.name) else {
                return missing(&target.name);
            };
            let out = self.primitive(primitive, call, result, &target.name)?;
            return Ok((*result != Type::Void).then_some(out));
        }
        let function = self.module.position_of(callee)?;
        let args = self.arguments(call)?;
        let mut params = 0;
        for param in &target.ty.params {
            params += layout::scalar_count(param)?;
        }
        if args.len() != params || layout::scalar_count(&target.ty.ret)? != layout::scalar_count(result)? {
            return invalid(format!("a call of `{}` with another type than its own", target.name));
        }
        let results = self.fresh_list(result)?;
        let (args, list) = (self.list(&args), self.list(&results));
        self.emit(Op::Call { function, args, results: list });
        Ok(Some(results))
    }

    fn call_pointer(&mut self, call: &Call, result: &Type) -> Result<Vec<Reg>> {
        let Callee::Value(pointer) = call.callee else { return invalid("a call without a callee") };
        let pointer = self.scalar(pointer)?;
        let args = self.arguments(call)?;
        let results = self.fresh_list(result)?;
        let (args, list) = (self.list(&args), self.list(&results));
        self.emit(Op::CallPointer { pointer, args, results: list });
        Ok(results)
    }

    fn arguments(&mut self, call: &Call) -> Result<Vec<Reg>> {
        let mut args = Vec::new();
        for arg in &call.args {
            args.extend(self.value(*arg)?);
        }
        Ok(args)
    }

    /// Registers of argument `index`.
    fn arg(&mut self, call: &Call, index: usize, name: &str) -> Result<Vec<Reg>> {
        match call.args.get(index) {
            Some(value) => self.value(*value),
            None => invalid(format!("`{name}` is called with {} arguments", call.args.len())),
        }
    }

    /// Register of argument `index`, a scalar.
    fn arg1(&mut self, call: &Call, index: usize, name: &str) -> Result<Reg> {
        match self.arg(call, index, name)?.as_slice() {
            [register] => Ok(*register),
            _ => invalid(format!("argument {index} of `{name}` is no scalar")),
        }
    }

    /// Both registers of argument `index`, a vector of two.
    fn arg2(&mut self, call: &Call, index: usize, name: &str) -> Result<[Reg; 2]> {
        match self.arg(call, index, name)?.as_slice() {
            [x, y] => Ok([*x, *y]),
            _ => invalid(format!("argument {index} of `{name}` is no pair")),
        }
    }

    fn arg_type(&self, call: &Call, index: usize, name: &str) -> Result<&'m Type> {
        match call.args.get(index) {
            Some(value) => Ok(self.ty(*value)),
            None => invalid(format!("`{name}` is called with {} arguments", call.args.len())),
        }
    }

    fn arg_scalar(&self, call: &Call, index: usize, name: &str) -> Result<Scalar> {
        let ty = self.arg_type(call, index, name)?;
        match ty.scalar() {
            Some(scalar) if scalar.bits() <= 64 => Ok(scalar),
            _ => invalid(format!("argument {index} of `{name}` has type {ty}")),
        }
    }

    fn arg_format(&self, call: &Call, index: usize, name: &str) -> Result<Format> {
        match Format::of(self.arg_scalar(call, index, name)?) {
            Some(format) => Ok(format),
            None => invalid(format!("argument {index} of `{name}` is no float")),
        }
    }

    /// Emits an operation for each scalar of the arguments, which all have as many.
    fn each<const N: usize>(
        &mut self,
        call: &Call,
        name: &str,
        op: impl Fn(Reg, [Reg; N]) -> Op,
    ) -> Result<Vec<Reg>> {
        let mut args = Vec::with_capacity(N);
        for index in 0..N {
            args.push(self.arg(call, index, name)?);
        }
        if args.windows(2).any(|pair| pair[0].len() != pair[1].len()) {
            return invalid(format!("`{name}` is called with vectors of different sizes"));
        }
        let count = args.first().map_or(0, Vec::len);
        let elements = (0..count).map(|element| std::array::from_fn(|index: usize| args[index][element]));
        let mut out = Vec::with_capacity(count);
        for operands in elements {
            let dst = self.fresh()?;
            self.emit(op(dst, operands));
            out.push(dst);
        }
        Ok(out)
    }

    fn primitive(
        &mut self,
        primitive: Primitive,
        call: &Call,
        result: &Type,
        name: &str,
    ) -> Result<Vec<Reg>> {
        let group = |quad| if quad { QUAD } else { LANES as u8 };
        match primitive {
            Primitive::Fma => {
                let format = self.arg_format(call, 0, name)?;
                self.each::<3>(call, name, |dst, [a, b, c]| Op::Fma { format, dst, a, b, c })
            }
            Primitive::Float1(op) => {
                let format = self.arg_format(call, 0, name)?;
                self.each::<1>(call, name, |dst, [a]| Op::Float1 { op, format, dst, a })
            }
            Primitive::FloatMin | Primitive::FloatMax => {
                let format = self.arg_format(call, 0, name)?;
                let op = if primitive == Primitive::FloatMin { FloatOp::Min } else { FloatOp::Max };
                self.each::<2>(call, name, |dst, [a, b]| Op::Float2 { op, format, dst, a, b })
            }
            Primitive::FloatAbs => {
                let bits = int_bits(self.arg_type(call, 0, name)?)?;
                self.each::<1>(call, name, |dst, [a]| Op::Sign { op: SignOp::Absolute, bits, dst, a, b: a })
            }
            Primitive::CopySign => {
                let bits = int_bits(self.arg_type(call, 0, name)?)?;
                self.each::<2>(call, name, |dst, [a, b]| Op::Sign { op: SignOp::Copy, bits, dst, a, b })
            }
            Primitive::FloatToInt { signed } => {
                let (format, bits) = (self.arg_format(call, 0, name)?, int_bits(result)?);
                self.each::<1>(call, name, |dst, [a]| Op::FloatToInt { format, bits, signed, dst, a })
            }
            Primitive::Int1(op) => {
                let bits = int_bits(self.arg_type(call, 0, name)?)?;
                self.each::<1>(call, name, |dst, [a]| Op::Int1 { op, bits, dst, a })
            }
            Primitive::Int2(op) => {
                let bits = int_bits(self.arg_type(call, 0, name)?)?;
                self.each::<2>(call, name, |dst, [a, b]| Op::Int2 { op, bits, dst, a, b })
            }
            Primitive::Funnel { left } => {
                let bits = int_bits(self.arg_type(call, 0, name)?)?;
                self.each::<3>(call, name, |dst, [a, b, c]| Op::Funnel { left, bits, dst, a, b, c })
            }
            Primitive::MemCopy => {
                let (dst, src, len) =
                    (self.arg1(call, 0, name)?, self.arg1(call, 1, name)?, self.arg1(call, 2, name)?);
                self.emit(Op::MemCopy { dst, src, len });
                Ok(Vec::new())
            }
            Primitive::MemSet => {
                let (dst, value, len) =
                    (self.arg1(call, 0, name)?, self.arg1(call, 1, name)?, self.arg1(call, 2, name)?);
                self.emit(Op::MemSet { dst, value, len });
                Ok(Vec::new())
            }
            Primitive::Nothing => {
                let zero = self.constant(0);
                Ok(vec![zero; layout::scalar_count(result)?])
            }
            Primitive::First => self.arg(call, 0, name),
            Primitive::Barrier => {
                self.emit(Op::Barrier);
                Ok(Vec::new())
            }
            Primitive::SimdgroupSize => Ok(vec![self.constant(LANES as u64)]),
            Primitive::LaneIndex => {
                let dst = self.fresh()?;
                self.emit(Op::LaneIndex { dst });
                Ok(vec![dst])
            }
            Primitive::NormalizePredicate => {
                let bits = int_bits(self.arg_type(call, 0, name)?)?;
                let b = self.constant(0);
                self.each::<1>(call, name, |dst, [a]| Op::IntCompare {
                    predicate: IntPredicate::Ne,
                    bits,
                    dst,
                    a,
                    b,
                })
            }
            Primitive::Vote { kind, quad } => self.vote(kind, group(quad), call, name),
            Primitive::Shuffle { kind, quad } => self.lane_shuffle(kind, group(quad), call, name),
            Primitive::Reduce { op, signed, quad } => {
                let scalar = self.arg_scalar(call, 0, name)?;
                let Some((op, neutral)) = combine(op, signed, scalar) else {
                    return invalid(format!("`{name}` on {scalar}"));
                };
                let neutral = self.constant(neutral);
                let group = group(quad);
                self.each::<1>(call, name, |dst, [a]| Op::Reduce { op, neutral, group, dst, a })
            }
            Primitive::Prefix { op, inclusive, quad } => {
                let scalar = self.arg_scalar(call, 0, name)?;
                let Some((combine, neutral)) = combine(op, false, scalar) else {
                    return invalid(format!("`{name}` on {scalar}"));
                };
                // Lane 0 of an exclusive sum is +0, although −0 is what changes no operand.
                let first = match op {
                    Reduction::Sum => self.constant(0),
                    _ => self.constant(neutral),
                };
                let neutral = self.constant(neutral);
                let group = group(quad);
                self.each::<1>(call, name, |dst, [a]| Op::Prefix {
                    op: combine,
                    neutral,
                    first,
                    inclusive,
                    group,
                    dst,
                    a,
                })
            }
            Primitive::MatrixLoad => {
                let size = (int_bits(result)? / 8).max(1);
                let (first, second) = (self.fresh()?, self.fresh()?);
                let mut list = vec![first, second];
                list.extend(self.matrix_address(call, 0, name)?);
                let list = self.list(&list);
                self.emit(Op::MatrixLoad { size, list });
                Ok(vec![first, second])
            }
            Primitive::MatrixStore => {
                let size = (int_bits(self.arg_type(call, 0, name)?)? / 8).max(1);
                let mut list = self.arg2(call, 0, name)?.to_vec();
                list.extend(self.matrix_address(call, 1, name)?);
                let list = self.list(&list);
                self.emit(Op::MatrixStore { size, list });
                Ok(Vec::new())
            }
            Primitive::MatrixMultiply => {
                let Some(format) = result.scalar().and_then(Format::of) else {
                    return invalid(format!("`{name}` gives {result}"));
                };
                let formats = MatrixFormats {
                    left: self.arg_format(call, 0, name)?,
                    right: self.arg_format(call, 1, name)?,
                    addend: self.arg_format(call, 2, name)?,
                    result: format,
                };
                let (first, second) = (self.fresh()?, self.fresh()?);
                let mut list = vec![first, second];
                for operand in 0..3 {
                    list.extend(self.arg2(call, operand, name)?);
                }
                let list = self.list(&list);
                self.emit(Op::MatrixMultiply { formats, list });
                Ok(vec![first, second])
            }
            Primitive::MatrixFill { diagonal } => {
                let value = self.arg1(call, 0, name)?;
                let (first, second) = (self.fresh()?, self.fresh()?);
                let list = self.list(&[first, second, value]);
                self.emit(Op::MatrixFill { diagonal, list });
                Ok(vec![first, second])
            }
            Primitive::AsyncCopy1d => {
                let mut list = Vec::with_capacity(4);
                for index in [0, 2, 3, 4] {
                    list.push(self.arg1(call, index, name)?);
                }
                let list = self.list(&list);
                self.emit(Op::AsyncCopy1d { list });
                Ok(vec![self.constant(0)])
            }
            Primitive::AsyncCopy2d => {
                let mut list = Vec::with_capacity(14);
                for index in [0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] {
                    list.extend(self.arg(call, index, name)?);
                }
                if list.len() != 14 {
                    return invalid(format!("`{name}` is called with other types than its own"));
                }
                let list = self.list(&list);
                self.emit(Op::AsyncCopy2d { list });
                Ok(vec![self.constant(0)])
            }
            Primitive::CoherentLoad => match call.args.first() {
                Some(pointer) => self.load(*pointer, result),
                None => invalid(format!("`{name}` is called without arguments")),
            },
            Primitive::CoherentStore => {
                let pointer = self.arg1(call, 1, name)?;
                self.store(pointer, call.args[0])?;
                Ok(Vec::new())
            }
            Primitive::Atomic { op, signed } => self.atomic(op, signed, call, result, name),
            Primitive::Refused => {
                let feature = self.module.program.unsupported.len() as u32;
                self.module.program.unsupported.push(format!("`{name}`"));
                self.emit(Op::Unsupported { feature });
                let undef = self.undef();
                Ok(vec![undef; layout::scalar_count(result)?])
            }
        }
    }

    fn vote(&mut self, kind: VoteKind, group: u8, call: &Call, name: &str) -> Result<Vec<Reg>> {
        let operands = if call.args.is_empty() { vec![self.constant(0)] } else { self.arg(call, 0, name)? };
        let mut all: Option<Reg> = None;
        for a in operands {
            let dst = self.fresh()?;
            self.emit(Op::Vote { kind, group, dst, a });
            all = Some(match all {
                None => dst,
                Some(left) => {
                    // Only uniformity takes vectors: all elements must be uniform.
                    let both = self.fresh()?;
                    self.emit(Op::Int2 { op: IntOp::And, bits: 1, dst: both, a: left, b: dst });
                    both
                }
            });
        }
        Ok(all.into_iter().collect())
    }

    fn lane_shuffle(&mut self, kind: ShuffleKind, group: u8, call: &Call, name: &str) -> Result<Vec<Reg>> {
        let values = self.arg(call, 0, name)?;
        let fills = match kind {
            ShuffleKind::FillUp | ShuffleKind::FillDown => Some(self.arg(call, 1, name)?),
            _ => None,
        };
        if fills.as_ref().is_some_and(|fills| fills.len() != values.len()) {
            return invalid(format!("`{name}` is called with vectors of different sizes"));
        }
        let mut out = Vec::with_capacity(values.len());
        for (element, value) in values.iter().enumerate() {
            let mut list = vec![*value];
            if let Some(fills) = &fills {
                let (distance, modulo) = (self.arg1(call, 2, name)?, self.arg1(call, 3, name)?);
                list.extend([distance, fills[element], modulo]);
            } else if kind != ShuffleKind::First {
                list.push(self.arg1(call, 1, name)?);
            }
            let list = self.list(&list);
            let dst = self.fresh()?;
            self.emit(Op::Shuffle { kind, group, dst, list });
            out.push(dst);
        }
        Ok(out)
    }

    /// Pointer, stride of columns, stride of rows, origin column, origin row of a matrix access, whose
    /// arguments start at `first`.
    fn matrix_address(&mut self, call: &Call, first: usize, name: &str) -> Result<[Reg; 5]> {
        let pointer = self.arg1(call, first, name)?;
        if self.arg_type(call, first + 1, name)?.lanes() == Some(2) {
            // AIR 2.8: extent, strides, origin.
            let [column, row] = self.arg2(call, first + 2, name)?;
            let [x, y] = self.arg2(call, first + 3, name)?;
            return Ok([pointer, column, row, x, y]);
        }
        // Up to AIR 2.7: elements of a row, origin, transposition.
        let pitch = self.arg1(call, first + 1, name)?;
        let [x, y] = self.arg2(call, first + 2, name)?;
        let transposed = self.arg1(call, first + 3, name)?;
        let one = self.constant(1);
        let (column, row) = match self.module.known(transposed) {
            Some(0) => (one, pitch),
            Some(_) => (pitch, one),
            None => {
                let (column, row) = (self.fresh()?, self.fresh()?);
                self.emit(Op::Select { dst: column, condition: transposed, a: pitch, b: one });
                self.emit(Op::Select { dst: row, condition: transposed, a: one, b: pitch });
                (column, row)
            }
        };
        Ok([pointer, column, row, x, y])
    }

    fn atomic(
        &mut self,
        kind: AtomicOp,
        signed: bool,
        call: &Call,
        result: &Type,
        name: &str,
    ) -> Result<Vec<Reg>> {
        let ptr = self.arg1(call, 0, name)?;
        let scalar = match kind {
            AtomicOp::Load => result.scalar(),
            AtomicOp::CompareExchangeWeak => Some(self.arg_scalar(call, 2, name)?),
            _ => Some(self.arg_scalar(call, 1, name)?),
        };
        let Some(scalar) = scalar.filter(|scalar| scalar.bits() <= 64 && scalar.bits().is_multiple_of(8))
        else {
            return unsupported(format!("`{name}`"), "atomics work on whole bytes, up to 64 bits");
        };
        let (bits, size) = (scalar.bits() as u8, (scalar.bits() / 8) as u8);
        let format = Format::of(scalar);
        let int = |op: IntOp| format.is_none().then_some(Combine::Int(op, bits));
        let either = |int: IntOp, float: FloatOp| {
            Some(match format {
                Some(format) => Combine::Float(float, format),
                None => Combine::Int(int, bits),
            })
        };
        let op = match kind {
            AtomicOp::CompareExchangeWeak => {
                let (expected, desired) = (self.arg1(call, 1, name)?, self.arg1(call, 2, name)?);
                let dst = self.fresh()?;
                self.emit(Op::CompareExchange {
                    size,
                    dst,
                    success: None,
                    ptr,
                    expected,
                    desired,
                    by_pointer: true,
                });
                return Ok(vec![dst]);
            }
            AtomicOp::Load => Some(Combine::Keep),
            AtomicOp::Store | AtomicOp::Exchange => Some(Combine::Exchange),
            AtomicOp::Add => either(IntOp::Add, FloatOp::Add),
            AtomicOp::Sub => either(IntOp::Sub, FloatOp::Sub),
            AtomicOp::And => int(IntOp::And),
            AtomicOp::Or => int(IntOp::Or),
            AtomicOp::Xor => int(IntOp::Xor),
            AtomicOp::Min => either(if signed { IntOp::SMin } else { IntOp::UMin }, FloatOp::Min),
            AtomicOp::Max => either(if signed { IntOp::SMax } else { IntOp::UMax }, FloatOp::Max),
        };
        let Some(op) = op else { return invalid(format!("`{name}` on {scalar}")) };
        let value = if kind == AtomicOp::Load { self.constant(0) } else { self.arg1(call, 1, name)? };
        let dst = if *result == Type::Void { None } else { Some(self.fresh()?) };
        self.emit(Op::Atomic { op, size, dst, ptr, value });
        Ok(dst.into_iter().collect())
    }
}

/// The operation of a reduction, and the operand that changes nothing.
fn combine(op: Reduction, signed: bool, scalar: Scalar) -> Option<(Combine, u64)> {
    if let Some(format) = Format::of(scalar) {
        let (op, neutral) = match op {
            Reduction::Sum => (FloatOp::Add, format.minus_zero()),
            Reduction::Product => (FloatOp::Mul, format.one()),
            Reduction::Min => (FloatOp::Min, format.infinity(false)),
            Reduction::Max => (FloatOp::Max, format.infinity(true)),
            Reduction::And | Reduction::Or | Reduction::Xor => return None,
        };
        return Some((Combine::Float(op, format), neutral));
    }
    let bits = scalar.bits() as u8;
    let all = number::mask(bits);
    let (op, neutral) = match (op, signed) {
        (Reduction::Sum, _) => (IntOp::Add, 0),
        (Reduction::Product, _) => (IntOp::Mul, 1),
        (Reduction::Min, false) => (IntOp::UMin, all),
        (Reduction::Max, false) => (IntOp::UMax, 0),
        (Reduction::Min, true) => (IntOp::SMin, all >> 1),
        (Reduction::Max, true) => (IntOp::SMax, all ^ all >> 1),
        (Reduction::And, _) => (IntOp::And, all),
        (Reduction::Or, _) => (IntOp::Or, 0),
        (Reduction::Xor, _) => (IntOp::Xor, 0),
    };
    Some((Combine::Int(op, bits), neutral))
}

fn missing<T>(name: &str) -> Result<T> {
    let help = if name.starts_with("__tensorops_") || name.contains("_tensor") {
        "tensor operations exist only in Apple's own library; use a variant of the kernel without them"
    } else if name == "air.is_function_constant_defined" {
        "set the module's function constants before it is compiled"
    } else {
        "it has no body and is no function of Metal's standard library"
    };
    unsupported(format!("`{name}`"), help)
}
